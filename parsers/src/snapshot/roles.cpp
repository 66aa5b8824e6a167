#include "snapshot/roles.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/vswitch.h"

namespace egt::parsers {
namespace {

bool forwards(const host::Host& host) {
  for (const char* key : {"net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding"}) {
    const auto found = host.sysctl.value.find(key);
    if (found != host.sysctl.value.end() && found->second.value == "1") return true;
  }
  return false;
}

// A node with one leg forwards nothing, whatever its setting is.
bool has_two_legs(const host::Host& host) {
  std::size_t legs = 0;
  for (const host::Link& link : host.links.value) {
    const bool addressed = std::any_of(link.addresses.begin(), link.addresses.end(), [](const host::Address& a) {
      return !a.prefix.address.is_loopback() && !a.prefix.address.is_link_local();
    });
    if (addressed && link.link_type != "loopback") ++legs;
  }
  return legs > 1;
}

// The datapath of Open vSwitch is a device, "ovs-system" in the kernel and "ovs-netdev" outside, and so is each bridge.
bool may_have_switch(const host::Host& host) {
  const auto& links = host.links.value;
  return !host.link_list_complete || links.empty() || std::any_of(links.begin(), links.end(), [](const host::Link& l) {
    return l.name == "ovs-system" || l.name == "ovs-netdev" || l.kind == "openvswitch" || l.master == "ovs-system";
  });
}

}  // namespace

bool is_routing_daemon_text(std::string_view text) {
  text = text.substr(0, 2000);
  return text.find("frr version ") != std::string_view::npos || text.find("frr defaults ") != std::string_view::npos ||
         (text.find("Codes: K - kernel route") != std::string_view::npos && text.find("FRR") != std::string_view::npos) ||
         text.find("BGP router identifier ") != std::string_view::npos;
}

std::vector<cluster::Role> roles_by_content(const cluster::Node& node, bool routing_daemon) {
  const bool ovn = node.ovn.has_logical_flows || !node.ovn.chassis.empty() || !node.ovn.datapaths.empty();
  if (!node.bridges.empty() || (ovn && may_have_switch(node.host))) return {cluster::Role::cluster_node};
  const bool forwarding = forwards(node.host) && has_two_legs(node.host);
  return {routing_daemon || forwarding ? cluster::Role::router : cluster::Role::server};
}

std::string name_by_content(const cluster::Node& node) {
  for (const auto row : rows_of<rows::vswitch::OpenVSwitch>(node.ovs_rows))
    if (std::string hostname = row.external_id("hostname"); !hostname.empty()) return hostname;
  const ovn::Chassis* own = nullptr;
  for (const ovn::Chassis& chassis : node.ovn.chassis) {
    if (chassis.is_remote) continue;
    if (own != nullptr) return {};  // a database of all nodes
    own = &chassis;
  }
  if (own == nullptr) return {};
  return own->hostname.empty() ? own->name : own->hostname;
}

}  // namespace egt::parsers
