// A device by which packets of the cluster enter and leave a node is down, has no carrier, or has lost a leg of its bond.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace uplink_down {

using engine::Reason;

// Devices that a node's external bridges have as ports, and those below them: legs of a bond, the parent of a VLAN.
std::vector<const host::Link*> uplinks_of(const cluster::Node& node) {
  std::vector<const host::Link*> all;
  const auto add = [&](const host::Link* link) {
    if (link != nullptr && std::find(all.begin(), all.end(), link) == all.end()) all.push_back(link);
  };
  for (const openflow::Bridge& bridge : node.bridges) {
    if (&bridge == node.integration_bridge()) continue;
    for (const openflow::Interface& port : bridge.interfaces)
      if (port.type.empty() || port.type == "system")
        if (port.name != bridge.name) add(node.host.link(port.name));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all[i]->name, parent = all[i]->kind == "vlan" ? all[i]->peer : "";
    if (!parent.empty()) add(node.host.link(parent));
    for (const host::Link& leg : node.host.links.value)
      if (leg.master == name) add(&leg);
  }
  return all;
}

// Of a node that is no node of the cluster: those that have an address.
std::vector<const host::Link*> addressed_links(const cluster::Node& node) {
  std::vector<const host::Link*> all;
  for (const host::Link& link : node.host.links.value)
    if (link.link_type != "loopback" && link.is_up() &&
        std::any_of(link.addresses.begin(), link.addresses.end(), [](const host::Address& a) { return a.scope == "global"; }))
      all.push_back(&link);
  return all;
}

bool is_about(const explain::StopReport& stop, const std::string& device) {
  return std::any_of(stop.place.about.begin(), stop.place.about.end(), [&](const engine::Detail& d) {
    const auto* name = std::get_if<std::string>(&d);
    return name != nullptr && *name == device;
  });
}

// No host answers ARP behind a bridge without a wire.
bool is_of(const explain::StopReport& stop, const cluster::Node& node, const host::Link& link) {
  if (stop.node != node.name) return false;
  if (stop.reason == Reason::neighbour_unresolved || stop.reason == Reason::neighbour_discovery_lost) {
    const openflow::Bridge* bridge = node.port(link.name).bridge;
    return bridge != nullptr && is_about(stop, bridge->name) && has_no_wire(node, bridge->name);
  }
  if (stop.reason == Reason::port_down) return node.port(link.name).bridge != nullptr;
  if (stop.reason != Reason::device_down && stop.reason != Reason::no_carrier) return false;
  return is_about(stop, link.name) || (!link.master.empty() && is_about(stop, link.master));
}

void judge(const cluster::Node& node, const host::Link& link, Findings& out) {
  if (!is_dead(link)) return;
  const bool harms = out.explain_all([&](const explain::StopReport& stop) { return is_of(stop, node, link); });
  if (!harms && !is_cluster_node(node)) return;  // devices of a router that nothing of the cluster uses
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(Claim::uplink_down, node.name, "",
          {link.name, link.is_up(), if_any(node.port(link.name).bridge != nullptr ? std::string() : std::string(link.master))},
          {link.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!node->host.link_list_complete) out.lacks(Lack::devices, {node->name});
    for (const host::Link* link : is_cluster_node(*node) ? uplinks_of(*node) : addressed_links(*node)) judge(*node, *link, out);
  }
}

}  // namespace uplink_down

const Check kUplinkDown{"uplink-down", Severity::error, always, uplink_down::run};

}  // namespace egt::assess
