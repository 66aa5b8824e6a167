#include "openflow/action_set.h"

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace egt::engine {
namespace {

using namespace openflow;

// Classes of an action set (lib/ofp-actions.c, ACTION_SET_ORDER and ACTION_SET_FINAL_PRIORITY).
enum class Slot : std::uint8_t {
  pop_vlan,
  pop_mpls,
  decap,
  encap,
  push_mpls,
  push_vlan,
  dec_ttl,
  dec_mpls_ttl,
  dec_nsh_ttl,
  ct,
  ct_clear,
  resubmit,
  output,
  group,
  change,
  none,
};
constexpr std::size_t kFixedSlots = static_cast<std::size_t>(Slot::ct);

struct Slots {
  Slot operator()(const PopVlan&) const { return Slot::pop_vlan; }
  Slot operator()(const PopMpls&) const { return Slot::pop_mpls; }
  Slot operator()(const Decap&) const { return Slot::decap; }
  Slot operator()(const Encap&) const { return Slot::encap; }
  Slot operator()(const PushMpls&) const { return Slot::push_mpls; }
  Slot operator()(const PushVlan&) const { return Slot::push_vlan; }
  Slot operator()(const DecTtl&) const { return Slot::dec_ttl; }
  Slot operator()(const DecMplsTtl&) const { return Slot::dec_mpls_ttl; }
  Slot operator()(const DecNshTtl&) const { return Slot::dec_nsh_ttl; }
  Slot operator()(const Load&) const { return Slot::change; }
  Slot operator()(const SetField&) const { return Slot::change; }
  Slot operator()(const Move&) const { return Slot::change; }
  Slot operator()(const SetMpls&) const { return Slot::change; }
  Slot operator()(const SetVlanVid&) const { return Slot::change; }
  Slot operator()(const SetVlanPcp&) const { return Slot::change; }
  Slot operator()(const SetQueue&) const { return Slot::change; }
  Slot operator()(const Opaque&) const { return Slot::change; }  // must not get lost unseen
  Slot operator()(const Ct&) const { return Slot::ct; }
  Slot operator()(const CtClear&) const { return Slot::ct_clear; }
  Slot operator()(const Resubmit&) const { return Slot::resubmit; }
  Slot operator()(const Output&) const { return Slot::output; }
  // CONTROLLER:128 is an output; controller(…) has no place in a set.
  Slot operator()(const Controller& a) const { return a.plain ? Slot::output : Slot::none; }
  Slot operator()(const GroupRef&) const { return Slot::group; }
  template <class Other>
  Slot operator()(const Other&) const {
    return Slot::none;
  }
};

}  // namespace

std::vector<std::size_t> in_action_set_order(const std::vector<const Action*>& set) {
  std::array<std::optional<std::size_t>, kFixedSlots> fixed;
  std::vector<std::size_t> changes, list;
  std::optional<std::size_t> last;
  Slot last_slot = Slot::pop_vlan;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == nullptr) continue;
    const Slot slot = std::visit(Slots{}, set[i]->kind);
    if (slot < Slot::ct) {
      fixed[static_cast<std::size_t>(slot)] = i;
    } else if (slot == Slot::change) {
      changes.push_back(i);
    } else if (slot != Slot::none && slot >= last_slot) {
      last = i;
      last_slot = slot;
    }
  }
  if (!last) return list;
  for (const auto& f : fixed)
    if (f) list.push_back(*f);
  list.insert(list.end(), changes.begin(), changes.end());
  list.push_back(*last);
  return list;
}

}  // namespace egt::engine
