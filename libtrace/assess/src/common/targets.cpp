#include "common/targets.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/claims.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::assess {
namespace {

using cluster::Cluster;
using cluster::Node;
using cluster::Role;

bool has_role(const Node& node, Role role) { return std::find(node.roles.begin(), node.roles.end(), role) != node.roles.end(); }

bool is_global(const host::Address& a) {
  return (a.scope.empty() || a.scope == "global") && !a.prefix.address.is_link_local() && !a.prefix.address.is_loopback();
}

// Networks in which cluster nodes have a leg.
class NodeNetworks {
 public:
  void add(const Node& node) {
    for (const host::Link& link : node.host.links.value)
      for (const host::Address& a : link.addresses)
        if (!a.prefix.is_host()) networks_.insert(a.subnet());
  }
  bool contain(const IpAddr& address) const {
    for (unsigned length = 0; length <= (address.is_v4() ? 32U : 128U); ++length)
      if (networks_.contains(Prefix{address, static_cast<std::uint8_t>(length)}.network())) return true;
    return false;
  }

 private:
  std::set<Prefix> networks_;
};

void add_addresses(const Node& node, Family family, std::vector<IpAddr>& all) {
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& a : link.addresses)
      if (a.prefix.address.family == family && is_global(a)) all.push_back(a.prefix.address);
}

std::optional<IpAddr> server_address(const Cluster& cluster, Family family, const cluster::NodeBudget& budget) {
  std::vector<IpAddr> servers;
  NodeNetworks networks;
  budget.for_each(cluster, [&](const Node& node) {
    if (has_role(node, Role::server)) add_addresses(node, family, servers);
    if (is_cluster_node(node)) networks.add(node);
  });
  const auto far = std::find_if(servers.begin(), servers.end(), [&](const IpAddr& a) { return !networks.contain(a); });
  if (far != servers.end()) return *far;
  return servers.empty() ? std::nullopt : std::optional(servers.front());
}

// OVN has no chassis for such nodes, Windows ones as a rule (docs/features/hybrid-overlay.md of ovn-kubernetes).
bool is_of_hybrid_overlay(const cluster::NodeObject& node) {
  const auto system = node.labels.find("kubernetes.io/os");
  return node.annotations.contains(std::string(ovnk::kHybridSubnet)) ||
         (system != node.labels.end() && system->second == "windows");
}

}  // namespace

bool is_cluster_node(const Node& node) { return has_role(node, Role::cluster_node); }

IpAddr outside(const Cluster& cluster, Family family, const cluster::NodeBudget& budget) {
  if (const auto server = server_address(cluster, family, budget)) return *server;
  return family == Family::v4 ? *IpAddr::parse("192.0.2.1") : *IpAddr::parse("2001:db8::1");
}

std::optional<IpAddr> node_address(const Cluster& cluster, const std::string& name, Family family) {
  for (const cluster::NodeObject& object : cluster.objects.nodes)
    if (object.name == name)
      for (const IpAddr& a : object.addresses)
        if (a.family == family) return a;
  const Node* node = cluster.node(name);
  if (node == nullptr) return std::nullopt;
  // The device that leads out: that of the default route.
  const auto& routes = family == Family::v4 ? node->host.routes_v4.value : node->host.routes_v6.value;
  for (const host::Route& r : routes) {
    if (r.table != "main" || r.to.length != 0 || r.next_hops.empty()) continue;
    if (const host::Link* link = node->host.link(r.next_hops.front().device))
      for (const host::Address& a : link->addresses)
        if (a.prefix.address.family == family && is_global(a)) return a.prefix.address;
  }
  return std::nullopt;
}

std::map<std::string, const cluster::Service*, std::less<>> few_endpoints_services(const Cluster& cluster,
                                                                                   const std::vector<KnownPod>& pods) {
  std::map<std::pair<std::string, std::string>, std::size_t> ready;  // by namespace and name of the service
  for (const cluster::EndpointSlice& slice : cluster.objects.endpoint_slices)
    for (const cluster::ServiceEndpoint& e : slice.endpoints)
      if (e.ready) ++ready[{slice.namespace_, slice.service}];
  const NamespaceNetworks networks(pods);
  struct Best {
    const cluster::Service *fewest = nullptr, *without_slices = nullptr;
    std::size_t fewest_ready = 0;
  };
  std::map<std::string, Best, std::less<>> best;  // by network
  for (const cluster::Service& s : cluster.objects.services) {
    if (s.cluster_ips.empty() || s.ports.empty()) continue;
    Best& b = best[std::string(networks.of(s.namespace_))];
    if (const auto found = ready.find({s.namespace_, s.name}); found != ready.end()) {
      if (b.fewest == nullptr || found->second < b.fewest_ready) b.fewest = &s, b.fewest_ready = found->second;
    } else if (b.fewest == nullptr && b.without_slices == nullptr && !endpoints_of(s, cluster.objects, pods).empty()) {
      b.without_slices = &s;
    }
  }
  std::map<std::string, const cluster::Service*, std::less<>> services;
  for (const auto& [network, b] : best)
    if (const cluster::Service* service = b.fewest != nullptr ? b.fewest : b.without_slices) services.emplace(network, service);
  return services;
}

std::vector<std::string> cluster_nodes(const Cluster& cluster, const cluster::NodeBudget& budget) {
  std::set<std::string> names;
  budget.for_each(cluster, [&](const Node& node) {
    if (is_cluster_node(node)) names.insert(node.name);
  });
  for (const cluster::NodeObject& object : cluster.objects.nodes)
    if (!is_of_hybrid_overlay(object)) names.insert(object.name);
  return {names.begin(), names.end()};
}

}  // namespace egt::assess
