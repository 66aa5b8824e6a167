// The masquerade address by which pods of a user-defined network pass the management port of their network: replies to it have
// to return there, by a policy rule and the table of the network's VRF (node/gateway_udn.go), and the host has to hide it.
#include <algorithm>
#include <set>

#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace network_masquerade {

constexpr const char* kNetworkKey = "k8s.ovn.org/network";

struct Masquerade {
  const cluster::Node* node = nullptr;
  std::string network, device;
  IpAddr address;
  Provenance row;
};

// The port of the integration bridge by which the host is on the network.
std::string management_port(const cluster::Node& node, const std::string& network) {
  const openflow::Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr) return {};
  for (const openflow::Interface& port : bridge->interfaces) {
    const auto of = port.external_ids.find(kNetworkKey), id = port.external_ids.find("iface-id");
    if (of != port.external_ids.end() && of->second == network && id != port.external_ids.end() &&
        id->second.starts_with(ovnk::kManagementPort))
      return port.name;
  }
  return {};
}

std::vector<Masquerade> masquerades_of(const cluster::Node& node) {
  std::vector<Masquerade> all;
  std::set<std::pair<std::string, IpAddr>> known;  // one database may hold the rows of all nodes
  for (const auto nat : rows_of<rows::nb::Nat>(node.ovn.rows)) {
    if (nat.type() != "snat" || nat.logical_port().empty()) continue;
    const std::string network = nat.external_id(kNetworkKey);
    const auto address = IpAddr::parse(nat.external_ip());
    if (network.empty() || !address) continue;
    std::string device = management_port(node, network);
    if (device.empty() || !known.emplace(network, *address).second) continue;
    all.push_back({&node, network, std::move(device), *address, nat.from()});
  }
  return all;
}

void replies(const Facts& f, const Masquerade& m, Findings& out) {
  const auto& rules = rules_of(*m.node, m.address.family);
  const auto& routes = routes_of(*m.node, m.address.family);
  if (!rules.present || rules.partial || !routes.present || routes.partial) {
    out.lacks(!rules.present || rules.partial ? Lack::policy_rules : Lack::routes, {m.node->name});
    return;
  }
  const engine::RouteAnswer answer = route_from_outside(f.cluster, *m.node, m.address);
  const auto leads_back = [&](const engine::RouteHop& hop) { return hop.get().device == m.device; };
  if (answer.kind == engine::RouteAnswer::Kind::unknown ||
      (!answer.hops.empty() && std::all_of(answer.hops.begin(), answer.hops.end(), leads_back)))
    return;
  std::vector<Provenance> proof = answer.evidence();
  proof.push_back(rules.from);
  proof.push_back(m.row);
  out.add(Claim::network_replies_not_routed, m.node->name, "",
          {m.network, m.address, m.device, answer.hops.empty() ? Term() : Term(std::string(answer.hops.front().get().device))},
          proof);
}

void requests(const Facts& f, const Masquerade& m, Findings& out) {
  bool any = false;
  for (const AuditRow& row : f.connections()) {
    if (row.node != m.node->name || !is_outside(row.to_kind) || !is_failure(row) || !row.stopped_at) continue;
    if (!row.source_seen || row.source_seen->ip != m.address.to_string()) continue;
    out.explain(*row.stopped_at);
    any = true;
  }
  if (any) out.add(Claim::network_not_masqueraded, m.node->name, "", {m.network, m.address, m.device}, {m.row});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    for (const Masquerade& m : masquerades_of(*node)) {
      replies(f, m, out);
      requests(f, m, out);
    }
  }
}

}  // namespace network_masquerade

const Check kNetworkMasquerade{"network-masquerade", Severity::error, always, network_masquerade::run};

}  // namespace egt::assess
