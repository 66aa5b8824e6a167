// Kubernetes objects that match a LookupTerm, and those that belong to the ones that were asked for by name.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "lookup/finder.h"
#include "lookup/texts.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

std::string rule_text(const cluster::AdminRule& rule) {
  constexpr std::string_view kActions[] = {"Allow", "Deny", "Pass"};
  return fmt::format("{}{}{}", kActions[static_cast<std::size_t>(rule.action)], rule.name.empty() ? "" : " ", rule.name);
}

std::string firewall_rule_text(const cluster::FirewallRule& rule) {
  return fmt::format("{} {}", rule.allow ? "Allow" : "Deny", rule.destination());
}

// "shop/blue (primary): 10.20.1.5/24, 0a:58:0a:14:01:05"
std::string attachment_text(const cluster::PodAttachment& on) {
  std::vector<std::string> parts;
  if (std::string addresses = prefixes_text(on.addresses); !addresses.empty()) parts.push_back(std::move(addresses));
  if (on.mac) parts.push_back(on.mac->to_string());
  std::string how = on.role;
  if (!on.of_ovn) how += how.empty() ? "other CNI" : ", other CNI";
  if (!on.device.empty()) how += (how.empty() ? "" : ", ") + on.device;
  return fmt::format("{}{}: {}", on.network, how.empty() ? "" : " (" + how + ")", fmt::join(parts, ", "));
}

std::string port_text(const cluster::ServicePort& p) {
  return fmt::format("{}/{}{}", p.port, p.protocol, p.node_port ? fmt::format(" (node port {})", p.node_port) : "");
}

std::set<std::string> egress_nodes(const cluster::EgressIp& e) {
  std::set<std::string> nodes;
  for (const auto& a : e.status) nodes.insert(a.node);
  return nodes;
}

// A pod of which EgressIPs and policies are about: it runs, and has addresses of its own.
bool has_own_traffic(const cluster::Pod& pod) { return !pod.host_network && !pod.has_ended(); }

}  // namespace

// ---- what is asked for

// By the kind that was given, and where a namespace has the name of a kind, by its namespace.
bool Finder::is_named(ObjectKind kind, const cluster::Object& object) const {
  const std::string full = object.full_name();
  const bool by_kind =
      !term_.kind || *term_.kind == kind || (*term_.kind == ObjectKind::service && kind == ObjectKind::endpoints);
  return (by_kind && (term_.text == full || term_.text == object.name)) || (term_.kind && term_.whole == full);
}

bool Finder::is_called(std::string_view name) const { return (!term_.kind && term_.text == name) || also_called_.contains(name); }

bool Finder::is_address_of(const cluster::Service& s) const {
  return (has(s.cluster_ips) || has(s.external_ips) || has(s.load_balancer_ips)) && has_port(s.ports);
}

// By what the pod has on a network besides the default one.
bool Finder::is_on_other_network(const cluster::Pod& pod) const {
  return std::any_of(pod.other_networks.begin(), pod.other_networks.end(), [&](const cluster::PodAttachment& on) {
    return has(on.addresses) || (term_.mac && on.mac == term_.mac) || term_.text == cluster::logical_port_name(pod, on) ||
           term_.text == on.network;
  });
}

void Finder::objects() {
  pods();
  services();
  egress_ips();
  other_objects();
  networks();
  policies();
  nodes_as_objects();
  // The databases may have it where the objects were not dumped.
  if (!subjects_.empty() || term_.text.empty() || term_.address || term_.mac || !term_.field.empty()) return;
  subjects_.push_back({term_.kind, term_.text});
  const std::size_t slash = term_.text.find('/');
  if (slash != std::string::npos && (!term_.kind || *term_.kind == ObjectKind::pod))
    also_called_.insert(cluster::logical_port_name(term_.text.substr(0, slash), term_.text.substr(slash + 1)));
}

// ---- each kind

