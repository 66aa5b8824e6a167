// The ct action: connection tracking, NAT, and the fork that resumes in another table.
//
// ct_state follows ovs-fields(7) and what the datapaths make of it (net/openvswitch/conntrack.c, lib/conntrack.c): a
// packet of the original direction is `new` until the connection has seen an answer, even when it is committed.
#include <fmt/format.h>

#include <algorithm>

#include "translation.h"

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

bool tcp_or_like(const Tuple& t) {
  return t.proto == ip_proto::tcp || t.proto == ip_proto::udp || t.proto == ip_proto::sctp;
}

}  // namespace

FlowKey as_in_datapath(const FlowKey& key, const std::optional<UnseenNat>& unseen) {
  if (!unseen || !is_ip(key)) return key;
  Tuple t = tuple_of(key);
  if (t.src == unseen->flow.src) t.src = unseen->packet.src;
  if (t.dst == unseen->flow.dst) t.dst = unseen->packet.dst;
  if (t.sport == unseen->flow.sport) t.sport = unseen->packet.sport;
  if (t.dport == unseen->flow.dport) t.dport = unseen->packet.dport;
  FlowKey packet = key;
  set_tuple(packet, t);
  return packet;
}

struct Translation::CtPassage {
  const Ct& action;
  FlowKey packet;  // the copy that conntrack sees
  std::optional<Tuple> quoted;
  ZoneKey zone;
  Tuple before, after;
  std::uint32_t state = ct_state::trk;
  bool from_dump = false;
};

void Translation::ct(const Ct& a) {
  std::uint16_t zone = 0;
  if (const auto* number = std::get_if<std::uint16_t>(&a.zone)) zone = *number;
  if (const auto* source = std::get_if<Subfield>(&a.zone)) zone = static_cast<std::uint16_t>(key().get(*source));
  const auto space = bridge().datapath_type == "netdev" ? ConntrackSpace::userspace : ConntrackSpace::kernel;
  CtPassage p{a, as_in_datapath(key(), state_.unseen), state_.quoted, {node_.name, space, zone}, {}, {}};
  if (is_ip(p.packet)) p.before = p.after = tuple_of(p.packet);
  const bool forced = a.table && forced_states_ < options_.ct_next.size();
  if (forced)
    ct_forced(p);
  else
    ct_track(p);
  p.packet.set(F::ct_state, p.state);
  p.packet.set(F::ct_zone, zone);
  ct_record(p);
  if (a.table) {
    Job job;
    job.state = state_;
    job.state.key = p.packet;
    job.state.unseen.reset();
    job.state.quoted = p.quoted;
    job.table = *a.table;
    job.answer = answer_;
    push(std::move(job));
  }
  if (p.before != p.after && !a.table) state_.unseen = UnseenNat{tuple_of(key()), p.after};
  clear_conntrack(key());  // what follows in this list goes on untracked
}

// As ofproto/trace does with --ct-next: the state is given, NAT takes the first address, no connection is looked at.
void Translation::ct_forced(CtPassage& p) {
  p.state = options_.ct_next[forced_states_++];
  if (p.action.nat && p.action.nat->addresses && is_ip(p.packet)) {
    const Nat& nat = *p.action.nat;
    const bool source = nat.kind == Nat::Kind::src;
    (source ? p.after.src : p.after.dst) = nat.addresses->first;
    if (nat.port_min && tcp_or_like(p.after)) (source ? p.after.sport : p.after.dport) = *nat.port_min;
    set_tuple(p.packet, p.after);
  }
  ct_execute(p, p.packet.u32(F::ct_mark), p.packet.get(F::ct_label));
}

ConntrackTables::Hit Translation::ct_find(CtPassage& p) {
  const std::uint32_t state = p.packet.u32(F::ct_state);
  if ((state & ct_state::trk) && p.packet.u32(F::ct_zone) == p.zone.zone && p.packet.u32(F::ct_nw_proto) != 0) {
    if (auto hit = world_.conntrack.find(p.zone, original_tuple(p.packet)); hit && !hit.reply_direction) {
      hit.reply_direction = state & ct_state::rpl;
      return hit;
    }
  }
  return world_.conntrack.find(p.zone, p.before);
}

void Translation::ct_track(CtPassage& p) {
  if (!is_ip(p.packet) || is_untracked(p.before)) {
    p.state = ct_state::trk | ct_state::inv;
    return clear_conntrack(p.packet);
  }
  if (p.packet.u32(F::ip_frag) & ip_frag::later) {
    result_.undecided = true;
    remark("conntrack reassembles fragments; a later fragment alone does not tell its ports", here());
  }
  if (is_icmp_error(p.before)) {
    if (!p.quoted) {
      result_.undecided = true;
      remark("which connection an ICMP error belongs to depends on the packet it quotes, which is not known", here());
    }
    const auto hit = p.quoted ? world_.conntrack.find(p.zone, reversed(*p.quoted)) : ConntrackTables::Hit{};
    if (hit) return ct_existing(p, hit);
    p.state = ct_state::trk | ct_state::inv;
    return clear_conntrack(p.packet);
  }
  auto hit = ct_find(p);
  if (hit && hit.reply_direction && p.action.force) {
    world_.conntrack.erase(p.zone, *hit.connection);
    hit = {};
  }
  if (hit)
    ct_existing(p, hit);
  else
    ct_new(p);
}

