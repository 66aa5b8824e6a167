// What EgressFirewalls, AdminNetworkPolicies, NetworkPolicies and the BaselineAdminNetworkPolicy ask of the first packet of one
// connection of a pod, from the objects alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

struct PolicyQuestion {
  const Pod* from = nullptr;  // null: no pod sends
  const Pod* to = nullptr;    // null: no pod receives
  // Behind the translation of a service. An unspecified source is one that objects do not show: the client's is translated.
  IpAddr source, destination;
  std::string protocol;    // in capitals
  std::uint16_t port = 0;  // of the destination
};

enum class Ruling : std::uint8_t { none, allowed, denied, open };  // none: no rule matches; open: objects do not decide

struct FirewallRuling {
  Ruling ruling = Ruling::none;
  const EgressFirewall* firewall = nullptr;
  std::size_t rule = 0;  // where `allowed` or `denied`: counted from 0
};
// `node`: where the pod runs; its address sets have what names stand for if no object has. Says nothing of addresses inside
// the pods' networks, which no EgressFirewall is about.
FirewallRuling firewall_ruling(const Objects& objects, const Node* node, const PolicyQuestion& question);

enum class PolicyDirection : std::uint8_t { egress, ingress };  // of the pod that sends, of the one that receives
struct PolicyRuling {
  Ruling ruling = Ruling::none;
  PolicyDirection direction = PolicyDirection::egress;
  const Pod* subject = nullptr;               // the pod whose policies these are; null: there is none
  const AdminNetworkPolicy* admin = nullptr;  // that decides, be it the baseline
  const NetworkPolicy* network = nullptr;     // that lets the packet through
  std::size_t rule = 0;                       // of the one that decides
  // NetworkPolicies that isolate the pod in this direction, where no AdminNetworkPolicy decides: `denied` without `admin` is that
  // none of them has a rule for the packet.
  std::vector<const NetworkPolicy*> isolating = {};

  const AdminRule& admin_rule() const { return (direction == PolicyDirection::egress ? admin->egress : admin->ingress)[rule]; }
  bool lets_through() const { return ruling == Ruling::none || ruling == Ruling::allowed; }
};
// By AdminNetworkPolicies in the order of their priorities, then, where NetworkPolicies isolate the pod, by their rules, else by the
// BaselineAdminNetworkPolicy (tiers 1, 2 and 3 of the ACLs of OVN-Kubernetes). `open`: a rule that may match, AdminNetworkPolicies of
// one priority that disagree, peers of the host's network, and what NetworkPolicies deny and the API or OVN-Kubernetes lets
// through all the same: the pod's own node, packets that are neither TCP nor UDP nor SCTP, multicast, what a policy has a rule for that
// does not isolate in that direction (buildNetworkPolicyACLs() of OVN-Kubernetes' base_network_controller_policy.go).
PolicyRuling policy_ruling(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction);

}  // namespace egt::cluster
