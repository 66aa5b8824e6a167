#include "egtrace/cluster/policy_rules.h"

#include <algorithm>
#include <vector>

#include "egtrace/cluster/resolved_names.h"

namespace egt::cluster {
namespace {

enum class Match : std::uint8_t { no, yes, maybe };

bool names_port(const std::vector<RulePorts>& ports, const PolicyQuestion& q) {
  return std::any_of(ports.begin(), ports.end(), [&](const RulePorts& p) { return p.contains(q.protocol, q.port); });
}

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

Match is_peer(const PolicyPeer& peer, const Objects& objects, const Pod* pod, const IpAddr& address) {
  const bool in_network = std::any_of(peer.networks.begin(), peer.networks.end(), [&](const Prefix& p) { return p.contains(address); });
  if (in_network) return Match::yes;
  if (peer.nodes.present) return is_node_address(peer.nodes, objects, address);
  const bool selected = pod != nullptr && !pod->host_network && peer.pods.matches(pod->labels) &&
                        peer.namespaces.matches(labels_of_namespace(objects, pod->namespace_));
  return selected ? Match::yes : Match::no;
}

Match has_peer(const AdminRule& rule, const Objects& objects, const Pod* pod, const IpAddr& address) {
  Match best = rule.has_open_peers ? Match::maybe : Match::no;
  for (const PolicyPeer& peer : rule.peers) {
    const Match match = is_peer(peer, objects, pod, address);
    if (match == Match::yes) return match;
    if (match == Match::maybe) best = match;
  }
  return best;
}

Match has_port(const AdminRule& rule, const PolicyQuestion& q) {
  if (rule.all_ports || names_port(rule.ports, q)) return Match::yes;
  return rule.has_open_ports ? Match::maybe : Match::no;
}

class AdminPolicies {
 public:
  AdminPolicies(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction)
      : objects_(objects), q_(question), direction_(direction),
        subject_(direction == PolicyDirection::egress ? question.from : question.to) {}

  AdminRuling ruling() const {
    if (subject_ == nullptr || subject_->host_network) return {};
    const Verdict first = by_policies();
    if (first.result.ruling != Ruling::none) return first.result;
    if (is_isolated()) return open();
    for (const AdminNetworkPolicy& policy : objects_.admin_network_policies)
      if (policy.baseline && selects(policy, objects_, *subject_)) return by_rules(policy).result;
    return {};
  }

 private:
  struct Verdict { AdminRuling result; bool passes = false; };

  AdminRuling open() const { return {Ruling::open, direction_, nullptr, 0}; }

  Match rule_matches(const AdminRule& rule) const {
    const bool egress = direction_ == PolicyDirection::egress;
    const Match peer = has_peer(rule, objects_, egress ? q_.to : q_.from, egress ? q_.destination : q_.source);
    const Match port = has_port(rule, q_);
    if (peer == Match::no || port == Match::no) return Match::no;
    return peer == Match::yes && port == Match::yes ? Match::yes : Match::maybe;
  }

  Verdict by_rules(const AdminNetworkPolicy& policy) const {
    const std::vector<AdminRule>& rules = direction_ == PolicyDirection::egress ? policy.egress : policy.ingress;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Match match = rule_matches(rules[i]);
      if (match == Match::no) continue;
      if (match == Match::maybe) return {open(), false};
      if (rules[i].action == AdminRule::Action::pass) return {{}, true};
      const Ruling ruling = rules[i].action == AdminRule::Action::allow ? Ruling::allowed : Ruling::denied;
      return {{ruling, direction_, &policy, i}, false};
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

  bool is_isolated() const {
    return std::any_of(objects_.network_policies.begin(), objects_.network_policies.end(), [&](const NetworkPolicy& p) {
      return (direction_ == PolicyDirection::egress ? p.egress : p.ingress) && p.namespace_ == subject_->namespace_ &&
             p.pods.matches(subject_->labels);
    });
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

AdminRuling admin_ruling(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction) {
  return AdminPolicies(objects, question, direction).ruling();
}

}  // namespace egt::cluster
