#include "egtrace/cluster/objects.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::cluster {
namespace {

bool has_value_of(const LabelRequirement& r, const std::string& value) {
  return std::find(r.values.begin(), r.values.end(), value) != r.values.end();
}

// As Kubernetes does: NotIn and DoesNotExist hold for labels that are absent. An unknown operator never holds.
bool holds(const LabelRequirement& r, const Labels& labels) {
  const auto it = labels.find(r.key);
  const bool exists = it != labels.end();
  if (r.op == "In") return exists && has_value_of(r, it->second);
  if (r.op == "NotIn") return !exists || !has_value_of(r, it->second);
  if (r.op == "Exists") return exists;
  if (r.op == "DoesNotExist") return !exists;
  return false;
}

}  // namespace

bool LabelSelector::matches(const Labels& l) const {
  if (!present) return false;
  for (const auto& [key, value] : match_labels) {
    const auto it = l.find(key);
    if (it == l.end() || it->second != value) return false;
  }
  return std::all_of(expressions.begin(), expressions.end(), [&](const LabelRequirement& r) { return holds(r, l); });
}

std::string FirewallRule::destination() const {
  if (to) return to->to_string();
  return nodes.present ? "nodeSelector" : dns_name;
}

std::string normal_dns_name(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return lower(name);
}

bool is_pod_network(const Objects& objects, const IpAddr& address) {
  const auto holds = [&](const std::vector<Prefix>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Prefix& p) { return p.contains(address); });
  };
  return std::any_of(objects.networks.begin(), objects.networks.end(), [&](const Network& n) { return holds(n.pods); }) ||
         std::any_of(objects.nodes.begin(), objects.nodes.end(), [&](const NodeObject& n) { return holds(n.pod_subnets); });
}

Labels labels_of_namespace(const Objects& objects, const std::string& name) {
  Labels labels;
  if (const NamespaceObject* object = objects.namespaces.find(name)) labels = object->labels;
  labels.emplace("kubernetes.io/metadata.name", name);
  return labels;
}

bool selects(const Service& service, const Pod& pod) {
  LabelSelector selector;
  selector.present = !service.selector.empty();
  selector.match_labels = service.selector;
  return pod.namespace_ == service.namespace_ && selector.matches(pod.labels);
}

bool selects(const EgressIp& egress_ip, const Objects& objects, const Pod& pod) {
  return !pod.host_network && egress_ip.pods.matches(pod.labels) &&
         egress_ip.namespaces.matches(labels_of_namespace(objects, pod.namespace_));
}

bool selects(const AdminNetworkPolicy& policy, const Objects& objects, const Pod& pod) {
  return !pod.host_network && policy.pods.matches(pod.labels) &&
         policy.namespaces.matches(labels_of_namespace(objects, pod.namespace_));
}

bool selects(const NetworkPolicy& policy, const Pod& pod) {
  return !pod.host_network && policy.namespace_ == pod.namespace_ && policy.pods.matches(pod.labels);
}

bool NetworkPolicies::add(NetworkPolicy policy) {
  std::string name_space = policy.namespace_;
  if (!ObjectList::add(std::move(policy))) return false;
  by_namespace_[std::move(name_space)].push_back(size() - 1);
  return true;
}

std::vector<const NetworkPolicy*> NetworkPolicies::in(const std::string& name_space) const {
  std::vector<const NetworkPolicy*> all;
  if (const auto found = by_namespace_.find(name_space); found != by_namespace_.end())
    for (const std::size_t i : found->second) all.push_back(&(*this)[i]);
  return all;
}

Backing backing_of(const Service& service, const Objects& objects) {
  Backing ready, serving;
  for (const EndpointSlice& slice : objects.endpoint_slices) {
    if (slice.namespace_ != service.namespace_ || slice.service != service.name) continue;
    ready.shown = serving.shown = true;
    for (const ServiceEndpoint& e : slice.endpoints) {
      if (e.ready)
        ready.endpoints.push_back({&slice, &e});
      else if (e.serving && e.terminating)
        serving.endpoints.push_back({&slice, &e});
    }
  }
  return ready.endpoints.empty() ? serving : ready;
}

}  // namespace egt::cluster
