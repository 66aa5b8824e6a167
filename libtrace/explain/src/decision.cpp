// What decided a path, and no more of it: for many questions at once.
#include <algorithm>
#include <map>
#include <optional>

#include "group_agreement.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::Step;
using engine::WalkedPath;

const Provenance* first_known(const std::vector<Provenance>& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [](const Provenance& p) { return p.known(); });
  return found == lines.end() ? nullptr : &*found;
}

// The hops of a path, each put into words when it is asked for.
class HopsAsked {
 public:
  HopsAsked(const WalkedPath& walked, const Words& words) : steps_(walked.record.steps), words_(words) {}

  const std::vector<Step>& steps() const { return steps_; }

  const Hop& at(std::size_t i) {
    if (const auto shown = shown_.find(i); shown != shown_.end()) return shown->second;
    Hop& hop = shown_.emplace(i, words_.hop(steps_[i], false)).first->second;
    if (!hop.lflows.empty() || !hop.rows.empty()) return hop;
    if (const auto cause = with_same_line(i)) {
      hop.lflows = at(*cause).lflows;
      hop.rows = at(*cause).rows;
    }
    return hop;
  }

 private:
  // What a flow does besides its own entry has the flow's causes.
  std::optional<std::size_t> with_same_line(std::size_t i) const {
    const Provenance* line = first_known(steps_[i].evidence);
    if (line == nullptr) return std::nullopt;
    for (std::size_t j = i; j-- > 0 && steps_[j].node == steps_[i].node;) {
      const Provenance* other = first_known(steps_[j].evidence);
      if (other != nullptr && *other == *line) return j;
    }
    return std::nullopt;
  }

  const std::vector<Step>& steps_;
  const Words& words_;
  std::map<std::size_t, Hop> shown_;  // by step
};

// The step that has the line which translated.
std::optional<std::size_t> step_with(const std::vector<Step>& steps, Provenance line) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::find(steps[i].evidence.begin(), steps[i].evidence.end(), line) != steps[i].evidence.end()) return i;
  return std::nullopt;
}

// The last step that chose a next hop or a route, on the node by which the packet leaves.
std::optional<std::size_t> last_decision(HopsAsked& hops, const WalkedPath& walked) {
  for (std::size_t i = hops.steps().size(); i-- > 0;) {
    const Step& step = hops.steps()[i];
    if (first_known(step.evidence) == nullptr || (walked.egress && walked.egress->node != step.node)) continue;
    if (!hops.at(i).detail) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> deciding_step(HopsAsked& hops, const WalkedPath& walked) {
  for (auto nat = walked.record.nat.rbegin(); nat != walked.record.nat.rend(); ++nat) {
    if (!nat->source) continue;
    const Provenance* line = first_known(nat->evidence);
    return line != nullptr ? step_with(hops.steps(), *line) : last_decision(hops, walked);
  }
  return last_decision(hops, walked);
}

}  // namespace

PathReport report_decision(const WalkedPath& walked, const Words& words) {
  PathReport path = report_verdict(walked);
  compare_groups(walked, words, path);
  report_ovn(walked, words, path);
  report_group(walked, words, path);
  for (const engine::NatEvent& e : walked.record.nat)
    if (e.source) path.snat.push_back(report_nat(e, words));
  HopsAsked hops(walked, words);
  if (walked.verdict == engine::Verdict::delivered) {
    report_seen(walked, path);
  } else if (walked.stop) {
    path.stopped_at = report_stop(*walked.stop, words);
    name_stop(*path.stopped_at, hops.steps().size(), [&](std::size_t i) -> const Hop& { return hops.at(i); });
    return path;
  }
  if (const auto i = deciding_step(hops, walked)) path.hops.push_back(hops.at(*i));
  return path;
}

}  // namespace egt::explain
