#include "expect/policy_expectations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "common/targets.h"
#include "egtrace/base/text.h"
#include "egtrace/cluster/resolved_names.h"
#include "expect/ground.h"

namespace egt::assess {
namespace {

using cluster::AdminNetworkPolicy;
using cluster::AdminRule;
using cluster::Cluster;
using cluster::NetworkPolicy;
using cluster::PolicyDirection;
using cluster::PolicyQuestion;
using cluster::Ruling;
using expect::Expectation;

constexpr Family kBothFamilies[] = {Family::v4, Family::v6};
constexpr std::uint16_t kAnyPort = 80;  // of rules that name none
constexpr std::size_t kEachSide = 4;    // pods of either side that are tried for a rule of a policy
constexpr std::size_t kLookedAt = 64;   // pods of a peer that are looked at for such
constexpr std::size_t kAnybody = 16;    // pods, of as many namespaces, that are tried where a rule is about everybody, or nobody

// The first address of a network that a host can have.
IpAddr first_address(const Prefix& network) {
  const IpAddr first = network.network().address;
  if (network.is_host()) return first;
  IpAddr next = first;
  next.value = first.value + 1;
  return next;
}

struct Port {
  std::string protocol = "TCP";
  std::uint16_t number = kAnyPort;
};
Port port_of(const std::vector<cluster::RulePorts>& ports) {
  if (ports.empty()) return {};
  const cluster::RulePorts& first = ports.front();
  return {first.protocol, first.first != 0 ? first.first : kAnyPort};
}

class PolicyExpectations {
 public:
  PolicyExpectations(const Cluster& cluster, const std::vector<KnownPod>& pods)
      : cluster_(cluster), objects_(cluster.objects), pods_(pods) {}

  std::vector<Expectation> all() {
    for (const cluster::EgressFirewall& firewall : objects_.egress_firewalls)
      for (std::size_t i = 0; i < firewall.rules.size(); ++i) by_firewall(firewall, i);
    for (const NetworkPolicy& policy : objects_.network_policies) by_network_policy(policy);
    for (const AdminNetworkPolicy& policy : objects_.admin_network_policies) {
      for (std::size_t i = 0; i < policy.egress.size(); ++i) by_egress(policy, i);
      for (std::size_t i = 0; i < policy.ingress.size(); ++i) by_ingress(policy, i);
    }
    return std::move(all_);
  }

 private:
  void add(Implication implication, const Terms& about, const KnownPod& from, const PolicyQuestion& q, Ruling ruling,
           Provenance object) {
    Expectation e;
    e.name = phrase(implication, about);
    e.from = {{from.full_name(), {}, {}}};
    e.to = {{q.destination.to_string(), {}, {}}};
    e.proto = lower(q.protocol);
    e.dport = q.port;
    e.object = object;
    if (ruling == Ruling::denied)
      e.verdicts = {Verdict::dropped, Verdict::rejected};
    else
      e.outcomes = {Outcome::answered, Outcome::refused};  // whether anybody listens is no matter of policies
    all_.push_back(std::move(e));
  }

  bool has_dumps(const KnownPod& pod) const {
    return pod.object != nullptr && !pod.host_network && cluster_.handle(pod.node) != nullptr;
  }

  // ---- EgressFirewall

  std::vector<IpAddr> destinations(const cluster::FirewallRule& rule, const KnownPod& pod, Family family) const {
    if (rule.to) {
      if (rule.to->address.family != family) return {};
      const IpAddr server = outside(cluster_, family);
      return {rule.to->contains(server) ? server : first_address(*rule.to)};
    }
    std::vector<IpAddr> all;
    if (rule.nodes.present) {
      for (const cluster::NodeObject& node : objects_.nodes)
        if (node.name != pod.node && rule.nodes.matches(node.labels))
          all.insert(all.end(), node.addresses.begin(), node.addresses.end());
    } else if (const cluster::Node* node = cluster_.node(pod.node); node != nullptr) {
      all = addresses_of_rule(objects_, node->ovn, rule.dns_name).addresses;
    }
    std::erase_if(all, [&](const IpAddr& a) { return a.family != family; });
    if (all.size() > 1) all.resize(1);
    return all;
  }

