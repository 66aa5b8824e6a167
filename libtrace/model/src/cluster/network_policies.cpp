// What NetworkPolicies ask of one connection.
#include <algorithm>
#include <utility>

#include "policy_match.h"

namespace egt::cluster {
namespace {

bool is_among_nodes(const NodeObject& node, const IpAddr& address) {
  return std::find(node.addresses.begin(), node.addresses.end(), address) != node.addresses.end() ||
         std::any_of(node.pod_subnets.begin(), node.pod_subnets.end(), [&](const Prefix& p) { return p.contains(address); });
}

class IsolatingPolicies {
 public:
  IsolatingPolicies(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction)
      : objects_(objects),
        q_(question),
        direction_(direction),
        is_egress_(direction == PolicyDirection::egress),
        subject_(is_egress_ ? *question.from : *question.to),
        other_(other_end(question, direction)) {}

  PolicyRuling ruling() const {
    PolicyRuling result{Ruling::none, direction_, &subject_};
    std::vector<const NetworkPolicy*> others;  // that select the pod, and isolate the other direction alone
    for (const NetworkPolicy* policy : objects_.network_policies.in(subject_.namespace_))
      if (selects(*policy, subject_))
        ((is_egress_ ? policy->egress : policy->ingress) ? result.isolating : others).push_back(policy);
    if (result.isolating.empty()) return result;
    bool may = is_of_other_network();
    for (const NetworkPolicy* policy : result.isolating) {
      may |= policy->is_open;
      if (const auto [match, rule] = best_rule(*policy); match != Match::no) {
        may |= match == Match::maybe;
        if (match == Match::maybe || policy->is_open || is_of_other_network()) continue;
        result.ruling = Ruling::allowed;
        result.network = policy;
        result.rule = rule;
        return result;
      }
    }
    may = may || passes_all_the_same() ||
          std::any_of(others.begin(), others.end(), [&](const NetworkPolicy* p) { return best_rule(*p).first != Match::no; });
    result.ruling = may ? Ruling::open : Ruling::denied;
    return result;
  }

 private:
  std::pair<Match, std::size_t> best_rule(const NetworkPolicy& policy) const {
    const std::vector<NetworkRule>& rules = is_egress_ ? policy.egress_rules : policy.ingress_rules;
    std::pair<Match, std::size_t> best{Match::no, 0};
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Match match = rule_matches(rules[i]);
      if (match == Match::yes) return {match, i};
      if (match == Match::maybe && best.first == Match::no) best = {match, i};
    }
    return best;
  }

  Match rule_matches(const NetworkRule& rule) const {
    const Match peer = rule.all_peers ? rule.has_open_peers ? Match::maybe : Match::yes
                                      : any_peer(rule, [&](const PolicyPeer& p) { return is_peer(p); });
    return both(peer, has_port(rule, q_));
  }

  // Which addresses of nodes stand for peers depends on settings of OVN-Kubernetes (host-network-namespace) and on its release.
  Match is_peer(const PolicyPeer& peer) const {
    if (const Match match = in_networks(peer, other_.address); match != Match::no || !peer.networks.empty()) return match;
    if (other_.pod != nullptr && !other_.pod->host_network) return selects_pod(peer, objects_, *other_.pod);
    return may_be_in_cluster(peer) ? Match::maybe : Match::no;
  }

  bool may_be_in_cluster(const PolicyPeer& peer) const {
    if (other_.pod != nullptr || other_.address.is_unspecified() || other_.address.is_link_local()) return true;
    if (objects_.nodes.empty() || subject_.primary() != nullptr)
      return true;  // subnets of other networks are not among the nodes'
    // Gateway routers have addresses that no object shows, and are of the namespace of the host's network.
    const bool whole_namespaces = peer.pods.match_labels.empty() && peer.pods.expressions.empty();
    if (!is_egress_ && whole_namespaces) return true;
    return is_pod_network(objects_, other_.address) ||
           std::any_of(objects_.nodes.begin(), objects_.nodes.end(),
                       [&](const NodeObject& n) { return is_among_nodes(n, other_.address); });
  }

  // Policies of a pod with a primary network of its own are about its address there.
  bool is_of_other_network() const {
    const PodAttachment *own = subject_.primary(), *of_other = other_.pod != nullptr ? other_.pod->primary() : nullptr;
    if (own == nullptr) return of_other != nullptr;
    if (other_.pod != nullptr && !other_.pod->host_network && (of_other == nullptr || of_other->network != own->network))
      return true;
    const IpAddr& address = is_egress_ ? q_.source : q_.destination;
    return std::none_of(own->addresses.begin(), own->addresses.end(), [&](const Prefix& p) { return p.address == address; });
  }

  bool passes_all_the_same() const {
    if (q_.protocol != "TCP" && q_.protocol != "UDP" && q_.protocol != "SCTP") return true;
    if (other_.address.is_multicast() || other_.address.is_unspecified() || other_.address.is_link_local()) return true;
    if (other_.pod != nullptr && !other_.pod->host_network) return other_.pod == &subject_;
    const NodeObject* own = objects_.nodes.find(subject_.node);
    return own == nullptr ? is_inside() : is_among_nodes(*own, other_.address);
  }

  // Without the pod's node: whether the address may be its.
  bool is_inside() const {
    return objects_.nodes.empty() ? !is_egress_
                                  : std::any_of(objects_.nodes.begin(), objects_.nodes.end(),
                                                [&](const NodeObject& n) { return is_among_nodes(n, other_.address); });
  }

  const Objects& objects_;
  const PolicyQuestion& q_;
  PolicyDirection direction_;
  bool is_egress_;
  const Pod& subject_;
  OtherEnd other_;
};

}  // namespace

PolicyRuling ruling_of_isolating(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction) {
  return IsolatingPolicies(objects, question, direction).ruling();
}

}  // namespace egt::cluster
