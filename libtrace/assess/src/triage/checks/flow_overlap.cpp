// A flow without a cookie on an external bridge, added by hand most likely, that matches what another one of the same
// priority matches and does something else: OpenFlow leaves open which one acts. OVN-Kubernetes' own flows overlap as
// well, where it does not matter.
#include <algorithm>

#include "triage/checks.h"

namespace egt::assess {
namespace flow_overlap {

constexpr std::size_t kMostFlows = 5'000;  // a bridge with more is no external bridge; pairs are compared

// Whether some packet matches both: they agree on every bit that both look at.
bool overlap(openflow::MatchView a, openflow::MatchView b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->word != y->word) {
      x->word < y->word ? ++x : ++y;
      continue;
    }
    if (((x->value ^ y->value) & x->mask & y->mask) != 0) return false;
    ++x;
    ++y;
  }
  return true;
}

void judge(const cluster::Node& node, const openflow::Bridge& bridge, std::uint8_t table, Findings& out) {
  const openflow::FlowTables& flows = *bridge.flows;
  const std::vector<openflow::FlowIndex> all = flows.in_table(table);  // by priority
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = i + 1; k < all.size() && flows.priority_of(all[k]) == flows.priority_of(all[i]); ++k) {
      const openflow::FlowEntry &a = flows.flow(all[i]), &b = flows.flow(all[k]);
      if ((a.cookie == 0) == (b.cookie == 0) || openflow::actions_text(a) == openflow::actions_text(b) ||
          !overlap(openflow::match_of(a), openflow::match_of(b)))
        continue;
      out.add(Claim::flow_overlap, node.name, "", {table, bridge.name, a.priority},
              {a.cookie == 0 ? a.from : b.from, a.cookie == 0 ? b.from : a.from});
      return;  // one pair a table shows what is wrong
    }
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const openflow::Bridge* integration = node->integration_bridge();
    if (integration == nullptr) continue;
    for (const openflow::Bridge& bridge : node->bridges) {
      if (&bridge == integration || !bridge.flows || bridge.flows->size() > kMostFlows) continue;
      for (unsigned table = 0; table <= 255; ++table)
        if (bridge.flows->has_table(static_cast<std::uint8_t>(table)))
          judge(*node, bridge, static_cast<std::uint8_t>(table), out);
    }
  }
}

}  // namespace flow_overlap

const Check kFlowOverlap{"flow-overlap", Severity::warning, always, flow_overlap::run};

}  // namespace egt::assess
