// What EgressFirewalls and AdminNetworkPolicies ask for a pod's connection, compared with the walk.
#include "egtrace/base/text.h"
#include "egtrace/cluster/policy_rules.h"
#include "intent.h"

namespace egt::explain {
namespace {

using cluster::Ruling;
using engine::Course;

Clause<Wanted> asked_by(const cluster::FirewallRuling& r, const IpAddr& destination) {
  if (r.ruling != Ruling::denied && r.ruling != Ruling::allowed) return {Wanted::firewall_has_no_rule, {destination}};
  const cluster::FirewallRule& rule = r.firewall->rules[r.rule];
  return {r.ruling == Ruling::denied ? Wanted::firewall_denies : Wanted::firewall_allows,
          {destination, r.rule, rule.allow, rule.destination()}};
}

Clause<Wanted> asked_by(const cluster::AdminRuling& r, const cluster::PolicyQuestion& q) {
  return {Wanted::admin_rule,
          {r.direction == cluster::PolicyDirection::egress, r.rule, if_any(r.decisive().name), r.ruling == Ruling::allowed, q.protocol,
           q.port == 0 ? Term() : Term(q.port)}};
}

// The row of a policy of these kinds that stops the packet; null where something else does, or nothing.
template <class IsIt>
const RowRef* stopping_row(const PathReport& path, IsIt is_it) {
  if (!path.stopped_at) return nullptr;
  for (const RowRef& row : path.stopped_at->rows)
    if (row.policy && is_it(*row.policy)) return &row;
  return nullptr;
}

}  // namespace

// The pod's packet behind the translation of services, as far as the walk came; nothing where it is still the service's.
std::optional<cluster::PolicyQuestion> IntentChecker::policy_question(const cluster::Pod* from, const Course& course) const {
  const Tuple sent = tuple_of(course.sent);
  const bool translated = services_.contains(sent.dst);
  if (translated && course.verdict != engine::Verdict::delivered) return std::nullopt;
  const Tuple received = tuple_of(translated ? course.received : course.sent);
  const auto to = pods_.find(received.dst);
  return cluster::PolicyQuestion{from, to == pods_.end() || to->second->host_network ? nullptr : to->second, sent.src, received.dst,
                                 upper(proto_name(received.proto, received.dst.family)), received.dport};
}

void IntentChecker::by_firewall(const cluster::Pod& pod, const Course& course, const PathReport& path, Found& found) const {
  const auto question = policy_question(&pod, course);
  if (!question || services_.contains(question->destination)) return;
  const cluster::FirewallRuling r = firewall_ruling(cluster_.objects, cluster_.node(pod.node), *question);
  if (r.firewall == nullptr || r.ruling == Ruling::open) return;
  found.is_asked = true;
  const std::string object = "EgressFirewall " + r.firewall->full_name();
  const Clause<Wanted> asked = asked_by(r, question->destination);
  if (r.ruling == Ruling::denied && course.verdict == engine::Verdict::delivered) {
    found.violated(object, asked,
                   course.egress ? Clause<Actual>{Actual::leaves_as, {src_ip(course.egress->packet), course.egress->node}}
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

void IntentChecker::by_admin_policies(const cluster::Pod* from, const Course& course, const PathReport& path, Found& found) const {
  if (cluster_.objects.admin_network_policies.empty()) return;
  const auto question = policy_question(from, course);
  if (!question) return;
  for (const auto direction : {cluster::PolicyDirection::egress, cluster::PolicyDirection::ingress}) {
    const cluster::AdminRuling r = admin_ruling(cluster_.objects, *question, direction);
    if (r.policy == nullptr) continue;
    found.is_asked = true;
    const Clause<Wanted> expected = asked_by(r, *question);
    if (r.ruling == Ruling::denied && course.verdict == engine::Verdict::delivered) {
      found.violated(r.policy->kind_and_name(), expected, {Actual::packet_is_delivered}, words_.evidence({r.policy->from}));
      continue;
    }
    if (r.ruling != Ruling::allowed) continue;
    const AclDirection of_acl = direction == cluster::PolicyDirection::egress ? AclDirection::from_lport : AclDirection::to_lport;
    const RowRef* row = stopping_row(path, [](const PolicyRef& p) { return p.kind != PolicyRef::Kind::egress_firewall; });
    if (row == nullptr || row->direction != of_acl) continue;
    Evidence lines = words_.evidence({r.policy->from});
    lines.insert(lines.end(), row->evidence.begin(), row->evidence.end());
    found.violated(r.policy->kind_and_name(), expected, {Actual::other_acl_stops, {if_any(to_text(row->object)), path.stopped_at->node}},
                   std::move(lines));
  }
}

}  // namespace egt::explain
