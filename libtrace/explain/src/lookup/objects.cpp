#include "lookup/objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "lookup/object_matches.h"
#include "lookup/parts.h"
#include "lookup/texts.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

// A pod of which EgressIPs and policies are about: it runs, and has addresses of its own.
bool has_own_traffic(const cluster::Pod& pod) { return !pod.host_network && !pod.has_ended(); }

bool is_address_of(const LookupTerm& term, const cluster::Service& s) {
  return (term.is_one_of(s.cluster_ips) || term.is_one_of(s.external_ips) || term.is_one_of(s.load_balancer_ips)) &&
         term.has_port(s.ports);
}

bool is_node_port_of(const LookupTerm& term, const cluster::Service& s) {
  return std::any_of(s.ports.begin(), s.ports.end(),
                     [&](const cluster::ServicePort& p) { return p.node_port != 0 && term.is_number("nodeport", p.node_port); });
}

// By what the pod has on a network besides the default one.
bool is_on_other_network(const LookupTerm& term, const cluster::Pod& pod) {
  return std::any_of(pod.other_networks.begin(), pod.other_networks.end(), [&](const cluster::PodAttachment& on) {
    return term.is_one_of(on.addresses) || (term.mac && on.mac == term.mac) || term.text == cluster::logical_port_name(pod, on) ||
           term.text == on.network;
  });
}

}  // namespace

Asked ObjectLookup::find() {
  pods();
  services();
  egress_ips();
  egress_services();
  external_routes();
  resolved_names();
  find_networks(cluster_.objects, term_, matches_);
  policies();
  nodes();
  namespaces();
  ask_for_unknown();
  return std::move(asked_);
}

// The databases may have it where the objects were not dumped.
void ObjectLookup::ask_for_unknown() {
  if (!asked_.objects.empty() || term_.text.empty() || term_.address || term_.mac || !term_.field.empty()) return;
  asked_.objects.push_back({term_.kind, term_.text});
  const std::size_t slash = term_.text.find('/');
  if (slash != std::string::npos && (!term_.kind || *term_.kind == ObjectKind::pod))
    asked_.dump_names.insert(cluster::logical_port_name(term_.text.substr(0, slash), term_.text.substr(slash + 1)));
}

void ObjectLookup::pods() {
  for (const cluster::Pod& p : cluster_.objects.pods) {
    const std::string port = cluster::logical_port_name(p.namespace_, p.name);
    const bool named = term_.is_name_of(ObjectKind::pod, p) || (!term_.kind && term_.text == port);
    if (!named && !(!p.host_network && term_.is_one_of(p.addresses)) && !(term_.mac && p.mac == term_.mac) &&
        !is_on_other_network(term_, p))
      continue;
    add_pod(matches_, p, cluster_.node(p.node), "");
    if (named) ask_for(p, port);
  }
}

void ObjectLookup::ask_for(const cluster::Pod& p, const std::string& logical_port) {
  AskedObject object{ObjectKind::pod, p.full_name()};
  asked_.dump_names.insert(logical_port);
  for (const cluster::PodAttachment& on : p.other_networks) asked_.dump_names.insert(cluster::logical_port_name(p, on));
  if (has_own_traffic(p))
    for (const Prefix& address : p.addresses) object.senders.insert(address.address);
  asked_.objects.push_back(std::move(object));
  const std::string chosen = "pod " + p.full_name();
  if (!has_own_traffic(p)) return;
  for (const cluster::Service& s : cluster_.objects.services)
    if (selects(s, p)) add_service(matches_, s, chosen);
  for (const cluster::EgressIp& e : cluster_.objects.egress_ips)
    if (selects(e, cluster_.objects, p)) add_egress_ip(matches_, e, chosen);
  for (const cluster::NetworkPolicy& policy : cluster_.objects.network_policies)
    if (policy.namespace_ == p.namespace_ && policy.pods.matches(p.labels)) add_network_policy(matches_, policy, chosen);
}

void ObjectLookup::services() {
  for (const cluster::Service& s : cluster_.objects.services) {
    const bool meant = term_.is_name_of(ObjectKind::service, s) || is_node_port_of(term_, s);
    if (!meant && !is_address_of(term_, s)) continue;
    add_service(matches_, s, "");
    if (meant) ask_for(s);
  }
  for (const cluster::EndpointSlice& s : cluster_.objects.endpoint_slices) endpoints(s);
}

void ObjectLookup::ask_for(const cluster::Service& s) {
  AskedObject object{ObjectKind::service, s.full_name()};
  for (const auto* all : {&s.cluster_ips, &s.external_ips, &s.load_balancer_ips})
    object.addresses.insert(all->begin(), all->end());
  for (const cluster::ServicePort& p : s.ports)
    if (p.node_port != 0) object.ports.insert(p.node_port);
  asked_.objects.push_back(std::move(object));
}

void ObjectLookup::endpoints(const cluster::EndpointSlice& slice) {
  cluster::Object service = slice;
  service.name = slice.service;
  const std::string of_service = slice.namespace_ + "/" + slice.service;
  const bool of_named = std::any_of(asked_.objects.begin(), asked_.objects.end(),
                                    [&](const AskedObject& s) { return s.kind == ObjectKind::service && s.name == of_service; });
  if (of_named || term_.is_name_of(ObjectKind::endpoints, slice) || term_.is_name_of(ObjectKind::endpoints, service))
    add_endpoints(matches_, slice);
  for (const cluster::ServiceEndpoint& e : slice.endpoints)
    if (term_.address == e.address && term_.has_port(slice.ports)) add_endpoint(matches_, slice, e, cluster_.node(e.node));
}

