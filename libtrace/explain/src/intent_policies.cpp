// What EgressFirewalls and AdminNetworkPolicies ask for a pod's connection, compared with the walk.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "egtrace/cluster/policy_rules.h"
#include "intent.h"

namespace egt::explain {
namespace {

using cluster::Ruling;
using engine::Course;

std::string asked_port(const cluster::PolicyQuestion& q) {
  return q.port == 0 ? q.protocol : fmt::format("{} port {}", q.protocol, q.port);
}

std::string firewall_rule_words(const cluster::FirewallRuling& r) {
  const cluster::FirewallRule& rule = r.firewall->rules[r.rule];
  return fmt::format("rule {} {} {}", r.rule, rule.allow ? "allows" : "denies", rule.destination());
}

std::string admin_rule_words(const cluster::AdminRuling& r) {
  const cluster::AdminRule& rule = r.decisive();
  const std::string name = rule.name.empty() ? "" : fmt::format(" ({})", rule.name);
  return fmt::format("{} rule {}{} {}", r.direction == cluster::PolicyDirection::egress ? "egress" : "ingress", r.rule, name,
                     r.ruling == Ruling::allowed ? "allows" : "denies");
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
  const std::string object = fmt::format("EgressFirewall {}", r.firewall->full_name());
  if (r.ruling == Ruling::denied && course.verdict == engine::Verdict::delivered) {
    found.violated({object, fmt::format("{}: no packet to {}", firewall_rule_words(r), question->destination.to_string()),
                    course.egress ? fmt::format("it leaves as {} by {}", src_ip(course.egress->packet).to_string(), course.egress->node)
                                  : "it is delivered",
                    words_.evidence({r.firewall->from})});
    return;
  }
  const RowRef* row = stopping_row(path, [](const PolicyRef& p) { return p.kind == PolicyRef::Kind::egress_firewall; });
  if (r.ruling == Ruling::denied || row == nullptr) return;
  Evidence lines = words_.evidence({r.firewall->from});
  lines.insert(lines.end(), row->evidence.begin(), row->evidence.end());
  found.violated({object,
                  r.ruling == Ruling::allowed ? fmt::format("{}: packets to {}", firewall_rule_words(r), question->destination.to_string())
                                              : fmt::format("the pod may send to {}: no rule matches", question->destination.to_string()),
                  fmt::format("an ACL that was made for it stops the packet on {}", path.stopped_at->node), std::move(lines)});
}

void IntentChecker::by_admin_policies(const cluster::Pod* from, const Course& course, const PathReport& path, Found& found) const {
  if (cluster_.objects.admin_network_policies.empty()) return;
  const auto question = policy_question(from, course);
  if (!question) return;
  for (const auto direction : {cluster::PolicyDirection::egress, cluster::PolicyDirection::ingress}) {
    const cluster::AdminRuling r = admin_ruling(cluster_.objects, *question, direction);
    if (r.policy == nullptr) continue;
    found.is_asked = true;
    const std::string expected = fmt::format("{} {}", admin_rule_words(r), asked_port(*question));
    if (r.ruling == Ruling::denied && course.verdict == engine::Verdict::delivered) {
      found.violated({r.policy->kind_and_name(), expected, "the packet is delivered", words_.evidence({r.policy->from})});
      continue;
    }
    if (r.ruling != Ruling::allowed) continue;
    const AclDirection of_acl = direction == cluster::PolicyDirection::egress ? AclDirection::from_lport : AclDirection::to_lport;
    const RowRef* row = stopping_row(path, [](const PolicyRef& p) { return p.kind != PolicyRef::Kind::egress_firewall; });
    if (row == nullptr || row->direction != of_acl) continue;
    Evidence lines = words_.evidence({r.policy->from});
    lines.insert(lines.end(), row->evidence.begin(), row->evidence.end());
    found.violated({r.policy->kind_and_name(), expected,
                    fmt::format("{} stops the packet on {}", row->object.empty() ? "an ACL of another policy" : to_text(row->object), path.stopped_at->node),
                    std::move(lines)});
  }
}

}  // namespace egt::explain
