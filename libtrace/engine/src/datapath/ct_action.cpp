// ct_state follows ovs-fields(7) and what the datapaths make of it: a packet of the original direction is `new` until the
// connection has seen a reply, even when it is committed.
#include "datapath/ct_action.h"

#include <fmt/format.h>

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint32_t kNatBits = ct_state::snat | ct_state::dnat;
constexpr std::uint32_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kAck = 0x10;

bool is_icmp_error(const Tuple& t) {
  switch (t.proto) {
    case ip_proto::icmp:
      return t.icmp_type == 3 || t.icmp_type == 4 || t.icmp_type == 5 || t.icmp_type == 11 || t.icmp_type == 12;
    case ip_proto::icmp6:
      return t.icmp_type >= 1 && t.icmp_type <= 4;
    default:
      return false;
  }
}

// Neighbour discovery and multicast listener discovery are not tracked.
bool is_untracked(const Tuple& t) {
  return t.proto == ip_proto::icmp6 && ((t.icmp_type >= 130 && t.icmp_type <= 137) || t.icmp_type == 143);
}

// Whether the first packet of an unknown connection may look like this. Flags of 0 mean: not given.
bool may_open(const FlowKey& k, ConntrackSpace space) {
  if (k.u32(F::nw_proto) != ip_proto::tcp) return true;
  const std::uint32_t flags = k.u32(F::tcp_flags);
  if (flags == 0) return true;
  if ((flags & kSyn) && (flags & (kAck | kRst | kFin))) return false;
  if (space == ConntrackSpace::userspace) return (flags & kSyn) || (flags & (kAck | kRst));
  return !(flags & (kRst | kFin));
}

void set_original_tuple(FlowKey& k, const Tuple& t) {
  k.set(F::ct_nw_proto, t.proto);
  const bool v4 = t.src.is_v4();
  k.set(v4 ? F::ct_nw_src : F::ct_ipv6_src, t.src.value);
  k.set(v4 ? F::ct_nw_dst : F::ct_ipv6_dst, t.dst.value);
  const bool icmp = t.proto == ip_proto::icmp || t.proto == ip_proto::icmp6;
  k.set(F::ct_tp_src, icmp ? t.icmp_type : t.sport);
  k.set(F::ct_tp_dst, icmp ? t.icmp_code : t.dport);
}

// The original tuple that an earlier ct of the same zone left in the fields: the packet keeps its connection even when
// NAT has changed it since.
Tuple original_tuple(const FlowKey& k) {
  Tuple t;
  const bool v4 = family_of(k) == Family::v4;
  t.src = {family_of(k), k.get(v4 ? F::ct_nw_src : F::ct_ipv6_src)};
  t.dst = {family_of(k), k.get(v4 ? F::ct_nw_dst : F::ct_ipv6_dst)};
  t.proto = static_cast<std::uint8_t>(k.u32(F::ct_nw_proto));
  const auto first = static_cast<std::uint16_t>(k.u32(F::ct_tp_src)),
             second = static_cast<std::uint16_t>(k.u32(F::ct_tp_dst));
  if (t.proto == ip_proto::icmp || t.proto == ip_proto::icmp6) {
    t.icmp_type = static_cast<std::uint8_t>(first);
    t.icmp_code = static_cast<std::uint8_t>(second);
    t.sport = t.dport = static_cast<std::uint16_t>(k.u32(F::icmp_id));
  } else {
    t.sport = first;
    t.dport = second;
  }
  return t;
}

// What the translation of a connection makes of a packet of it.
Tuple translated(const Connection& c, bool reply) { return reversed(reply ? c.original : c.reply); }

// Of an ICMP error only the outer addresses change, those that the connection's NAT concerns.
Tuple translated_error(const Connection& c, bool reply, Tuple t) {
  if (reply) {
    if (c.has_snat()) t.dst = c.original.src;
    if (c.has_dnat()) t.src = c.original.dst;
  } else {
    if (c.has_snat()) t.src = c.reply.dst;
    if (c.has_dnat()) t.dst = c.reply.src;
  }
  return t;
}

std::uint32_t nat_bits(const Tuple& before, const Tuple& after) {
  std::uint32_t bits = 0;
  if (before.src != after.src || before.sport != after.sport) bits |= ct_state::snat;
  if (before.dst != after.dst || before.dport != after.dport) bits |= ct_state::dnat;
  return bits;
}