void Translation::ct_existing(CtPassage& p, const ConntrackTables::Hit& hit) {
  Connection& c = *hit.connection;
  const bool reply = hit.reply_direction, error = is_icmp_error(p.before);
  const std::uint32_t earlier = p.packet.u32(F::ct_zone) == p.zone.zone ? p.packet.u32(F::ct_state) & kNatBits : 0;
  p.from_dump = c.from.known();
  if (!c.certain)
    record_.assume("the dumped connection has seen an answer and carries no label", "its dump does not print them",
                   {c.from});
  if (!error && reply) c.seen_reply = true;
  if (error)
    p.state |= ct_state::rel;
  else
    p.state |= c.seen_reply ? ct_state::est : ct_state::new_;
  if (reply) p.state |= ct_state::rpl;
  if (p.action.nat && !earlier) {
    p.after = error ? translated_error(c, reply, p.before) : translated(c, reply);
    p.state |= nat_bits(p.before, p.after);
    if (error && p.before != p.after) p.quoted = reply ? c.original : c.reply;
    set_tuple(p.packet, p.after);
  }
  p.state |= earlier;
  ct_execute(p, c.mark, c.label);
  if (p.action.commit) {
    c.mark = p.packet.u32(F::ct_mark);
    c.label = p.packet.get(F::ct_label);
  }
  set_original_tuple(p.packet, c.original);
}

void Translation::ct_new(CtPassage& p) {
  if (!may_open(p.packet, p.zone.space)) {
    p.state = ct_state::trk | ct_state::inv;
    return clear_conntrack(p.packet);
  }
  p.state |= ct_state::new_;
  ct_execute(p, 0, 0);
  set_original_tuple(p.packet, p.before);
  if (!p.action.commit) return;
  if (p.action.nat) p.after = ct_mapping(p);
  p.state |= nat_bits(p.before, p.after);
  Connection c;
  c.original = p.before;
  c.reply = reversed(p.after);
  c.mark = p.packet.u32(F::ct_mark);
  c.label = p.packet.get(F::ct_label);
  c.nat_done = p.action.nat.has_value();
  world_.conntrack.insert(p.zone, std::move(c));
  set_tuple(p.packet, p.after);
}

// The translation that conntrack chooses for a new connection. The dump does not tell which member of a range it takes.
Tuple Translation::ct_mapping(const CtPassage& p) {
  const Nat& nat = *p.action.nat;
  Tuple t = p.before;
  if (nat.kind == Nat::Kind::bare) return t;
  const bool source = nat.kind == Nat::Kind::src;
  IpAddr& address = source ? t.src : t.dst;
  std::uint16_t& port = source ? t.sport : t.dport;
  if (nat.addresses && nat.addresses->first.family == address.family) {
    address = nat.addresses->first;
    if (nat.addresses->first != nat.addresses->last)
      record_.assume(fmt::format("the connection is translated to {}", address.to_string()),
                     "conntrack may choose any address of the range", here());
  }
  const bool ports = tcp_or_like(t);
  if (ports && nat.port_min) {
    const std::uint16_t last = nat.port_max.value_or(*nat.port_min);
    if (port < *nat.port_min || port > last) {
      port = *nat.port_min;
      if (last != port)
        record_.assume(fmt::format("the connection is translated to port {}", port),
                       "conntrack may choose any port of the range", here());
      if (last != *nat.port_min) world_.leave_port_open(t, source);
    }
  }
  if (!source || !ports || !world_.conntrack.reply_taken(p.zone, reversed(t))) return t;
  constexpr std::uint16_t kFirstFree = 1024, kLastFree = 65535;
  const std::uint16_t first = nat.port_min.value_or(kFirstFree);
  const std::uint16_t last = nat.port_min ? nat.port_max.value_or(first) : kLastFree;
  for (std::uint32_t candidate = first; candidate <= last; ++candidate) {
    t.sport = static_cast<std::uint16_t>(candidate);
    if (world_.conntrack.reply_taken(p.zone, reversed(t))) continue;
    record_.assume(fmt::format("the source port becomes {}", candidate),
                   fmt::format("another connection of zone {} uses {} already, so conntrack chooses a free one",
                               p.zone.zone, p.before.sport),
                   here());
    world_.leave_port_open(t, true);
    return t;
  }
  result_.undecided = true;
  remark("no free port is left for the translation", here());
  return t;
}

// exec(…) on the mark and label of the connection.
void Translation::ct_execute(CtPassage& p, std::uint32_t mark, U128 label) {
  p.packet.set(F::ct_mark, mark);
  p.packet.set(F::ct_label, label);
  if (!p.action.exec) return;
  PipelineState scratch;
  scratch.key = p.packet;
  for (const Action& a : *p.action.exec)
    if (apply_field_action(a, scratch) != FieldOutcome::done) not_understood("an action inside exec(…)");
  p.packet.set(F::ct_mark, scratch.key.get(F::ct_mark));
  p.packet.set(F::ct_label, scratch.key.get(F::ct_label));
}

void Translation::ct_record(const CtPassage& p) {
  CtPass pass{bridge().name, p.zone.zone, p.action.commit, p.action.table, p.state, {}, {}, p.from_dump};
  const std::uint32_t bits = nat_bits(p.before, p.after);
  if (bits != 0) {
    pass.before = p.before;
    pass.after = p.after;
  }
  add(pass, here());
  if (bits == 0) return;
  const std::string by = key().u64(F::metadata) != 0 ? "ovn" : bridge().name;
  for (const bool source : {false, true})
    if (bits & (source ? ct_state::snat : ct_state::dnat))
      record_.nat.push_back({node_.name, by, source, p.before, p.after, here()});
}

}  // namespace egt::engine