  void by_firewall(const cluster::EgressFirewall& firewall, std::size_t index) {
    const cluster::FirewallRule& rule = firewall.rules[index];
    std::set<std::string> asked;  // nodes
    for (const KnownPod& pod : pods_) {
      if (pod.namespace_ != firewall.namespace_ || !has_dumps(pod) || !asked.insert(pod.node).second) continue;
      for (const Family family : kBothFamilies)
        for (const IpAddr& to : destinations(rule, pod, family))
          if (const IpAddr* own = pod.address(family))
            by_firewall_rule(firewall, index, pod, question(pod, *own, nullptr, to, rule.ports));
    }
  }

  void by_firewall_rule(const cluster::EgressFirewall& firewall, std::size_t index, const KnownPod& pod,
                        const PolicyQuestion& q) {
    const cluster::FirewallRuling r = firewall_ruling(objects_, cluster_.node(pod.node), q);
    if (r.firewall != &firewall || r.rule != index || (r.ruling != Ruling::allowed && r.ruling != Ruling::denied)) return;
    if (r.ruling == Ruling::allowed && (!is_outside_node(q.destination) || !lets_through(q, PolicyDirection::egress))) return;
    add(Implication::firewall_rule,
        {firewall.full_name(), index, r.ruling == Ruling::allowed, pod.full_name(), firewall.rules[index].destination()}, pod, q,
        r.ruling, firewall.from);
  }

  // ---- AdminNetworkPolicy

  void by_egress(const AdminNetworkPolicy& policy, std::size_t index) {
    const AdminRule& rule = policy.egress[index];
    for (const KnownPod* from : selected(policy)) {
      for (const KnownPod* to : peers(rule))
        if (by_admin_rule(policy, index, PolicyDirection::egress, *from, *to)) return;
      for (const cluster::PolicyPeer& peer : rule.peers)
        for (const Prefix& network : peer.networks)
          if (by_network(policy, index, *from, network)) return;
    }
  }

  void by_ingress(const AdminNetworkPolicy& policy, std::size_t index) {
    for (const KnownPod* to : selected(policy))
      for (const KnownPod* from : peers(policy.ingress[index]))
        if (by_admin_rule(policy, index, PolicyDirection::ingress, *from, *to)) return;
  }

  bool by_admin_rule(const AdminNetworkPolicy& policy, std::size_t index, PolicyDirection direction, const KnownPod& from,
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
      if (ruling == Ruling::allowed && !lets_through(q, egress ? PolicyDirection::ingress : PolicyDirection::egress)) continue;
      add(Implication::admin_rule,
          {policy.kind_and_name(), egress, index, ruling == Ruling::allowed, from.full_name(), to.full_name()}, from, q, ruling,
          policy.from);
      return true;
    }
    return false;
  }

  bool by_network(const AdminNetworkPolicy& policy, std::size_t index, const KnownPod& from, const Prefix& network) {
    const IpAddr server = outside(cluster_, network.address.family);
    const IpAddr to = network.contains(server) ? server : first_address(network);
    const IpAddr* own = from.address(to.family);
    if (own == nullptr || is_pod_network(objects_, to)) return false;
    const PolicyQuestion q = question(from, *own, nullptr, to, policy.egress[index].ports);
    const Ruling ruling = decided_by(policy, index, q, PolicyDirection::egress);
    if (ruling == Ruling::none) return false;
    if (ruling == Ruling::allowed && (!is_outside_node(to) || !firewall_lets_through(q, from))) return false;
    add(Implication::admin_rule, {policy.kind_and_name(), true, index, ruling == Ruling::allowed, from.full_name(), network},
        from, q, ruling, policy.from);
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
      if (has_dumps(pod) && selects(policy, objects_, *pod.object)) some.push_back(&pod);
    }
    return some;
  }

