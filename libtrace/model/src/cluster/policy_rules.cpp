#include "egtrace/cluster/policy_rules.h"

#include <algorithm>
#include <vector>

#include "egtrace/cluster/resolved_names.h"
#include "policy_match.h"

namespace egt::cluster {
namespace {

// ---- EgressFirewall

Match is_among(const std::vector<IpAddr>& all, const IpAddr& one) {
  return std::find(all.begin(), all.end(), one) != all.end() ? Match::yes : Match::no;
}

Match is_node_address(const LabelSelector& selector, const Objects& objects, const IpAddr& address) {
  if (objects.nodes.empty()) return Match::maybe;
  for (const NodeObject& node : objects.nodes)
    if (selector.matches(node.labels) && is_among(node.addresses, address) == Match::yes) return Match::yes;
  return Match::no;
}

Match matches(const FirewallRule& rule, const Objects& objects, const Node* node, const PolicyQuestion& q) {
  if (!rule.ports.empty() && !names_port(rule.ports, q)) return Match::no;
  if (rule.to) return rule.to->contains(q.destination) ? Match::yes : Match::no;
  if (rule.nodes.present) return is_node_address(rule.nodes, objects, q.destination);
  static const ovn::Ovn kNone;
  const NameAddresses known = addresses_of_rule(objects, node != nullptr ? node->ovn : kNone, rule.dns_name);
  return known.is_listed ? is_among(known.addresses, q.destination) : Match::maybe;
}

// ---- AdminNetworkPolicy

Match is_admin_peer(const PolicyPeer& peer, const Objects& objects, const OtherEnd& other) {
  if (const Match match = in_networks(peer, other.address); match != Match::no) return match;
  if (peer.nodes.present) return is_node_address(peer.nodes, objects, other.address);
  return other.pod != nullptr && !other.pod->host_network ? selects_pod(peer, objects, *other.pod) : Match::no;
}

class AdminPolicies {
 public:
  AdminPolicies(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction)
      : objects_(objects),
        q_(question),
        direction_(direction),
        subject_(direction == PolicyDirection::egress ? question.from : question.to) {}

  PolicyRuling first() const { return by_policies().result; }
  PolicyRuling baseline() const {
    for (const AdminNetworkPolicy& policy : objects_.admin_network_policies)
      if (policy.baseline && selects(policy, objects_, *subject_)) return by_rules(policy).result;
    return {Ruling::none, direction_, subject_};
  }

 private:
  struct Verdict {
    PolicyRuling result;
    bool passes = false;
  };

  PolicyRuling open() const { return {Ruling::open, direction_, subject_}; }

  Match rule_matches(const AdminRule& rule) const {
    const OtherEnd other = other_end(q_, direction_);
    return both(any_peer(rule, [&](const PolicyPeer& p) { return is_admin_peer(p, objects_, other); }), has_port(rule, q_));
  }

  Verdict by_rules(const AdminNetworkPolicy& policy) const {
    const std::vector<AdminRule>& rules = direction_ == PolicyDirection::egress ? policy.egress : policy.ingress;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Match match = rule_matches(rules[i]);
      if (match == Match::no) continue;
      if (match == Match::maybe) return {open(), false};
      if (rules[i].action == AdminRule::Action::pass) return {{Ruling::none, direction_, subject_}, true};
      const Ruling ruling = rules[i].action == AdminRule::Action::allow ? Ruling::allowed : Ruling::denied;
      return {{ruling, direction_, subject_, &policy, nullptr, i}, false};
    }
    return {};
  }

  // Of policies of one priority the API leaves open which comes first.
  Verdict by_policies() const {
    std::vector<const AdminNetworkPolicy*> all;
    for (const AdminNetworkPolicy& policy : objects_.admin_network_policies)
      if (!policy.baseline && selects(policy, objects_, *subject_)) all.push_back(&policy);
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->priority < b->priority; });
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Verdict verdict = by_rules(*all[i]);
      if (verdict.result.ruling == Ruling::none && !verdict.passes) continue;
      for (std::size_t k = i + 1; k < all.size() && all[k]->priority == all[i]->priority; ++k)
        if (differ(verdict, by_rules(*all[k]))) return {open(), false};
      return verdict;
    }
    return {};
  }

  static bool differ(const Verdict& a, const Verdict& b) {
    if (b.result.ruling == Ruling::none && !b.passes) return false;
    return a.result.ruling != b.result.ruling || a.passes != b.passes;
  }

  const Objects& objects_;
  const PolicyQuestion& q_;
  PolicyDirection direction_;
  const Pod* subject_;
};

}  // namespace

FirewallRuling firewall_ruling(const Objects& objects, const Node* node, const PolicyQuestion& question) {
  if (question.from == nullptr || question.from->host_network || question.to != nullptr) return {};
  const EgressFirewall* firewall = objects.egress_firewalls.find(question.from->namespace_, "default");
  if (firewall == nullptr || is_pod_network(objects, question.destination)) return {};
  for (std::size_t i = 0; i < firewall->rules.size(); ++i) {
    const Match match = matches(firewall->rules[i], objects, node, question);
    if (match == Match::maybe) return {Ruling::open, firewall, 0};
    if (match == Match::yes) return {firewall->rules[i].allow ? Ruling::allowed : Ruling::denied, firewall, i};
  }
  return {Ruling::none, firewall, 0};
}

PolicyRuling policy_ruling(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction) {
  const Pod* subject = direction == PolicyDirection::egress ? question.from : question.to;
  if (subject == nullptr || subject->host_network) return {Ruling::none, direction};
  const AdminPolicies admin(objects, question, direction);
  if (PolicyRuling first = admin.first(); first.ruling != Ruling::none) return first;
  if (PolicyRuling second = ruling_of_isolating(objects, question, direction); second.ruling != Ruling::none) return second;
  return admin.baseline();
}

}  // namespace egt::cluster
