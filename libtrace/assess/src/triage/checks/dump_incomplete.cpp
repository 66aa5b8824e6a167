// Dumps of a node that lost lines, or that are inconsistent: answers that need them are undecided.
#include <algorithm>

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

// Without that of table local a host takes no packet for itself.
void report_rules(const cluster::Node& node, const host::Part<std::vector<host::PolicyRule>>& rules, bool v4, Findings& out) {
  if (!rules.present || rules.value.empty()) return;
  for (const char* table : {"local", "main"})
    if (std::none_of(rules.value.begin(), rules.value.end(),
                     [&](const host::PolicyRule& r) { return host::canonical_table(r.table) == table; }))
      return out.add(Claim::rule_of_kernel_missing, node.name, "", {std::string(table), std::uint64_t{v4}},
                     std::vector<Provenance>{rules.value.front().from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    for (const cluster::Inconsistency& c : node->inconsistencies) report_conflict(*node, c, out);
    report_rules(*node, node->host.rules_v4, true, out);
    report_rules(*node, node->host.rules_v6, false, out);
    for (const host::Address& a : node->host.addresses_without_route) report_route(*node, a, out);
  }
}

}  // namespace dump_incomplete

const Check kDumpIncomplete{"dump-incomplete", Severity::warning, always, dump_incomplete::run};

}  // namespace egt::assess
