// Policies: NetworkPolicy (networking.k8s.io/v1), AdminNetworkPolicy and BaselineAdminNetworkPolicy
// (policy.networking.k8s.io/v1alpha1).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

// Without policyTypes a policy isolates ingress, and egress where it has egress rules, as the API says.
void add_network_policy(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkPolicy policy{id, {}, false, false, 0, 0};
  const Json& spec = at(o, "spec");
  policy.pods = selector(at(spec, "podSelector"), true);
  const auto rules = [&](const char* key) { return at(spec, key).is_array() ? at(spec, key).size() : std::size_t{0}; };
  policy.ingress_rules = rules("ingress");
  policy.egress_rules = rules("egress");
  const std::vector<std::string> types = strings(at(spec, "policyTypes"));
  const auto has = [&](const char* type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  policy.ingress = types.empty() || has("Ingress");
  policy.egress = types.empty() ? at(spec, "egress").is_array() : has("Egress");
  objects.network_policies.add(std::move(policy));
}

std::vector<std::string> rule_actions(const Json& rules) {
  std::vector<std::string> all;
  if (rules.is_array())
    for (const Json& rule : rules) all.push_back(text(rule, "action"));
  return all;
}

void add_admin_network_policy(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::AdminNetworkPolicy policy{id, false, 0, {}, {}, {}, {}};
  policy.baseline = text(o, "kind") == "BaselineAdminNetworkPolicy";
  const Json& spec = at(o, "spec");
  if (const auto priority = number(at(spec, "priority")); priority && *priority <= 0xffffffffULL)
    policy.priority = static_cast<std::uint32_t>(*priority);
  // The subject is a selector of namespaces, or one of namespaces together with one of pods.
  const Json& subject = at(spec, "subject");
  const Json& pods = at(subject, "pods");
  policy.namespaces = selector(pods.is_object() ? at(pods, "namespaceSelector") : at(subject, "namespaces"), false);
  policy.pods = selector(at(pods, "podSelector"), true);
  policy.ingress = rule_actions(at(spec, "ingress"));
  policy.egress = rule_actions(at(spec, "egress"));
  objects.admin_network_policies.add(std::move(policy));
}

constexpr UsedKind kPolicyKinds[] = {
    {"NetworkPolicy", "networking.k8s.io/", true, add_network_policy},
    {"AdminNetworkPolicy", "policy.networking.k8s.io/", false, add_admin_network_policy},
    {"BaselineAdminNetworkPolicy", "policy.networking.k8s.io/", false, add_admin_network_policy}};

}  // namespace

std::span<const UsedKind> policy_kinds() { return kPolicyKinds; }

}  // namespace egt::parsers::kube
