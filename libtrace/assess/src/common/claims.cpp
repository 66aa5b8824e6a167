#include "common/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"

namespace egt::assess {
namespace {

using cluster::Objects;

constexpr Family kFamilies[] = {Family::v4, Family::v6};

// Addresses of status, with their nodes; where the status is empty, those of the spec, with no node.
EgressClaim claim_of(const cluster::EgressIp& eip, Family family) {
  EgressClaim claim;
  claim.kind = EgressClaim::Kind::egress_ip;
  claim.object = "EgressIP " + eip.name;
  claim.family = family;
  claim.from = eip.from;
  for (const auto& item : eip.status) {
    if (item.address.family != family) continue;
    claim.addresses.push_back(item.address);
    claim.nodes.push_back(item.node);
  }
  if (eip.status.empty())
    for (const IpAddr& a : eip.addresses)
      if (a.family == family) claim.addresses.push_back(a);
  return claim;
}

// "ALL" in status.host: every node sends by itself.
EgressClaim claim_of(const cluster::EgressService& e, const cluster::Service& service, Family family) {
  EgressClaim claim;
  claim.kind = EgressClaim::Kind::egress_service;
  claim.object = fmt::format("EgressService {}/{}", e.namespace_, e.name);
  claim.family = family;
  claim.from = e.from;
  if (e.source_ip_by != "Network")
    for (const IpAddr& a : service.load_balancer_ips)
      if (a.family == family) claim.addresses.push_back(a);
  if (!e.host.empty() && e.host != "ALL") claim.nodes.push_back(e.host);
  return claim;
}

std::vector<Prefix> prefixes_in(const std::string& text) {
  std::vector<Prefix> all;
  for (std::size_t begin = text.find('"'); begin != std::string::npos;) {
    const std::size_t end = text.find('"', begin + 1);
    if (end == std::string::npos) break;
    if (const auto p = Prefix::parse(std::string_view(text).substr(begin + 1, end - begin - 1))) all.push_back(*p);
    begin = text.find('"', end + 1);
  }
  return all;
}

// Addresses of pods that anything in the snapshot knows as served by an egress IP: address sets, reroute policies, SNAT
// rows of gateway routers, policy rules of hosts.
std::set<IpAddr> served_addresses(const cluster::Cluster& cluster, const cluster::NodeBudget& budget) {
  std::set<IpAddr> all;
  const auto add = [&](const std::string& text) {
    if (const auto p = Prefix::parse(text); p && p->is_host()) all.insert(p->address);
  };
  std::set<IpAddr> egress_ips;
  for (const cluster::EgressIp& eip : cluster.objects.egress_ips) egress_ips.insert(eip.addresses.begin(), eip.addresses.end());
  budget.for_each(cluster, [&](const cluster::Node& node) {
    for (const ovn::AddressSet& set : node.ovn.address_sets) {
      const auto name = set.external_ids.find("k8s.ovn.org/name");
      if (name == set.external_ids.end() || name->second != "egressip-served-pods") continue;
      for (const std::string& a : set.addresses) add(a);
    }
    for (const Policy& p : policies_of(node).all)
      if (const auto& source = p.source; source && p.action == "reroute") all.insert(*source);
    for (const NatRow& row : nat_rows_of(node).all)
      if (row.external && egress_ips.contains(*row.external)) add(row.logical_ip);
    for (const Family family : kFamilies)
      for (const host::PolicyRule& rule : rules_of(node, family).value)
        if (rule.has_from && rule.from_prefix.is_host()) all.insert(rule.from_prefix.address);
  });
  return all;
}

bool is_served(const std::set<IpAddr>& served, const KnownPod& pod) {
  return std::any_of(pod.addresses.begin(), pod.addresses.end(), [&](const IpAddr& a) { return served.contains(a); });
}

}  // namespace

std::vector<const KnownPod*> selected_by(const cluster::EgressIp& eip, const Objects& objects,
                                         const std::vector<KnownPod>& pods) {
  std::vector<const KnownPod*> selected;
  for (const KnownPod& pod : pods)
    if (pod.object != nullptr && selects(eip, objects, *pod.object)) selected.push_back(&pod);
  return selected;
}

std::vector<const KnownPod*> selected_by(const cluster::ExternalRoute& route, const Objects& objects,
                                         const std::vector<KnownPod>& pods) {
  std::vector<const KnownPod*> selected;
  for (const KnownPod& pod : pods)
    if (!pod.host_network && route.namespaces.matches(cluster::labels_of_namespace(objects, pod.namespace_)))
      selected.push_back(&pod);
  return selected;
}

std::vector<cluster::ServiceEndpoint> endpoints_of(const cluster::Service& service, const cluster::Objects& objects,
                                                   const std::vector<KnownPod>& pods) {
  std::vector<cluster::ServiceEndpoint> all;
  const cluster::Backing backing = cluster::backing_of(service, objects);
  for (const cluster::BackingEndpoint& b : backing.endpoints) all.push_back(*b.endpoint);
  if (backing.shown) return all;
  for (const KnownPod& pod : pods_in(pods, service.namespace_))
    if (pod.object != nullptr && selects(service, *pod.object))
      for (const IpAddr& a : pod.addresses) all.push_back({a, pod.node, true, true, false, pod.namespace_, pod.name});
  return all;
}

EgressNetwork egress_network(const cluster::Cluster& cluster, const IpAddr& egress_ip, const std::string& node_name) {
  if (const cluster::NodeObject* object = cluster.objects.nodes.find(node_name))
    if (const auto primary = object->annotations.find("k8s.ovn.org/node-primary-ifaddr"); primary != object->annotations.end())
      for (const Prefix& p : prefixes_in(primary->second))
        if (p.address.family == egress_ip.family) return p.contains(egress_ip) ? EgressNetwork::ovn : EgressNetwork::host;
  const cluster::Node* node = cluster.node(node_name);
  if (node == nullptr) return EgressNetwork::unknown;
  if (node->host.owner_of(egress_ip) != nullptr) return EgressNetwork::host;
  for (const auto nat : rows_of<rows::nb::Nat>(node->ovn.rows))
    if (IpAddr::parse(nat.external_ip()) == egress_ip) return EgressNetwork::ovn;
  return EgressNetwork::unknown;
}

void EgressClaims::add(const std::string& pod, EgressClaim claim) {
  if (claim.addresses.empty()) return;
  claims_.emplace(std::pair{pod, claim.family}, std::move(claim));  // the first one counts
}

EgressClaims::EgressClaims(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods,
                           const cluster::NodeBudget& budget) {
  const Objects& objects = cluster.objects;
  for (const cluster::EgressService& e : objects.egress_services) {
    const cluster::Service* service = objects.services.find(e.namespace_, e.name);
    if (service == nullptr || e.host.empty()) continue;
    for (const cluster::ServiceEndpoint& endpoint : endpoints_of(*service, objects, pods))
      if (!endpoint.pod.empty()) add(endpoint.pod_namespace + "/" + endpoint.pod, claim_of(e, *service, endpoint.address.family));
  }
  if (objects.egress_ips.empty()) return;
  const std::set<IpAddr> served = served_addresses(cluster, budget);
  for (const cluster::EgressIp& eip : objects.egress_ips) {
    const auto selected = selected_by(eip, objects, pods);
    const bool any = std::any_of(selected.begin(), selected.end(), [&](const KnownPod* pod) { return is_served(served, *pod); });
    for (const Family family : kFamilies)
      for (const KnownPod* pod : selected) {
        if (pod->address(family) == nullptr) continue;
        EgressClaim claim = claim_of(eip, family);
        claim.taken_up = !any || is_served(served, *pod);
        add(pod->full_name(), std::move(claim));
      }
  }
}

const EgressClaim* EgressClaims::of(const std::string& pod, Family family) const {
  const auto found = claims_.find({pod, family});
  return found == claims_.end() ? nullptr : &found->second;
}

}  // namespace egt::assess
