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

// One of namespaces, pods, nodes and networks is there; what else there may be is newer than this.
cluster::PolicyPeer policy_peer(const Json& j, bool& is_open) {
  cluster::PolicyPeer peer;
  const Json& pods = at(j, "pods");
  if (at(j, "namespaces").is_object() || pods.is_object()) {
    peer.namespaces = selector(pods.is_object() ? at(pods, "namespaceSelector") : at(j, "namespaces"), false);
    peer.pods = selector(at(pods, "podSelector"), true);
  } else if (at(j, "nodes").is_object()) {
    peer.nodes = selector(at(j, "nodes"), false);
  } else if (at(j, "networks").is_array()) {
    for (const std::string& network : strings(at(j, "networks")))
      if (const auto prefix = Prefix::parse(network)) peer.networks.push_back(*prefix);
      else is_open = true;
  } else {
    is_open = true;
  }
  return peer;
}

void add_ports(const Json& j, cluster::AdminRule& rule) {
  const Json &number = at(j, "portNumber"), &range = at(j, "portRange");
  if (number.is_object()) {
    const std::uint16_t port = port_number(at(number, "port"));
    rule.ports.push_back({text(number, "protocol"), port, port});
  } else if (range.is_object()) {
    rule.ports.push_back({text(range, "protocol"), port_number(at(range, "start")), port_number(at(range, "end"))});
  } else {
    rule.has_open_ports = true;
  }
}

cluster::AdminRule::Action action_of(const std::string& name) {
  using Action = cluster::AdminRule::Action;
  return name == "Allow" ? Action::allow : name == "Deny" ? Action::deny : Action::pass;
}

std::vector<cluster::AdminRule> admin_rules(const Json& rules, const char* peers) {
  std::vector<cluster::AdminRule> all;
  if (!rules.is_array()) return all;
  for (const Json& j : rules) {
    cluster::AdminRule& rule = all.emplace_back();
    rule.name = text(j, "name");
    rule.action = action_of(text(j, "action"));
    if (at(j, peers).is_array())
      for (const Json& peer : at(j, peers)) rule.peers.push_back(policy_peer(peer, rule.has_open_peers));
    const Json& ports = at(j, "ports");
    rule.all_ports = !ports.is_array() || ports.empty();
    if (ports.is_array())
      for (const Json& port : ports) add_ports(port, rule);
  }
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
  policy.ingress = admin_rules(at(spec, "ingress"), "from");
  policy.egress = admin_rules(at(spec, "egress"), "to");
  objects.admin_network_policies.add(std::move(policy));
}

constexpr UsedKind kPolicyKinds[] = {
    {"NetworkPolicy", "networking.k8s.io/", true, add_network_policy},
    {"AdminNetworkPolicy", "policy.networking.k8s.io/", false, add_admin_network_policy},
    {"BaselineAdminNetworkPolicy", "policy.networking.k8s.io/", false, add_admin_network_policy}};

}  // namespace

std::span<const UsedKind> policy_kinds() { return kPolicyKinds; }

}  // namespace egt::parsers::kube
