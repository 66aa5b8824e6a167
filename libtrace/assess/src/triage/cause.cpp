#include "egtrace/assess/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/evidence.h"
#include "egtrace/base/text.h"
#include "triage/check.h"

namespace egt::assess {
namespace {

using explain::AclDirection;
using explain::Evidence;
using explain::Explanation;
using explain::FollowUp;
using explain::Hop;
using explain::PathReport;

// What the connection meets: nodes, lines and objects of all its walks.
struct Subject {
  std::set<std::string> nodes, objects, violated;
  std::set<std::pair<std::string, std::uint32_t>> lines, fault_lines;  // dump and line
};

void add_lines(const Evidence& from, std::set<std::pair<std::string, std::uint32_t>>& lines) {
  for (const explain::EvidenceLine& e : from) lines.emplace(e.dump, e.line);
}

void add_object(const explain::ObjectRef& object, Subject& s) {
  if (!object.kind.empty()) s.objects.insert(object.kind_and_name());
  if (!object.pod.empty()) s.objects.insert("Pod " + object.pod);
}

void add_walk(const PathReport& walk, Subject& s) {
  for (const Hop& hop : walk.hops) {
    s.nodes.insert(hop.node);
    add_lines(hop.evidence, s.lines);
    for (const explain::RowRef& row : hop.rows) add_object(row.object, s);
  }
  for (const auto* later : {&walk.reply, &walk.continued})
    for (const FollowUp& f : *later)
      for (const PathReport& next : f.paths) add_walk(next, s);
}

Subject subject_of(const Explanation& e) {
  Subject s;
  for (const PathReport& path : e.paths) add_walk(path, s);
  for (const explain::IntentViolation& d : e.intent.violations) {
    s.violated.insert(d.object);
    add_lines(d.evidence, s.fault_lines);
  }
  if (e.fault) {
    s.nodes.insert(e.fault->at.node);
    add_lines(e.fault->at.evidence, s.fault_lines);
    for (const explain::RowRef& row : e.fault->at.rows) add_object(row.object, s);
  }
  for (const explain::EndReport* end : {&e.from, &e.to})
    if (end->kind == "pod")
      s.objects.insert("Pod " + end->name);
    else if (end->kind == "service")
      s.objects.insert("Service " + end->name);
  return s;
}

// Those that host what an egress object of the sender, or one that the walk met, asks for.
void add_egress_nodes(const cluster::Objects& objects, const cluster::Pod* from, const Subject& s, std::set<std::string>& nodes) {
  const auto concerns = [&](const std::string& object) { return s.objects.contains(object) || s.violated.contains(object); };
  for (const cluster::EgressIp& egress_ip : objects.egress_ips)
    if (concerns("EgressIP " + egress_ip.name) || (from != nullptr && cluster::selects(egress_ip, objects, *from)))
      for (const auto& assigned : egress_ip.status) nodes.insert(assigned.node);
  for (const cluster::EgressService& egress : objects.egress_services) {
    const cluster::Service* service = objects.services.find(egress.namespace_, egress.name);
    if (concerns("EgressService " + egress.full_name()) ||
        (from != nullptr && service != nullptr && cluster::selects(*service, *from)))
      nodes.insert(egress.host);
  }
}

// The nodes that can have a part in it, so that a cause costs no more in a large cluster: those that the walk met or should have
// met, and all that forward for others. Every other node of the cluster would have been met.
std::set<std::string> nodes_of(const cluster::Cluster& cluster, const Explanation& e, const Subject& s,
                               const cluster::Pod* from) {
  std::set<std::string> names = s.nodes;
  names.insert({e.from.node, e.to.node});
  add_egress_nodes(cluster.objects, from, s, names);
  for (const cluster::NodeHandle& node : cluster.nodes)
    if (node.may_be_router()) names.insert(node.name());
  return names;
}

bool has_line(const Finding& f, const std::set<std::pair<std::string, std::uint32_t>>& lines) {
  return std::any_of(f.evidence.begin(), f.evidence.end(), [&](const explain::EvidenceLine& e) {
    return lines.contains({e.dump, e.line});
  });
}

bool concerns_ends(const Finding& f, const Explanation& e) {
  return f.pods.empty() || std::any_of(f.pods.begin(), f.pods.end(),
                                       [&](const std::string& pod) { return pod == e.from.name || pod == e.to.name; });
}

// How much supports the finding; 0: nothing.
int relevance(const Finding& f, const Subject& s, const Explanation& e) {
  if (!concerns_ends(f, e)) return 0;
  const int severity = f.severity == Severity::error ? 2 : f.severity == Severity::warning ? 1 : 0;
  const bool at_fault = e.fault && f.node == e.fault->at.node;
  int points = 0;
  if (s.violated.contains(f.object)) points += 8;
  if (s.objects.contains(f.object)) points += 4;
  if (has_line(f, s.fault_lines)) points += 4;
  if (f.object.empty() && f.severity == Severity::error && s.nodes.contains(f.node)) points += 2;
  if (at_fault && f.object == "Node " + f.node) points += 1;  // for want of a better one
  if (points == 0) return 0;
  return points + (f.pods.empty() ? 0 : 3) + (at_fault ? 1 : 0) + severity;
}

bool needs_cause(const Explanation& e) {
  return e.outcome == explain::Outcome::unanswered || e.outcome == explain::Outcome::refused ||
         e.outcome == explain::Outcome::mixed || !e.intent.violations.empty();
}

const cluster::Service* service_called(const cluster::Cluster& cluster, const Explanation& e) {
  if (e.to.kind != "service") return nullptr;
  const std::size_t slash = e.to.name.find('/');
  return slash == std::string::npos ? nullptr
                                    : cluster.objects.services.find(e.to.name.substr(0, slash), e.to.name.substr(slash + 1));
}

explain::Cause as_cause(const char* id, Claim claim, const Terms& about, Evidence evidence) {
  CausePhrase phrase = phrase_of_cause(claim, about);
  return {id, std::move(phrase.claim), std::move(phrase.next), std::move(evidence)};
}

// A port that the service does not have: "Service shop/front has port 8000/TCP, not 9999".
std::optional<explain::Cause> wrong_port(const cluster::Cluster& cluster, const Explanation& e) {
  const cluster::Service* service = service_called(cluster, e);
  if (service == nullptr || !e.packet.dport || service->ports.empty()) return std::nullopt;
  Term::Names ports;
  for (const cluster::ServicePort& p : service->ports) {
    if (p.port == *e.packet.dport && lower(p.protocol) == e.packet.proto) return std::nullopt;
    if (p.node_port == *e.packet.dport) return std::nullopt;
    ports.push_back(fmt::format("{}/{}", p.port, p.protocol));
  }
  return as_cause("service-port", Claim::service_has_other_port,
                  {service->full_name(), ports, *e.packet.dport, upper(e.packet.proto), service->namespace_, service->name},
                  evidence(cluster, {service->from}));
}

const cluster::Pod* pod_of(const cluster::Cluster& cluster, const explain::EndReport& end) {
  const std::size_t slash = end.name.find('/');
  if (end.kind != "pod" || slash == std::string::npos) return nullptr;
  return cluster.objects.pods.find(end.name.substr(0, slash), end.name.substr(slash + 1));
}

// An address of the services' network that no service has.
std::optional<explain::Cause> unknown_service(const cluster::Cluster& cluster, const Explanation& e) {
  const auto to = IpAddr::parse(e.packet.dst);
  const cluster::Objects& objects = cluster.objects;
  if (e.to.kind != "external" || !to || objects.services.begin() == objects.services.end()) return std::nullopt;
  for (const cluster::Network& network : objects.networks)
    for (const Prefix& services : network.services)
      if (services.contains(*to))
        return as_cause("service-address", Claim::service_address_unknown, {e.packet.dst, services.to_short_string()},
                        evidence(cluster, {network.from}));
  return std::nullopt;
}

// A pod that has ended does not receive what is sent to the address that it had.
std::optional<explain::Cause> ended_pod(const cluster::Cluster& cluster, const Explanation& e) {
  const auto to = IpAddr::parse(e.packet.dst);
  if (!to || e.to.kind != "pod" || pod_of(cluster, e.to) != nullptr) return std::nullopt;
  for (const cluster::Pod& pod : cluster.objects.pods)
    if (std::find(pod.former_addresses.begin(), pod.former_addresses.end(), *to) != pod.former_addresses.end())
      return as_cause("pod-not-running", Claim::pod_has_ended, {pod.namespace_, pod.name, e.packet.dst},
                      evidence(cluster, {pod.from}));
  return std::nullopt;
}

// What the question itself has wrong, whatever becomes of the packet then.
std::optional<explain::Cause> wrong_destination(const cluster::Cluster& cluster, const Explanation& e) {
  if (e.outcome == explain::Outcome::answered) return std::nullopt;
  if (auto cause = wrong_port(cluster, e)) return cause;
  if (auto cause = unknown_service(cluster, e)) return cause;
  return ended_pod(cluster, e);
}

// The NetworkPolicies that isolate a pod in one direction: the drop that they share names none of them.
std::vector<const cluster::NetworkPolicy*> isolating(const cluster::Cluster& cluster, const cluster::Pod& pod, bool egress) {
  std::vector<const cluster::NetworkPolicy*> all = cluster.objects.network_policies.in(pod.namespace_);
  std::erase_if(all, [&](const cluster::NetworkPolicy* p) { return !(egress ? p->egress : p->ingress) || !selects(*p, pod); });
  return all;
}

// What NetworkPolicies are there for a packet that an ACL of theirs drops: whether their objects mean it.
std::optional<explain::Cause> network_policy(const cluster::Cluster& cluster, const Explanation& e, const explain::RowRef& row) {
  const bool is_request = e.fault->direction == explain::Direction::request;
  const cluster::PolicyRuling* ruling = is_request && e.intent.of_stop ? &*e.intent.of_stop : nullptr;
  if (ruling != nullptr && ruling->ruling == cluster::Ruling::allowed) {
    const cluster::Object& policy =
        ruling->admin != nullptr ? static_cast<const cluster::Object&>(*ruling->admin) : *ruling->network;
    explain::Evidence lines = evidence(cluster, {policy.from});
    lines.insert(lines.end(), row.evidence.begin(), row.evidence.end());
    return as_cause("networkpolicy-acl", Claim::policy_lets_through,
                    {ruling->admin != nullptr ? ruling->admin->kind_and_name() : "NetworkPolicy " + policy.full_name(),
                     ruling->direction == cluster::PolicyDirection::egress, ruling->rule, e.fault->at.node},
                    std::move(lines));
  }
  const cluster::Pod *from = pod_of(cluster, e.from), *to = pod_of(cluster, e.to);
  for (const bool egress : {true, false}) {
    const cluster::Pod* pod = egress ? from : to;
    if (row.direction != (egress ? AclDirection::from_lport : AclDirection::to_lport)) continue;
    std::vector<const cluster::NetworkPolicy*> policies;
    const bool is_meant = ruling != nullptr && ruling->ruling == cluster::Ruling::denied && ruling->admin == nullptr;
    if (is_meant)
      policies = ruling->isolating;
    else if (pod != nullptr)
      policies = isolating(cluster, *pod, egress);
    if (policies.empty()) continue;
    Term::Names names;
    std::vector<Provenance> lines;
    for (const cluster::NetworkPolicy* p : policies) {
      names.push_back(p->name);
      lines.push_back(p->from);
    }
    const cluster::Pod* isolated = is_meant ? ruling->subject : pod;
    return as_cause("policy", is_meant ? Claim::policies_isolate : Claim::policies_may_isolate,
                    {names, isolated->namespace_, isolated->name, egress}, evidence(cluster, lines));
  }
  return std::nullopt;
}

// The rule of an EgressFirewall or AdminNetworkPolicy whose ACL stops the packet, as the object has it.
std::optional<explain::Cause> policy_rule(const cluster::Cluster& cluster, const explain::RowRef& row) {
  using Kind = explain::PolicyRef::Kind;
  const explain::PolicyRef& ref = *row.policy;
  if (ref.kind == Kind::network_policy || !ref.rule) return std::nullopt;
  if (ref.kind == Kind::egress_firewall) {
    const cluster::EgressFirewall* firewall = cluster.objects.egress_firewalls.find(ref.namespace_, ref.name);
    if (firewall == nullptr || *ref.rule >= firewall->rules.size()) return std::nullopt;
    const cluster::FirewallRule& rule = firewall->rules[*ref.rule];
    return as_cause("policy", Claim::firewall_rule_decides,
                    {firewall->full_name(), *ref.rule, rule.allow, rule.destination(), ref.namespace_},
                    evidence(cluster, {firewall->from}));
  }
  const bool baseline = ref.kind == Kind::baseline_admin_network_policy, egress = row.direction == AclDirection::from_lport;
  for (const cluster::AdminNetworkPolicy& policy : cluster.objects.admin_network_policies) {
    const std::vector<cluster::AdminRule>& rules = egress ? policy.egress : policy.ingress;
    if (policy.baseline != baseline || policy.name != ref.name || *ref.rule >= rules.size()) continue;
    return as_cause("policy", Claim::admin_rule_denies,
                    {policy.kind_and_name(), egress, *ref.rule, if_any(rules[*ref.rule].name), baseline, policy.name},
                    evidence(cluster, {policy.from}));
  }
  return std::nullopt;
}

// The policies that isolate the pod whose ACL stops the packet. OVN-Kubernetes writes ACLs for egress as from-lport.
std::optional<explain::Cause> policy(const cluster::Cluster& cluster, const Explanation& e) {
  if (!e.fault) return std::nullopt;
  const auto row = std::find_if(e.fault->at.rows.begin(), e.fault->at.rows.end(),
                                [](const explain::RowRef& r) { return r.policy.has_value(); });
  if (row == e.fault->at.rows.end()) return std::nullopt;
  if (auto cause = policy_rule(cluster, *row)) return cause;
  if (row->policy->kind == explain::PolicyRef::Kind::network_policy)
    if (auto cause = network_policy(cluster, e, *row)) return cause;
  return as_cause("policy", Claim::policy_does_not_allow, {to_text(row->object)}, row->evidence);
}

}  // namespace

std::optional<explain::Cause> find_cause(const explain::Explainer& explainer, const Explanation& e) {
  if (auto cause = wrong_destination(explainer.cluster(), e)) return cause;
  if (!needs_cause(e)) return std::nullopt;
  if (auto cause = policy(explainer.cluster(), e)) return cause;
  std::vector<std::string> only;
  for (const Check* check : checks())
    if (check->finds == Check::Finds::cause) only.emplace_back(check->id);
  const Subject subject = subject_of(e);
  const cluster::Cluster part =
      explainer.cluster().part(nodes_of(explainer.cluster(), e, subject, pod_of(explainer.cluster(), e.from)));
  const explain::Explainer of_part = explainer.for_part(part);
  const Triage found = run_checks(Facts(of_part, e), only);
  const Finding* best = nullptr;
  int most = 0;
  for (const Finding& f : found.findings)  // causes before what follows from them, so the first of the best
    if (const int points = relevance(f, subject, e); points > most) best = &f, most = points;
  if (best == nullptr) return std::nullopt;
  return explain::Cause{best->id, best->claim, best->remedy, best->evidence};
}

}  // namespace egt::assess
