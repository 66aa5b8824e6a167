// What is said of the steps of a path on one node when datapath or ovn-controller have executed them, and why the packet may not leave.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/engine/record.h"
#include "path_end.h"

namespace egt::engine {

class PathRecorder {
 public:
  PathRecorder(const cluster::Node& node, Record& record) : node_(node), record_(record), end_(node, record) {}

  const cluster::Node& node() const { return node_; }
  Record& record() { return record_; }
  PathEnd& end() { return end_; }
  bool is_undecided() const { return undecided_; }
  void set_undecided() { undecided_ = true; }
  void assume(Assumption assumption) { record_.assume(std::move(assumption)); }
  void gap(Input input, Details about) { record_.gap({node_.name, input, std::move(about)}); }

  // The packet may end at this step, there, when it is executed.
  void set_place(std::size_t step, Place place) { places_[step] = std::move(place); }
  // The step is of a ct action, which a datapath may execute.
  void expect_tracking(std::size_t step) { ct_steps_.push_back(step); }

  void end_at(std::size_t step, Cause why);
  void remark_at(std::size_t step, Notice notice);
  void tracked(std::size_t step, std::uint32_t state, const Tuple& before, const Tuple& after, Provenance entry);
  void refused(std::size_t step, const std::string& with);
  const std::string& controller_of(std::size_t step) const;  // of a ToController step
  std::vector<Provenance> evidence_of(std::size_t step) const { return record_.steps[step].evidence; }
  // Removes the steps of ct actions that no datapath executed.
  void drop_unexecuted();

 private:
  const cluster::Node& node_;
  Record& record_;
  PathEnd end_;
  std::vector<std::size_t> ct_steps_, executed_;
  std::unordered_map<std::size_t, Place> places_;
  bool undecided_ = false;
};

}  // namespace egt::engine
