// What connection tracking makes of a packet before any NAT: nf_conntrack_in() of net/netfilter, which hosts and the kernel
// datapath of Open vSwitch share. The userspace datapath (lib/conntrack.c) is asked for by the zone's space; it differs in
// which packets open a connection.
#pragma once

#include <optional>

#include "egtrace/engine/datapath/conntrack.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct Tracked {
  PacketState state = PacketState::none;
  Connection* known = nullptr;       // in the table
  std::optional<Connection> opened;  // by this packet; not in the table until it is inserted
  bool reply_direction = false;
};

// What settings and releases make conntrack do otherwise.
struct ConntrackSettings {
  // net.netfilter.nf_conntrack_tcp_loose, whether TCP connections are picked up in their midst; empty where no dump shows:
  // then they are, and Connection::presumed is set.
  std::optional<bool> tcp_loose;
  // Whether the userspace datapath reads the ports of SCTP (lib/conntrack.c, since release 3.2); the kernel always does.
  bool reads_sctp = true;
};

class Tracker {
 public:
  Tracker(ConntrackTables& tables, ZoneKey zone, const ConntrackSettings& settings = {})
      : tables_(tables), zone_(std::move(zone)), settings_(settings) {}

  // `quoted`: what an ICMP error quotes, where that is known; else the newest connection of its receiver is taken.
  Tracked track(const FlowKey& packet, const std::optional<Tuple>& quoted = {}) const;

 private:
  Tracked track_error(const FlowKey& packet, const std::optional<Tuple>& quoted) const;
  bool has_key(const FlowKey& packet) const;
  std::optional<Tracked> find_known(const FlowKey& packet) const;
  std::optional<Tracked> find_in_userspace(const FlowKey& packet, const ConntrackTables::Hit& hit) const;  // of TCP
  Tracked open(const FlowKey& packet) const;
  PacketState first_state(const FlowKey& packet) const;

  ConntrackTables& tables_;
  ZoneKey zone_;
  ConntrackSettings settings_;
};

// Whether a packet with these flags opens a connection of TCP.
bool opens_tcp(std::uint32_t flags, ConntrackSpace space, const ConntrackSettings& settings);

// ICMP errors belong to the connection of the packet they quote.
bool is_icmp_error(const FlowKey& packet);

}  // namespace egt::engine
