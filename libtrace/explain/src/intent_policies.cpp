// What EgressFirewalls, AdminNetworkPolicies and NetworkPolicies ask for a pod's connection, compared with the walk.
#include "egtrace/base/text.h"
#include "egtrace/cluster/policy_rules.h"
#include "intent.h"

namespace egt::explain {
namespace {

using cluster::Ruling;
using engine::WalkedPath;

Clause<Wanted> asked_by(const cluster::FirewallRuling& r, const IpAddr& destination) {
  if (r.ruling != Ruling::denied && r.ruling != Ruling::allowed) return {Wanted::firewall_has_no_rule, {destination}};
  const cluster::FirewallRule& rule = r.firewall->rules[r.rule];
  return {r.ruling == Ruling::denied ? Wanted::firewall_denies : Wanted::firewall_allows,
          {destination, r.rule, rule.allow, rule.destination()}};
}

std::string object_of(const cluster::PolicyRuling& r) {
  if (r.admin != nullptr) return r.admin->kind_and_name();
  return "NetworkPolicy " + (r.network != nullptr ? r.network : r.isolating.front())->full_name();
}

Provenance place_of(const cluster::PolicyRuling& r) {
  return r.admin != nullptr ? r.admin->from : r.network != nullptr ? r.network->from : r.isolating.front()->from;
}

Clause<Wanted> asked_by(const cluster::PolicyRuling& r, const cluster::PolicyQuestion& q) {
  const bool egress = r.direction == cluster::PolicyDirection::egress, allowed = r.ruling == Ruling::allowed;
  const Term port = q.port == 0 ? Term() : Term(q.port);
  if (r.admin != nullptr) return {Wanted::admin_rule, {egress, r.rule, if_any(r.admin_rule().name), allowed, q.protocol, port}};
  if (allowed) return {Wanted::network_rule, {egress, r.rule, q.protocol, port}};
  Term::Names others;
  for (std::size_t i = 1; i < r.isolating.size(); ++i) others.push_back(r.isolating[i]->full_name());
  return {Wanted::no_network_rule, {egress, others, q.protocol, port}};
}

// The row of a policy of these kinds that stops the packet; null where something else does, or nothing.
template <class IsIt>
const RowRef* stopping_row(const PathReport& path, IsIt is_it) {
  if (!path.stopped_at) return nullptr;
  for (const RowRef& row : path.stopped_at->rows)
    if (row.policy && is_it(*row.policy)) return &row;
  return nullptr;
}

// The packet as it was when its path ended.
Tuple last_tuple(const WalkedPath& walked) {
  if (walked.verdict == engine::Verdict::delivered) return tuple_of(walked.received);
  Tuple tuple = tuple_of(walked.sent);
  for (const engine::NatEvent& nat : walked.record.nat)
    if (nat.before.src == tuple.src && nat.before.dst == tuple.dst) tuple = nat.after;
  return tuple;
}

// Whether the packet's source was translated on its path.
bool has_other_source(const WalkedPath& walked) { return last_tuple(walked).src != tuple_of(walked.sent).src; }

}  // namespace

const cluster::Pod* IntentChecker::receiver(const cluster::Pod* from, const IpAddr& address) const {
  const cluster::PodAttachment* own = from != nullptr && !from->host_network ? from->primary() : nullptr;
  if (own != nullptr) {
    const auto found = pods_of_networks_.find({own->network, address});
    return found == pods_of_networks_.end() ? nullptr : found->second;
  }
  const auto found = pods_.find(address);
  return found == pods_.end() || found->second->host_network ? nullptr : found->second;
}

// The pod's packet behind the translation of services, as far as the walk came; nothing where it is still the service's. Who receives
// it sees the source that it has then.
std::optional<cluster::PolicyQuestion> IntentChecker::policy_question(const cluster::Pod* from, const WalkedPath& walked,
                                                                      cluster::PolicyDirection direction) const {
  const Tuple last = last_tuple(walked);
  if (walked.verdict != engine::Verdict::delivered && services_.contains(last.dst)) return std::nullopt;
  const bool as_sent = direction == cluster::PolicyDirection::egress || !has_other_source(walked);
  return cluster::PolicyQuestion{as_sent ? from : nullptr,
                                 receiver(from, last.dst),
                                 as_sent ? tuple_of(walked.sent).src : last.src,
                                 last.dst,
                                 upper(proto_name(last.proto, last.dst.family)),
                                 last.dport};
}

void IntentChecker::by_firewall(const cluster::Pod& pod, const WalkedPath& walked, const PathReport& path,
                                Compliance& found) const {
  const auto question = policy_question(&pod, walked, cluster::PolicyDirection::egress);
  if (!question || services_.contains(question->destination)) return;
  const cluster::FirewallRuling r = firewall_ruling(cluster_.objects, cluster_.node(pod.node), *question);
  if (r.firewall == nullptr || r.ruling == Ruling::open) return;
  found.is_asked = true;
  const std::string object = "EgressFirewall " + r.firewall->full_name();
  const Clause<Wanted> asked = asked_by(r, question->destination);
  if (r.ruling == Ruling::denied && walked.verdict == engine::Verdict::delivered) {
    found.violated(object, asked,
                   walked.egress ? Clause<Actual>{Actual::leaves_as, {src_ip(walked.egress->packet), walked.egress->node}}
                                 : Clause<Actual>{Actual::is_delivered},
                   words_.evidence({r.firewall->from}));
    return;
  }
  const RowRef* row = stopping_row(path, [](const PolicyRef& p) { return p.kind == PolicyRef::Kind::egress_firewall; });
  if (r.ruling == Ruling::denied || row == nullptr) return;
  Evidence lines = words_.evidence({r.firewall->from});
  lines.insert(lines.end(), row->evidence.begin(), row->evidence.end());
  found.violated(object, asked, {Actual::own_acl_stops, {path.stopped_at->node}}, std::move(lines));
}

void IntentChecker::by_policies(const cluster::Pod* from, const WalkedPath& walked, const PathReport& path,
                                Compliance& found) const {
  if (cluster_.objects.admin_network_policies.empty() && cluster_.objects.network_policies.empty()) return;
  for (const auto direction : {cluster::PolicyDirection::egress, cluster::PolicyDirection::ingress})
    if (const auto question = policy_question(from, walked, direction))
      by_ruling(policy_ruling(cluster_.objects, *question, direction), *question, walked, path, found);
}

void IntentChecker::by_ruling(const cluster::PolicyRuling& r, const cluster::PolicyQuestion& question, const WalkedPath& walked,
                              const PathReport& path, Compliance& found) const {
  const AclDirection of_acl = r.direction == cluster::PolicyDirection::egress ? AclDirection::from_lport : AclDirection::to_lport;
  const RowRef* row = stopping_row(path, [](const PolicyRef& p) { return p.kind != PolicyRef::Kind::egress_firewall; });
  if (row != nullptr && row->direction != of_acl) row = nullptr;
  if (row != nullptr && !found.of_stop) found.of_stop = r;
  if (r.ruling != Ruling::allowed && r.ruling != Ruling::denied) return;
  found.is_asked = true;
  const Clause<Wanted> expected = asked_by(r, question);
  if (r.ruling == Ruling::denied && walked.verdict == engine::Verdict::delivered) {
    found.violated(object_of(r), expected, {Actual::packet_is_delivered}, words_.evidence({place_of(r)}));
    return;
  }
  if (r.ruling != Ruling::allowed || row == nullptr) return;
  Evidence lines = words_.evidence({place_of(r)});
  lines.insert(lines.end(), row->evidence.begin(), row->evidence.end());
  found.violated(object_of(r), expected, {Actual::other_acl_stops, {if_any(to_text(row->object)), path.stopped_at->node}},
                 std::move(lines));
}

}  // namespace egt::explain
