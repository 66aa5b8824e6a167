#include "common/evidence.h"

#include <algorithm>
#include <string>

#include "egtrace/base/text.h"
#include "phrases/decisions.h"

namespace egt::assess {
namespace {

using explain::Evidence;
using explain::Hop;
using explain::PathReport;

// The last hop that chose a next hop or a route, and has a dump line to show for it.
const Hop* last_decision(const PathReport& path) {
  for (auto hop = path.hops.rbegin(); hop != path.hops.rend(); ++hop)
    if (!hop->detail && !hop->evidence.empty() && (path.egress == std::nullopt || hop->node == path.egress->node)) return &*hop;
  return nullptr;
}

const Hop* hop_with(const PathReport& path, const Evidence& lines) {
  if (lines.empty()) return nullptr;
  for (const Hop& hop : path.hops)
    if (std::find(hop.evidence.begin(), hop.evidence.end(), lines.front()) != hop.evidence.end()) return &hop;
  return nullptr;
}

}  // namespace

Provenance line_within(const cluster::Cluster& cluster, Provenance from, std::string_view text) {
  constexpr std::uint32_t kLines = 500;  // objects and records are shorter; a bound for dumps that are one long line
  if (!from.known()) return from;
  for (std::uint32_t i = 0; i < kLines; ++i) {
    std::string line(cluster.sources->line_text({from.source, from.line + i}));
    if (i > 0 && (trim(line).empty() || trim(line) == "---")) break;
    std::erase_if(line, [](char c) { return c == '"' || c == '\''; });
    if (line.find(text) != std::string::npos) return {from.source, from.line + i};
  }
  return from;
}

Evidence evidence(const cluster::Cluster& cluster, const std::vector<Provenance>& from) {
  Evidence lines;
  for (Provenance p : from) {
    if (!p.known()) continue;
    p.line = std::max(p.line, 1U);  // a dump as a whole is shown by its first line
    explain::EvidenceLine line = explain::evidence_line(p, *cluster.sources);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

Evidence deciding_evidence(const PathReport& path) {
  if (path.stopped_at) {
    Evidence lines = path.stopped_at->evidence;
    for (const explain::RowRef& row : path.stopped_at->rows) lines.insert(lines.end(), row.evidence.begin(), row.evidence.end());
    return lines;
  }
  if (!path.snat.empty() && !path.snat.back().evidence.empty()) return path.snat.back().evidence;
  const Hop* hop = last_decision(path);
  return hop != nullptr ? hop->evidence : Evidence{};
}

std::vector<LostWalk> lost_walks(const explain::Explanation& answer) {
  std::vector<LostWalk> lost;
  for (const explain::PathReport& path : answer.paths) {
    const explain::FailedWalk failed = explain::failed_walk(path);
    if (failed.walk == nullptr || !failed.walk->stopped_at) continue;
    if (failed.walk->verdict == explain::Verdict::dropped || failed.walk->verdict == explain::Verdict::rejected)
      lost.push_back({failed.direction, failed.walk});
  }
  return lost;
}

std::string stopped_for(const explain::StopReport& stop) {
  for (const explain::RowRef& row : stop.rows)
    if (!row.object.empty()) return to_text(row.object);
  return {};
}

std::string stopped_for(const PathReport& path) { return path.stopped_at ? stopped_for(*path.stopped_at) : std::string(); }

std::string decided_by(const PathReport& path) {
  if (path.stopped_at)
    return phrase(Decision::stop,
                  {path.stopped_at->node, path.stopped_at->where, path.stopped_at->why, if_any(stopped_for(path))});
  if (!path.snat.empty()) {
    const explain::NatReport& nat = path.snat.back();
    const Hop* hop = hop_with(path, nat.evidence);
    return phrase(Decision::snat, {nat.node, nat.by, hop != nullptr && hop->where != nat.by ? Term(hop->where) : Term()});
  }
  const Hop* hop = last_decision(path);
  return hop != nullptr ? phrase(Decision::hop, {hop->node, hop->where, hop->what}) : phrase(Decision::no_snat, {});
}

}  // namespace egt::assess
