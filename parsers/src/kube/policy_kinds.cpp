// Policies: NetworkPolicy (networking.k8s.io/v1), AdminNetworkPolicy and BaselineAdminNetworkPolicy
// (policy.networking.k8s.io/v1alpha1).
#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

bool has_only(const Json& j, std::initializer_list<std::string_view> known) {
  return j.is_object() && std::all_of(j.items().begin(), j.items().end(), [&](const auto& field) {
           return std::find(known.begin(), known.end(), std::string_view(field.key())) != known.end();
         });
}

// False where one is no network.
bool add_networks(const Json& all, std::vector<Prefix>& networks) {
  bool good = true;
  for (const std::string& network : strings(all))
    if (const auto prefix = Prefix::parse(network))
      networks.push_back(*prefix);
    else
      good = false;
  return good;
}

// ---- NetworkPolicy

cluster::LabelSelector namespace_called(const std::string& name) {
  cluster::LabelSelector selector;
  selector.present = true;
  selector.match_labels.emplace("kubernetes.io/metadata.name", name);
  return selector;
}

void add_network_peer(const Json& j, const std::string& own_namespace, cluster::NetworkRule& rule) {
  cluster::PolicyPeer& peer = rule.peers.emplace_back();
  const Json &block = at(j, "ipBlock"), &namespaces = at(j, "namespaceSelector"), &pods = at(j, "podSelector");
  rule.has_open_peers |= !has_only(j, {"ipBlock", "namespaceSelector", "podSelector"}) || j.empty();
  if (block.is_object()) {
    if (!add_networks(at(block, "cidr"), peer.networks) || !add_networks(at(block, "except"), peer.except) ||
        !has_only(block, {"cidr", "except"}))
      rule.has_open_peers = true;
  } else if (namespaces.is_object() || pods.is_object()) {
    peer.namespaces = namespaces.is_object() ? selector(namespaces, false) : namespace_called(own_namespace);
    peer.pods = selector(pods, true);
  }
}

// `port` is a number or a name; endPort goes with a number.
void add_network_port(const Json& j, cluster::NetworkRule& rule) {
  rule.has_open_ports |= !has_only(j, {"protocol", "port", "endPort"});
  const Json &port = at(j, "port"), &end = at(j, "endPort");
  if (port.is_null()) {
    rule.ports.push_back({protocol_of(j)});
  } else if (const std::uint16_t first = port_number(port); first != 0) {
    const std::uint16_t last = end.is_null() ? first : port_number(end);
    rule.has_open_ports |= last < first;
    rule.ports.push_back({protocol_of(j), first, last});
  } else {
    rule.named_ports.push_back({text(port), protocol_of(j)});
  }
}

// Without peers it lets through all addresses, without ports all protocols and ports.
std::vector<cluster::NetworkRule> network_rules(const Json& rules, const char* peers, const std::string& own_namespace) {
  std::vector<cluster::NetworkRule> all;
  if (!rules.is_array()) return all;
  for (const Json& j : rules) {
    cluster::NetworkRule& rule = all.emplace_back();
    const Json &whom = at(j, peers), &ports = at(j, "ports");
    rule.all_peers = !whom.is_array() || whom.empty();
    rule.all_ports = !ports.is_array() || ports.empty();
    rule.has_open_peers = rule.has_open_ports = !j.is_null() && !has_only(j, {peers, "ports"});
    if (whom.is_array())
      for (const Json& peer : whom) add_network_peer(peer, own_namespace, rule);
    if (ports.is_array())
      for (const Json& port : ports) add_network_port(port, rule);
  }
  return all;
}

// Without policyTypes a policy isolates ingress, and egress where it has egress rules, as the API defines.
void add_network_policy(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkPolicy policy{id, {}, false, false, {}, {}, false};
  const Json& spec = at(o, "spec");
  policy.pods = selector(at(spec, "podSelector"), true);
  policy.ingress_rules = network_rules(at(spec, "ingress"), "from", id.namespace_);
  policy.egress_rules = network_rules(at(spec, "egress"), "to", id.namespace_);
  const std::vector<std::string> types = strings(at(spec, "policyTypes"));
  const auto has = [&](const char* type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  policy.ingress = types.empty() || has("Ingress");
  policy.egress = types.empty() ? at(spec, "egress").is_array() : has("Egress");
  policy.is_open = !has_only(spec, {"podSelector", "ingress", "egress", "policyTypes"}) ||
                   text(at(at(o, "metadata"), "annotations"), "k8s.ovn.org/acl-stateless") == "true";
  objects.network_policies.add(std::move(policy));
}

// ---- AdminNetworkPolicy

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
    if (!add_networks(at(j, "networks"), peer.networks)) is_open = true;
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
  } else if (const std::string name = text(j, "namedPort"); !name.empty()) {
    rule.named_ports.push_back({name, {}});
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
