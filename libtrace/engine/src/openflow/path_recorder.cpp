#include "path_recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace egt::engine {

void PathRecorder::end_at(std::size_t step, Cause why) {
  if (end_.is_of_reply()) return;
  const auto place = places_.find(step);
  const Place where = place == places_.end() ? Place{} : place->second;
  end_.set({node_.name, record_.steps[step].layer, where, std::move(why), evidence_of(step)});
}

void PathRecorder::remark_at(std::size_t step, Notice notice) {
  record_.add(node_.name, record_.steps[step].layer, engine::Remark{notice}, evidence_of(step));
}

void PathRecorder::tracked(std::size_t step, std::uint32_t state, const Tuple& before, const Tuple& after, Provenance entry) {
  executed_.push_back(step);
  Step& recorded = record_.steps[step];
  auto& pass = std::get<CtPass>(recorded.kind);
  pass.state = state;
  pass.entry = entry;
  if (entry.known()) recorded.evidence.push_back(entry);
  if (before == after) return;
  pass.before = before;
  pass.after = after;
  const std::string by = recorded.layer == Layer::ovn ? "ovn" : pass.bridge;
  if (before.src != after.src || before.sport != after.sport)
    record_.nat.push_back({node_.name, by, true, before, after, recorded.evidence});
  if (before.dst != after.dst || before.dport != after.dport)
    record_.nat.push_back({node_.name, by, false, before, after, recorded.evidence});
}

void PathRecorder::refused(std::size_t step, const std::string& with) {
  record_.add(node_.name, record_.steps[step].layer, Refused{places_[step], {Reason::ovn_rejects}, with}, evidence_of(step));
  end_at(step, {Reason::ovn_rejects, {with}});
}

const std::string& PathRecorder::controller_of(std::size_t step) const {
  return std::get<engine::ToController>(record_.steps[step].kind).reason;
}

void PathRecorder::drop_unexecuted() {
  std::sort(executed_.begin(), executed_.end());
  std::vector<std::size_t> dropped;
  std::set_difference(ct_steps_.begin(), ct_steps_.end(), executed_.begin(), executed_.end(), std::back_inserter(dropped));
  if (dropped.empty()) return;
  std::vector<Step>& steps = record_.steps;
  std::size_t kept = dropped.front();
  for (std::size_t i = kept, next = 0; i < steps.size(); ++i)
    if (next < dropped.size() && dropped[next] == i)
      ++next;
    else
      steps[kept++] = std::move(steps[i]);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(kept), steps.end());
}

}  // namespace egt::engine
