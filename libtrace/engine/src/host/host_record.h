// What the walk of a packet through one host writes down and asks, in the name of that host.
#pragma once

#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/choice.h"
#include "egtrace/engine/record.h"
#include "sysctl_view.h"

namespace egt::engine {

class HostRecord {
 public:
  HostRecord(const cluster::Node& node, Record& record, Chooser& chooser);

  const cluster::Node& node() const { return node_; }
  const host::Host& host() const { return node_.host; }
  Layer layer() const { return layer_; }
  Record& walk() { return record_; }  // of all that the packet meets
  Chooser& chooser() { return chooser_; }

  template <class Kind>  // one of StepKind
  void add(Kind&& kind, std::vector<Provenance> evidence = {}) {
    record_.add(node_.name, layer_, std::forward<Kind>(kind), std::move(evidence));
  }
  void assume(Assumption assumption);  // unless it is there
  // What an answer rests on beside its evidence. Of an answer that could not be given, only the gaps are of interest.
  void note(const std::vector<Assumption>& assumptions, bool decided);
  void gap(Input input, Details about = {}) { record_.gap({node_.name, input, std::move(about)}); }
  // A setting as a yes or no. What is not dumped is assumed to be `otherwise`.
  bool know(const Setting& setting, bool otherwise, Supposition needed);
  std::size_t choose(ChoicePoint point);  // the node's name is filled in

 private:
  const cluster::Node& node_;
  Record& record_;
  Chooser& chooser_;
  Layer layer_;
};

}  // namespace egt::engine
