// The path of a packet through logical flows, as a Record shows it: what it meets, why it ends, what leaves the bridge.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/engine/ovs.h"
#include "openflow/path_recorder.h"
#include "ovn/environment.h"

namespace egt::engine {

class LogicalPath {
 public:
  LogicalPath(const cluster::Node& node, const openflow::Bridge& bridge, Record& record)
      : node_(node), bridge_(bridge), record_(record), recorder_(node, record) {}

  // Steps are named by their numbers in the record.
  std::size_t meet(const logical::Stage& stage, const FlowKey& packet);
  void change(std::size_t step, const FlowKey& before, const FlowKey& after);
  template <class Kind>
  std::size_t add(Kind&& kind, std::vector<Provenance> evidence = {}) {
    record_.add(node_.name, Layer::ovn, std::forward<Kind>(kind), std::move(evidence));
    return record_.steps.size() - 1;
  }
  std::vector<Provenance> evidence_of(std::size_t step) const { return recorder_.evidence_of(step); }
  PathRecorder& recorder() { return recorder_; }

  // The snapshot lacks something, or what it has was not understood: the path is not proven.
  void lack(Input what, Details about);
  void lack_table(const char* southbound_table) { lack(Input::southbound_table, {southbound_table}); }
  void note_unread(const ovn::sb::LogicalFlow& flow);

  // Why the packet does not leave; the last reason counts. Ends of ovn-controller's answers do not.
  void end(Cause why, std::size_t step);
  void end_in_bridge(Cause why, std::vector<Provenance> evidence = {});

  // What is met and leaves until end_refusal() is the answer of ovn-controller, which refuses the packet.
  void begin_refusal(std::size_t step);
  void end_refusal() { refusal_.reset(); }
  bool is_refusal() const { return refusal_.has_value(); }

  // From the flow of a step.
  void leave(OvsEmission&& emission, std::size_t step);
  OvsResult take_result();

 private:
  Place place_of(std::size_t step) const;
  void end(Cause why, Place where, std::vector<Provenance> evidence);

  const cluster::Node& node_;
  const openflow::Bridge& bridge_;
  Record& record_;
  PathRecorder recorder_;
  std::optional<std::size_t> refusal_;  // the step that mentions it
  std::optional<Stop> stop_;
  OvsResult result_;
};

}  // namespace egt::engine
