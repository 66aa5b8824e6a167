// An egress IP of pods on a user-defined network: on its node a policy of the gateway router marks what they send, and the external
// bridge translates what has the mark (createGWMarkPolicyOps() and createReroutePolicyOps() of ovn-kubernetes'
// go-controller/pkg/ovn/egressip.go, node/bridgeconfig/bridgeflows.go).
#include <algorithm>
#include <string>
#include <vector>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_mark_missing {

using Pods = std::vector<const KnownPod*>;

std::string name_of(const cluster::EgressIp& object) { return "EgressIP " + object.name; }

// Pods of user-defined networks that leave by the object's addresses of a family.
Pods claimed_on_other_networks(const Facts& f, const cluster::EgressIp& object, Family family) {
  Pods pods;
  for (const auto& [pod, claim] : f.claimed_pods())
    if (claim->family == family && !pod->network().empty() && claim->object == name_of(object)) pods.push_back(pod);
  return pods;
}

void check_policies(const Facts& f, const cluster::EgressIp& object, const IpAddr& address, const cluster::Node& node,
                    const Pods& pods, Findings& out) {
  const Policies& policies = f.policies_at(node);
  if (!policies.complete_of_all_routers) return out.lacks(Lack::policies_of_all_routers, {node.name});
  Pods without;
  for (const KnownPod* pod : pods)
    if (std::none_of(policies.all.begin(), policies.all.end(),
                     [&](const Policy& p) { return p.mark == object.mark && p.names(*pod->address(address.family)); }))
      without.push_back(pod);
  if (without.empty()) return;
  std::vector<Provenance> proof{object.from};
  if (!policies.all.empty()) proof.push_back(policies.all.front().from);  // the list in which they should be
  out.about(without);
  out.add(Claim::egressip_mark_policy_missing, node.name, name_of(object),
          {*object.mark, terms_of(without, address.family), address}, proof);
}

// Which of them the network leaves by is not asked: a flow of any is enough, and each must be dumped whole to lack it.
std::vector<const openflow::Bridge*> external_bridges(const cluster::Node& node) {
  std::vector<const openflow::Bridge*> all;
  for (const openflow::Bridge& bridge : node.bridges)
    if (&bridge != node.integration_bridge() && bridge.flows) all.push_back(&bridge);
  return all;
}

bool has_flow_for(const openflow::FlowTables& flows, std::uint32_t mark) {
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const openflow::MatchView match = openflow::match_of(flows.flow(i));
    if (openflow::mask_of(match, FieldId::pkt_mark) != 0 && openflow::value_of(match, FieldId::pkt_mark) == mark) return true;
  }
  return false;
}

void check_bridges(const cluster::EgressIp& object, const IpAddr& address, const cluster::Node& node, const Pods& pods,
                   Findings& out) {
  const std::vector<const openflow::Bridge*> bridges = external_bridges(node);
  if (std::any_of(bridges.begin(), bridges.end(), [&](const auto* bridge) { return has_flow_for(*bridge->flows, *object.mark); }))
    return;
  if (bridges.empty() || std::any_of(bridges.begin(), bridges.end(), [](const auto* bridge) { return bridge->flows_partial; }))
    return out.lacks(Lack::bridge_flows, {node.name});
  std::vector<std::string> names;
  std::vector<Provenance> proof{object.from};
  for (const openflow::Bridge* bridge : bridges) {
    names.push_back(bridge->name);
    proof.push_back(bridge->from);
  }
  out.about(pods);
  out.add(Claim::egressip_mark_flow_missing, node.name, name_of(object),
          {names, *object.mark, address, terms_of(pods, address.family), names.front()}, proof);
}

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressIp& object : f.cluster.objects.egress_ips)
    for (const auto& [address, node_name] : object.status) {
      const Pods pods = claimed_on_other_networks(f, object, address.family);
      const cluster::Node* node = f.cluster.node(node_name);
      if (pods.empty() || node == nullptr) continue;
      if (!object.mark) {
        out.lacks(Lack::mark_of_egress_ip, {object.name});
        continue;
      }
      check_policies(f, object, address, *node, pods, out);
      check_bridges(object, address, *node, pods, out);
    }
}

}  // namespace egressip_mark_missing

const Check kEgressIpMarkMissing{"egressip-mark-missing",    Severity::error,     needs_egress_ips,
                                 egressip_mark_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
