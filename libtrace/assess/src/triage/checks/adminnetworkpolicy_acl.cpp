// Rules of AdminNetworkPolicies and of the BaselineAdminNetworkPolicy against the ACLs and address sets that OVN-Kubernetes
// made of them.
#include <algorithm>
#include <iterator>
#include <set>

#include "triage/checks.h"
#include "triage/policy_acls.h"

namespace egt::assess {
namespace adminnetworkpolicy_acl {

using cluster::AdminRule;

std::optional<Lack> needs(const Facts& f) {
  return lack_if(f.cluster.objects.admin_network_policies.empty(), Lack::admin_policies);
}

bool does(const rows::nb::Acl& acl, AdminRule::Action action) {
  return action == AdminRule::Action::allow  ? allows(acl)
         : action == AdminRule::Action::deny ? drops(acl)
                                             : acl.action() == "pass";
}

class AdminPolicyCheck {
 public:
  AdminPolicyCheck(const Facts& f, Findings& out, const cluster::Node& node, const cluster::AdminNetworkPolicy& policy,
                   Provenance database)
      : f_(f), out_(out), node_(node), policy_(policy), database_(database) {}

  void run() {
    for (std::size_t i = 0; i < policy_.ingress.size(); ++i) rule({policy_.ingress[i], i, false});
    for (std::size_t i = 0; i < policy_.egress.size(); ++i) rule({policy_.egress[i], i, true});
  }

 private:
  struct Numbered {
    const AdminRule& rule;
    std::size_t index = 0;
    bool is_egress = false;
  };

  std::string_view type() const { return policy_.baseline ? "BaselineAdminNetworkPolicy" : "AdminNetworkPolicy"; }

  void add(Claim claim, const Numbered& of, Terms others, std::vector<Provenance> lines) {
    lines.push_back(policy_.from);
    Terms about{policy_.baseline, policy_.name, of.is_egress, of.index, if_any(of.rule.name)};
    std::move(others.begin(), others.end(), std::back_inserter(about));
    out_.add(claim, node_.name, policy_.kind_and_name(), std::move(about), lines);
  }

  bool is_of(const ExternalIds& ids, const Numbered& of) const {
    return is_owned_by(ids, type(), policy_.name) && value_of(ids, "direction") == (of.is_egress ? "Egress" : "Ingress") &&
           rule_index(ids, "gress-index") == of.index;
  }

  void rule(const Numbered& of) {
    const AdminRule& rule = of.rule;
    bool any = false;
    for (const auto acl : rows_of<rows::nb::Acl>(node_.ovn.rows)) {
      if (!is_of(acl.external_ids(), of)) continue;
      any = true;
      if (!does(acl, rule.action)) return add(Claim::admin_action_differs, of, {acl.action(), rule.action}, {acl.from()});
    }
    // Ports by names that no pod has leave a rule without an ACL.
    if (!any && !rule.has_open_ports && rule.named_ports.empty()) return add(Claim::admin_acl_missing, of, {}, {database_});
    if (!rule.has_open_peers) peers(of);
  }

  // Pods that the rule's peers select and that its address sets lack.
  void peers(const Numbered& of) {
    std::vector<const ovn::AddressSet*> sets;
    for (const ovn::AddressSet& set : node_.ovn.address_sets)
      if (is_of(set.external_ids, of)) sets.push_back(&set);
    if (sets.empty()) return;
    for (const KnownPod& pod : f_.pods) {
      if (pod.object == nullptr || pod.host_network || !is_peer(of.rule, pod)) continue;
      for (const IpAddr& a : pod.addresses) {
        if (any_holds(sets, a).value_or(true)) continue;
        out_.about(pod);
        add(Claim::admin_set_lacks_pod, of, {pod.full_name(), a}, {sets.front()->from, pod.object->from});
        break;
      }
    }
  }

  bool is_peer(const AdminRule& rule, const KnownPod& pod) const {
    return std::any_of(rule.peers.begin(), rule.peers.end(), [&](const cluster::PolicyPeer& peer) {
      return peer.pods.matches(pod.object->labels) &&
             peer.namespaces.matches(labels_of_namespace(f_.cluster.objects, pod.namespace_));
    });
  }

  const Facts& f_;
  Findings& out_;
  const cluster::Node& node_;
  const cluster::AdminNetworkPolicy& policy_;
  Provenance database_;
};

void run(const Facts& f, Findings& out) {
  for (const cluster::AdminNetworkPolicy& policy : f.cluster.objects.admin_network_policies) {
    std::set<std::string> looked_at;  // nodes with a pod that it selects
    for (const KnownPod& pod : f.pods) {
      const cluster::Node* node = f.cluster.node(pod.node);
      if (pod.object == nullptr || node == nullptr || !selects(policy, f.cluster.objects, *pod.object) ||
          !looked_at.insert(pod.node).second)
        continue;
      if (const Provenance* database = complete_acls(*node))
        AdminPolicyCheck(f, out, *node, policy, *database).run();
      else
        out.lacks(Lack::acls, {node->name});
    }
  }
}

}  // namespace adminnetworkpolicy_acl

const Check kAdminNetworkPolicyAcl{"adminnetworkpolicy-acl", Severity::error, adminnetworkpolicy_acl::needs,
                                   adminnetworkpolicy_acl::run};

}  // namespace egt::assess