void ObjectLookup::egress_ips() {
  for (const cluster::EgressIp& e : cluster_.objects.egress_ips) {
    const bool meant = term_.is_name_of(ObjectKind::egress_ip, e) || (e.mark && term_.is_number("mark", *e.mark));
    if (!meant && !term_.is_one_of(e.addresses)) continue;
    add_egress_ip(matches_, e, "");
    if (meant) ask_for(e);
  }
}

// With the pods that it selects; of whose namespaces no labels are dumped, nothing shows.
void ObjectLookup::ask_for(const cluster::EgressIp& e) {
  const cluster::Objects& o = cluster_.objects;
  AskedObject object{ObjectKind::egress_ip, e.name, {e.addresses.begin(), e.addresses.end()}};
  object.mark = e.mark;
  const std::size_t own = matches_.all().size() - 1;
  if (o.namespaces.empty()) matches_[own].facts.emplace_back("pods undecided", phrase(FoundFact::no_namespaces));
  if (o.pods.empty()) matches_[own].facts.emplace_back("pods undecided", phrase(FoundFact::no_pods));
  std::size_t count = 0;
  for (const cluster::Pod& p : o.pods) {
    if (!has_own_traffic(p) || !selects(e, o, p)) continue;
    ++count;
    add_pod(matches_, p, cluster_.node(p.node), "EgressIP " + e.name);
    for (const Prefix& address : p.addresses) object.senders.insert(address.address);
  }
  if (!o.pods.empty() && !o.namespaces.empty())
    matches_[own].facts.emplace_back("selects", fmt::format("{} pod{}", count, count == 1 ? "" : "s"));
  asked_.objects.push_back(std::move(object));
}

void ObjectLookup::egress_services() {
  for (const cluster::EgressService& e : cluster_.objects.egress_services) {
    if (!term_.is_name_of(ObjectKind::egress_service, e)) continue;
    add_egress_service(matches_, e);
    asked_.objects.push_back({ObjectKind::egress_service, e.full_name()});
  }
}

void ObjectLookup::external_routes() {
  for (const cluster::ExternalRoute& r : cluster_.objects.external_routes) {
    const bool named = term_.is_name_of(ObjectKind::external_route, r);
    if (!named && !term_.is_one_of(r.next_hops)) continue;
    matches_.add("external route", r.name, nullptr, {{"gateways", addresses_text(r.next_hops)}}, {r.from});
    if (named) asked_.objects.push_back({ObjectKind::external_route, r.name, {r.next_hops.begin(), r.next_hops.end()}});
  }
}

void ObjectLookup::resolved_names() {
  for (const cluster::ResolvedName& r : cluster_.objects.resolved_names)
    if ((!term_.kind && r.dns_name == cluster::normal_dns_name(term_.text)) || term_.is_one_of(r.addresses))
      matches_.add("DNS name", r.dns_name, nullptr, {{"addresses", addresses_text(r.addresses)}}, {r.from});
}

void ObjectLookup::policies() {
  const cluster::Objects& o = cluster_.objects;
  for (const cluster::NetworkPolicy& p : o.network_policies) {
    if (!term_.is_name_of(ObjectKind::network_policy, p)) continue;
    add_network_policy(matches_, p, "");
    asked_.objects.push_back({ObjectKind::network_policy, p.full_name()});
  }
  for (const cluster::AdminNetworkPolicy& p : o.admin_network_policies) {
    const ObjectKind kind = p.baseline ? ObjectKind::baseline_admin_network_policy : ObjectKind::admin_network_policy;
    if (!term_.is_name_of(kind, p)) continue;
    add_admin_policy(matches_, p);
    asked_.objects.push_back({kind, p.name});
  }
  for (const cluster::EgressFirewall& f : o.egress_firewalls) {
    if (!term_.is_name_of(ObjectKind::egress_firewall, f) && !(!term_.kind && term_.text == f.namespace_)) continue;
    add_egress_firewall(matches_, f);
    asked_.objects.push_back({ObjectKind::egress_firewall, f.full_name()});
  }
}

void ObjectLookup::nodes() {
  for (const cluster::NodeObject& n : cluster_.objects.nodes) {
    const bool named = term_.is_name_of(ObjectKind::node, n);
    if (!named && !term_.is_one_of(n.addresses)) continue;
    add_node(matches_, n, cluster_.node(n.name));
    if (named) asked_.objects.push_back({ObjectKind::node, n.name});
  }
  if (term_.kind == ObjectKind::node) asked_.dump_names.insert(term_.text);  // dumps of the node have the name, too
}

void ObjectLookup::namespaces() {
  for (const cluster::NamespaceObject& n : cluster_.objects.namespaces) {
    if (!term_.is_name_of(ObjectKind::namespace_, n)) continue;
    matches_.add("namespace", n.name, nullptr, {}, {n.from});
    asked_.objects.push_back({ObjectKind::namespace_, n.name});
  }
}

}  // namespace egt::explain
