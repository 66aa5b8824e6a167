// Packets from endpoints of an EgressService to cluster nodes are translated too: the mark that exempts them is not
// asked.
#include <algorithm>

#include "common/look.h"
#include "egtrace/host/rule_view.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_node_traffic_translated {

constexpr std::uint32_t kNodeMark = 0x3f0;  // OVN-Kubernetes marks pods' packets to nodes with it

bool tests_mark(const netfilter::Rule& rule) {
  return std::any_of(rule.statements.begin(), rule.statements.end(), [](const netfilter::Statement& s) {
    const auto c = netfilter::comparison(s);
    const auto* value = c && c->key == netfilter::Key::mark ? std::get_if<netfilter::Number>(c->value) : nullptr;
    return value != nullptr && *value == kNodeMark;
  });
}

const netfilter::NatTarget* mapped_snat(const netfilter::Rule& rule) {
  const netfilter::NatTarget* nat = netfilter::translation(rule);
  const bool mapped =
      nat != nullptr && nat->kind == netfilter::NatTarget::Kind::snat && std::holds_alternative<netfilter::ExprPtr>(nat->address);
  return mapped ? nat : nullptr;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node) || dumped_host(*node).nft.partial) continue;
    for (const netfilter::Table& table : dumped_host(*node).nft.value.tables)
      for (const netfilter::Chain& chain : table.chains) {
        if (chain.name != "egress-services") continue;
        const auto snat =
            std::find_if(chain.rules.begin(), chain.rules.end(), [](const auto& r) { return mapped_snat(r) != nullptr; });
        if (snat == chain.rules.end() || std::any_of(chain.rules.begin(), snat, tests_mark)) continue;
        out.add(Claim::egressservice_node_traffic_translated, node->name, "", {chain.name, kNodeMark}, {chain.from, snat->from});
      }
  }
}

}  // namespace egressservice_node_traffic_translated

const Check kEgressServiceNodeTrafficTranslated{"egressservice-node-traffic-translated", Severity::warning, needs_egress_services,
                                                egressservice_node_traffic_translated::run};

}  // namespace egt::assess
