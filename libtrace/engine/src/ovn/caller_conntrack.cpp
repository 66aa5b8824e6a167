#include "ovn/caller_conntrack.h"

#include "egtrace/packet/packet.h"

namespace egt::engine::logical {
namespace {

Transformed transformed_by(const ovn::Action& action, Transformed::Kind kind) {
  return {kind, &action, 0, false, 0, false, {}, {}};
}

}  // namespace

std::uint32_t CallerConntrack::next_state(bool& supposed) {
  if (next_state_ < options_.ct_states.size()) return options_.ct_states[next_state_++];
  supposed = true;
  ++supposed_.states;
  return ct_state::est | ct_state::trk;
}

// A packet that has been tracked before stays as it is.
void CallerConntrack::suppose_tracked(FlowKey& tracked, Transformed& shown) {
  const auto state = tracked.u32(FieldId::ct_state);
  if (!(state & ct_state::trk)) tracked.set(FieldId::ct_state, state | next_state(shown.ct_state_supposed));
}

void CallerConntrack::note_original(FlowKey& to, const FlowKey& from) const {
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

std::optional<Transformed> CallerConntrack::track(const ovn::CtNext&, const ovn::Action& action, const ActionPlace&,
                                                  const FlowKey& packet, FlowKey& tracked) {
  Transformed shown = transformed_by(action, Transformed::Kind::ct_next);
  shown.ct_state = next_state(shown.ct_state_supposed);
  tracked.set(FieldId::ct_state, shown.ct_state);
  note_original(tracked, packet);
  return shown;
}

std::optional<Transformed> CallerConntrack::track(const ovn::CtNat& a, const ovn::Action& action, const ActionPlace& at,
                                                  const FlowKey& packet, FlowKey& tracked) {
  // "ct_snat;" shows nothing in a gateway router.
  if (!a.destination && at.datapath.has_gateway && !a.address) return std::nullopt;
  if (a.address) {
    const bool v4 = a.address->is_v4();
    const FieldId field = a.destination ? (v4 ? FieldId::ip_dst : FieldId::ipv6_dst) : (v4 ? FieldId::ip_src : FieldId::ipv6_src);
    tracked.set(field, a.address->value);
    tracked.set(FieldId::ct_state, tracked.get(FieldId::ct_state) | (a.destination ? ct_state::dnat : ct_state::snat));
  }
  Transformed shown = transformed_by(action, Transformed::Kind::ct_nat);
  suppose_tracked(tracked, shown);
  note_original(tracked, packet);
  return shown;
}

std::optional<Transformed> CallerConntrack::track(const ovn::CtCommitToZone& a, const ovn::Action& action, const ActionPlace&,
                                                  const FlowKey& packet, FlowKey& tracked) {
  using K = Transformed::Kind;
  Transformed shown = transformed_by(action, a.nat ? K::ct_commit_nat : K::ct_commit_to_zone);
  suppose_tracked(tracked, shown);
  note_original(tracked, packet);
  return shown;
}

// The caller's backend is used once where the action lists backends, and always where it lists none.
const Options::Backend* CallerConntrack::choose_backend(const ovn::CtLb& a, Family family, const ActionPlace& at,
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
    at.show(NodeType::error, remark_of(Remark::Kind::no_backend));
    return nullptr;
  }
  if (alternatives > 1) ++supposed_.backends;
  chosen = {first->address, first->port};
  return &chosen;
}

std::optional<Transformed> CallerConntrack::track(const ovn::CtLb& a, const ovn::Action& action, const ActionPlace& at,
                                                  const FlowKey& packet, FlowKey& tracked) {
  Transformed shown = transformed_by(action, Transformed::Kind::ct_lb);
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
    tracked.set(FieldId::ct_state, tracked.u32(FieldId::ct_state) | next_state(shown.ct_state_supposed));
  }
  note_original(tracked, packet);
  return shown;
}

Transformed CallerConntrack::select(const ovn::Select& a, const ovn::Action& action) {
  Transformed shown = transformed_by(action, Transformed::Kind::select);
  shown.selected = a.members.front().id;
  for (const ovn::Select::Member& m : a.members)
    if (options_.select_id != 0 && m.id == options_.select_id) {
      shown.selected = m.id;
      shown.selected_by_caller = true;
      break;
    }
  if (!shown.selected_by_caller) ++supposed_.members;
  return shown;
}

}  // namespace egt::engine::logical
