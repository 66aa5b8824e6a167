#include "egtrace/explain/cluster_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "egtrace/cluster/role_names.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;
using cluster::Role;

class Mapper {
 public:
  explicit Mapper(const Cluster& cluster) : cluster_(cluster) {}

  ClusterMap map() {
    add_nodes();
    add_pods();
    add_egress();
    add_networks();
    add_tunnels();
    return std::move(map_);
  }

 private:
  void add_nodes() {
    for (const auto& handle : cluster_.nodes) {
      const Node& node = *handle;
      MapNode drawn;
      drawn.name = node.name;
      for (const Role role : node.roles) drawn.roles.emplace_back(name_of(role));
      drawn.presumed = node.host_presumed;
      drawn.is_cluster_node = std::find(node.roles.begin(), node.roles.end(), Role::cluster_node) != node.roles.end();
      map_.nodes.push_back(std::move(drawn));
    }
    for (const auto& object : cluster_.objects.nodes) {
      if (cluster_.handle(object.name) != nullptr) continue;
      MapNode drawn;
      drawn.name = object.name;
      drawn.has_dumps = false;
      drawn.is_cluster_node = true;
      map_.nodes.push_back(std::move(drawn));
    }
    std::sort(map_.nodes.begin(), map_.nodes.end(), [](const MapNode& a, const MapNode& b) { return a.name < b.name; });
    for (std::size_t i = 0; i < map_.nodes.size(); ++i) index_[map_.nodes[i].name] = i;
  }

  MapNode* node(const std::string& name) {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &map_.nodes[found->second];
  }

  void add_pods() {
    for (const auto& pod : cluster_.objects.pods)
      if (MapNode* at = node(pod.node); at != nullptr && !pod.has_ended()) ++at->pods;
  }

  void add_egress() {
    for (const auto& egress_ip : cluster_.objects.egress_ips)
      for (const auto& assigned : egress_ip.status)
        if (MapNode* at = node(assigned.node))
          at->egress.push_back(fmt::format("EgressIP {} {}", egress_ip.full_name(), assigned.address.to_string()));
    for (const auto& service : cluster_.objects.egress_services)
      if (MapNode* at = node(service.host)) at->egress.push_back("EgressService " + service.full_name());
  }

  // An address that several nodes have (a masquerade address, a VIP) is on no wire between them, nor is its subnet.
  void add_networks() {
    std::map<Prefix, MapNetwork> found;
    std::map<Prefix, std::set<IpAddr>> seen;
    std::set<Prefix> shared;
    for (const auto& handle : cluster_.nodes) {
      std::set<IpAddr> own;
      for (const host::Link& link : handle->host.links.value)
        for (const host::Address& a : link.addresses) {
          const Prefix subnet = a.subnet();
          const IpAddr& address = a.prefix.address;
          owners_.try_emplace(address, index_.at(handle->name));
          if (address.is_loopback() || address.is_link_local() || subnet.length == (address.family == Family::v4 ? 32 : 128))
            continue;
          if (!own.insert(address).second) continue;
          if (!seen[subnet].insert(address).second) shared.insert(subnet);
          MapNetwork& network = found[subnet];
          network.prefix = subnet.to_string();
          network.ports.push_back({index_.at(handle->name), link.name, address.to_string()});
        }
    }
    for (auto& [subnet, network] : found) {
      std::set<std::size_t> nodes;
      for (const MapNetwork::Port& port : network.ports) nodes.insert(port.node);
      if (nodes.size() < 2 || shared.contains(subnet)) continue;
      for (const MapNetwork::Port& port : network.ports) map_.nodes[port.node].addresses.push_back(port.address);
      map_.networks.push_back(std::move(network));
    }
  }

  void add_tunnels() {
    std::map<std::pair<std::size_t, std::size_t>, MapTunnel> found;  // from each end
    for (const auto& handle : cluster_.nodes)
      for (const openflow::Bridge& bridge : handle->bridges)
        for (const openflow::Interface& port : bridge.interfaces) add_tunnel(index_.at(handle->name), port, found);
    for (auto& [ends, tunnel] : found) {
      const auto back = found.find({ends.second, ends.first});
      if (back != found.end() && ends.first > ends.second) continue;  // that one has both
      if (ends.first > ends.second) std::swap(tunnel.from, tunnel.to);
      tunnel.bidirectional = back != found.end();
      if (tunnel.bidirectional)
        tunnel.evidence.insert(tunnel.evidence.end(), back->second.evidence.begin(), back->second.evidence.end());
      map_.tunnels.push_back(tunnel);
    }
  }

  void add_tunnel(std::size_t from, const openflow::Interface& port,
                  std::map<std::pair<std::size_t, std::size_t>, MapTunnel>& found) const {
    const auto remote = port.options.find("remote_ip");
    if (remote == port.options.end()) return;
    const auto address = IpAddr::parse(remote->second);
    const auto other = address ? owners_.find(*address) : owners_.end();
    if (other == owners_.end() || other->second == from) return;
    MapTunnel& tunnel = found[{from, other->second}];
    tunnel.from = from;
    tunnel.to = other->second;
    tunnel.type = port.type;
    if (port.from.known()) tunnel.evidence.push_back(evidence_line(port.from, *cluster_.sources));
  }

  const Cluster& cluster_;
  ClusterMap map_;
  std::map<std::string, std::size_t> index_;
  std::map<IpAddr, std::size_t> owners_;  // the first node that has the address, as Cluster::owner_of()
};

}  // namespace

ClusterMap map_cluster(const Cluster& cluster) { return Mapper(cluster).map(); }

}  // namespace egt::explain
