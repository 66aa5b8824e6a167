// What a pod sends by an egress address is stopped on its path: by a network policy, which may be meant, or by another
// rule.
#include <algorithm>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_stopped {

// Where and why: pods that end alike are shown together.
struct Stop {
  const EgressClaim* claim = nullptr;
  explain::Verdict verdict = explain::Verdict::inconclusive;
  std::string node, where, why, object;
  std::vector<std::string> isolating;  // policies
  bool lets_nothing_out = true;        // none of the isolating policies has a rule for what leaves
  std::vector<const KnownPod*> pods;
  explain::Evidence lines;
};

void judge(const Facts& f, const KnownPod& pod, const EgressClaim& claim, const std::vector<EgressPath>& paths, bool has_cause,
           std::vector<Stop>& stops) {
  for (const EgressPath& path : paths) {
    if ((path.verdict != explain::Verdict::dropped && path.verdict != explain::Verdict::rejected) || !path.stopped_at) continue;
    // The policies that isolate the pod, as far as objects show.
    Stop stop;
    stop.claim = &claim;
    stop.verdict = path.verdict;
    stop.node = path.stopped_at->node;
    stop.where = path.stopped_at->where;
    stop.why = path.stopped_at->why;
    stop.pods = {&pod};
    stop.lines = path.deciding;
    for (const cluster::NetworkPolicy& p : f.cluster.objects.network_policies)
      if (p.egress && p.namespace_ == pod.namespace_ && pod.object != nullptr && p.pods.matches(pod.object->labels)) {
        stop.isolating.push_back("NetworkPolicy " + p.full_name());
        stop.lets_nothing_out &= p.egress_rules.empty();
        for (auto& line : evidence(f.cluster, {p.from})) stop.lines.push_back(std::move(line));
      }
    // What a finding before this one explains is not shown again; that a policy may be meant is.
    stop.object = stopped_for(*path.stopped_at);
    if (has_cause && stop.isolating.empty() && stop.object.empty()) return;
    const auto same = std::find_if(stops.begin(), stops.end(), [&](const Stop& s) {
      return s.claim->object == claim.object && s.claim->family == claim.family && s.verdict == stop.verdict &&
             s.node == stop.node && s.where == stop.where && s.why == stop.why && s.object == stop.object &&
             s.isolating == stop.isolating;
    });
    if (same != stops.end())
      same->pods.push_back(&pod);
    else
      stops.push_back(std::move(stop));
    return;
  }
}

void report(const Facts& f, Stop& stop, Findings& out) {
  const Family family = stop.claim->family;
  out.about(stop.pods);
  // A pod that is to leave by an address and may not leave at all is an outage, even where a policy forbids it.
  if (stop.isolating.empty() || stop.lets_nothing_out) out.weigh(Severity::error);
  out.add(stop.isolating.empty() ? Claim::egress_stopped : Claim::egress_isolated, stop.node, stop.claim->object,
          {terms_of(stop.pods, family), explain::name_of(stop.verdict), stop.where, stop.why, if_any(stop.object),
           stop.pods.front()->full_name(), outside(f.cluster, family), stop.isolating},
          std::move(stop.lines));
}

void run(const Facts& f, Findings& out) {
  std::vector<Stop> stops;
  for (std::size_t i = 0; i < f.claimed_pods().size(); ++i) {
    const auto& [pod, claim] = f.claimed_pods()[i];
    judge(f, *pod, *claim, f.leaving()[i], out.has_cause(claim->object), stops);
  }
  for (Stop& stop : stops) report(f, stop, out);
}

}  // namespace egress_stopped

const Check kEgressStopped{"egress-stopped", Severity::note, needs_egress_ips_or_services, egress_stopped::run,
                           Check::Finds::consequence};

}  // namespace egt::assess