bool has_ports(const Tuple& t) {
  return t.proto == ip_proto::tcp || t.proto == ip_proto::udp || t.proto == ip_proto::sctp;
}

}  // namespace

CtResult CtAction::execute(DatapathPacket& packet) {
  if (is_ip(packet.key)) result_.before = result_.after = tuple_of(packet.key);
  result_.state = ct_state::trk;
  track(packet);
  packet.key.set(F::ct_state, result_.state);
  packet.key.set(F::ct_zone, zone_.zone);
  return result_;
}

CtResult CtAction::execute_with(std::uint32_t state, DatapathPacket& packet) {
  FlowKey& key = packet.key;
  result_.state = state;
  if (is_ip(key)) result_.before = result_.after = tuple_of(key);
  if (action_.has_nat && action_.nat.addresses && is_ip(key)) {
    const bool source = action_.nat.kind == Nat::Kind::src;
    Tuple& t = result_.after;
    (source ? t.src : t.dst) = action_.nat.addresses->first;
    if (action_.nat.port_min && has_ports(t)) (source ? t.sport : t.dport) = *action_.nat.port_min;
    set_tuple(key, t);
  }
  write_mark_and_label(key, key.u32(F::ct_mark), key.get(F::ct_label));
  key.set(F::ct_state, state);
  key.set(F::ct_zone, zone_.zone);
  return result_;
}

void CtAction::undecided(const char* why) {
  recorder_.set_undecided();
  recorder_.remark_at(step_, why);
}

void CtAction::invalid(FlowKey& key) {
  result_.state = ct_state::trk | ct_state::inv;
  clear_conntrack(key);
}

// The kernel puts the fragments of a packet together before it tracks it, and the pipeline goes on with the whole packet.
void CtAction::reassemble(FlowKey& key) {
  const std::uint32_t frag = key.u32(F::ip_frag);
  if (frag & ip_frag::later) undecided("conntrack reassembles fragments; a later fragment alone does not tell its ports");
  else if (frag != 0 && zone_.space == ConntrackSpace::kernel) key.set(F::ip_frag, 0);
}

void CtAction::track(DatapathPacket& packet) {
  if (!is_ip(packet.key) || is_untracked(result_.before)) return invalid(packet.key);
  reassemble(packet.key);
  if (is_icmp_error(result_.before)) return track_error(packet);
  auto hit = find(packet.key);
  if (hit && hit.reply_direction && action_.force) {
    world_.conntrack.erase(zone_, *hit.connection);
    hit = {};
  }
  if (hit)
    existing(packet, hit);
  else
    opened(packet);
}

void CtAction::track_error(DatapathPacket& packet) {
  if (!packet.quoted)
    undecided("which connection an ICMP error belongs to depends on the packet it quotes, which is not known");
  const auto hit =
      packet.quoted ? world_.conntrack.find(zone_, reversed(*packet.quoted)) : ConntrackTables::Hit{};
  if (hit) return existing(packet, hit);
  invalid(packet.key);
}

ConntrackTables::Hit CtAction::find(const FlowKey& key) {
  const std::uint32_t state = key.u32(F::ct_state);
  if ((state & ct_state::trk) && key.u32(F::ct_zone) == zone_.zone && key.u32(F::ct_nw_proto) != 0) {
    if (auto hit = world_.conntrack.find(zone_, original_tuple(key)); hit && !hit.reply_direction) {
      hit.reply_direction = state & ct_state::rpl;
      return hit;
    }
  }
  return world_.conntrack.find(zone_, result_.before);
}

