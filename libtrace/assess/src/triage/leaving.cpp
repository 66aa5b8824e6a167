#include "triage/leaving.h"

#include "common/evidence.h"
#include "common/targets.h"

namespace egt::assess {

std::vector<WayOut> ways_out(const explain::Explainer& explainer, const ClaimedPod& of) {
  const Target target = outside(explainer.cluster(), of.claim->family);
  const auto from = explain::parse_point(of.pod->full_name()), to = explain::parse_point(target.address.to_string());
  if (!from || !to) return {};
  explain::Question q;
  q.from = *from;
  q.to = *to;
  q.one_way = true;
  const auto x = explainer.explain(q);
  if (!x) return {};
  std::vector<WayOut> ways;
  for (const explain::WayReport& way : x->ways) {
    WayOut& out = ways.emplace_back();
    out.verdict = way.verdict;
    if (way.egress) out.egress_node = way.egress->node;
    if (way.source_seen) out.source_seen = way.source_seen->ip;
    out.gaps = way.gaps;
    out.stopped_at = way.stopped_at;
    out.deciding = deciding_evidence(way);
  }
  return ways;
}

}  // namespace egt::assess
