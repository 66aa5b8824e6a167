#include "egtrace/engine/workload.h"

#include <algorithm>

namespace egt::engine {

bool is_workload(const openflow::Interface& port) {
  static constexpr std::string_view kOthers[] = {"internal", "patch", "geneve", "vxlan", "gre", "stt"};
  return port.external_ids.contains("iface-id") &&
         std::find(std::begin(kOthers), std::end(kOthers), port.type) == std::end(kOthers);
}

PodNetwork workload_network(const cluster::Cluster& cluster, const cluster::Node& node,
                            const openflow::Interface& port) {
  PodNetwork pod;
  const auto id = port.external_ids.find("iface-id");
  pod.name = id == port.external_ids.end() ? port.name : id->second;
  if (const auto mac = port.external_ids.find("attached_mac"); mac != port.external_ids.end())
    pod.mac = MacAddr::parse(mac->second);
  // OVN-Kubernetes names a pod's logical port NAMESPACE_POD; neither part can hold an underscore.
  const std::size_t underscore = pod.name.find('_');
  const cluster::Pod* object =
      underscore == std::string::npos ? nullptr
                                      : cluster.objects.pods.find(pod.name.substr(0, underscore), pod.name.substr(underscore + 1));
  if (object != nullptr) {
    pod.addresses = object->addresses;
    pod.gateways = object->gateways;
    if (!pod.mac) pod.mac = object->mac;
  }
  for (const ovn::LogicalPort& logical : node.ovn.ports) {
    if (logical.name != pod.name || logical.on_router) continue;
    for (const Prefix& p : logical.addresses)
      if (std::none_of(pod.addresses.begin(), pod.addresses.end(),
                       [&](const Prefix& known) { return known.address == p.address; }))
        pod.addresses.push_back(p);
    if (!pod.mac) pod.mac = logical.mac;
  }
  if (const auto ips = port.external_ids.find("ip_addresses"); pod.addresses.empty() && ips != port.external_ids.end())
    if (const auto p = Prefix::parse(ips->second)) pod.addresses.push_back(*p);
  if (underscore != std::string::npos) pod.name[underscore] = '/';
  return pod;
}

}  // namespace egt::engine
