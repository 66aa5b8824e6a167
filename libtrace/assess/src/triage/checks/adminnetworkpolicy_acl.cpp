// Rules of AdminNetworkPolicies and of the BaselineAdminNetworkPolicy against the ACLs and address sets that OVN-Kubernetes
// made of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "triage/checks.h"
#include "triage/policy_acls.h"

namespace egt::assess {
namespace adminnetworkpolicy_acl {

using cluster::AdminRule;

std::string needs(const Facts& f) {
  return f.cluster.objects.admin_network_policies.empty()
             ? "no AdminNetworkPolicy objects (oc get adminnetworkpolicies,baselineadminnetworkpolicies -o yaml)"
             : "";
}

const char* name_of(AdminRule::Action action) {
  return action == AdminRule::Action::allow ? "Allow" : action == AdminRule::Action::deny ? "Deny" : "Pass";
}

bool does(const ovn::Row& acl, AdminRule::Action action) {
  return action == AdminRule::Action::allow ? allows(acl) : action == AdminRule::Action::deny ? drops(acl) : text_of(acl, "action") == "pass";
}

class Comparison {
 public:
  Comparison(const Facts& f, Findings& out, const cluster::Node& node, const cluster::AdminNetworkPolicy& policy, Provenance database)
      : f_(f), out_(out), node_(node), policy_(policy), database_(database) {}

  void run() {
    for (std::size_t i = 0; i < policy_.ingress.size(); ++i) rule(policy_.ingress[i], i, "Ingress");
    for (std::size_t i = 0; i < policy_.egress.size(); ++i) rule(policy_.egress[i], i, "Egress");
  }

 private:
  std::string_view type() const { return policy_.baseline ? "BaselineAdminNetworkPolicy" : "AdminNetworkPolicy"; }

  void add(std::string claim, std::vector<Provenance> lines) {
    lines.push_back(policy_.from);
    out_.add(std::move(claim), node_.name, policy_.kind_and_name(), lines,
             fmt::format("oc get {} {} -o yaml; look for it in the log of ovnkube-controller on {}.",
                         policy_.baseline ? "baselineadminnetworkpolicy" : "adminnetworkpolicy", policy_.name, node_.name));
  }

  bool is_of(const ExternalIds& ids, std::size_t index, const char* direction) const {
    return is_owned_by(ids, type(), policy_.name) && external_id(ids, "direction") == direction && rule_index(ids, "gress-index") == index;
  }

  void rule(const AdminRule& rule, std::size_t index, const char* direction) {
    const std::string words = fmt::format("{} rule {}{} of {}", direction, index, rule.name.empty() ? "" : " (" + rule.name + ")", policy_.kind_and_name());
    bool any = false;
    for (const ovn::Row& row : node_.ovn.rows) {
      if (row.table != "ACL" || !is_of(row.external_ids, index, direction)) continue;
      any = true;
      if (!does(row, rule.action))
        return add(fmt::format("On {} the ACL of {} has the action {}, and the object says {}.", node_.name, words, text_of(row, "action"), name_of(rule.action)),
                   {row.from});
    }
    // Ports by names that no pod has leave a rule without an ACL.
    if (!any && !rule.has_open_ports) return add(fmt::format("OVN on {} has no ACL for {}.", node_.name, words), {database_});
    if (!rule.has_open_peers) peers(rule, index, direction, words);
  }

  // Pods that the rule's peers select and that its address sets lack.
  void peers(const AdminRule& rule, std::size_t index, const char* direction, const std::string& words) {
    std::vector<const ovn::AddressSet*> sets;
    for (const ovn::AddressSet& set : node_.ovn.address_sets)
      if (is_of(set.external_ids, index, direction)) sets.push_back(&set);
    if (sets.empty()) return;
    for (const KnownPod& pod : f_.pods) {
      if (pod.object == nullptr || pod.host_network || !is_peer(rule, pod)) continue;
      for (const IpAddr& a : pod.addresses) {
        if (any_holds(sets, a).value_or(true)) continue;
        out_.about(pod);
        add(fmt::format("On {} the address set of {} lacks pod {} ({}).", node_.name, words, pod.full_name(), a.to_string()),
            {sets.front()->from, pod.object->from});
        break;
      }
    }
  }

  bool is_peer(const AdminRule& rule, const KnownPod& pod) const {
    return std::any_of(rule.peers.begin(), rule.peers.end(), [&](const cluster::PolicyPeer& peer) {
      return peer.pods.matches(pod.object->labels) && peer.namespaces.matches(labels_of_namespace(f_.cluster.objects, pod.namespace_));
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
    std::set<std::string> looked_at;   // nodes with a pod that it selects
    for (const KnownPod& pod : f.pods) {
      const cluster::Node* node = f.cluster.node(pod.node);
      if (pod.object == nullptr || node == nullptr || !selects(policy, f.cluster.objects, *pod.object) || !looked_at.insert(pod.node).second) continue;
      if (const Provenance* database = complete_acls(*node)) Comparison(f, out, *node, policy, *database).run();
      else out.lacks(fmt::format("ACLs of {} (ovn-nbctl list acl)", node->name));
    }
  }
}

}  // namespace adminnetworkpolicy_acl

const Check kAdminNetworkPolicyAcl{"adminnetworkpolicy-acl", "An AdminNetworkPolicy whose ACLs differ from its rules", Severity::error,
                                   adminnetworkpolicy_acl::needs, adminnetworkpolicy_acl::run};

}  // namespace egt::assess
