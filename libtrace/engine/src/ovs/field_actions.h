// The actions that only change the packet, its metadata or the stack (ovs-actions(7), "Field modification").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/openflow/action.h"
#include "egtrace/openflow/bridge.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

// What a pipeline carries along, and what clone, group buckets and patch ports put back afterwards.
// A ct action without a table translates the packet itself, but the flow does not show it: the actions that follow still
// see `flow`, while the wire and the next ct see `packet`. The two meet when the packet is extracted anew.
struct UnseenNat { Tuple flow, packet; };

struct PipelineState {
  const openflow::Bridge* bridge = nullptr;
  FlowKey key;
  std::vector<U128> stack;
  openflow::ActionList action_set;
  std::uint8_t table = 0;       // of the flow being executed: what resubmit(P,) means
  std::optional<UnseenNat> unseen;
  std::optional<Tuple> quoted;  // the packet is an ICMP error that quotes a packet of this tuple
};

// The packet as the datapath holds it: an unseen translation applied to what no later action has overwritten.
FlowKey as_in_datapath(const FlowKey& key, const std::optional<UnseenNat>& unseen);

enum class FieldOutcome {
  done,
  not_mine,      // no action of this kind
  ttl_exceeded,  // the rest of the list is not executed
  not_modelled,  // done as far as a FlowKey can hold it: not to be trusted
};
FieldOutcome apply_field_action(const openflow::Action& action, PipelineState& state);

// A list of actions in the order in which an action set is executed, without what an action set ignores.
openflow::ActionList as_action_set(const openflow::ActionList& set);

}  // namespace egt::engine