void CtAction::existing(DatapathPacket& packet, const ConntrackTables::Hit& hit) {
  Connection& c = *hit.connection;
  FlowKey& key = packet.key;
  const bool reply = hit.reply_direction, error = is_icmp_error(result_.before);
  const std::uint32_t earlier = key.u32(F::ct_zone) == zone_.zone ? key.u32(F::ct_state) & kNatBits : 0;
  result_.from_dump = c.from.known();
  if (!c.certain)
    recorder_.assume("the dumped connection has seen an answer and carries no label", "its dump does not print them",
                     {c.from});
  if (!error && reply) c.seen_reply = true;
  if (error)
    result_.state |= ct_state::rel;
  else
    result_.state |= c.seen_reply ? ct_state::est : ct_state::new_;
  if (reply) result_.state |= ct_state::rpl;
  if (action_.has_nat && !earlier) {
    result_.after = error ? translated_error(c, reply, result_.before) : translated(c, reply);
    result_.state |= nat_bits(result_.before, result_.after);
    if (error && result_.before != result_.after) packet.quoted = reply ? c.original : c.reply;
    set_tuple(key, result_.after);
  }
  result_.state |= earlier;
  write_mark_and_label(key, c.mark, c.label);
  if (action_.commit || action_.force) {
    c.mark = key.u32(F::ct_mark);
    c.label = key.get(F::ct_label);
  }
  set_original_tuple(key, c.original);
}

void CtAction::opened(DatapathPacket& packet) {
  FlowKey& key = packet.key;
  if (!may_open(key, zone_.space)) return invalid(key);
  result_.state |= ct_state::new_;
  write_mark_and_label(key, 0, 0);
  set_original_tuple(key, result_.before);
  if (!action_.commit && !action_.force) return;
  if (action_.has_nat) result_.after = mapping();
  result_.state |= nat_bits(result_.before, result_.after);
  Connection c;
  c.original = result_.before;
  c.reply = reversed(result_.after);
  c.mark = key.u32(F::ct_mark);
  c.label = key.get(F::ct_label);
  c.nat_done = action_.has_nat;
  world_.conntrack.insert(zone_, std::move(c));
  set_tuple(key, result_.after);
}

// The translation that conntrack chooses for a new connection. No dump shows which member of a range it takes.
Tuple CtAction::mapping() {
  const Nat& nat = action_.nat;
  Tuple t = result_.before;
  if (nat.kind == Nat::Kind::bare) return t;
  const bool source = nat.kind == Nat::Kind::src;
  IpAddr& address = source ? t.src : t.dst;
  std::uint16_t& port = source ? t.sport : t.dport;
  if (nat.addresses && nat.addresses->first.family == address.family) {
    address = nat.addresses->first;
    if (nat.addresses->first != nat.addresses->last)
      recorder_.assume(fmt::format("the connection is translated to {}", address.to_string()),
                       "conntrack may choose any address of the range", recorder_.evidence_of(step_));
  }
  if (!has_ports(t)) return t;
  if (nat.port_min) {
    const std::uint16_t last = nat.port_max.value_or(*nat.port_min);
    if (port < *nat.port_min || port > last) {
      port = *nat.port_min;
      if (last != port)
        recorder_.assume(fmt::format("the connection is translated to port {}", port),
                         "conntrack may choose any port of the range", recorder_.evidence_of(step_));
      if (last != *nat.port_min) world_.leave_port_open(t, source);
    }
  }
  return source && world_.conntrack.reply_taken(zone_, reversed(t)) ? free_port(t) : t;
}

Tuple CtAction::free_port(Tuple t) {
  constexpr std::uint16_t kFirstFree = 1024, kLastFree = 65535;
  const Nat& nat = action_.nat;
  const std::uint16_t first = nat.port_min.value_or(kFirstFree);
  const std::uint16_t last = nat.port_min ? nat.port_max.value_or(first) : kLastFree;
  for (std::uint32_t candidate = first; candidate <= last; ++candidate) {
    t.sport = static_cast<std::uint16_t>(candidate);
    if (world_.conntrack.reply_taken(zone_, reversed(t))) continue;
    recorder_.assume(fmt::format("the source port becomes {}", candidate),
                     fmt::format("another connection of zone {} uses {} already, so conntrack chooses a free one",
                                 zone_.zone, result_.before.sport),
                     recorder_.evidence_of(step_));
    world_.leave_port_open(t, true);
    return t;
  }
  undecided("no free port is left for the translation");
  return t;
}

// What exec(…) writes to the connection shows on the packet.
void CtAction::write_mark_and_label(FlowKey& key, std::uint32_t mark, U128 label) const {
  if (action_.mark) mark = (mark & ~action_.mark->second) | action_.mark->first;
  if (action_.label) label = (label & ~action_.label->second) | action_.label->first;
  key.set(F::ct_mark, mark);
  key.set(F::ct_label, label);
}

}  // namespace egt::engine
