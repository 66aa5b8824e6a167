// What rules of AdminNetworkPolicies and the BaselineAdminNetworkPolicy imply.
#include "expect/policy_connections.h"
#include "expect/policy_expectations.h"

namespace egt::assess {
namespace {

using cluster::AdminNetworkPolicy;
using cluster::PolicyDirection;
using cluster::PolicyQuestion;
using cluster::Ruling;

class AdminPolicyExpectations {
 public:
  AdminPolicyExpectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods)
      : cluster_(cluster), objects_(cluster.objects), pods_(pods) {}

  std::vector<expect::Expectation> all() {
    for (const AdminNetworkPolicy& policy : objects_.admin_network_policies) {
      for (std::size_t i = 0; i < policy.egress.size(); ++i) by_egress(policy, i);
      for (std::size_t i = 0; i < policy.ingress.size(); ++i) by_ingress(policy, i);
    }
    return std::move(all_);
  }

 private:
  void by_egress(const AdminNetworkPolicy& policy, std::size_t index) {
    const cluster::AdminRule& rule = policy.egress[index];
    for (const KnownPod* from : selected(policy)) {
      for (const KnownPod* to : peers(cluster_, pods_, rule))
        if (by_pods(policy, index, PolicyDirection::egress, *from, *to)) return;
      for (const cluster::PolicyPeer& peer : rule.peers)
        for (const Prefix& network : peer.networks)
          if (by_network(policy, index, *from, network)) return;
    }
  }

  void by_ingress(const AdminNetworkPolicy& policy, std::size_t index) {
    for (const KnownPod* to : selected(policy))
      for (const KnownPod* from : peers(cluster_, pods_, policy.ingress[index]))
        if (by_pods(policy, index, PolicyDirection::ingress, *from, *to)) return;
  }

  bool by_pods(const AdminNetworkPolicy& policy, std::size_t index, PolicyDirection direction, const KnownPod& from,
               const KnownPod& to) {
    if (from.full_name() == to.full_name()) return false;
    const bool egress = direction == PolicyDirection::egress;
    for (const Family family : kBothFamilies) {
      const IpAddr *source = from.address(family), *destination = to.address(family);
      if (source == nullptr || destination == nullptr) continue;
      const PolicyQuestion q =
          question(from, *source, to.object, *destination, (egress ? policy.egress : policy.ingress)[index].ports);
      const Ruling ruling = decided_by(policy, index, q, direction);
      if (ruling == Ruling::none) continue;
      if (ruling == Ruling::allowed &&
          !policy_ruling(objects_, q, egress ? PolicyDirection::ingress : PolicyDirection::egress).lets_through())
        continue;
      all_.push_back(implied(Implication::admin_rule,
                             {policy.kind_and_name(), egress, index, ruling == Ruling::allowed, from.full_name(), to.full_name()},
                             from, q, ruling, policy.from));
      return true;
    }
    return false;
  }

  bool by_network(const AdminNetworkPolicy& policy, std::size_t index, const KnownPod& from, const Prefix& network) {
    const IpAddr to = address_in(cluster_, network);
    const IpAddr* own = from.address(to.family);
    if (own == nullptr || is_pod_network(objects_, to)) return false;
    const PolicyQuestion q = question(from, *own, nullptr, to, policy.egress[index].ports);
    const Ruling ruling = decided_by(policy, index, q, PolicyDirection::egress);
    if (ruling == Ruling::none) return false;
    if (ruling == Ruling::allowed && (!is_outside_node(cluster_, to) || !firewall_lets_through(cluster_, q, from))) return false;
    all_.push_back(implied(Implication::admin_rule,
                           {policy.kind_and_name(), true, index, ruling == Ruling::allowed, from.full_name(), network}, from, q,
                           ruling, policy.from));
    return true;
  }

  // `none` where something else decides, or the objects do not.
  Ruling decided_by(const AdminNetworkPolicy& policy, std::size_t index, const PolicyQuestion& q,
                    PolicyDirection direction) const {
    const cluster::PolicyRuling r = policy_ruling(objects_, q, direction);
    return r.admin == &policy && r.rule == index ? r.ruling : Ruling::none;
  }

  std::vector<const KnownPod*> selected(const AdminNetworkPolicy& policy) const {
    std::vector<const KnownPod*> some;
    for (const KnownPod& pod : pods_) {
      if (some.size() == kEachSide) break;
      if (has_dumps(cluster_, pod) && selects(policy, objects_, *pod.object)) some.push_back(&pod);
    }
    return some;
  }

  const cluster::Cluster& cluster_;
  const cluster::Objects& objects_;
  const std::vector<KnownPod>& pods_;
  std::vector<expect::Expectation> all_;
};

}  // namespace

std::vector<expect::Expectation> admin_policy_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods) {
  return AdminPolicyExpectations(cluster, pods).all();
}

}  // namespace egt::assess