  std::vector<const KnownPod*> peers(const cluster::PolicyRule& rule) const {
    std::vector<const KnownPod*> some;
    for (const cluster::PolicyPeer& peer : rule.peers)
      for (const KnownPod* pod : pods_of(peer, objects_, pods_, kLookedAt))
        if (some.size() < kEachSide && has_dumps(*pod)) some.push_back(pod);
    return some;
  }

  // ---- NetworkPolicy: each rule with one connection that it alone lets through, each isolated direction with one that no rule does.

  void by_network_policy(const NetworkPolicy& policy) {
    const std::vector<const KnownPod*> pods = selected(policy);
    if (pods.empty()) return;
    for (const PolicyDirection direction : {PolicyDirection::egress, PolicyDirection::ingress}) {
      const bool egress = direction == PolicyDirection::egress;
      if (!(egress ? policy.egress : policy.ingress)) continue;
      const std::vector<cluster::NetworkRule>& rules = egress ? policy.egress_rules : policy.ingress_rules;
      for (std::size_t i = 0; i < rules.size(); ++i) by_network_rule(policy, direction, i, rules[i], pods);
      if (!rules.empty()) by_isolation(policy, direction, pods);  // those without rules imply more: from_objects.cpp
    }
  }

  std::vector<const KnownPod*> selected(const NetworkPolicy& policy) const {
    std::vector<const KnownPod*> some;
    for (const KnownPod& pod : pods_in(pods_, policy.namespace_))
      if (some.size() < kEachSide && has_dumps(pod) && selects(policy, *pod.object)) some.push_back(&pod);
    return some;
  }

  // Some of the pods that may be at the other end of a connection.
  const std::vector<const KnownPod*>& anybody() {
    if (!anybody_) {
      anybody_.emplace();
      std::set<std::string_view> namespaces;
      for (const KnownPod& pod : pods_)
        if (anybody_->size() < kAnybody && has_dumps(pod) && namespaces.insert(pod.namespace_).second) anybody_->push_back(&pod);
    }
    return *anybody_;
  }

  void by_network_rule(const NetworkPolicy& policy, PolicyDirection direction, std::size_t index,
                       const cluster::NetworkRule& rule, const std::vector<const KnownPod*>& pods) {
    const bool egress = direction == PolicyDirection::egress;
    const auto is_by_rule = [&](const cluster::PolicyRuling& r) { return r.network == &policy && r.rule == index; };
    for (const KnownPod* pod : pods)
      for (const KnownPod* other : rule.all_peers ? anybody() : peers(rule))
        if (const auto q = between(direction, *pod, *other, rule.ports);
            q && is_by_rule(policy_ruling(objects_, *q, direction)) && lets_through(*q, opposite(direction)))
          return add(Implication::network_rule,
                     {policy.full_name(), egress, index, sender(direction, *pod, *other).full_name(),
                      receiver(direction, *pod, *other).full_name()},
                     sender(direction, *pod, *other), *q, Ruling::allowed, policy.from);
    if (!egress) return;
    for (const cluster::PolicyPeer& peer : rule.peers)
      for (const Prefix& network : peer.networks) {
        const IpAddr server = outside(cluster_, network.address.family);
        const IpAddr* own = pods.front()->address(server.family);
        if (own == nullptr || !network.contains(server) || !is_outside_node(server)) continue;
        const PolicyQuestion q = question(*pods.front(), *own, nullptr, server, rule.ports);
        if (!is_by_rule(policy_ruling(objects_, q, direction)) || !firewall_lets_through(q, *pods.front())) continue;
        return add(Implication::network_rule, {policy.full_name(), egress, index, pods.front()->full_name(), network},
                   *pods.front(), q, Ruling::allowed, policy.from);
      }
  }

