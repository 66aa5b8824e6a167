#include "triage/one_connection.h"

#include <algorithm>

#include "common/evidence.h"

namespace egt::assess {
namespace {

const KnownPod* pod_of(const Facts& f, const explain::EndReport& end) {
  if (end.kind != "pod") return nullptr;
  const auto pod = std::find_if(f.pods.begin(), f.pods.end(), [&](const KnownPod& p) { return p.full_name() == end.name; });
  return pod == f.pods.end() ? nullptr : &*pod;
}

Target kind_of(const explain::Explanation& x, const IpAddr& to) {
  if (x.to.kind == "external") return to.is_v4() ? Target::outside_v4 : Target::outside_v6;
  if (x.to.kind == "service") return Target::service;
  return x.to.kind == "node" ? Target::other_node : Target::pod;
}

}  // namespace

std::vector<AuditRow> rows_of(const Facts& f, const explain::Explanation& x) {
  std::vector<AuditRow> rows;
  const KnownPod* pod = pod_of(f, x.from);
  const auto to = IpAddr::parse(x.packet.dst);
  if (!to) return rows;
  for (const explain::PathReport& path : x.paths) {
    AuditRow row;
    row.node = x.from.node;
    row.ip = x.packet.src;
    row.to = x.packet.dst;
    row.to_kind = kind_of(x, *to);
    row.outcome = path.outcome;
    row.source_seen = path.source_seen;
    row.leak = !x.intent.violations.empty();
    if (const explain::FailedWalk failed = explain::failed_walk(path); failed.walk != nullptr) {
      row.fails = failed.direction;
      row.stopped_at = failed.walk->stopped_at;
      row.evidence = deciding_evidence(*failed.walk);
    }
    if (pod != nullptr) {
      row.pod = pod->name;
      row.namespace_ = pod->namespace_;
      const EgressClaim* claim = x.to.kind == "external" ? f.claims.of(pod->full_name(), to->family) : nullptr;
      if (claim != nullptr) row.object = claim->object;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<LostBetweenNodes> lost_of(const Facts& f, const explain::Explanation& x) {
  std::vector<LostBetweenNodes> lost;
  const KnownPod *from = pod_of(f, x.from), *to = pod_of(f, x.to);
  if (from == nullptr || to == nullptr || from->node == to->node) return lost;
  for (const AuditRow& row : f.connections())
    if (row.stopped_at && is_failure(row)) lost.push_back({from, to, *row.fails, *row.stopped_at, row.evidence});
  return lost;
}

}  // namespace egt::assess
