// The southbound database of a node does not know another node's chassis: there is no tunnel to it.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace remote_chassis_missing {

bool is_chassis_of(const Facts& f, const ovn::Chassis& chassis, const std::string& node) {
  if (chassis.hostname == node) return true;
  for (const cluster::NodeObject& object : f.cluster.objects.nodes) {
    if (object.name != node) continue;
    const auto id = object.annotations.find("k8s.ovn.org/node-chassis-id");
    if (id != object.annotations.end() && id->second == chassis.name) return true;
    for (const IpAddr& ip : chassis.encap_ips)
      if (std::find(object.addresses.begin(), object.addresses.end(), ip) != object.addresses.end()) return true;
  }
  const cluster::Node* shown = f.cluster.node(node);
  return shown != nullptr && std::any_of(chassis.encap_ips.begin(), chassis.encap_ips.end(),
                                         [&](const IpAddr& ip) { return shown->host.owner_of(ip) != nullptr; });
}

void run(const Facts& f, Findings& out) {
  const std::vector<std::string> names = cluster_nodes(f.cluster);
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const auto complete = node->ovn.complete_tables.find("SB Chassis");
    if (complete == node->ovn.complete_tables.end()) {
      out.lacks(Lack::chassis, {node->name});
      continue;
    }
    for (const std::string& other : names) {
      if (other == node->name) continue;
      if (std::any_of(node->ovn.chassis.begin(), node->ovn.chassis.end(),
                      [&](const auto& c) { return is_chassis_of(f, c, other); }))
        continue;
      // Which egress IPs suffer: those on the other node with pods here.
      std::string object;
      Term pod_sends, by;
      std::vector<Provenance> proof{complete->second};
      for (const EgressPlace& place : f.places)
        if (place.node == other)
          for (const KnownPod* pod : place.pods)
            if (pod->node == node->name && object.empty()) {
              object = place.name();
              for (const Provenance& line : layers_of(f, place, *pod)) proof.push_back(line);
              pod_sends = pod->full_name();
              by = place.address;
            }
      out.add(Claim::remote_chassis_missing, node->name, object, {other, pod_sends, by}, proof);
      out.explain_between(node->name, other);
    }
  }
}

}  // namespace remote_chassis_missing

const Check kRemoteChassisMissing{"remote-chassis-missing", Severity::error, always, remote_chassis_missing::run};

}  // namespace egt::assess
