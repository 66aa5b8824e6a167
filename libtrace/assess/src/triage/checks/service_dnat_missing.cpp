// The other way round: a node whose host lacks the translation of a service's outside address that other nodes have.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace service_dnat_missing {

const DnatRule* rule_for(const std::vector<DnatRule>& rules, const IpAddr& address, std::uint16_t port) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const DnatRule& r) { return r.destination == address && r.port == port; });
  return found == rules.end() ? nullptr : &*found;
}

struct OnNode {
  const cluster::Node* node;
  std::vector<DnatRule> rules;
  HostChains chains;
};

void judge(const cluster::Service& service, const IpAddr& address, std::uint16_t port, const std::vector<OnNode>& nodes,
           Findings& out) {
  const DnatRule* there = nullptr;
  std::string where;
  std::vector<const OnNode*> without;
  for (const OnNode& n : nodes) {
    const DnatRule* rule = rule_for(n.rules, address, port);
    if (rule == nullptr) {
      without.push_back(&n);
    } else if (there == nullptr) {
      there = rule;
      where = n.node->name;
    }
  }
  if (there == nullptr) return;  // none has it: another front end writes it, or none
  const std::string map = address.is_v4() ? "external-ips-v4" : "external-ips-v6";
  for (const OnNode* n : without) {
    const host::Host& host = dumped_host(*n->node);
    const Provenance from =
        n->chains.nft != nullptr ? n->chains.nft->from : (address.is_v4() ? host.iptables_v4 : host.iptables_v6).from;
    if (out.explain_from_outside(service, n->node->name)) out.weigh(Severity::error);
    out.add(Claim::service_dnat_missing, n->node->name, "Service " + service.full_name(),
            {address, port, service.full_name(), where, there->map.empty() ? Term(there->chain->name) : Term(),
             if_any(there->map), n->chains.nft != nullptr ? Term(map) : Term()},
            {there->from(), from, service.from});
  }
}

// Whether what the node does not list is not there.
bool is_decided(const cluster::Node& node, Family family, const HostChains& chains) {
  const host::Host& host = dumped_host(node);
  const auto& iptables = family == Family::v4 ? host.iptables_v4 : host.iptables_v6;
  return (host.nft.present && !host.nft.partial) || (iptables.present && !iptables.partial && !chains.iptables.empty());
}

void run(const Facts& f, Findings& out) {
  for (const Family family : {Family::v4, Family::v6}) {
    std::vector<OnNode> nodes;
    for (const auto& node : f.cluster.nodes) {
      if (!is_cluster_node(*node)) continue;
      HostChains chains = host_chains(*node, family, HostFeature::services);
      if (is_decided(*node, family, chains))
        nodes.push_back({node.get(), dnat_rules_of(*node, family), std::move(chains)});
      else if (family == Family::v4)
        out.lacks(Lack::nat_rules, {node->name});
    }
    for (const cluster::Service& s : f.cluster.objects.services)
      for (const auto* list : {&s.load_balancer_ips, &s.external_ips})
        for (const IpAddr& a : *list)
          for (const cluster::ServicePort& port : s.ports)
            if (a.family == family) judge(s, a, port.port, nodes, out);
  }
}

}  // namespace service_dnat_missing

const Check kServiceDnatMissing{"service-dnat-missing", Severity::warning, needs_services, service_dnat_missing::run};

}  // namespace egt::assess
