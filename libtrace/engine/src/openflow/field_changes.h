// What each action changes of a packet, as the step of its flow or bucket has it.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/engine/record.h"
#include "egtrace/openflow/action.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine {

class FieldChanges {
 public:
  void before(const openflow::Action& action, const FlowKey& flow);
  // `step`: of the flow or bucket that has the action.
  void after(const openflow::Action& action, const FlowKey& flow, Step& step);

 private:
  FlowKey before_;                // the words that the action may change
  std::vector<FieldId> changed_;  // room for the fields that it changed
};

}  // namespace egt::engine
