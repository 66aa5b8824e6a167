// Where in the bridges of a node the packet of a path is, and what is recorded there: steps, gaps, and why it may end.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "action_lists.h"
#include "egtrace/engine/record.h"
#include "path_recorder.h"

namespace egt::engine {

class PathPosition {
 public:
  explicit PathPosition(PathRecorder& recorder) : recorder_(recorder) {}

  // A translation follows: on `bridge` in `table`, asked for by a step of the record.
  void expect(const openflow::Bridge& bridge, std::uint8_t table, std::optional<std::size_t> step);
  // `flow`: the packet in the pipeline, until the translation has ended.
  void begin(const FlowKey& flow) { flow_ = &flow; }
  void translated() { flow_ = nullptr; }

  PathRecorder& recorder() const { return recorder_; }
  const cluster::Node& node() const { return recorder_.node(); }
  ActionLists& lists() { return lists_; }
  const openflow::Bridge& bridge() const { return *lists_.current().bridge; }
  const FlowKey& flow() const { return *flow_; }
  // Of the flow or bucket being executed.
  std::vector<Provenance> here() const;
  // Of a step that a datapath action has as its origin.
  std::vector<Provenance> evidence_of(std::size_t origin) const;
  Place where() const { return {PlaceKind::table, {bridge().name, std::uint64_t{lists_.current().table}}}; }

  // The step's number.
  template <class Kind>
  std::size_t add(Kind&& kind, std::vector<Provenance> evidence) {
    recorder_.record().add(node().name, layer(), std::forward<Kind>(kind), std::move(evidence));
    return recorder_.record().steps.size() - 1;
  }
  void remark(engine::Remark remark) { add(std::move(remark), here()); }
  void assume(Assumption assumption) { recorder_.assume(std::move(assumption)); }
  void missing(Statement<Input> input);
  // The flow that is executed asks whether the packet is longer than that; in bytes, without Ethernet header and tags.
  void limit(std::uint32_t packet);
  // Why the packet may not leave.
  void end(Cause why) { end(std::move(why), here()); }
  void end(Cause why, std::vector<Provenance> evidence, std::uint8_t depth = 0, const MissedTable& missed = {});

 private:
  Layer layer() const;

  PathRecorder& recorder_;
  ActionLists lists_;
  const FlowKey* flow_ = nullptr;  // of the translation under way
};

}  // namespace egt::engine
