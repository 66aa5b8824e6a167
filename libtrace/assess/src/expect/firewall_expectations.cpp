// What rules of EgressFirewalls imply.
#include <set>
#include <string>

#include "egtrace/cluster/resolved_names.h"
#include "expect/policy_connections.h"
#include "expect/policy_expectations.h"

namespace egt::assess {
namespace {

using cluster::PolicyDirection;
using cluster::PolicyQuestion;
using cluster::Ruling;

class FirewallExpectations {
 public:
  FirewallExpectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods)
      : cluster_(cluster), objects_(cluster.objects), pods_(pods) {}

  std::vector<expect::Expectation> all() {
    for (const cluster::EgressFirewall& firewall : objects_.egress_firewalls)
      for (std::size_t i = 0; i < firewall.rules.size(); ++i) by_rule(firewall, i);
    return std::move(all_);
  }

 private:
  std::vector<IpAddr> destinations(const cluster::FirewallRule& rule, const KnownPod& pod, Family family) const {
    if (rule.to) {
      if (rule.to->address.family != family) return {};
      return {address_in(cluster_, *rule.to)};
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

  void by_rule(const cluster::EgressFirewall& firewall, std::size_t index) {
    const cluster::FirewallRule& rule = firewall.rules[index];
    std::set<std::string> asked;  // nodes
    for (const KnownPod& pod : pods_) {
      if (pod.namespace_ != firewall.namespace_ || !has_dumps(cluster_, pod) || !asked.insert(pod.node).second) continue;
      for (const Family family : kBothFamilies)
        for (const IpAddr& to : destinations(rule, pod, family))
          if (const IpAddr* own = pod.address(family))
            by_connection(firewall, index, pod, question(pod, *own, nullptr, to, rule.ports));
    }
  }

  void by_connection(const cluster::EgressFirewall& firewall, std::size_t index, const KnownPod& pod, const PolicyQuestion& q) {
    const cluster::FirewallRuling r = firewall_ruling(objects_, cluster_.node(pod.node), q);
    if (r.firewall != &firewall || r.rule != index || (r.ruling != Ruling::allowed && r.ruling != Ruling::denied)) return;
    if (r.ruling == Ruling::allowed &&
        (!is_outside_node(cluster_, q.destination) || !policy_ruling(objects_, q, PolicyDirection::egress).lets_through()))
      return;
    all_.push_back(
        implied(Implication::firewall_rule,
                {firewall.full_name(), index, r.ruling == Ruling::allowed, pod.full_name(), firewall.rules[index].destination()},
                pod, q, r.ruling, firewall.from));
  }

  const cluster::Cluster& cluster_;
  const cluster::Objects& objects_;
  const std::vector<KnownPod>& pods_;
  std::vector<expect::Expectation> all_;
};

}  // namespace

std::vector<expect::Expectation> firewall_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods) {
  return FirewallExpectations(cluster, pods).all();
}

}  // namespace egt::assess
