#include "names.h"

#include <algorithm>

#include "egtrace/ovn/southbound.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::explain {
namespace {

using cluster::Node;

bool holds(const std::vector<Prefix>& prefixes, const IpAddr& a) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const Prefix& p) { return p.address == a; });
}

bool holds(const std::vector<IpAddr>& addresses, const IpAddr& a) {
  return std::find(addresses.begin(), addresses.end(), a) != addresses.end();
}

std::optional<AddressOwner> object_with(const cluster::Objects& objects, const IpAddr& a) {
  using enum AddressUse;
  for (const cluster::Pod& p : objects.pods)
    if (!p.host_network && holds(p.addresses, a)) return AddressOwner{pod, p.full_name(), {}};
  for (const cluster::EgressIp& e : objects.egress_ips)
    if (holds(e.addresses, a)) return AddressOwner{egress_ip, e.name, {}};
  for (const cluster::Service& s : objects.services) {
    if (holds(s.cluster_ips, a)) return AddressOwner{cluster_ip, s.full_name(), {}};
    if (holds(s.load_balancer_ips, a)) return AddressOwner{load_balancer_ip, s.full_name(), {}};
    if (holds(s.external_ips, a)) return AddressOwner{external_ip, s.full_name(), {}};
  }
  return std::nullopt;
}

AddressOwner router_port(const Node& node, const ovn::LogicalPort& port) {
  if (!ovnk::behind_key(ovnk::kRouterToTransit, port.name).empty()) return {AddressUse::transit_port, {}, node.name};
  if (ovnk::has_prefixes(port.name, ovnk::kRouterToJoin, ovnk::kGatewayRouter))
    return {AddressUse::join_port, port.datapath, node.name};
  if (port.name.starts_with(ovnk::kRouterToSwitch)) return {AddressUse::pod_subnet_gateway, {}, node.name};
  return {AddressUse::router_port, port.name, node.name};
}

bool has_address(const host::Link& link, const IpAddr& a) {
  return std::any_of(link.addresses.begin(), link.addresses.end(),
                     [&](const host::Address& own) { return own.prefix.address == a; });
}

std::optional<AddressOwner> owner_on(const Node& node, const IpAddr& a) {
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (port.on_router && holds(port.addresses, a) && port.type != "remote") return router_port(node, port);
  for (const host::Link& link : node.host.links.value)
    if (has_address(link, a)) return AddressOwner{AddressUse::device, link.name, node.name};
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (!port.on_router && holds(port.addresses, a)) {
      if (const auto other = ovnk::behind_key(ovnk::kTransitToRouter, port.name); !other.empty())
        return AddressOwner{AddressUse::transit_port, {}, std::string(other)};
      return AddressOwner{AddressUse::logical_port, port.name, node.name};
    }
  return std::nullopt;
}

}  // namespace

Names::Names(const cluster::Cluster& cluster) : cluster_(cluster), per_node_(cluster), inferred_(cluster) {}

std::string Names::address(const IpAddr& a, const Node* near) const {
  return addresses_.get_or({a, near}, [&] {
    const std::optional<AddressOwner> owner = find_owner(a, near);
    return owner ? phrase(*owner) : std::string();
  });
}

std::optional<AddressOwner> Names::find_owner(const IpAddr& a, const Node* near) const {
  if (auto object = object_with(cluster_.objects, a)) return object;
  const auto on_near = near != nullptr ? owner_on(*near, a) : std::nullopt;
  if (on_near && on_near->use != AddressUse::logical_port) return on_near;
  for (const auto& node : cluster_.nodes)
    for (const host::Link& link : node.links().value)
      if (has_address(link, a)) return AddressOwner{AddressUse::device, link.name, node.name()};
  return on_near;
}

const Names::Index& Names::of(const Node& node) const {
  return per_node_.of(node, [&] {
    Index index;
    for (const ovn::Datapath& d : node.ovn.datapaths)
      if (d.tunnel_key && !d.name.empty()) index.datapaths[*d.tunnel_key] = d.name;
    return index;
  });
}

std::vector<const ovn::LogicalFlow*> Names::logical_flows(const Node& node, std::uint64_t cookie) const {
  std::vector<const ovn::LogicalFlow*> flows;
  for (const ovn::PrefixIndex::PrefixedRow& at : node.ovn.logical_flows.with(cookie))
    flows.push_back(&node.ovn.logical_flows[at.row]);
  return flows;
}

bool Names::has_logical_flow(const Node& node, std::uint64_t cookie) const {
  return !node.ovn.logical_flows.with(cookie).empty();
}

std::string Names::datapath(const Node& node, std::uint64_t key) const {
  const Index& index = of(node);
  const auto found = index.datapaths.find(key);
  return found == index.datapaths.end() ? std::string{} : found->second;
}

std::string Names::listed_or_inferred_datapath(const Node& node, std::uint64_t key) const {
  if (key == 0 || !of(node).datapaths.empty()) return datapath(node, key);
  const auto& inferred = inferred_.of(node, [&] { return infer_datapaths(node); });
  const auto found = inferred.find(key);
  return found == inferred.end() ? std::string{} : found->second;
}

// A flow of a logical flow that one datapath alone has carries that one's key. A key of
// which two flows differ is none.
std::map<std::uint64_t, std::string> Names::infer_datapaths(const Node& node) const {
  std::map<std::uint64_t, std::string> names;
  const openflow::Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr || !bridge->flows || !node.ovn.has_logical_flows) return names;
  const openflow::FlowTables& flows = *bridge->flows;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const auto behind = logical_flows(node, flows.cookie_of(i));
    if (behind.size() != 1) continue;
    const auto of_flow = ovn::datapaths_of(node.ovn, *behind.front());
    const openflow::MatchView match = openflow::match_of(flows.flow(i));
    if (of_flow.size() != 1 || openflow::mask_of(match, FieldId::metadata) != ones(64)) continue;
    const auto [known, is_new] = names.try_emplace(low64(openflow::value_of(match, FieldId::metadata)), of_flow.front());
    if (!is_new && known->second != of_flow.front()) known->second.clear();
  }
  return names;
}

std::string Names::logical_port(const Node& node, std::uint64_t datapath_key, std::uint64_t port_key) const {
  const std::string datapath_name = datapath(node, datapath_key);
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (port.tunnel_key == port_key && (datapath_name.empty() || port.datapath == datapath_name)) return port.name;
  return {};
}

}  // namespace egt::explain
