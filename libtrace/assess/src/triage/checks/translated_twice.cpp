// OVN-Kubernetes' translations of two generations on one host: chains of iptables beside those of nft that replaced them in 2026.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace translated_twice {

void judge(const cluster::Node& node, HostFeature feature, Claim claim, Findings& out) {
  std::vector<std::string> names;
  std::vector<Provenance> proof;
  bool any_rule = false;
  const netfilter::Chain* nft = nullptr;
  for (const Family family : {Family::v4, Family::v6}) {
    const HostChains chains = host_chains(node, family, feature);
    if (chains.nft == nullptr) continue;
    nft = chains.nft;
    for (const netfilter::Chain* chain : chains.iptables) {
      any_rule |= !chain->rules.empty();
      if (std::find(names.begin(), names.end(), chain->name) == names.end()) names.push_back(chain->name);
      proof.push_back(chain->rules.empty() ? chain->from : chain->rules.front().from);
    }
  }
  if (nft == nullptr || names.empty()) return;
  proof.push_back(nft->from);
  if (!any_rule) out.weigh(Severity::note);
  out.add(claim, node.name, "", {names, nft->name, std::uint64_t{any_rule}}, proof);
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    if (!has_nat_rules(*node, Family::v4)) out.lacks(Lack::nat_rules, {node->name});
    judge(*node, HostFeature::services, Claim::services_translated_twice, out);
    judge(*node, HostFeature::egress_ips, Claim::egress_ips_translated_twice, out);
  }
}

}  // namespace translated_twice

const Check kTranslatedTwice{"translated-twice", Severity::warning, always, translated_twice::run};

}  // namespace egt::assess
