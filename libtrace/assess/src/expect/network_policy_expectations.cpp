// What NetworkPolicies imply: of each rule one connection that it alone lets through, of each isolated direction one that no rule does.
#include <optional>
#include <set>

#include "common/targets.h"
#include "expect/policy_connections.h"
#include "expect/policy_expectations.h"

namespace egt::assess {
namespace {

using cluster::NetworkPolicy;
using cluster::PolicyDirection;
using cluster::PolicyQuestion;
using cluster::Ruling;

constexpr std::size_t kAnyPods = 16;  // pods, of as many namespaces, that are tried where a rule is about all of them, or none

PolicyDirection opposite(PolicyDirection direction) {
  return direction == PolicyDirection::egress ? PolicyDirection::ingress : PolicyDirection::egress;
}

const KnownPod& sender(PolicyDirection direction, const KnownPod& pod, const KnownPod& other) {
  return direction == PolicyDirection::egress ? pod : other;
}

const KnownPod& receiver(PolicyDirection direction, const KnownPod& pod, const KnownPod& other) {
  return direction == PolicyDirection::egress ? other : pod;
}

// Of two pods of one network, of the first family that both have.
std::optional<PolicyQuestion> between(PolicyDirection direction, const KnownPod& pod, const KnownPod& other,
                                      const std::vector<cluster::RulePorts>& ports) {
  const KnownPod &from = sender(direction, pod, other), &to = receiver(direction, pod, other);
  if (from.full_name() == to.full_name() || from.network() != to.network()) return std::nullopt;
  for (const Family family : kBothFamilies)
    if (const IpAddr* source = from.address(family), *destination = to.address(family);
        source != nullptr && destination != nullptr)
      return question(from, *source, to.object, *destination, ports);
  return std::nullopt;
}

class NetworkPolicyExpectations {
 public:
  NetworkPolicyExpectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods)
      : cluster_(cluster), objects_(cluster.objects), pods_(pods) {}

  std::vector<expect::Expectation> all() {
    for (const NetworkPolicy& policy : objects_.network_policies) by_policy(policy);
    return std::move(all_);
  }

 private:
  void by_policy(const NetworkPolicy& policy) {
    const std::vector<const KnownPod*> pods = selected(policy);
    if (pods.empty()) return;
    for (const PolicyDirection direction : {PolicyDirection::egress, PolicyDirection::ingress}) {
      const bool egress = direction == PolicyDirection::egress;
      if (!(egress ? policy.egress : policy.ingress)) continue;
      const std::vector<cluster::NetworkRule>& rules = egress ? policy.egress_rules : policy.ingress_rules;
      for (std::size_t i = 0; i < rules.size(); ++i) by_rule(policy, direction, i, rules[i], pods);
      if (!rules.empty()) by_isolation(policy, direction, pods);  // those without rules imply more: from_objects.cpp
    }
  }

  std::vector<const KnownPod*> selected(const NetworkPolicy& policy) const {
    std::vector<const KnownPod*> some;
    for (const KnownPod& pod : pods_in(pods_, policy.namespace_))
      if (some.size() < kEachSide && has_dumps(cluster_, pod) && selects(policy, *pod.object)) some.push_back(&pod);
    return some;
  }

  // Some of the pods that may be at the other end of a connection.
  const std::vector<const KnownPod*>& any_pods() {
    if (!anybody_) {
      anybody_.emplace();
      std::set<std::string_view> namespaces;
      for (const KnownPod& pod : pods_)
        if (anybody_->size() < kAnyPods && has_dumps(cluster_, pod) && namespaces.insert(pod.namespace_).second)
          anybody_->push_back(&pod);
    }
    return *anybody_;
  }

  void by_rule(const NetworkPolicy& policy, PolicyDirection direction, std::size_t index, const cluster::NetworkRule& rule,
               const std::vector<const KnownPod*>& pods) {
    const bool egress = direction == PolicyDirection::egress;
    const auto is_by_rule = [&](const cluster::PolicyRuling& r) { return r.network == &policy && r.rule == index; };
    for (const KnownPod* pod : pods)
      for (const KnownPod* other : rule.all_peers ? any_pods() : peers(cluster_, pods_, rule))
        if (const auto q = between(direction, *pod, *other, rule.ports);
            q && is_by_rule(policy_ruling(objects_, *q, direction)) &&
            policy_ruling(objects_, *q, opposite(direction)).lets_through())
          return all_.push_back(implied(Implication::network_rule,
                                        {policy.full_name(), egress, index, sender(direction, *pod, *other).full_name(),
                                         receiver(direction, *pod, *other).full_name()},
                                        sender(direction, *pod, *other), *q, Ruling::allowed, policy.from));
    if (!egress) return;
    for (const cluster::PolicyPeer& peer : rule.peers)
      for (const Prefix& network : peer.networks) {
        const IpAddr server = outside(cluster_, network.address.family);
        const IpAddr* own = pods.front()->address(server.family);
        if (own == nullptr || !network.contains(server) || !is_outside_node(cluster_, server)) continue;
        const PolicyQuestion q = question(*pods.front(), *own, nullptr, server, rule.ports);
        if (!is_by_rule(policy_ruling(objects_, q, direction)) || !firewall_lets_through(cluster_, q, *pods.front())) continue;
        return all_.push_back(implied(Implication::network_rule,
                                      {policy.full_name(), egress, index, pods.front()->full_name(), network}, *pods.front(), q,
                                      Ruling::allowed, policy.from));
      }
  }

  void by_isolation(const NetworkPolicy& policy, PolicyDirection direction, const std::vector<const KnownPod*>& pods) {
    const bool egress = direction == PolicyDirection::egress;
    const auto is_isolated = [&](const PolicyQuestion& q) {
      const cluster::PolicyRuling r = policy_ruling(objects_, q, direction);
      return r.ruling == Ruling::denied && !r.isolating.empty() && r.isolating.front() == &policy;
    };
    for (const KnownPod* pod : pods)
      for (const KnownPod* other : any_pods())
        if (const auto q = between(direction, *pod, *other, {}); q && is_isolated(*q))
          return all_.push_back(implied(Implication::network_isolation,
                                        {policy.full_name(), egress, sender(direction, *pod, *other).full_name(),
                                         receiver(direction, *pod, *other).full_name()},
                                        sender(direction, *pod, *other), *q, Ruling::denied, policy.from));
    if (!egress) return;
    for (const Family family : kBothFamilies) {
      const IpAddr server = outside(cluster_, family);
      const IpAddr* own = pods.front()->address(family);
      if (own == nullptr) continue;
      if (const PolicyQuestion q = question(*pods.front(), *own, nullptr, server, {}); is_isolated(q))
        return all_.push_back(implied(Implication::network_isolation,
                                      {policy.full_name(), egress, pods.front()->full_name(), server}, *pods.front(), q,
                                      Ruling::denied, policy.from));
    }
  }

  const cluster::Cluster& cluster_;
  const cluster::Objects& objects_;
  const std::vector<KnownPod>& pods_;
  std::optional<std::vector<const KnownPod*>> anybody_;
  std::vector<expect::Expectation> all_;
};

}  // namespace

std::vector<expect::Expectation> network_policy_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods) {
  return NetworkPolicyExpectations(cluster, pods).all();
}

}  // namespace egt::assess
