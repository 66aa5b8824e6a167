#include "presumed/facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::parsers::presumed {
namespace {

using nlohmann::json;

bool has_address(const std::vector<Prefix>& all, const IpAddr& address) {
  return std::any_of(all.begin(), all.end(), [&](const Prefix& p) { return p.address == address; });
}

void read_databases(const cluster::Node& node, NodeFacts& facts) {
  const std::string external = ovnk::named(ovnk::kRouterToExternal, ovnk::kGatewayRouter, node.name);
  if (const auto* outer = port_named(node, external, true)) {
    facts.mac = outer->mac;
    facts.addresses = outer->addresses;
  }
  if (const auto* own = port_named(node, ovnk::named(ovnk::kManagementPort, node.name), false)) {
    facts.management_mac = own->mac;
    facts.management = own->addresses;
  }
  if (const auto* inner = port_named(node, ovnk::named(ovnk::kRouterToSwitch, node.name), true))
    for (const Prefix& network : inner->addresses) {
      facts.router.push_back(network.address);
      for (Prefix& own : facts.management)
        if (network.contains(own.address)) own.length = network.length;
    }
  const auto* join = port_named(node, ovnk::named(ovnk::kRouterToJoin, ovnk::kClusterRouter), true);
  for (const auto route : rows_of<rows::nb::LogicalRouterStaticRoute>(node.ovn.rows)) {
    const auto to = Prefix::parse(route.ip_prefix());
    const auto hop = IpAddr::parse(route.nexthop());
    if (!to || !hop) continue;
    if (to->length == 0 && route.output_port() == external) facts.next_hops.push_back(*hop);
    const bool to_gateway = join != nullptr && has_address(join->addresses, *hop);
    const bool to_host = route.policy() == "src-ip" && has_address(facts.management, *hop);
    if (to_gateway || to_host) facts.cluster_subnets.push_back(*to);
    facts.local_gateway |= to_host;
  }
  facts.localnet = own_localnet(node);
}

json parsed(const std::map<std::string, std::string>& annotations, const char* key) {
  const auto found = annotations.find(std::string("k8s.ovn.org/") + key);
  return found == annotations.end() ? json() : json::parse(found->second, nullptr, false);
}

std::string text_in(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void read_annotations(const cluster::NodeObject& object, NodeFacts& facts) {
  const json gateway = parsed(object.annotations, "l3-gateway-config");
  if (gateway.is_object() && gateway.contains("default")) {
    const json& own = gateway["default"];
    facts.local_gateway |= text_in(own, "mode") == "local";
    const std::string vlan = text_in(own, "vlan-id");
    facts.tagged = !vlan.empty() && vlan != "0";
    if (const std::string bridge = text_in(own, "bridge-id"); !bridge.empty()) facts.bridge = bridge;
    if (!facts.mac) facts.mac = MacAddr::parse(text_in(own, "mac-address"));
  }
  const json masquerade = parsed(object.annotations, "node-masquerade-subnet");
  for (const char* family : {"ipv4", "ipv6"})
    if (auto subnet = Prefix::parse(text_in(masquerade, family))) {
      subnet->address.value += 2;  // the host's own; the first is the external router's (pkg/config/config.go)
      facts.masquerade.push_back(*subnet);
    }
  const json addresses = parsed(object.annotations, "host-cidrs");
  if (!addresses.is_array()) return;
  for (const json& one : addresses) {
    const auto prefix = one.is_string() ? Prefix::parse(one.get<std::string>()) : std::nullopt;
    if (!prefix || prefix->is_host()) continue;
    const bool on_bridge =
        std::any_of(facts.addresses.begin(), facts.addresses.end(), [&](const Prefix& p) { return p.contains(prefix->address); });
    if (!on_bridge) facts.other_addresses.push_back(*prefix);
  }
}

}  // namespace

NodeFacts facts_of(const cluster::Node& node, const cluster::Objects& objects) {
  NodeFacts facts;
  facts.node = node.name;
  read_databases(node, facts);
  facts.other_networks = other_networks(node, objects);
  for (const cluster::Network& network : objects.networks)
    facts.services.insert(facts.services.end(), network.services.begin(), network.services.end());
  if (facts.cluster_subnets.empty())
    for (const cluster::Network& network : objects.networks) facts.cluster_subnets = network.pods;
  if (const cluster::NodeObject* object = objects.nodes.find(node.name)) read_annotations(*object, facts);
  for (const cluster::EgressIp& egress_ip : objects.egress_ips)
    for (const auto& assigned : egress_ip.status)
      if (assigned.node == node.name && egress_ip.mark) facts.marked_egress_ips.push_back({*egress_ip.mark, assigned.address});
  return facts;
}

}  // namespace egt::parsers::presumed
