// OVN knows the other node's chassis, but Open vSwitch has no tunnel port to it: ovn-controller is behind, or not
// running.
#include <algorithm>
#include <set>

#include "egtrace/openflow/tunnel_type.h"
#include "triage/checks.h"

namespace egt::assess {
namespace tunnel_port_missing {

std::set<IpAddr> tunnel_remotes(const cluster::Node& node) {
  std::set<IpAddr> all;
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (openflow::is_tunnel_type(port.type))
        if (const auto remote = port.options.find("remote_ip"); remote != port.options.end())
          if (const auto a = IpAddr::parse(remote->second)) all.insert(*a);
  return all;
}

bool lists_interfaces(const cluster::Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const openflow::Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(),
                       [](const openflow::Interface& i) { return i.type == "patch" || !i.options.empty(); });
  });
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node) || node->ovn.chassis.size() < 2) continue;
    if (!lists_interfaces(*node)) {
      out.lacks(Lack::interfaces, {node->name});
      continue;
    }
    const std::set<IpAddr> remotes = tunnel_remotes(*node);
    for (const ovn::Chassis& chassis : node->ovn.chassis) {
      const bool own =
          chassis.hostname == node->name || std::any_of(chassis.encap_ips.begin(), chassis.encap_ips.end(),
                                                        [&](const IpAddr& a) { return node->host.owner_of(a) != nullptr; });
      if (own || chassis.encap_ips.empty()) continue;
      if (std::any_of(chassis.encap_ips.begin(), chassis.encap_ips.end(), [&](const IpAddr& a) { return remotes.contains(a); }))
        continue;
      out.add(Claim::tunnel_port_missing, node->name, "",
              {chassis.hostname.empty() ? chassis.name : chassis.hostname, chassis.encap_ips.front()}, {chassis.from});
    }
  }
}

}  // namespace tunnel_port_missing

const Check kTunnelPortMissing{"tunnel-port-missing", Severity::error, always, tunnel_port_missing::run};

}  // namespace egt::assess