  void by_isolation(const NetworkPolicy& policy, PolicyDirection direction, const std::vector<const KnownPod*>& pods) {
    const bool egress = direction == PolicyDirection::egress;
    const auto is_isolated = [&](const PolicyQuestion& q) {
      const cluster::PolicyRuling r = policy_ruling(objects_, q, direction);
      return r.ruling == Ruling::denied && !r.isolating.empty() && r.isolating.front() == &policy;
    };
    for (const KnownPod* pod : pods)
      for (const KnownPod* other : anybody())
        if (const auto q = between(direction, *pod, *other, {}); q && is_isolated(*q))
          return add(Implication::network_isolation,
                     {policy.full_name(), egress, sender(direction, *pod, *other).full_name(),
                      receiver(direction, *pod, *other).full_name()},
                     sender(direction, *pod, *other), *q, Ruling::denied, policy.from);
    if (!egress) return;
    for (const Family family : kBothFamilies) {
      const IpAddr server = outside(cluster_, family);
      const IpAddr* own = pods.front()->address(family);
      if (own == nullptr) continue;
      if (const PolicyQuestion q = question(*pods.front(), *own, nullptr, server, {}); is_isolated(q))
        return add(Implication::network_isolation, {policy.full_name(), egress, pods.front()->full_name(), server}, *pods.front(),
                   q, Ruling::denied, policy.from);
    }
  }

  static PolicyDirection opposite(PolicyDirection direction) {
    return direction == PolicyDirection::egress ? PolicyDirection::ingress : PolicyDirection::egress;
  }
  static const KnownPod& sender(PolicyDirection direction, const KnownPod& pod, const KnownPod& other) {
    return direction == PolicyDirection::egress ? pod : other;
  }
  static const KnownPod& receiver(PolicyDirection direction, const KnownPod& pod, const KnownPod& other) {
    return direction == PolicyDirection::egress ? other : pod;
  }
  // Of two pods of one network, of the first family that both have.
  static std::optional<PolicyQuestion> between(PolicyDirection direction, const KnownPod& pod, const KnownPod& other,
                                               const std::vector<cluster::RulePorts>& ports) {
    const KnownPod &from = sender(direction, pod, other), &to = receiver(direction, pod, other);
    if (from.full_name() == to.full_name() || from.network() != to.network()) return std::nullopt;
    for (const Family family : kBothFamilies)
      if (const IpAddr* source = from.address(family), *destination = to.address(family);
          source != nullptr && destination != nullptr)
        return question(from, *source, to.object, *destination, ports);
    return std::nullopt;
  }

  // ---- both

  static PolicyQuestion question(const KnownPod& from, const IpAddr& source, const cluster::Pod* to, const IpAddr& destination,
                                 const std::vector<cluster::RulePorts>& ports) {
    const Port port = port_of(ports);
    return {from.object, to, source, destination, port.protocol, port.number};
  }

  bool lets_through(const PolicyQuestion& q, PolicyDirection direction) const {
    return policy_ruling(objects_, q, direction).lets_through();
  }

  bool firewall_lets_through(const PolicyQuestion& q, const KnownPod& from) const {
    const Ruling ruling = firewall_ruling(objects_, cluster_.node(from.node), q).ruling;
    return ruling == Ruling::none || ruling == Ruling::allowed;
  }

  bool is_outside_node(const IpAddr& address) const {
    const cluster::Node* owner = cluster_.owner_of(address);
    return owner != nullptr && !is_cluster_node(*owner);
  }

  const Cluster& cluster_;
  const cluster::Objects& objects_;
  const std::vector<KnownPod>& pods_;
  std::optional<std::vector<const KnownPod*>> anybody_;
  std::vector<Expectation> all_;
};

}  // namespace

std::vector<Expectation> policy_expectations(const Cluster& cluster, const std::vector<KnownPod>& pods) {
  return PolicyExpectations(cluster, pods).all();
}

}  // namespace egt::assess
