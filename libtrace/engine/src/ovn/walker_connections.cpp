// Connection tracking as the caller shows it: states, NAT, backends, hairpins.
#include "egtrace/packet/packet.h"
#include "ovn/walker.h"

namespace egt::engine::logical {
namespace {

using Kind = Remark::Kind;

IpAddr original_destination(const FlowKey& packet) {
  return family_of(packet) == Family::v4 ? IpAddr::v4(packet.u32(FieldId::ct_nw_dst))
                                         : IpAddr::v6(packet.get(FieldId::ct_ipv6_dst));
}

// Bits of ct_mark, in older releases of ct_label (include/ovn/logical-fields.h).
constexpr std::uint32_t kNatted = 2, kSkipSnat = 4, kForceSnat = 8;

// A switch tracks what goes through its ports, a router what it translates.
Zone zone_of(const LogicalDatapath& datapath, ovn::CtZone zone) {
  if (!datapath.row->is_router) return Zone::port;
  return zone == ovn::CtZone::dnat ? Zone::dnat : Zone::snat;
}

Tracking translation(const ovn::CtNat& a) {
  Tracking how{a.in_czone      ? Zone::common
               : a.destination ? Zone::dnat
                               : Zone::snat,
               a.address.has_value(),
               openflow::Nat{},
               {},
               {}};
  if (!a.address) return how;
  how.nat->kind = a.destination ? openflow::Nat::Kind::dst : openflow::Nat::Kind::src;
  how.nat->addresses = IpRange{*a.address, *a.address};
  if (a.ports && a.ports->low != 0) {
    how.nat->port_min = a.ports->low;
    if (a.ports->high != 0) how.nat->port_max = a.ports->high;
    how.nat->random = a.ports->high != 0;
  }
  return how;
}

// The address and port that a load balancer's packet had before (MFF_LOG_LB_ORIG_* of include/ovn/logical-fields.h).
IpAddr balanced_address(const FlowKey& packet) {
  return family_of(packet) == Family::v4 ? IpAddr::v4(packet.u32(FieldId::reg1)) : IpAddr::v6(packet.get(FieldId::xxreg1));
}

}  // namespace

std::uint32_t Walker::next_ct_state(bool& supposed) {
  if (next_state_ < options_.ct_states.size()) return options_.ct_states[next_state_++];
  supposed = true;
  ++trace_.supposed_states;
  return ct_state::est | ct_state::trk;
}

void Walker::note_original(FlowKey& to, const FlowKey& from) const {
  if (!options_.keeps_original_tuple) return;
  to.set(FieldId::ct_nw_proto, from.get(FieldId::nw_proto));
  if (from.u64(FieldId::eth_type) == ethertype::ipv4) {
    to.set(FieldId::ct_nw_src, from.get(FieldId::ip_src));
    to.set(FieldId::ct_nw_dst, from.get(FieldId::ip_dst));
  } else if (from.u64(FieldId::eth_type) == ethertype::ipv6) {
    to.set(FieldId::ct_ipv6_src, from.get(FieldId::ipv6_src));
    to.set(FieldId::ct_ipv6_dst, from.get(FieldId::ipv6_dst));
  }
  to.set(FieldId::ct_tp_src, from.get(FieldId::tp_src));
  to.set(FieldId::ct_tp_dst, from.get(FieldId::tp_dst));
}

// The packet goes on behind conntrack, as one that the datapath has recirculated.
void Walker::track(const Tracking& how, std::uint16_t table, const Place& at, const FlowKey& packet) {
  FlowKey tracked = packet;
  environment_->track(at.at(), how, tracked);
  enter_table(at.datapath, tracked, table, at.pipeline, at.nodes);
}

// What the block writes is the connection's. Without a table to go on in, the packet loses what conntrack said of it.
void Walker::ct_commit(const ovn::CtCommit& a, const Place& at, FlowKey& packet) {
  if (environment_ == nullptr) return;
  Tracking how{zone_of(at.datapath, ovn::CtZone::dnat), true, {}, {}, {}};
  if (a.mark_mask != 0) how.mark = {a.mark, a.mark_mask};
  if (a.label_mask != 0) how.label = {a.label, a.label_mask};
  FlowKey written = packet, mask = packet;
  for (FlowKey* key : {&written, &mask}) {
    key->set(FieldId::ct_mark, 0);
    key->set(FieldId::ct_label, 0);
  }
  for (const ovn::Action& action : a.actions) {
    Subfield to;
    if (const auto* constant = std::get_if<ovn::Load>(&action.kind)) {
      to = constant->to.subfield();
      written.set(to, constant->value.value);
    } else if (const auto* moved = std::get_if<ovn::Move>(&action.kind)) {
      to = moved->to.subfield();
      written.set(to, packet.get(moved->from.subfield()));
    } else {
      continue;
    }
    mask.set(to, ones(to.bits));
  }
  if (mask.u32(FieldId::ct_mark) != 0) how.mark = {written.u32(FieldId::ct_mark), mask.u32(FieldId::ct_mark)};
  if (mask.get(FieldId::ct_label) != 0) how.label = {written.get(FieldId::ct_label), mask.get(FieldId::ct_label)};
  environment_->track(at.at(), how, packet);
  clear_conntrack(packet);
}

void Walker::ct_next(const ovn::CtNext& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
  if (environment_) return track({zone_of(at.datapath, a.zone), false, {}, {}, {}}, a.table, at, packet);
  Transformed t{Transformed::Kind::ct_next, &action, 0, false, 0, false, {}, {}};
  t.ct_state = next_ct_state(t.ct_state_supposed);
  FlowKey tracked = packet;
  tracked.set(FieldId::ct_state, t.ct_state);
  note_original(tracked, packet);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, tracked, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

void Walker::ct_nat(const ovn::CtNat& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
  if (environment_) return track(translation(a), a.table, at, packet);
  // "ct_snat;" shows nothing in a gateway router.
  if (!a.destination && at.datapath.has_gateway && !a.address) return;
  FlowKey tracked = packet;
  if (a.address) {
    const bool v4 = a.address->is_v4();
    const FieldId field = a.destination ? (v4 ? FieldId::ip_dst : FieldId::ipv6_dst) : (v4 ? FieldId::ip_src : FieldId::ipv6_src);
    tracked.set(field, a.address->value);
    tracked.set(FieldId::ct_state, tracked.get(FieldId::ct_state) | (a.destination ? ct_state::dnat : ct_state::snat));
  }
  Transformed t{Transformed::Kind::ct_nat, &action, 0, false, 0, false, {}, {}};
  if (!(tracked.u32(FieldId::ct_state) & ct_state::trk))
    tracked.set(FieldId::ct_state, tracked.u32(FieldId::ct_state) | next_ct_state(t.ct_state_supposed));
  note_original(tracked, packet);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, tracked, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

void Walker::ct_commit_to_zone(const ovn::CtCommitToZone& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
  if (environment_) {
    Tracking how{zone_of(at.datapath, a.zone), true, {}, {}, {}};
    if (a.nat) how.nat.emplace();
    return track(how, a.table, at, packet);
  }
  using K = Transformed::Kind;
  Transformed t{a.nat ? K::ct_commit_nat : K::ct_commit_to_zone, &action, 0, false, 0, false, {}, {}};
  FlowKey tracked = packet;
  if (!(tracked.u32(FieldId::ct_state) & ct_state::trk))
    tracked.set(FieldId::ct_state, tracked.u32(FieldId::ct_state) | next_ct_state(t.ct_state_supposed));
  note_original(tracked, packet);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, tracked, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

// The caller's backend is used once where the action lists backends, and always where it lists none.
const Options::Backend* Walker::choose_backend(const ovn::CtLb& a, Family family, const Place& at, Options::Backend& chosen) {
  const bool given = options_.backend && options_.backend->address.family == family && !backend_used_;
  if (a.backends.empty()) return given ? &*options_.backend : nullptr;
  const ovn::LbBackend* first = nullptr;
  unsigned alternatives = 0;
  for (const ovn::LbBackend& b : a.backends) {
    if (b.address.family != family) continue;
    if (given && b.address == options_.backend->address) {
      backend_used_ = true;
      chosen = {b.address, b.port};
      return &chosen;
    }
    ++alternatives;
    if (first == nullptr) first = &b;
  }
  if (first == nullptr) {
    remark(at.nodes, NodeType::error, remark_of(Kind::no_backend));
    return nullptr;
  }
  if (alternatives > 1) ++trace_.supposed_backends;
  chosen = {first->address, first->port};
  return &chosen;
}

Tracking Walker::balanced(const ovn::CtLb& a, const ovn::LbBackend& backend, const LogicalDatapath& datapath) const {
  Tracking how{zone_of(datapath, ovn::CtZone::dnat), true, openflow::Nat{}, {}, {}};
  how.nat->kind = openflow::Nat::Kind::dst;
  how.nat->addresses = IpRange{backend.address, backend.address};
  if (backend.port != 0) how.nat->port_min = backend.port;
  std::uint32_t bits = kNatted;
  if (a.flag == ovn::CtLb::Flag::skip_snat) bits |= kSkipSnat;
  if (a.flag == ovn::CtLb::Flag::force_snat) bits |= kForceSnat;
  if (a.kind == ovn::CtLb::Kind::label)
    how.label = {bits, bits};
  else
    how.mark = {bits, bits};
  return how;
}

void Walker::ct_lb(const ovn::CtLb& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
  if (environment_) {
    if (a.backends.empty())
      return track({zone_of(at.datapath, ovn::CtZone::dnat), false, openflow::Nat{}, {}, {}}, a.table, at, packet);
    const std::size_t chosen = environment_->choose_backend(at.at(), a, family_of(packet));
    if (chosen < a.backends.size()) track(balanced(a, a.backends[chosen], at.datapath), a.table, at, packet);
    return;
  }
  FlowKey tracked = packet;
  Transformed t{Transformed::Kind::ct_lb, &action, 0, false, 0, false, {}, {}};
  if (is_ip(packet)) {
    const bool v4 = family_of(packet) == Family::v4;
    Options::Backend chosen;
    if (const Options::Backend* backend = choose_backend(a, family_of(packet), at, chosen)) {
      const FieldId destination = v4 ? FieldId::ip_dst : FieldId::ipv6_dst;
      tracked.set(v4 ? FieldId::ct_nw_dst : FieldId::ct_ipv6_dst, tracked.get(destination));
      tracked.set(destination, backend->address.value);
      tracked.set(FieldId::ct_tp_dst, tracked.get(FieldId::tp_dst));
      if (backend->port) tracked.set(FieldId::tp_dst, backend->port);
      tracked.set(FieldId::ct_state, tracked.u32(FieldId::ct_state) | ct_state::dnat);
    }
    tracked.set(FieldId::ct_state, tracked.u32(FieldId::ct_state) | next_ct_state(t.ct_state_supposed));
  }
  note_original(tracked, packet);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, tracked, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

void Walker::select(const ovn::Select& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
  Transformed t{Transformed::Kind::select, &action, 0, false, a.members.front().id, false, {}, {}};
  for (const ovn::Select::Member& m : a.members)
    if (options_.select_id != 0 && m.id == options_.select_id) {
      t.selected = m.id;
      t.selected_by_caller = true;
      break;
    }
  if (environment_) t.selected = environment_->choose_member(at.at(), a);
  if (!t.selected_by_caller) ++trace_.supposed_members;
  FlowKey selected = packet;
  selected.set(a.result.subfield(), t.selected);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, selected, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

// With connections at hand: a packet that its load balancer sends back to its sender, and the answer to one.
bool Walker::is_hairpin(const ovn::ResultAction& a, const Place& at, const FlowKey& packet) const {
  if (!is_ip(packet)) return false;
  if (a.kind == ovn::ResultAction::Kind::chk_lb_hairpin_reply) return environment_->is_answer_to_hairpin(at.at(), packet);
  const bool natted = (packet.u32(FieldId::ct_mark) & kNatted) || (low64(packet.get(FieldId::ct_label)) & kNatted);
  return natted && src_ip(packet) == dst_ip(packet);
}

void Walker::check_hairpin(const ovn::ResultAction& a, const Place& at, FlowKey& packet) {
  if (environment_) return packet.set(a.result.subfield(), is_hairpin(a, at, packet));
  const auto vip = network_.find_vip(packet.u32(FieldId::ct_nw_dst), packet.get(FieldId::ct_ipv6_dst));
  if (!vip && is_ip(packet) && (packet.u32(FieldId::ct_state) & ct_state::dnat))
    unanswered({"Load_Balancer", {}, original_destination(packet), {}, nullptr});
  bool hairpin = false;
  if (vip && is_ip(packet) && (packet.u32(FieldId::ct_state) & ct_state::dnat)) {
    const bool same = src_ip(packet) == dst_ip(packet);
    const FieldId port = a.kind == ovn::ResultAction::Kind::chk_lb_hairpin ? FieldId::ct_tp_dst : FieldId::tp_dst;
    hairpin = same && vip->port == packet.u32(port);
  }
  packet.set(a.result.subfield(), hairpin);
  at.nodes.push_back({NodeType::modify, false, Became{a.result, hairpin, false}, {}});
}

void Walker::snat_to_vip(const Place& at, FlowKey& packet) {
  if (environment_) {
    Tracking how{Zone::snat, true, openflow::Nat{}, {}, {}};
    const IpAddr address = network_.hairpin_source(family_of(packet)).value_or(balanced_address(packet));
    how.nat->kind = openflow::Nat::Kind::src;
    how.nat->addresses = IpRange{address, address};
    environment_->track(at.at(), how, packet);
    return clear_conntrack(packet);
  }
  const auto vip = network_.find_vip(packet.u32(FieldId::ct_nw_dst), packet.get(FieldId::ct_ipv6_dst));
  if (vip && vip->port == packet.u32(FieldId::ct_tp_dst))
    remark(at.nodes, NodeType::action, {Kind::nat_to_vip, vip->host, {}, {}, 0, {}, nullptr});
}

}  // namespace egt::engine::logical
