// The action set of a packet in a pipeline (xlate_write_actions() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <utility>

#include "ofpacts.h"
#include "switch.h"

namespace egt::engine::ofproto {

class ActionSet {
 public:
  // In the order in which they were written.
  const Ofpacts& actions() const { return actions_; }
  bool empty() const { return actions_.empty(); }
  // `flow`: its actset_output follows.
  void write(const Ofpacts& list, const SwitchBridge& bridge, FlowKey& flow);
  void clear_actions(FlowKey& flow);
  // Another list for the same packet elsewhere; whether a group was written stays.
  void replace(Ofpacts actions) { actions_ = std::move(actions); }
  void clear() { actions_.clear(); }

 private:
  Ofpacts actions_;
  bool has_group_ = false;
};

}  // namespace egt::engine::ofproto