void Finder::pod(const cluster::Pod& p, const std::string& selected_by) {
  add("pod", p.full_name(), cluster_.node(p.node),
      {{"addresses", prefixes_text(p.addresses)},
       {"mac", p.mac ? p.mac->to_string() : ""},
       {"node", p.node},
       {"host network", p.host_network ? "yes" : ""},
       {"other networks", joined(p.other_networks, attachment_text)},
       {"selected by", selected_by}},
      {p.from});
}

void Finder::pods() {
  for (const cluster::Pod& p : cluster_.objects.pods) {
    const std::string port = cluster::logical_port_name(p.namespace_, p.name);
    const bool named = is_named(ObjectKind::pod, p) || (!term_.kind && term_.text == port);
    if (!named && !(!p.host_network && has(p.addresses)) && !(term_.mac && p.mac == term_.mac) && !is_on_other_network(p))
      continue;
    pod(p, "");
    if (named) subject(p, port);
  }
}

void Finder::subject(const cluster::Pod& p, const std::string& logical_port) {
  AskedObject subject{ObjectKind::pod, p.full_name()};
  also_called_.insert(logical_port);
  for (const cluster::PodAttachment& on : p.other_networks) also_called_.insert(cluster::logical_port_name(p, on));
  if (has_own_traffic(p))
    for (const Prefix& address : p.addresses) subject.senders.insert(address.address);
  subjects_.push_back(std::move(subject));
  const std::string chosen = "pod " + p.full_name();
  if (!has_own_traffic(p)) return;
  for (const cluster::Service& s : cluster_.objects.services)
    if (selects(s, p)) service(s, chosen);
  for (const cluster::EgressIp& e : cluster_.objects.egress_ips)
    if (selects(e, cluster_.objects, p)) egress_ip(e, chosen);
  for (const cluster::NetworkPolicy& policy : cluster_.objects.network_policies)
    if (policy.namespace_ == p.namespace_ && policy.pods.matches(p.labels)) network_policy(policy, chosen);
}

void Finder::service(const cluster::Service& s, const std::string& selects_pod) {
  add("service", s.full_name(), nullptr,
      {{"type", s.type},
       {"cluster IPs", addresses_text(s.cluster_ips)},
       {phrase(FoundFact::load_balancer_ips), addresses_text(s.load_balancer_ips)},
       {"external IPs", addresses_text(s.external_ips)},
       {"ports", joined(s.ports, port_text)},
       {phrase(FoundFact::traffic_policy), s.external_traffic_policy},
       {"selects", selects_pod}},
      {s.from});
}

void Finder::services() {
  const auto has_node_port = [&](const cluster::ServicePort& p) {
    return p.node_port != 0 && is_number("nodeport", p.node_port);
  };
  for (const cluster::Service& s : cluster_.objects.services) {
    const bool meant = is_named(ObjectKind::service, s) || std::any_of(s.ports.begin(), s.ports.end(), has_node_port);
    if (!meant && !is_address_of(s)) continue;
    service(s, "");
    if (meant) subject(s);
  }
  for (const cluster::EndpointSlice& s : cluster_.objects.endpoint_slices) endpoints(s);
}

void Finder::subject(const cluster::Service& s) {
  AskedObject subject{ObjectKind::service, s.full_name()};
  for (const auto* all : {&s.cluster_ips, &s.external_ips, &s.load_balancer_ips})
    subject.addresses.insert(all->begin(), all->end());
  for (const cluster::ServicePort& p : s.ports)
    if (p.node_port != 0) subject.ports.insert(p.node_port);
  subjects_.push_back(std::move(subject));
}

