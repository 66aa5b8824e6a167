// Connection tracking and NAT of the kernel for the packet under way: nf_conntrack_in(), nf_nat_inet_fn() and
// nf_conntrack_confirm() of net/netfilter, on the World's tables. Rules are not looked at here.
#pragma once

#include <optional>
#include <string>

#include "egtrace/engine/host.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/engine/world.h"

namespace egt::engine {

// A translation that was applied to the packet.
struct Applied {
  bool source = false;
  Tuple before, after;
};

class KernelConntrack {
 public:
  // `loose`: net.netfilter.nf_conntrack_tcp_loose, whether TCP connections are picked up in their midst; empty where no dump
  // tells: then they are, and presumed() says so.
  KernelConntrack(std::string node, World& world, std::optional<bool> loose) : world_(world), loose_(loose) {
    zone_.node = std::move(node);
  }

  // At priority -200. `made_here`: the packet leaves a process or is an error message of this host, which the kernel
  // attaches to the connection it is about.
  // `quoted`: what an ICMP error quotes, where that is known.
  void look_up(const FlowKey& packet, std::uint16_t zone, bool made_here, const std::optional<Tuple>& quoted = {});
  // The packet is the host's own error message or reset about this connection, which a reset closes.
  void attach(const Attached& about, const FlowKey& packet);
  void skip() { state_ = PacketState::untracked; }
  // The connection is taken out of the table.
  void forget();

  // The connection has another destination for packets of this direction; OUTPUT routes them anew then, changed or not
  // (nf_nat_ipv4_local_fn()).
  bool changes_destination() const;
  bool presumed() const { return connection() != nullptr && connection()->presumed; }
  bool done() const { return state_ != PacketState::none; }
  PacketState state() const { return state_; }
  Connection* connection() { return fresh_ ? &*fresh_ : known_; }
  const Connection* connection() const { return fresh_ ? &*fresh_ : known_; }
  // The connection is in the table; that of an error about a packet that was refused may not be.
  bool confirmed() const { return !fresh_ && known_ != nullptr && !(attached_ && known_ == &*attached_); }
  bool reply_direction() const { return reply_direction_; }
  std::uint16_t zone() const { return zone_.zone; }
  // The packet opens a connection whose source (or destination) no chain has decided on yet.
  bool undecided(bool source) const { return fresh_ && !(source ? source_done_ : destination_done_); }

  // A nat chain's decision; keeps the port where it is not given. False when the answer would be taken for another
  // connection's: then another source port is set, of which only that it is free is known.
  // With `only_port` none is looked for: the packet will not be confirmed.
  bool bind(bool source, const IpAddr& address, std::optional<std::uint16_t> port, bool only_port);
  // No chain decided: the connection stays as it is. False when its answer would be taken for another connection's, as
  // above (nf_nat_alloc_null_binding()).
  bool bind_nothing(bool source);
  // What the connection says of the packet's source or destination; empty when nothing changes.
  std::optional<Applied> translate(bool source, FlowKey& packet);
  // What an ICMP error quotes once both of its translations are done.
  std::optional<Tuple> translate_quoted(const std::optional<Tuple>& quoted) const;
  // At the end of INPUT and POSTROUTING: the connection becomes visible to others. False when its answer would be taken for
  // another connection's: the kernel drops the packet.
  bool confirm();

 private:
  bool find_known(const FlowKey& packet, const Tuple& tuple);
  void look_up_error(const FlowKey& packet, bool made_here, const std::optional<Tuple>& quoted);
  std::optional<Applied> translate_error(const Connection& c, bool source, FlowKey& packet) const;
  bool find_free_port();                 // true where the present one is free

  World& world_;
  std::optional<bool> loose_;
  ZoneKey zone_;
  PacketState state_ = PacketState::none;
  std::optional<Connection> fresh_;      // not confirmed yet
  std::optional<Connection> attached_;   // never to be confirmed: its first packet was refused
  Connection* known_ = nullptr;
  bool reply_direction_ = false;
  bool source_done_ = false, destination_done_ = false;
};

// ICMP errors belong to the connection of the packet they quote.
bool is_icmp_error(const FlowKey& packet);

}  // namespace egt::engine
