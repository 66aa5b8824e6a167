// Dumps of a node that lost lines, or that are inconsistent: answers that need them are undecided.
#include <fmt/format.h>

#include "egtrace/explain/explanation.h"
#include "egtrace/explain/phrases.h"
#include "triage/checks.h"

namespace egt::assess {
namespace dump_incomplete {

void report_conflict(const cluster::Node& node, const cluster::Contradiction& c, Findings& out) {
  const Gap gap = explain::gap_of({node.name, c.conflict, {c.names.begin(), c.names.end()}});
  out.add(fmt::format("Dumps of {} are inconsistent: {}.", node.name, gap.what), node.name, "",
          std::vector<Provenance>{}, fmt::format("{} on {}, at one moment.", gap.command, node.name));
}

void report_route(const cluster::Node& node, const host::Address& a, Findings& out) {
  out.add(fmt::format("The dump of routes of {} lacks what the kernel makes of {}: it lost lines, or somebody deleted that route.",
                      node.name, a.prefix.to_string()),
          node.name, "", std::vector<Provenance>{a.from}, fmt::format("ip route show table all on {}.", node.name));
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    for (const cluster::Contradiction& c : node->contradictions) report_conflict(*node, c, out);
    for (const host::Address& a : node->host.addresses_without_route) report_route(*node, a, out);
  }
}

}  // namespace dump_incomplete

const Check kDumpIncomplete{"dump-incomplete", "Dumps that lost lines or are inconsistent", Severity::warning, always, dump_incomplete::run};

}  // namespace egt::assess