void Finder::endpoints(const cluster::EndpointSlice& slice) {
  const std::string service = slice.namespace_ + "/" + slice.service;
  const auto state = [](const cluster::ServiceEndpoint& e) {
    using enum FoundFact;
    return phrase(e.ready          ? endpoint_ready
                  : !e.terminating ? endpoint_not_ready
                  : e.serving      ? endpoint_ending_serves
                                   : endpoint_ending);
  };
  const auto ports = joined(slice.ports, [](const auto& p) { return fmt::format("{}/{}", p.port, p.protocol); });
  cluster::Object of_service = slice;
  of_service.name = slice.service;
  const bool of_subject = std::any_of(subjects_.begin(), subjects_.end(),
                                      [&](const AskedObject& s) { return s.kind == ObjectKind::service && s.name == service; });
  if (of_subject || is_named(ObjectKind::endpoints, slice) || is_named(ObjectKind::endpoints, of_service))
    add("endpoints", slice.full_name(), nullptr,
        {{"service", service},
         {"ports", ports},
         {"addresses",
          joined(slice.endpoints, [&](const auto& e) { return fmt::format("{} ({})", e.address.to_string(), state(e)); })}},
        {slice.from});
  for (const cluster::ServiceEndpoint& e : slice.endpoints)
    if (term_.address == e.address && has_port(slice.ports))
      add("endpoint", fmt::format("{} of service {}", e.address.to_string(), service), cluster_.node(e.node),
          {{"ports", ports},
           {"state", state(e)},
           {"node", e.node},
           {"pod", e.pod.empty() ? "" : fmt::format("{}/{}", e.pod_namespace, e.pod)}},
          {slice.from});
}

void Finder::egress_ip(const cluster::EgressIp& e, const std::string& selects_pod) {
  const std::string assigned =
      joined(e.status, [](const auto& a) { return fmt::format("{} on {}", a.address.to_string(), a.node); });
  add("egress IP", e.name, nullptr,
      {{"addresses", addresses_text(e.addresses)},
       {"assigned", assigned.empty() ? phrase(FoundFact::assigned_to_none) : assigned},
       {"egress nodes", joined(egress_nodes(e), [](const std::string& n) { return n; })},
       {"mark", e.mark ? std::to_string(*e.mark) : ""},
       {"selects", selects_pod}},
      {e.from});
}

void Finder::egress_ips() {
  for (const cluster::EgressIp& e : cluster_.objects.egress_ips) {
    const bool meant = is_named(ObjectKind::egress_ip, e) || (e.mark && is_number("mark", *e.mark));
    if (!meant && !has(e.addresses)) continue;
    egress_ip(e, "");
    if (meant) subject(e);
  }
}

// With the pods that it selects; of whose namespaces no labels are dumped, nothing shows.
void Finder::subject(const cluster::EgressIp& e) {
  const cluster::Objects& o = cluster_.objects;
  AskedObject subject{ObjectKind::egress_ip, e.name, {e.addresses.begin(), e.addresses.end()}};
  subject.mark = e.mark;
  const std::size_t own = matches.size() - 1;
  if (o.namespaces.empty()) matches[own].facts.emplace_back("pods undecided", phrase(FoundFact::no_namespaces));
  if (o.pods.empty()) matches[own].facts.emplace_back("pods undecided", phrase(FoundFact::no_pods));
  std::size_t count = 0;
  for (const cluster::Pod& p : o.pods) {
    if (!has_own_traffic(p) || !selects(e, o, p)) continue;
    ++count;
    pod(p, "EgressIP " + e.name);
    for (const Prefix& address : p.addresses) subject.senders.insert(address.address);
  }
  if (!o.pods.empty() && !o.namespaces.empty())
    matches[own].facts.emplace_back("selects", fmt::format("{} pod{}", count, count == 1 ? "" : "s"));
  subjects_.push_back(std::move(subject));
}

