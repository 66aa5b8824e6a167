// Connection tracking and NAT of a host for the packet being walked, from nf_conntrack_in() over nf_nat_inet_fn() to
// nf_conntrack_confirm() of net/netfilter. Rules are not looked at here.
#pragma once

#include <optional>
#include <string>

#include "datapath/tracker.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/engine/network_state.h"

namespace egt::engine {

// A translation that was applied to the packet.
struct Applied {
  bool source = false;
  Tuple before, after;
};

class KernelConntrack {
 public:
  // `loose`: as Tracker's.
  KernelConntrack(std::string node, NetworkState& network_state, std::optional<bool> loose)
      : tables_(network_state.conntrack), loose_(loose) {
    zone_.node = std::move(node);
  }

  // At priority -200. `made_here`: the packet leaves a process or is an error message of this host, which the kernel
  // attaches to the connection it is about.
  // `quoted`: what an ICMP error quotes, where that is known.
  void look_up(const FlowKey& packet, std::uint16_t zone, bool made_here, const std::optional<Tuple>& quoted = {});
  // The packet is the host's own error message or reset about this connection, which a reset closes.
  void attach(const Attached& about, const FlowKey& packet);
  void skip() { tracked_.state = PacketState::untracked; }
  // The connection is taken out of the table.
  void forget();

  // The connection has another destination for packets of this direction; OUTPUT routes them anew then, changed or not
  // (nf_nat_ipv4_local_fn()).
  bool changes_destination() const;
  bool presumed() const { return connection() != nullptr && connection()->presumed; }
  bool done() const { return state() != PacketState::none; }
  PacketState state() const { return tracked_.state; }
  Connection* connection() { return tracked_.opened ? &*tracked_.opened : tracked_.known; }
  const Connection* connection() const { return tracked_.opened ? &*tracked_.opened : tracked_.known; }
  // The connection is in the table; that of an error about a packet that was refused may not be.
  bool confirmed() const { return !tracked_.opened && connection() != nullptr && !(attached_ && connection() == &*attached_); }
  bool reply_direction() const { return tracked_.reply_direction; }
  std::uint16_t zone() const { return zone_.zone; }
  // The packet opens a connection whose source (or destination) no chain has decided on yet.
  bool undecided(bool source) const { return tracked_.opened && !(source ? source_done_ : destination_done_); }

  // A nat chain's decision; keeps the port where it is not given. False when the answer would be taken for another
  // connection's: then another source port is set, of which only that it is free is known.
  // With `only_port` none is looked for: the packet will not be confirmed.
  bool bind(bool source, const IpAddr& address, std::optional<std::uint16_t> port, bool only_port);
  // No chain decided: the connection stays as it is. False when its answer would be taken for another connection's, as
  // above (nf_nat_alloc_null_binding()).
  bool bind_nothing(bool source);
  // What the connection makes of the packet's source or destination; empty when nothing changes.
  std::optional<Applied> translate(bool source, FlowKey& packet);
  // What an ICMP error quotes once both of its translations are done.
  std::optional<Tuple> translate_quoted(const std::optional<Tuple>& quoted) const;
  // At the end of INPUT and POSTROUTING: the connection becomes visible to others. False when its answer would be taken for
  // another connection's: the kernel drops the packet.
  bool confirm();

 private:
  bool take_free_port();  // true where the present one is free

  ConntrackTables& tables_;
  std::optional<bool> loose_;
  ZoneKey zone_;
  Tracked tracked_;
  std::optional<Connection> attached_;  // never to be confirmed: its first packet was refused
  bool source_done_ = false, destination_done_ = false;
};

}  // namespace egt::engine
