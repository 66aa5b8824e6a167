// What EgressFirewalls, AdminNetworkPolicies and the BaselineAdminNetworkPolicy ask of one connection of a pod, from the
// objects alone. NetworkPolicies are known by their directions only: where their rules decide, nothing is said.
#pragma once

#include <cstddef>
#include <string>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

struct PolicyQuestion {
  const Pod* from = nullptr;             // null: no pod sends
  const Pod* to = nullptr;               // null: no pod receives
  IpAddr source, destination;            // behind the translation of a service
  std::string protocol;                  // in capitals
  std::uint16_t port = 0;                // of the destination
};

enum class Ruling : std::uint8_t { none, allowed, denied, open };   // none: no rule matches; open: objects do not decide

struct FirewallRuling {
  Ruling ruling = Ruling::none;
  const EgressFirewall* firewall = nullptr;
  std::size_t rule = 0;                  // where `allowed` or `denied`: counted from 0
};
// `node`: where the pod runs; its address sets have what names stand for if no object has. Says nothing of addresses inside
// the pods' networks, which no EgressFirewall is about.
FirewallRuling firewall_ruling(const Objects& objects, const Node* node, const PolicyQuestion& question);

enum class PolicyDirection : std::uint8_t { egress, ingress };   // of the pod that sends, of the one that receives
struct AdminRuling {
  Ruling ruling = Ruling::none;
  PolicyDirection direction = PolicyDirection::egress;
  const AdminNetworkPolicy* policy = nullptr;
  std::size_t rule = 0;
  const AdminRule& decisive() const {
    return (direction == PolicyDirection::egress ? policy->egress : policy->ingress)[rule];
  }
};
// By AdminNetworkPolicies in the order of their priorities, then, where no NetworkPolicy isolates the pod, by the
// BaselineAdminNetworkPolicy. `open` where a rule before the deciding one may match, where two policies of one priority
// disagree, and where a NetworkPolicy decides.
AdminRuling admin_ruling(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction);

}  // namespace egt::cluster
