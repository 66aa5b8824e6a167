#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "inspect_parts.h"
#include "phrases/inspections.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;

Evidence line_of(const Cluster& cluster, Provenance at) {
  if (!at.known()) return {};
  return {evidence_line(at, *cluster.sources)};
}

bool is_own_address(const Node& node, const IpAddr& address) {
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& a : link.addresses)
      if (a.prefix.address == address) return true;
  return false;
}

// "mode":"shared" of the annotation k8s.ovn.org/l3-gateway-config, of the default network.
std::string annotated_mode(const std::string& annotation) {
  const std::size_t at = annotation.find("\"mode\"");
  if (at == std::string::npos) return {};
  const std::size_t colon = annotation.find(':', at), open = annotation.find('"', colon);
  if (colon == std::string::npos || open == std::string::npos) return {};
  return annotation.substr(open + 1, annotation.find('"', open + 1) - open - 1);
}

class Networks {
 public:
  explicit Networks(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<NetworkReport> report() {
    for (const auto& node : cluster_.objects.nodes)
      for (const Prefix& subnet : node.pod_subnets) add("pods", node.name, subnet, node.from);
    for (const auto& node : cluster_.nodes) {
      ports(*node);
      links(*node);
    }
    return std::move(found_);
  }

 private:
  void add(const std::string& what, const std::string& node, const Prefix& prefix, Provenance from) {
    if (prefix.address.is_link_local() || !shown_.insert(what + node + prefix.to_string()).second) return;
    found_.push_back({what, node, prefix.to_string(), line_of(cluster_, from)});
  }

  // Networks of logical router ports: join switch, transit switch, node switches.
  void ports(const Node& node) {
    for (const ovn::LogicalPort& port : node.ovn.ports) {
      if (!port.on_router) continue;
      for (const Prefix& network : port.addresses) add(fmt::format("router {}", port.datapath), "", network, port.from);
    }
  }

  void links(const Node& node) {
    for (const host::Link& link : node.host.links.value)
      for (const host::Address& a : link.addresses)
        if (!a.prefix.address.is_loopback()) add(fmt::format("device {}", link.name), node.name, a.prefix, a.from);
  }

  const Cluster& cluster_;
  std::set<std::string> shown_;
  std::vector<NetworkReport> found_;
};

}  // namespace

std::vector<NetworkReport> report_networks(const Cluster& cluster) { return Networks(cluster).report(); }

void report_gateway_mode(const Cluster& cluster, const Node& node, NodeReport& out) {
  for (const auto& object : cluster.objects.nodes) {
    const auto annotation = object.annotations.find("k8s.ovn.org/l3-gateway-config");
    if (object.name != node.name || annotation == object.annotations.end()) continue;
    out.gateway_mode = annotated_mode(annotation->second);
    out.gateway_because = phrase(Observation::annotated_mode, {annotation->first});
    if (!out.gateway_mode.empty()) return;
  }
  // ovn_cluster_router sends what pods send (policy src-ip) to the management port, an address of the host, or to the
  // gateway router.
  for (const auto route : rows_of<rows::nb::LogicalRouterStaticRoute>(node.ovn.rows)) {
    if (route.policy() != "src-ip") continue;
    const auto hop = IpAddr::parse(route.nexthop());
    if (!hop || !node.host.links.present) continue;
    const bool local = is_own_address(node, *hop);
    out.gateway_mode = local ? "local" : "shared";
    out.gateway_because = phrase(Observation::next_hop_of_pods, {route.ip_prefix(), *hop, local});
    return;
  }
}

}  // namespace egt::explain
