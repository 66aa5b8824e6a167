// An egress IP of pods on a user-defined network: on its node a policy of the gateway router marks what they send, and the external
// bridge translates what has the mark (createGWMarkPolicyOps() and createReroutePolicyOps() of ovn-kubernetes'
// go-controller/pkg/ovn/egressip.go, node/bridgeconfig/bridgeflows.go).
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_mark_missing {

using Pods = std::vector<const KnownPod*>;

// Pods of user-defined networks that leave by the object's addresses of a family.
Pods claimed_on_other_networks(const Facts& f, const cluster::EgressIp& object, Family family) {
  Pods pods;
  for (const auto& [pod, claim] : f.claimed_pods())
    if (claim->family == family && !pod->network().empty() && claim->object == "EgressIP " + object.name) pods.push_back(pod);
  return pods;
}

bool names(const Policy& policy, const IpAddr& address) {
  const std::string text = address.to_string();
  for (std::size_t at = policy.match.find(text); at != std::string::npos; at = policy.match.find(text, at + 1)) {
    const std::size_t end = at + text.size();
    if (end == policy.match.size() || std::string_view("0123456789abcdef.:").find(policy.match[end]) == std::string_view::npos) return true;
  }
  return false;
}

void check_policies(const Facts& f, const cluster::EgressIp& object, const IpAddr& address, const cluster::Node& node, const Pods& pods,
                    Findings& out) {
  const Policies& policies = f.policies_at(node);
  if (!policies.complete) return out.lacks(fmt::format("policies of logical routers on {} (ovn-nbctl list logical_router_policy)", node.name));
  Pods without;
  for (const KnownPod* pod : pods)
    if (std::none_of(policies.all.begin(), policies.all.end(),
                     [&](const Policy& p) { return p.mark == object.mark && names(p, *pod->address(address.family)); }))
      without.push_back(pod);
  if (without.empty()) return;
  std::vector<Provenance> proof{object.from};
  if (!policies.all.empty()) proof.push_back(policies.all.front().from);   // the list in which they should be
  out.about(without);
  out.add(fmt::format("No policy of a logical router on {} gives mark {} of egress IP {} to what {} send: it leaves as the node.",
                      node.name, *object.mark, address.to_string(), in_words(without, address.family)),
          node.name, "EgressIP " + object.name, proof,
          fmt::format("ovn-nbctl lr-policy-list on the gateway router of the network on {}; look for the EgressIP in the log of "
                      "ovnkube-controller there.",
                      node.name));
}

const openflow::Bridge* external_bridge(const cluster::Node& node) {
  for (const openflow::Bridge& bridge : node.bridges)
    if (&bridge != node.integration_bridge() && bridge.flows) return &bridge;
  return nullptr;
}

bool has_flow_for(const openflow::FlowTables& flows, std::uint32_t mark) {
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const openflow::MatchView match = flows.match(flows.flow(i));
    if (openflow::mask_of(match, FieldId::pkt_mark) != 0 && openflow::value_of(match, FieldId::pkt_mark) == mark) return true;
  }
  return false;
}

void check_bridge(const cluster::EgressIp& object, const IpAddr& address, const cluster::Node& node, const Pods& pods, Findings& out) {
  const openflow::Bridge* bridge = external_bridge(node);
  if (bridge == nullptr) return out.lacks(fmt::format("flows of the external bridge of {}", node.name));
  if (has_flow_for(*bridge->flows, *object.mark)) return;
  out.about(pods);
  out.add(fmt::format("{} of {} has no flow for packets with mark {}, which are to leave as egress IP {}: what {} send leaves as the node.",
                      bridge->name, node.name, *object.mark, address.to_string(), in_words(pods, address.family)),
          node.name, "EgressIP " + object.name, {object.from, bridge->from},
          fmt::format("ovs-ofctl dump-flows {} | grep pkt_mark on {}; look for the EgressIP in the log of ovnkube-node there.", bridge->name,
                      node.name));
}

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressIp& object : f.cluster.objects.egress_ips)
    for (const auto& [address, node_name] : object.status) {
      const Pods pods = claimed_on_other_networks(f, object, address.family);
      const cluster::Node* node = f.cluster.node(node_name);
      if (pods.empty() || node == nullptr) continue;
      if (!object.mark) {
        out.lacks(fmt::format("the mark of EgressIP {} (annotation k8s.ovn.org/egressip-mark)", object.name));
        continue;
      }
      check_policies(f, object, address, *node, pods, out);
      check_bridge(object, address, *node, pods, out);
    }
}

}  // namespace egressip_mark_missing

const Check kEgressIpMarkMissing{"egressip-mark-missing", "An egress IP of a user-defined network whose packets are not marked or translated",
                                 Severity::error, needs_egress_ips, egressip_mark_missing::run,
                                 Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
