// NAT of connections and of their packets (net/netfilter/nf_nat_core.c). What a connection is translated to stands in its
// tuples; which rule asked for it does not matter here.
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/engine/datapath/conntrack.h"

namespace egt::engine {

// Sets up the translation of a connection that is not in the table yet; the port is kept where none is given.
void bind_source(Connection& c, const IpAddr& address, std::optional<std::uint16_t> port);
void bind_destination(Connection& c, const IpAddr& address, std::optional<std::uint16_t> port);

// The address of a NAT action as a packet of that family gets it: those of both families are the same bytes, from the first on
// (union nf_inet_addr, union ct_addr), and datapaths do not compare the action's family with the packet's.
IpAddr address_for(Family packet, const IpAddr& given);

struct PortRange {
  std::uint16_t first = 1024, last = 65535;
};
// The first port of the range, from `from` on and round, with which the answer `reply` is taken for no other connection's.
// Only that it is free is known of it: the kernel takes one at random.
std::optional<std::uint16_t> free_port(const ConntrackTables& tables, const ZoneKey& zone, Tuple reply, PortRange range,
                                       std::uint16_t from);
// Gives the answer's destination this port, and an echo this identifier.
void set_reply_port(Tuple& reply, std::uint16_t port);

// What the connection makes of the source or destination of a packet of it; a side that is not translated keeps what a rule
// wrote into it (nf_nat_packet()).
Tuple translated(const Connection& c, bool reply_direction, bool source, Tuple packet);
// Of an ICMP error only the addresses change, and its source becomes the host that it is about
// (nf_nat_icmp_reply_translation()).
Tuple translated_error(const Connection& c, bool reply_direction, bool source, Tuple error);

}  // namespace egt::engine
