// The transit switch of a zone lacks the port of another zone's router. Each network of layer 3 has such a switch, whose ports have the
// network's key in front of their names (GetNetworkScopedName() of ovn-kubernetes' go-controller/pkg/util/multi_network.go).
#include <map>
#include <set>

#include "egtrace/cluster/pod_networks.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace transit_port_missing {

using Nodes = std::set<std::string, std::less<>>;

// By what stands in front of "tstor-NODE": "" of the default network, "blue_" of another.
struct TransitSwitch {
  Provenance from;  // of its first port
  Nodes nodes;      // that have a port
};
using TransitSwitches = std::map<std::string, TransitSwitch, std::less<>>;

TransitSwitches transit_switches(const cluster::Node& node) {
  TransitSwitches all;
  for (const ovn::LogicalPort& port : node.ovn.ports) {
    const std::string_view name = port.name, of = ovnk::behind_key(ovnk::kTransitToRouter, name);
    if (of.empty() || port.external_ids.contains("pod")) continue;  // "tstor-x" is a name that pods may have
    const std::string_view key = name.substr(0, name.size() - of.size() - ovnk::kTransitToRouter.size());
    all.try_emplace(std::string(key), TransitSwitch{port.from, {}}).first->second.nodes.emplace(of);
  }
  return all;
}

// "blue" of "blue_"; empty of the default network.
std::string network_of(std::string_view key) {
  return std::string(key.substr(0, key.find_last_of('_') == key.npos ? 0 : key.size() - 1));
}

const cluster::NetworkDefinition* definition_of(const Facts& f, const cluster::PodAttachment& on) {
  const cluster::Objects& objects = f.cluster.objects;
  const cluster::NetworkDefinition* of_attachment = cluster::definition_of(objects, on.network);
  return of_attachment != nullptr ? of_attachment
                                  : objects.user_defined_networks.find(on.network.substr(on.network.find('/') + 1));
}

// Where pods are on a user-defined network: on other nodes OVN-Kubernetes may not have set it up.
std::map<std::string, Nodes, std::less<>> nodes_of_networks(const Facts& f) {
  std::map<std::string, Nodes, std::less<>> all;
  for (const KnownPod& pod : f.all_pods) {
    if (pod.object == nullptr || pod.host_network) continue;
    for (const cluster::PodAttachment& on : pod.object->other_networks)
      if (const auto* network = definition_of(f, on); network != nullptr && on.of_ovn)
        all[cluster::network_prefix(network->network) + "_"].insert(pod.node);
  }
  return all;
}

void run(const Facts& f, Findings& out) {
  auto needed = nodes_of_networks(f);
  for (const std::string& name : cluster_nodes(f.cluster)) needed[""].insert(name);
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const auto& complete = node->ovn.complete_tables;
    if (!complete.contains("NB Logical_Switch_Port") && !complete.contains("SB Port_Binding")) continue;
    for (const auto& [key, transit] : transit_switches(*node))  // without zones there is none
      for (const std::string& other : needed[key])
        if (!transit.nodes.contains(other))
          out.add(Claim::transit_port_missing, node->name, "", {other, if_any(network_of(key))}, {transit.from});
  }
}

}  // namespace transit_port_missing

const Check kTransitPortMissing{"transit-port-missing", Severity::error, always, transit_port_missing::run};

}  // namespace egt::assess
