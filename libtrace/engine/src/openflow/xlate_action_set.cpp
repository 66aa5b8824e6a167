#include "xlate_action_set.h"

#include "packet_fields.h"

namespace egt::engine::ofproto {

using namespace openflow;

void ActionSet::write(const Ofpacts& list, const SwitchBridge& bridge, FlowKey& flow) {
  if (!has_group_) {
    for (const Ofpact& o : list) {
      if (!o.action) continue;
      if (const auto* out = std::get_if<Output>(&o.action->kind)) {
        flow.set(F::actset_output, bridge.number_of(out->port).value_or(0));
      } else if (const auto* controller = std::get_if<Controller>(&o.action->kind); controller && controller->plain) {
        flow.set(F::actset_output, port::controller);
      } else if (std::holds_alternative<GroupRef>(o.action->kind)) {
        flow.set(F::actset_output, port::unset);
        has_group_ = true;
        break;
      }
    }
  }
  actions_.insert(actions_.end(), list.begin(), list.end());
}

void ActionSet::clear_actions(FlowKey& flow) {
  actions_.clear();
  flow.set(F::actset_output, port::unset);
  has_group_ = false;
}

}  // namespace egt::engine::ofproto
