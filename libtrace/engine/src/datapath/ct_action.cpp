// ct_state follows ovs-fields(7) and what the datapaths make of it: a packet of the original direction is `new` until
// the connection has seen a reply, even when it is committed.
#include "datapath/ct_action.h"

#include "datapath/nat.h"
#include "egtrace/engine/datapath/zone_limit.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint32_t kNatBits = ct_state::snat | ct_state::dnat;

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
  const auto first = static_cast<std::uint16_t>(k.u32(F::ct_tp_src)), second = static_cast<std::uint16_t>(k.u32(F::ct_tp_dst));
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

std::uint32_t nat_bits(const Tuple& before, const Tuple& after) {
  std::uint32_t bits = 0;
  if (before.src != after.src || before.sport != after.sport) bits |= ct_state::snat;
  if (before.dst != after.dst || before.dport != after.dport) bits |= ct_state::dnat;
  return bits;
}

bool has_ports(const Tuple& t) { return t.proto == ip_proto::tcp || t.proto == ip_proto::udp || t.proto == ip_proto::sctp; }

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
    IpAddr& address = source ? t.src : t.dst;
    address = address_for(address.family, action_.nat.addresses->first);
    if (action_.nat.port_min && has_ports(t)) (source ? t.sport : t.dport) = *action_.nat.port_min;
    set_tuple(key, t);
  }
  write_mark_and_label(key, key.u32(F::ct_mark), key.get(F::ct_label));
  key.set(F::ct_state, state);
  key.set(F::ct_zone, zone_.zone);
  return result_;
}

void CtAction::undecided(Notice why) {
  recorder_.set_undecided();
  recorder_.remark_at(step_, why);
}

void CtAction::invalid(FlowKey& key) {
  result_.state = ct_state::trk | ct_state::inv;
  clear_conntrack(key);
}

// The kernel puts the fragments of a packet together before it tracks it, and the pipeline goes on with the whole
// packet. The userspace datapath waits for them, too, and takes short ones for invalid (ipf_is_valid_v4_frag()).
void CtAction::reassemble(FlowKey& key) {
  const std::uint32_t frag = key.u32(F::ip_frag);
  if ((frag & ip_frag::later) || (frag != 0 && zone_.space == ConntrackSpace::userspace))
    undecided(Notice::later_fragment);
  else if (frag != 0)
    key.set(F::ip_frag, 0);
}

void CtAction::track(DatapathPacket& packet) {
  FlowKey& key = packet.key;
  // Next header 0 announces options that are not there.
  if (!is_ip(key) || (family_of(key) == Family::v6 && key.u32(F::nw_proto) == 0)) return invalid(key);
  reassemble(key);
  if (is_icmp_error(key) && !packet.quoted) {
    undecided(Notice::quoted_packet_unknown);
    return invalid(key);
  }
  note_one_state_of_two(key);
  Tracked tracked = look_up(packet);
  if (tracked.known && tracked.reply_direction && action_.force) {
    network_state_.conntrack.erase(zone_, *tracked.known);
    tracked = Tracker(network_state_.conntrack, zone_, settings_).track(key, packet.quoted);
  }
  if (tracked.known) return existing(packet, tracked);
  if (!tracked.opened) {
    note_later_segments(key);
    return invalid(key);
  }
  if (tracked.opened->presumed) recorder_.assume({Supposition::connections_picked_up, {}, {}, recorder_.evidence_of(step_)});
  opened(packet, std::move(*tracked.opened));
}

// Dumps of the userspace datapath print the later of the states of both ends (ct_dpif_format_protoinfo_tcp()). Whether a SYN opens a
// new connection in the place of a finished one depends on the other's as well.
void CtAction::note_one_state_of_two(const FlowKey& key) {
  constexpr std::uint32_t kSyn = 0x02, kAck = 0x10;
  if (zone_.space != ConntrackSpace::userspace || key.u32(F::nw_proto) != ip_proto::tcp) return;
  if ((key.u32(F::tcp_flags) & (kSyn | kAck)) != kSyn) return;
  const auto hit = network_state_.conntrack.find(zone_, result_.before);
  if (!hit || !hit.connection->from.known()) return;
  const TcpEnds& ends = hit.connection->ends;
  if (std::max(ends[0], ends[1]) < TcpEnd::closing) return;
  const bool reopens = std::min(ends[0], ends[1]) >= TcpEnd::fin_wait_2;
  recorder_.assume({Supposition::ends_as_one_state, {std::uint64_t{reopens}}, {}, {hit.connection->from}});
}

// A SYN-ACK opens no connection, and so is not translated; the segments behind it do where no SYN came by here (tcp_conntracks[], sNO).
void CtAction::note_later_segments(const FlowKey& key) {
  constexpr std::uint32_t kSynAck = 0x12, kAck = 0x10;
  const Nat& nat = action_.nat;
  if (!action_.commit || !action_.has_nat || nat.kind == Nat::Kind::bare || !nat.addresses) return;
  if (key.u32(F::nw_proto) != ip_proto::tcp || (key.u32(F::tcp_flags) & 0x3f) != kSynAck) return;
  if (!opens_tcp(kAck, zone_.space, settings_)) return;
  const IpAddr& own = nat.kind == Nat::Kind::src ? result_.before.src : result_.before.dst;
  const IpAddr address = address_for(own.family, nat.addresses->first);
  if (own == address) return;
  recorder_.assume({Supposition::segments_as_handshake, {address}, {std::uint64_t{zone_.zone}}, recorder_.evidence_of(step_)});
}

