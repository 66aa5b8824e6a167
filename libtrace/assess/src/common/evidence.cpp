#include "common/evidence.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::assess {
namespace {

using explain::Evidence;
using explain::Hop;
using explain::WayReport;

// The last hop that chose a next hop or a route, and has a dump line to show for it.
const Hop* last_decision(const WayReport& way) {
  for (auto hop = way.hops.rbegin(); hop != way.hops.rend(); ++hop)
    if (!hop->detail && !hop->evidence.empty() && (way.egress == std::nullopt || hop->node == way.egress->node))
      return &*hop;
  return nullptr;
}

const Hop* hop_with(const WayReport& way, const Evidence& lines) {
  if (lines.empty()) return nullptr;
  for (const Hop& hop : way.hops)
    if (std::find(hop.evidence.begin(), hop.evidence.end(), lines.front()) != hop.evidence.end()) return &hop;
  return nullptr;
}

}  // namespace

Evidence evidence(const cluster::Cluster& cluster, const std::vector<Provenance>& from) {
  Evidence lines;
  for (const Provenance& p : from) {
    if (!p.known()) continue;
    explain::EvidenceLine line{cluster.sources->at(p.source).path, p.line, std::string(cluster.sources->line_text(p))};
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

Evidence deciding_evidence(const WayReport& way) {
  if (way.stopped_at) return way.stopped_at->evidence;
  if (!way.snat.empty() && !way.snat.back().evidence.empty()) return way.snat.back().evidence;
  const Hop* hop = last_decision(way);
  return hop != nullptr ? hop->evidence : Evidence{};
}

std::string decided_by(const WayReport& way) {
  if (way.stopped_at)
    return fmt::format("{}: {}: {}", way.stopped_at->node, way.stopped_at->where, way.stopped_at->why);
  if (!way.snat.empty()) {
    const explain::NatReport& nat = way.snat.back();
    const Hop* hop = hop_with(way, nat.evidence);
    return fmt::format("{}: SNAT by {}{}", nat.node, nat.by,
                       hop != nullptr && hop->where != nat.by ? ", " + hop->where : "");
  }
  const Hop* hop = last_decision(way);
  return hop != nullptr ? fmt::format("{}: {}: {}", hop->node, hop->where, hop->what) : std::string("no translation");
}

}  // namespace egt::assess