void Finder::other_objects() {
  const cluster::Objects& o = cluster_.objects;
  for (const cluster::EgressService& e : o.egress_services) {
    if (!is_named(ObjectKind::egress_service, e)) continue;
    add("egress service", e.full_name(), nullptr,
        {{"host", e.host}, {phrase(FoundFact::source_ip_by), e.source_ip_by}, {"network", e.network}}, {e.from});
    subjects_.push_back({ObjectKind::egress_service, e.full_name()});
  }
  for (const cluster::ExternalRoute& r : o.external_routes) {
    const bool named = is_named(ObjectKind::external_route, r);
    if (!named && !has(r.next_hops)) continue;
    add("external route", r.name, nullptr, {{"gateways", addresses_text(r.next_hops)}}, {r.from});
    if (named) subjects_.push_back({ObjectKind::external_route, r.name, {r.next_hops.begin(), r.next_hops.end()}});
  }
  for (const cluster::ResolvedName& r : o.resolved_names)
    if ((!term_.kind && r.dns_name == cluster::normal_dns_name(term_.text)) || has(r.addresses))
      add("DNS name", r.dns_name, nullptr, {{"addresses", addresses_text(r.addresses)}}, {r.from});
}

void Finder::network_policy(const cluster::NetworkPolicy& p, const std::string& selects_pod) {
  add("network policy", p.full_name(), nullptr,
      {{"isolates", p.ingress && p.egress ? phrase(FoundFact::isolates_both)
                    : p.egress            ? "egress"
                                          : "ingress"},
       {"ingress rules", p.ingress ? std::to_string(p.ingress_rules.size()) : ""},
       {"egress rules", p.egress ? std::to_string(p.egress_rules.size()) : ""},
       {"selects", selects_pod}},
      {p.from});
}

void Finder::policies() {
  const cluster::Objects& o = cluster_.objects;
  for (const cluster::NetworkPolicy& p : o.network_policies) {
    if (!is_named(ObjectKind::network_policy, p)) continue;
    network_policy(p, "");
    subjects_.push_back({ObjectKind::network_policy, p.full_name()});
  }
  for (const cluster::AdminNetworkPolicy& p : o.admin_network_policies) {
    const ObjectKind kind = p.baseline ? ObjectKind::baseline_admin_network_policy : ObjectKind::admin_network_policy;
    if (!is_named(kind, p)) continue;
    add(phrase(p.baseline ? Found::baseline_admin_network_policy : Found::admin_network_policy), p.name, nullptr,
        {{"priority", p.baseline ? "" : std::to_string(p.priority)},
         {"ingress", joined(p.ingress, rule_text)},
         {"egress", joined(p.egress, rule_text)}},
        {p.from});
    subjects_.push_back({kind, p.name});
  }
  for (const cluster::EgressFirewall& f : o.egress_firewalls) {
    if (!is_named(ObjectKind::egress_firewall, f) && !(!term_.kind && term_.text == f.namespace_)) continue;
    add("egress firewall", f.full_name(), nullptr, {{"rules", joined(f.rules, firewall_rule_text)}}, {f.from});
    subjects_.push_back({ObjectKind::egress_firewall, f.full_name()});
  }
}

void Finder::nodes_as_objects() {
  for (const cluster::NodeObject& n : cluster_.objects.nodes) {
    const bool named = is_named(ObjectKind::node, n);
    if (!named && !has(n.addresses)) continue;
    const auto annotated = [&](const std::map<std::string, std::string>& of, std::string_view key) {
      const auto found = of.find(std::string(key));
      return found == of.end() ? std::string() : found->second;
    };
    add("node", n.name, cluster_.node(n.name),
        {{"addresses", addresses_text(n.addresses)},
         {"pod subnets", prefixes_text(n.pod_subnets)},
         {"operating system", std::string(annotated(n.labels, "kubernetes.io/os") == "windows" ? "Windows" : "")},
         {"hybrid overlay", annotated(n.annotations, ovnk::kHybridSubnet)}},
        {n.from});
    if (named) subjects_.push_back({ObjectKind::node, n.name});
  }
  if (term_.kind == ObjectKind::node) also_called_.insert(term_.text);  // dumps of the node have the name, too
  for (const cluster::NamespaceObject& n : cluster_.objects.namespaces) {
    if (!is_named(ObjectKind::namespace_, n)) continue;
    add("namespace", n.name, nullptr, {}, {n.from});
    subjects_.push_back({ObjectKind::namespace_, n.name});
  }
}

}  // namespace egt::explain
