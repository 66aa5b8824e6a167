#include "triage/leaving.h"

#include "common/evidence.h"
#include "common/targets.h"

namespace egt::assess {

std::vector<EgressPath> egress_paths(const explain::Explainer& explainer, const ClaimedPod& of) {
  const IpAddr target = outside(explainer.cluster(), of.claim->family);
  const auto from = explain::parse_point(of.pod->full_name()), to = explain::parse_point(target.to_string());
  if (!from || !to) return {};
  explain::Question q;
  q.from = *from;
  q.to = *to;
  q.one_way = true;
  const auto x = explainer.explain(q);
  if (!x) return {};
  std::vector<EgressPath> paths;
  for (const explain::PathReport& path : x->paths) {
    EgressPath& out = paths.emplace_back();
    out.verdict = path.verdict;
    if (path.egress) out.egress_node = path.egress->node;
    if (path.source_seen) out.source_seen = path.source_seen->ip;
    out.gaps = path.gaps;
    out.stopped_at = path.stopped_at;
    out.deciding = deciding_evidence(path);
  }
  return paths;
}

}  // namespace egt::assess
