#include "datapath/tracker.h"

#include <algorithm>
#include <initializer_list>

#include "datapath/tcp_tracking.h"
#include "datapath/userspace_tcp.h"

namespace egt::engine {
namespace {

bool contains(std::initializer_list<std::uint32_t> list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_tcp(const FlowKey& packet) { return packet.u32(FieldId::nw_proto) == ip_proto::tcp; }

// Multicast listener, neighbour (but no redirect) and multicast router discovery (noct_valid_new[]).
bool is_discovery(std::uint32_t icmp6_type) { return contains({130, 131, 132, 133, 134, 135, 136, 143, 151, 152}, icmp6_type); }

PacketState opening(bool may_open) { return may_open ? PacketState::new_ : PacketState::invalid; }

}  // namespace

bool opens_tcp(std::uint32_t flags, ConntrackSpace space, const ConntrackSettings& settings) {
  if (space == ConntrackSpace::userspace) return opens_in_userspace(flags);
  return open_tcp(flags, settings.tcp_loose.value_or(true)).has_value();
}

bool is_icmp_error(const FlowKey& packet) {
  const std::uint32_t proto = packet.u32(FieldId::nw_proto);
  const std::uint32_t type = packet.u32(FieldId::icmp_type);
  if (proto == ip_proto::icmp) return contains({3, 4, 5, 11, 12}, type);
  return proto == ip_proto::icmp6 && type >= 1 && type <= 4;
}

Tracked Tracker::track(const FlowKey& packet, const std::optional<Tuple>& quoted) const {
  if (is_icmp_error(packet)) return track_error(packet, quoted);
  if (!has_key(packet)) return {PacketState::invalid, nullptr, {}, false};
  if (auto known = find_known(packet)) return std::move(*known);
  return open(packet);
}

// What the userspace datapath finds no key of a connection in is invalid, whether one is known or not: extract_l4_tcp() and
// its like in lib/conntrack.c.
bool Tracker::has_key(const FlowKey& packet) const {
  if (zone_.space != ConntrackSpace::userspace) return true;
  const std::uint32_t type = packet.u32(FieldId::icmp_type);
  const bool without_code = packet.u32(FieldId::icmp_code) == 0;
  const bool has_ports = packet.u32(FieldId::tp_src) != 0 && packet.u32(FieldId::tp_dst) != 0;
  switch (packet.u32(FieldId::nw_proto)) {
    case ip_proto::tcp:
    case ip_proto::udp: return has_ports;
    case ip_proto::sctp: return has_ports || !settings_.reads_sctp;
    case ip_proto::icmp: return without_code && contains({0, 8, 13, 14, 15, 16}, type);  // echo, timestamp, information
    case ip_proto::icmp6: return without_code && contains({128, 129}, type);
    default: return true;
  }
}

Tracked Tracker::track_error(const FlowKey& packet, const std::optional<Tuple>& quoted) const {
  Tracked t{PacketState::invalid, nullptr, {}, false};
  // nf_conntrack_inet_error(): an error to another address than the source of the packet it quotes belongs to no connection.
  if (quoted && quoted->src != dst_ip(packet)) return t;
  const auto hit = quoted ? tables_.find(zone_, reversed(*quoted)) : tables_.find_by_receiver(zone_, dst_ip(packet));
  t.known = hit.connection;
  t.reply_direction = hit.reply_direction;
  if (hit) t.state = PacketState::related;
  return t;
}

// Empty where there is no entry any more, or none yet.
std::optional<Tracked> Tracker::find_known(const FlowKey& packet) const {
  const auto hit = tables_.find(zone_, tuple_of(packet));
  if (!hit) return std::nullopt;
  Connection& c = *hit.connection;
  if (is_tcp(packet) && zone_.space == ConntrackSpace::userspace) return find_in_userspace(packet, hit);
  if (is_tcp(packet)) {
    // Open vSwitch shares the table and keeps no states.
    if (c.tcp == TcpState::syn_sent && c.seen_reply) c.tcp = TcpState::syn_recv;
    const TcpStep step = follow_tcp(c.tcp, hit.reply_direction, packet.u32(FieldId::tcp_flags));
    if (step.kind == TcpStep::Kind::reopens) {
      tables_.erase(zone_, c);
      return std::nullopt;
    }
    if (step.kind == TcpStep::Kind::invalid) return Tracked{PacketState::invalid, nullptr, {}, false};
    c.tcp = step.next;
  }
  if (hit.reply_direction) c.seen_reply = true;
  return Tracked{c.seen_reply ? PacketState::established : PacketState::new_, &c, {}, hit.reply_direction};
}

std::optional<Tracked> Tracker::find_in_userspace(const FlowKey& packet, const ConntrackTables::Hit& hit) const {
  Connection& c = *hit.connection;
  switch (follow_in_userspace(c.ends, hit.reply_direction, packet.u32(FieldId::tcp_flags))) {
    case UserspaceTcpStep::invalid: return Tracked{PacketState::invalid, nullptr, {}, false};
    case UserspaceTcpStep::reopens: tables_.erase(zone_, c); return std::nullopt;
    case UserspaceTcpStep::new_: return Tracked{PacketState::new_, &c, {}, hit.reply_direction};
    case UserspaceTcpStep::established: break;
  }
  if (hit.reply_direction) c.seen_reply = true;
  return Tracked{PacketState::established, &c, {}, hit.reply_direction};
}

Tracked Tracker::open(const FlowKey& packet) const {
  Tracked t{first_state(packet), nullptr, {}, false};
  if (t.state != PacketState::new_) return t;
  Connection& c = t.opened.emplace();
  c.original = tuple_of(packet);
  c.reply = reversed(c.original);
  if (!is_tcp(packet)) return t;
  if (zone_.space == ConntrackSpace::userspace) return t;
  const std::uint32_t flags = packet.u32(FieldId::tcp_flags);
  c.tcp = open_tcp(flags, settings_.tcp_loose.value_or(true)).value_or(TcpState::unknown);
  c.presumed = !settings_.tcp_loose && !open_tcp(flags, false);
  return t;
}

// What the packet is when no entry knows it: tcp_new(), icmp and icmpv6 in nf_conntrack_proto_*.c; tcp_valid_new(),
// icmp4_valid_new() and icmp6_valid_new() of lib/conntrack-*.c.
PacketState Tracker::first_state(const FlowKey& packet) const {
  const bool userspace = zone_.space == ConntrackSpace::userspace;
  const std::uint32_t type = packet.u32(FieldId::icmp_type), proto = packet.u32(FieldId::nw_proto);
  switch (proto) {
    case ip_proto::tcp: return opening(opens_tcp(packet.u32(FieldId::tcp_flags), zone_.space, settings_));
    case ip_proto::icmp:  // echo, timestamp, information and (the kernel alone) address mask requests
      return opening(contains({8, 13, 15}, type) || (type == 17 && !userspace));
    case ip_proto::icmp6:
      if (userspace) return opening(type == 128);
      return is_discovery(type) ? PacketState::untracked : opening(contains({128, 139}, type));
    default: return PacketState::new_;
  }
}

}  // namespace egt::engine
