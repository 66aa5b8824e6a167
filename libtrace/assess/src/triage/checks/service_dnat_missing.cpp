// The other way round: a node whose host lacks the translation of a service's outside address that other nodes have.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace service_dnat_missing {

const DnatRule* rule_for(const std::vector<DnatRule>& rules, const IpAddr& address, std::uint16_t port) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const DnatRule& r) { return r.destination == address && r.port == port; });
  return found == rules.end() ? nullptr : &*found;
}

struct OnNode {
  const cluster::Node* node;
  std::vector<DnatRule> rules;
};

void judge(const cluster::Service& service, const IpAddr& address, std::uint16_t port, const std::vector<OnNode>& nodes,
           Findings& out) {
  const DnatRule* there = nullptr;
  std::string where;
  std::vector<const cluster::Node*> without;
  for (const OnNode& n : nodes) {
    const DnatRule* rule = rule_for(n.rules, address, port);
    if (rule == nullptr) {
      without.push_back(n.node);
    } else if (there == nullptr) {
      there = rule;
      where = n.node->name;
    }
  }
  if (there == nullptr) return;  // none has it: another front end writes it, or none
  for (const cluster::Node* node : without) {
    const auto& tables = address.is_v4() ? dumped_host(*node).iptables_v4 : dumped_host(*node).iptables_v6;
    out.add(Claim::service_dnat_missing, node->name, "Service " + service.full_name(),
            {address, port, service.full_name(), where, there->chain->name}, {there->rule->from, tables.from, service.from});
  }
}

void run(const Facts& f, Findings& out) {
  for (const Family family : {Family::v4, Family::v6}) {
    std::vector<OnNode> nodes;
    for (const auto& node : f.cluster.nodes) {
      const auto& tables = family == Family::v4 ? dumped_host(*node).iptables_v4 : dumped_host(*node).iptables_v6;
      if (!is_cluster_node(*node)) continue;
      if (tables.present && !tables.partial)
        nodes.push_back({node.get(), dnat_rules_of(*node, family)});
      else if (family == Family::v4)
        out.lacks(Lack::iptables_nat_rules, {node->name});
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
