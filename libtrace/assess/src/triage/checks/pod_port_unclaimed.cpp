// A pod whose interface Open vSwitch does not have, or has without a port number: no connectivity at all.
#include <string_view>
#include <unordered_map>
#include <utility>

#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace pod_port_unclaimed {

// Interfaces of a node by their `iface-id`, the first of each.
class PodPorts {
 public:
  explicit PodPorts(const cluster::Node& node) : are_shown_(engine::shows_pods_of_interfaces(node)) {
    for (const openflow::Bridge& bridge : node.bridges)
      for (const openflow::Interface& port : bridge.interfaces)
        if (const auto id = port.external_ids.find("iface-id"); id != port.external_ids.end()) by_id_.emplace(id->second, &port);
  }
  bool are_shown() const { return are_shown_; }
  const openflow::Interface* with(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }

 private:
  bool are_shown_;
  std::unordered_map<std::string_view, const openflow::Interface*> by_id_;
};

// `network`: its key; empty: the default one.
void check_port(const PodPorts& ports, const KnownPod& pod, const std::string& network, const std::string& id, Findings& out) {
  const openflow::Interface* port = ports.with(id);
  if (port != nullptr && (!port->ofport || *port->ofport < 0xff00)) return;
  out.about(pod);
  Terms terms = {pod.full_name(), port != nullptr, id};
  if (!network.empty()) terms.push_back(network);
  out.add(Claim::pod_port_unclaimed, pod.node, "Pod " + pod.full_name(), std::move(terms),
          {pod.object->from, port != nullptr ? port->from : Provenance{}});
}

void run(const Facts& f, Findings& out) {
  std::unordered_map<const cluster::Node*, PodPorts> ports_of;
  for (const KnownPod& pod : f.all_pods) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (node == nullptr || pod.host_network || pod.object == nullptr) continue;
    const PodPorts& ports = ports_of.try_emplace(node, *node).first->second;
    if (!ports.are_shown()) {
      out.lacks(Lack::interface_rows, {pod.node});
      continue;
    }
    check_port(ports, pod, {}, cluster::logical_port_name(pod.namespace_, pod.name), out);
    for (const cluster::PodAttachment& on : pod.object->other_networks)
      if (on.of_ovn) check_port(ports, pod, on.network, cluster::logical_port_name(*pod.object, on), out);
  }
}

}  // namespace pod_port_unclaimed

const Check kPodPortUnclaimed{"pod-port-unclaimed", Severity::error, needs_pods, pod_port_unclaimed::run};

}  // namespace egt::assess
