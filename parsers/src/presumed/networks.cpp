#include "presumed/networks.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::parsers::presumed {
namespace {

using cluster::NetworkDefinition;
using cluster::Objects;

constexpr std::size_t kLongestDeviceName = 15;

// A network has two masquerade addresses: of the gateway router 10 + 2 * id - 1 behind the subnet's first, of the management port
// the next one (go-controller/pkg/generator/udn/masquerade_ips.go).
std::uint32_t id_of_network(const IpAddr& masquerade) {
  const auto offset = static_cast<std::uint32_t>(masquerade.value & 0xffff);
  return offset > 10 ? (offset - 9) / 2 : 0;
}

// What the localnet port BRIDGE_NODE of a gateway router, or BRIDGE_PREFIX_NODE of a user-defined network's, has on its router's side:
// NODE or PREFIX_NODE (GetNetworkScopedExtPortName() of go-controller/pkg/util/multi_network.go). Empty: it is none of the node.
std::string external_of(const ovn::LogicalPort& port, const cluster::Node& node) {
  if (port.type != "localnet" || !port.name.ends_with("_" + node.name)) return {};
  const std::string_view external = ovnk::behind(ovnk::kExternalSwitch, port.datapath);
  return external.empty() ? node.name : std::string(external);
}

// The object that defines the network of which rows have this prefix in their names; null: none is shown.
const NetworkDefinition* definition_with(const Objects& objects, std::string_view prefix) {
  for (const auto* all : {&objects.user_defined_networks, &objects.network_attachments})
    for (const NetworkDefinition& network : *all)
      if (!network.network.empty() && cluster::network_prefix(network.network) == prefix) return &network;
  return nullptr;
}

// The default case: pods' packets leave by the VRF's routes, which are those of the node's own network. Routes of others come by BGP where
// the network is advertised, without an overlay or EVPN's.
bool is_standard(const Objects& objects, const NetworkDefinition* network) {
  if (network == nullptr) return true;
  const std::string key = network->namespace_ + "/" + network->name;
  return transport_of(objects, key) == cluster::Transport::tunnels && advertisement_of(objects, key) == nullptr &&
         network->uplinks.empty();
}

// GetNetworkVRFName() of go-controller/pkg/util/multi_network.go.
std::string vrf_of(const NetworkDefinition* network, std::string_view prefix, std::uint32_t id) {
  std::string_view name = ovnk::behind(ovnk::kClusterNetwork, network != nullptr ? std::string_view(network->network) : prefix);
  if (network == nullptr && name.find('.') != name.npos) name = {};  // may be another character in the name
  const bool fits = !name.empty() && name.size() <= kLongestDeviceName && name != "default";
  return fits ? std::string(name) : fmt::format("mp{}-udn-vrf", id);
}

// Subnets of the network on all nodes: the gateway router sends them to the cluster router.
std::vector<Prefix> cluster_subnets(const cluster::Node& node, const std::string& external) {
  std::vector<Prefix> subnets;
  const std::string gateway = ovnk::named(ovnk::kGatewayRouter, external);
  for (const auto router : rows_of<rows::nb::LogicalRouter>(node.ovn.rows)) {
    if (router.name() != gateway) continue;
    const std::vector<std::string> own = router.static_routes();
    for (const auto route : rows_of<rows::nb::LogicalRouterStaticRoute>(node.ovn.rows)) {
      const auto to = Prefix::parse(route.ip_prefix());
      if (to && to->length > 0 && !to->is_host() && route.output_port().empty() &&
          std::find(own.begin(), own.end(), route.uuid()) != own.end())
        subnets.push_back(*to);
    }
  }
  return subnets;
}

// The addresses of the routers on the management port's switch, of which each gives one of the port's addresses its length.
void read_management(const cluster::Node& node, const ovn::LogicalPort& port, OtherNetwork& network) {
  network.mac = port.mac;
  for (const ovn::LogicalPort& near : node.ovn.ports) {
    if (near.on_router || near.datapath != port.datapath || near.peer.empty()) continue;
    const ovn::LogicalPort* router = port_named(node, near.peer, true);
    if (router == nullptr) continue;
    for (const Prefix& own : port.addresses)
      for (const Prefix& subnet : router->addresses) {
        const auto& known = network.management;
        const bool is_known = std::any_of(known.begin(), known.end(), [&](const Prefix& p) { return p.address == own.address; });
        if (is_known || subnet.is_host() || !subnet.contains(own.address)) continue;
        network.management.push_back({own.address, subnet.length});
        network.router.push_back(subnet.address);
        network.router_mac = router->mac;
      }
  }
}

void read_host(const cluster::Node& node, const std::string& external, const Objects& objects, OtherNetwork& network) {
  const std::string prefix = external.substr(0, external.size() - std::min(external.size(), node.name.size() + 1));
  const NetworkDefinition* definition = definition_with(objects, prefix);
  const auto* port = port_named(node, ovnk::named(ovnk::kManagementPort, external), false);
  if (network.id == 0 || port == nullptr || !is_standard(objects, definition)) return;
  read_management(node, *port, network);
  if (network.management.empty()) return;
  network.logical_port = port->name;
  network.device = fmt::format("{}{}", ovnk::kManagementDevice, network.id);
  network.vrf = vrf_of(definition, prefix, network.id);
  network.subnets = cluster_subnets(node, external);
  for (const IpAddr& gateway : network.masquerade) network.management_addresses.push_back({gateway.family, gateway.value + 1});
}

OtherNetwork other_network(const cluster::Node& node, const std::string& localnet, const std::string& external) {
  OtherNetwork other;
  other.localnet = localnet;
  if (const auto* outer = port_named(node, ovnk::named(ovnk::kRouterToExternal, ovnk::kGatewayRouter, external), true))
    for (const Prefix& p : outer->addresses)
      if (p.is_host()) other.masquerade.push_back(p.address);
  if (!other.masquerade.empty()) other.id = id_of_network(other.masquerade.front());
  return other;
}

}  // namespace

const ovn::LogicalPort* port_named(const cluster::Node& node, const std::string& name, bool on_router) {
  const auto& all = node.ovn.ports;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ovn::LogicalPort& p) { return p.on_router == on_router && p.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string own_localnet(const cluster::Node& node) {
  std::string own;
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (external_of(port, node) == node.name) own = port.name;
  return own;
}

// Each network's gateway router stands behind a localnet port of its own. One on another bridge than the default network's (Uplink of
// a ClusterUserDefinedNetwork) is left alone: nothing shows that bridge.
std::vector<OtherNetwork> other_networks(const cluster::Node& node, const Objects& objects) {
  std::vector<OtherNetwork> all;
  const std::string own = own_localnet(node);
  const std::string bridge = own.substr(0, own.size() - std::min(own.size(), node.name.size()));
  for (const ovn::LogicalPort& port : node.ovn.ports) {
    const std::string external = external_of(port, node);
    if (external.empty() || external == node.name || !port.name.starts_with(bridge)) continue;
    OtherNetwork other = other_network(node, port.name, external);
    if (other.masquerade.empty()) continue;
    read_host(node, external, objects, other);
    all.push_back(std::move(other));
  }
  return all;
}

}  // namespace egt::parsers::presumed
