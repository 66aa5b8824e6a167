// What a caller records of a translation: the lines of ofproto/trace (trace_tree.h), the steps of a path
// (path_recorder.h), or nothing. Without an observer nothing is made for one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/openflow/flow_lookup.h"
#include "policy.h"
#include "switch.h"

namespace egt::engine::ofproto {

// A table lookup and what it found.
struct TableLookup {
  const openflow::Bridge& bridge;
  std::uint8_t table = 0;
  const FlowKey& key;                     // as it was looked up
  openflow::FlowLookup* in = nullptr;     // null: there are no flows to look into
  const openflow::Lookup* hit = nullptr;  // likewise
  bool drops_fragment = false;            // the bridge does not look up fragments
  openflow::FlowIndex used = openflow::kNoFlow;
  const LearnedRule* learned = nullptr;  // used in the place of a flow of the dump
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A translation begins. `flow` is the packet in the pipeline, as it is whenever the observer is called.
  virtual void begin(const FlowKey& /*flow*/) {}
  virtual void line(TraceNode&& node) = 0;
  virtual void looked_up(const TableLookup& /*lookup*/) {}
  virtual void before(const openflow::Action& /*action*/) {}
  virtual void after(const openflow::Action& /*action*/) {}
  virtual void crosses(const SwitchPort& /*from*/, const SwitchPort& /*to*/) {}
  // A patch port drops what is output to it: the one that it names as its peer names another.
  virtual void lacks_peer(const SwitchPort& /*port*/, const SwitchPort& /*named*/) {}
  virtual void no_live_member(const openflow::Bundle& /*bundle*/) {}
  // The port by which the packet comes in drops what it receives.
  virtual void not_received(const SwitchPort& /*port*/) {}
  // The port takes part in a spanning tree of its bridge, which does not let it forward, or of which no dump shows whether it does.
  virtual void in_spanning_tree(const SwitchPort& /*port*/) {}
  // A mirror takes a copy of the packet.
  virtual void mirrored(const Mirror& /*mirror*/) {}
  // The bridge has mirrors that no dump shows.
  virtual void mirrors_unknown(const SwitchBridge& /*bridge*/) {}
  // A datapath action was made: what it is to carry as its origin.
  virtual std::size_t origin_of(const dp::Action& /*action*/) { return 0; }
};

}  // namespace egt::engine::ofproto