// The connection that an earlier ct of the same zone gave the packet (skb_nfct_cached()), else what conntrack finds.
Tracked CtAction::look_up(const DatapathPacket& packet) {
  const FlowKey& key = packet.key;
  const std::uint32_t state = key.u32(F::ct_state);
  if ((state & ct_state::trk) && key.u32(F::ct_zone) == zone_.zone && key.u32(F::ct_nw_proto) != 0) {
    const auto hit = network_state_.conntrack.find(zone_, original_tuple(key));
    if (hit && !hit.reply_direction) {
      const bool related = state & ct_state::rel;
      const auto known = state & ct_state::est ? PacketState::established : PacketState::new_;
      return {related ? PacketState::related : known, hit.connection, {}, (state & ct_state::rpl) != 0};
    }
  }
  return Tracker(network_state_.conntrack, zone_, settings_).track(key, packet.quoted);
}

void CtAction::existing(DatapathPacket& packet, const Tracked& tracked) {
  Connection& c = *tracked.known;
  FlowKey& key = packet.key;
  const std::uint32_t earlier = key.u32(F::ct_zone) == zone_.zone ? key.u32(F::ct_state) & kNatBits : 0;
  result_.entry = c.from;
  if (!c.certain) recorder_.assume({Supposition::connection_answered, {}, {}, {c.from}});
  const bool related = tracked.state == PacketState::related;
  result_.state |= related ? ct_state::rel : tracked.state == PacketState::new_ ? ct_state::new_ : ct_state::est;
  if (tracked.reply_direction && tracked.state != PacketState::new_) result_.state |= ct_state::rpl;
  if (!earlier && translates(tracked)) {
    for (const bool source : {true, false})
      result_.after = (related ? translated_error : translated)(c, tracked.reply_direction, source, result_.after);
    result_.state |= nat_bits(result_.before, result_.after);
    if (related && result_.before != result_.after) packet.quoted = tracked.reply_direction ? c.original : c.reply;
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

// ovs_ct_nat() of net/openvswitch/conntrack.c: a packet of a connection without a reply is translated where the action
// gives src or dst, an error of the original direction where it commits. The userspace datapath makes no such difference
// (handle_nat()).
bool CtAction::translates(const Tracked& tracked) const {
  if (!action_.has_nat) return false;
  if (zone_.space == ConntrackSpace::userspace || action_.nat.kind != Nat::Kind::bare) return true;
  if (tracked.state == PacketState::new_) return false;
  return tracked.state != PacketState::related || tracked.reply_direction || action_.commit || action_.force;
}

void CtAction::opened(DatapathPacket& packet, Connection c) {
  FlowKey& key = packet.key;
  result_.state |= ct_state::new_;
  write_mark_and_label(key, 0, 0);
  set_original_tuple(key, c.original);
  if (!action_.commit && !action_.force) return;
  if (is_refused(packet) || (action_.has_nat && !map(c))) return forget_exec(key);
  result_.after = reversed(c.reply);
  result_.state |= nat_bits(result_.before, result_.after);
  c.mark = key.u32(F::ct_mark);
  c.label = key.get(F::ct_label);
  c.nat_done = action_.has_nat;
  network_state_.conntrack.insert(zone_, std::move(c));
  set_tuple(key, result_.after);
}

// Where a zone is full the kernel drops what would open a connection there (ovs_ct_check_limit() of net/openvswitch/conntrack.c). The
// userspace datapath lets it pass as it came, without one (conn_not_found() of lib/conntrack.c).
bool CtAction::is_refused(DatapathPacket& packet) {
  const cluster::Node& node = recorder_.node();
  for (auto limit : {limit_of_zone(node, zone_), limit_of_all_zones(node)}) {
    if (!limit) continue;
    if (!limit->count && !limit->is_doubtful()) limit->count = count_in_zone();
    if (limit->is_reached()) {
      refuse(packet, *limit);
      return true;
    }
    if (!limit->count)
      recorder_.assume({Supposition::zone_has_room, {std::uint64_t{zone_.zone}, node.name}, {limit->most}, limit->evidence});
  }
  return false;
}

void CtAction::refuse(DatapathPacket& packet, const ConnectionLimit& limit) {
  const std::uint64_t zone = zone_.zone, count = *limit.count;
  const bool drops = zone_.space == ConntrackSpace::kernel;
  recorder_.assume({Supposition::zone_stays_full,
                    {zone, recorder_.node().name},
                    {count, limit.most, std::uint64_t{limit.of_all}, std::uint64_t{!drops}},
                    limit.evidence});
  packet.is_dropped = drops;
  if (drops) recorder_.end_at(step_, {Reason::conntrack_full, {zone, count, limit.most}});
}

// By the dumps of connections, of which one without entries is a count, too.
std::optional<std::uint64_t> CtAction::count_in_zone() const {
  if (const auto count = network_state_.conntrack.count(zone_)) return count;
  const host::Host& host = recorder_.node().host;
  const bool is_dumped = host.ovs_conntrack.present || (zone_.space == ConntrackSpace::kernel && host.conntrack.present);
  return is_dumped ? std::optional<std::uint64_t>(0) : std::nullopt;
}

// The translation of a new connection; false where none is free. No dump shows which member of a range conntrack takes.
bool CtAction::map(Connection& c) {
  const Nat& nat = action_.nat;
  if (nat.kind == Nat::Kind::bare) return true;
  const bool source = nat.kind == Nat::Kind::src;
  const Tuple& before = c.original;
  IpAddr address = source ? before.src : before.dst;
  if (nat.addresses) {
    address = address_for(address.family, nat.addresses->first);
    if (nat.addresses->first != nat.addresses->last)
      recorder_.assume({Supposition::address_of_range, {address}, {}, recorder_.evidence_of(step_)});
  }
  const PortChoice choice = translates_ports(before) ? choose_port(source ? before.sport : before.dport) : PortChoice{};
  (source ? bind_source : bind_destination)(c, address, choice.port);
  if (choice.is_open) network_state_.leave_port_open(reversed(c.reply), source);
  return !network_state_.conntrack.reply_taken(zone_, c.reply) || resolve_clash(c);
}

// Another connection has the same answers. Ports of the source make the difference whichever side is translated, as do identifiers of
// echoes in the kernel (nf_nat_l4proto_unique_tuple()) and, of ICMPv4, in the userspace datapath behind release 3.7 (pat_proto of
// nat_get_unique_tuple()). Elsewhere the userspace datapath lets the packet pass as it came, without a connection (nat_res_exhaustion of
// conn_not_found()), and the kernel drops it.
bool CtAction::resolve_clash(Connection& c) {
  const bool echo = c.original.proto == ip_proto::icmp || c.original.proto == ip_proto::icmp6;
  if (translates_ports(c.original) || (echo && zone_.space == ConntrackSpace::kernel)) {
    take_free_port(c);
    return true;
  }
  if (echo || zone_.space == ConntrackSpace::kernel) undecided(Notice::no_free_port);
  return false;
}

// A packet without a connection has neither mark nor label.
void CtAction::forget_exec(FlowKey& key) {
  key.set(F::ct_mark, 0);
  key.set(F::ct_label, 0);
}

// Ports that the userspace datapath does not read it leaves alone (nat_get_unique_tuple()).
bool CtAction::translates_ports(const Tuple& t) const {
  return has_ports(t) && (zone_.space == ConntrackSpace::kernel || t.proto != ip_proto::sctp || settings_.reads_sctp);
}

// The own port is kept where the range has it and nothing asks for another one: both `random` and `hash` make the
// kernel take any (OVS_NAT_ATTR_PROTO_RANDOM, OVS_NAT_ATTR_PROTO_HASH). The userspace datapath knows neither flag, and
// takes one of the range by a hash wherever there is a range (set_sport_range(), set_dport_range()).
CtAction::PortChoice CtAction::choose_port(std::uint16_t own) const {
  const Nat& nat = action_.nat;
  const bool any = zone_.space == ConntrackSpace::userspace ? nat.port_min.has_value() : nat.random || nat.hash;
  const std::uint16_t first = nat.port_min.value_or(own), last = nat.port_min ? nat.port_max.value_or(first) : own;
  const bool within = own >= first && own <= last;
  PortChoice choice;
  if (!within) choice.port = first;
  choice.is_open = nat.port_min ? first != last && (any || !within) : any;
  if (choice.is_open)
    recorder_.assume({Supposition::port_of_range,
                      {std::uint64_t{choice.port.value_or(own)}},
                      {std::uint64_t{nat.port_min.has_value()}},
                      recorder_.evidence_of(step_)});
  return choice;
}

void CtAction::take_free_port(Connection& c) {
  PortRange range;
  const Nat& nat = action_.nat;
  if (nat.port_min && nat.kind == Nat::Kind::src) range = {*nat.port_min, nat.port_max.value_or(*nat.port_min)};
  const auto port = free_port(network_state_.conntrack, zone_, c.reply, range, range.first);
  if (!port) return undecided(Notice::no_free_port);
  recorder_.assume({Supposition::free_port,
                    {std::uint64_t{*port}},
                    {std::uint64_t{zone_.zone}, std::uint64_t{result_.before.sport}},
                    recorder_.evidence_of(step_)});
  bind_source(c, c.reply.dst, *port);
  network_state_.leave_port_open(reversed(c.reply), true);
}

// What exec(…) writes to the connection shows on the packet.
void CtAction::write_mark_and_label(FlowKey& key, std::uint32_t mark, U128 label) const {
  if (action_.mark) mark = (mark & ~action_.mark->second) | action_.mark->first;
  if (action_.label) label = (label & ~action_.label->second) | action_.label->first;
  key.set(F::ct_mark, mark);
  key.set(F::ct_label, label);
}

}  // namespace egt::engine
