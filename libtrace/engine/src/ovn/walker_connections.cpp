// Connection tracking as the caller tells it: states, NAT, backends, hairpins.
#include "egtrace/packet/packet.h"
#include "ovn/walker.h"

namespace egt::engine::logical {
namespace {

using Kind = Remark::Kind;

IpAddr original_destination(const FlowKey& packet) {
  return family_of(packet) == Family::v4 ? IpAddr::v4(packet.u32(FieldId::ct_nw_dst))
                                         : IpAddr::v6(packet.get(FieldId::ct_ipv6_dst));
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

void Walker::ct_next(const ovn::CtNext& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
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
  // "ct_snat;" shows nothing in a gateway router.
  if (!a.destination && at.datapath.has_gateway && !a.address) return;
  FlowKey tracked = packet;
  if (a.address) {
    const bool v4 = a.address->is_v4();
    const FieldId field =
        a.destination ? (v4 ? FieldId::ip_dst : FieldId::ipv6_dst) : (v4 ? FieldId::ip_src : FieldId::ipv6_src);
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

void Walker::ct_commit_to_zone(const ovn::CtCommitToZone& a, const ovn::Action& action, const Place& at,
                               const FlowKey& packet) {
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
const Options::Backend* Walker::choose_backend(const ovn::CtLb& a, Family family, const Place& at,
                                               Options::Backend& chosen) {
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

void Walker::ct_lb(const ovn::CtLb& a, const ovn::Action& action, const Place& at, const FlowKey& packet) {
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
  if (!t.selected_by_caller) ++trace_.supposed_members;
  FlowKey selected = packet;
  selected.set(a.result.subfield(), t.selected);
  Node node{NodeType::transformation, false, std::move(t), {}};
  enter_table(at.datapath, selected, a.table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

void Walker::check_hairpin(const ovn::ResultAction& a, const Place& at, FlowKey& packet) {
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

void Walker::snat_to_vip(const Place& at, const FlowKey& packet) {
  const auto vip = network_.find_vip(packet.u32(FieldId::ct_nw_dst), packet.get(FieldId::ct_ipv6_dst));
  if (vip && vip->port == packet.u32(FieldId::ct_tp_dst))
    remark(at.nodes, NodeType::action, {Kind::nat_to_vip, vip->host, {}, {}, 0, {}, nullptr});
}

}  // namespace egt::engine::logical
