#include "policy_match.h"

#include <string_view>

namespace egt::cluster {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";  // that every namespace has

// Without the object of a namespace nothing but its name is known of its labels.
Match matches_namespace(const LabelSelector& selector, const Objects& objects, const std::string& name) {
  const bool by_name_alone =
      std::all_of(selector.match_labels.begin(), selector.match_labels.end(),
                  [&](const auto& l) { return l.first == kNameLabel; }) &&
      std::all_of(selector.expressions.begin(), selector.expressions.end(), [&](const auto& r) { return r.key == kNameLabel; });
  const NamespaceObject* object = objects.namespaces.find(name);
  if (!by_name_alone && object == nullptr) return selector.present ? Match::maybe : Match::no;
  if (const std::string* one = one_namespace(selector)) return *one == name ? Match::yes : Match::no;
  const bool has_all = object != nullptr && object->labels.contains(std::string(kNameLabel));
  return selector.matches(has_all ? object->labels : labels_of_namespace(objects, name)) ? Match::yes : Match::no;
}

}  // namespace

bool names_port(const std::vector<RulePorts>& ports, const PolicyQuestion& q) {
  return std::any_of(ports.begin(), ports.end(), [&](const RulePorts& p) { return p.contains(q.protocol, q.port); });
}

Match both(Match a, Match b) {
  if (a == Match::no || b == Match::no) return Match::no;
  return a == Match::yes && b == Match::yes ? Match::yes : Match::maybe;
}

Match in_networks(const PolicyPeer& peer, const IpAddr& address) {
  const auto holds = [&](const Prefix& p) { return p.contains(address); };
  if (address.is_unspecified() && !peer.networks.empty()) {
    const bool all = peer.except.empty() && std::any_of(peer.networks.begin(), peer.networks.end(),
                                                        [&](const Prefix& p) { return p.length == 0 && holds(p); });
    return all ? Match::yes : Match::maybe;
  }
  const bool is_in = std::any_of(peer.networks.begin(), peer.networks.end(), holds) &&
                     std::none_of(peer.except.begin(), peer.except.end(), holds);
  return is_in ? Match::yes : Match::no;
}

Match selects_pod(const PolicyPeer& peer, const Objects& objects, const Pod& pod) {
  if (!peer.pods.matches(pod.labels)) return Match::no;
  return matches_namespace(peer.namespaces, objects, pod.namespace_);
}

Match has_port(const PolicyRule& rule, const PolicyQuestion& q) {
  if (rule.all_ports || names_port(rule.ports, q)) return Match::yes;
  Match best = rule.has_open_ports ? Match::maybe : Match::no;
  for (const NamedPort& named : rule.named_ports) {
    if (!named.protocol.empty() && named.protocol != q.protocol) continue;
    const bool is_it =
        q.to != nullptr && std::any_of(q.to->named_ports.begin(), q.to->named_ports.end(), [&](const NamedPort& p) {
          return p.name == named.name && p.protocol == q.protocol && p.port == q.port;
        });
    if (is_it) return Match::yes;
    best = Match::maybe;
  }
  return best;
}

bool selects_namespace(const LabelSelector& selector, const Objects& objects, const std::string& name) {
  return matches_namespace(selector, objects, name) == Match::yes;
}

const std::string* one_namespace(const LabelSelector& selector) {
  const Labels& labels = selector.match_labels;
  const bool is_one = labels.size() == 1 && labels.begin()->first == kNameLabel && selector.expressions.empty();
  return is_one ? &labels.begin()->second : nullptr;
}

OtherEnd other_end(const PolicyQuestion& q, PolicyDirection direction) {
  return direction == PolicyDirection::egress ? OtherEnd{q.to, q.destination} : OtherEnd{q.from, q.source};
}

}  // namespace egt::cluster
