// Dumps of a node that lost lines, or that are inconsistent: answers that need them are undecided.
#include "egtrace/explain/explanation.h"
#include "egtrace/explain/phrases.h"
#include "triage/checks.h"

namespace egt::assess {
namespace dump_incomplete {

void report_conflict(const cluster::Node& node, const cluster::Inconsistency& c, Findings& out) {
  const Gap gap = explain::gap_of({node.name, c.conflict, {c.names.begin(), c.names.end()}});
  out.add(Claim::dumps_inconsistent, node.name, "", {gap.what, gap.command}, std::vector<Provenance>{});
}

void report_route(const cluster::Node& node, const host::Address& a, Findings& out) {
  out.add(Claim::route_of_address_missing, node.name, "", {a.prefix}, std::vector<Provenance>{a.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    for (const cluster::Inconsistency& c : node->inconsistencies) report_conflict(*node, c, out);
    for (const host::Address& a : node->host.addresses_without_route) report_route(*node, a, out);
  }
}

}  // namespace dump_incomplete

const Check kDumpIncomplete{"dump-incomplete", Severity::warning, always, dump_incomplete::run};

}  // namespace egt::assess
