#include "lookup/finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/nearest.h"
#include "egtrace/base/text.h"
#include "egtrace/explain/decode.h"
#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

using cluster::Node;

constexpr std::size_t kMatches = 200, kUses = 20;

std::string state_name(host::NeighbourState state) {
  constexpr std::string_view kNames[] = {"NONE", "INCOMPLETE", "REACHABLE", "STALE", "DELAY", "PROBE", "FAILED", "NOARP",
                                         "PERMANENT"};
  return std::string(kNames[static_cast<std::size_t>(state)]);
}

template <class T, class F>
std::string joined(const std::vector<T>& all, F text) {
  std::string out;
  for (const T& one : all) out += (out.empty() ? "" : ", ") + text(one);
  return out;
}

std::string addresses_text(const std::vector<IpAddr>& all) {
  return joined(all, [](const IpAddr& a) { return a.to_string(); });
}

std::string prefixes_text(const std::vector<Prefix>& all) {
  return joined(all, [](const Prefix& p) { return p.to_short_string(); });
}

std::string rule_text(const cluster::AdminRule& rule) {
  constexpr std::string_view kActions[] = {"Allow", "Deny", "Pass"};
  return fmt::format("{}{}{}", kActions[static_cast<std::size_t>(rule.action)], rule.name.empty() ? "" : " ", rule.name);
}

std::string firewall_rule_text(const cluster::FirewallRule& rule) {
  return fmt::format("{} {}", rule.allow ? "Allow" : "Deny", rule.destination());
}

bool is_qualified(const std::string& text, const std::string& space, const std::string& name) {
  return text == name || text == fmt::format("{}/{}", space, name);
}

}  // namespace

Finder::Finder(const cluster::Cluster& cluster, Thing thing)
    : cluster_(cluster), thing_(std::move(thing)), names_(cluster), links_(cluster) {}

LookupMatch* Finder::add(std::string kind, std::string name, const Node* node, Facts facts,
                         const std::vector<Provenance>& from) {
  if (matches.size() >= kMatches) {
    truncated = true;
    return nullptr;
  }
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  matches.push_back({std::move(kind), std::move(name), node ? node->name : std::string(), std::move(facts),
                     evidence(from), {}});
  return &matches.back();
}

void Finder::use(LookupMatch& match, std::string what, Provenance from) {
  if (match.used_by.size() < kUses) match.used_by.push_back({std::move(what), evidence({from})});
  else truncated = true;
}

Evidence Finder::evidence(const std::vector<Provenance>& from) const {
  Evidence lines;
  for (const Provenance& p : from) {
    if (!p.known()) continue;
    lines.push_back(evidence_line(p, *cluster_.sources));
  }
  return lines;
}

bool Finder::has(const std::vector<Prefix>& prefixes) const {
  return thing_.address && std::any_of(prefixes.begin(), prefixes.end(),
                                       [&](const Prefix& p) { return p.address == *thing_.address; });
}

bool Finder::has(const std::vector<IpAddr>& addresses) const {
  return thing_.address && std::find(addresses.begin(), addresses.end(), *thing_.address) != addresses.end();
}

bool Finder::is_number(std::string_view field, std::optional<std::uint64_t> n) const {
  return n && thing_.number == n && thing_.may_be(field);
}

namespace {

// "shop/blue (primary): 10.20.1.5/24, 0a:58:0a:14:01:05"
std::string attachment_text(const cluster::PodAttachment& on) {
  std::vector<std::string> parts;
  if (std::string addresses = prefixes_text(on.addresses); !addresses.empty()) parts.push_back(std::move(addresses));
  if (on.mac) parts.push_back(on.mac->to_string());
  return fmt::format("{}{}: {}", on.network, on.role.empty() ? "" : " (" + on.role + ")", fmt::join(parts, ", "));
}

}  // namespace

// ---- Kubernetes

bool Finder::is_address_of(const cluster::Service& s) const {
  return (has(s.cluster_ips) || has(s.external_ips) || has(s.load_balancer_ips)) && has_port(s.ports);
}

// By what the pod has on a network besides the default one.
bool Finder::is_on_other_network(const cluster::Pod& pod) const {
  return std::any_of(pod.other_networks.begin(), pod.other_networks.end(), [&](const cluster::PodAttachment& on) {
    return has(on.addresses) || (thing_.mac && on.mac == thing_.mac) || thing_.text == cluster::logical_port_name(pod, on) || thing_.text == on.network;
  });
}

void Finder::objects() {
  const cluster::Objects& o = cluster_.objects;
  const std::string& text = thing_.text;
  for (const cluster::Pod& p : o.pods)
    if (is_qualified(text, p.namespace_, p.name) || (!p.host_network && has(p.addresses)) ||
        (thing_.mac && p.mac == thing_.mac) || text == cluster::logical_port_name(p.namespace_, p.name) || is_on_other_network(p))
      add("pod", fmt::format("{}/{}", p.namespace_, p.name), cluster_.node(p.node),
          {{"addresses", prefixes_text(p.addresses)}, {"mac", p.mac ? p.mac->to_string() : ""}, {"node", p.node},
           {"host network", p.host_network ? "yes" : ""}, {"other networks", joined(p.other_networks, attachment_text)}}, {p.from});
  for (const cluster::Service& s : o.services)
    if (is_qualified(text, s.namespace_, s.name) || is_address_of(s) ||
        std::any_of(s.ports.begin(), s.ports.end(),
                    [&](const auto& p) { return p.node_port != 0 && is_number("nodeport", p.node_port); }))
      add("service", fmt::format("{}/{}", s.namespace_, s.name), nullptr,
          {{"type", s.type}, {"cluster IPs", addresses_text(s.cluster_ips)},
           {"load balancer IPs", addresses_text(s.load_balancer_ips)}, {"external IPs", addresses_text(s.external_ips)},
           {"ports", joined(s.ports, [](const auto& p) {
              return fmt::format("{}/{}{}", p.port, p.protocol, p.node_port ? fmt::format(" (node port {})", p.node_port) : "");
            })},
           {"external traffic policy", s.external_traffic_policy}}, {s.from});
  for (const cluster::EndpointSlice& s : o.endpoint_slices) endpoints(s);
  for (const cluster::EgressIp& e : o.egress_ips)
    if (text == e.name || has(e.addresses) || (e.mark && is_number("mark", *e.mark)))
      add("egress IP", e.name, nullptr,
          {{"addresses", addresses_text(e.addresses)},
           {"assigned", joined(e.status, [](const auto& a) { return fmt::format("{} on {}", a.address.to_string(), a.node); })},
           {"mark", e.mark ? std::to_string(*e.mark) : ""}}, {e.from});
  for (const cluster::EgressService& e : o.egress_services)
    if (is_qualified(text, e.namespace_, e.name))
      add("egress service", fmt::format("{}/{}", e.namespace_, e.name), nullptr,
          {{"host", e.host}, {"source IP by", e.source_ip_by}, {"network", e.network}}, {e.from});
  for (const cluster::ExternalRoute& r : o.external_routes)
    if (text == r.name || has(r.next_hops))
      add("external route", r.name, nullptr, {{"gateways", addresses_text(r.next_hops)}}, {r.from});
  for (const cluster::NetworkPolicy& p : o.network_policies)
    if (is_qualified(text, p.namespace_, p.name))
      add("network policy", p.full_name(), nullptr,
          {{"isolates", p.ingress && p.egress ? "ingress and egress" : p.egress ? "egress" : "ingress"},
           {"ingress rules", p.ingress ? std::to_string(p.ingress_rules) : ""},
           {"egress rules", p.egress ? std::to_string(p.egress_rules) : ""}}, {p.from});
  for (const cluster::AdminNetworkPolicy& p : o.admin_network_policies)
    if (text == p.name)
      add(p.baseline ? "baseline admin network policy" : "admin network policy", p.name, nullptr,
          {{"priority", p.baseline ? "" : std::to_string(p.priority)},
           {"ingress", joined(p.ingress, rule_text)}, {"egress", joined(p.egress, rule_text)}}, {p.from});
  for (const cluster::EgressFirewall& f : o.egress_firewalls)
    if (is_qualified(text, f.namespace_, f.name) || text == f.namespace_)
      add("egress firewall", f.full_name(), nullptr, {{"rules", joined(f.rules, firewall_rule_text)}}, {f.from});
  for (const cluster::ResolvedName& r : o.resolved_names)
    if (r.dns_name == cluster::normal_dns_name(text) || has(r.addresses))
      add("DNS name", r.dns_name, nullptr, {{"addresses", addresses_text(r.addresses)}}, {r.from});
  for (const cluster::NodeObject& n : o.nodes)
    if (text == n.name || has(n.addresses))
      add("node", n.name, cluster_.node(n.name),
          {{"addresses", addresses_text(n.addresses)}, {"pod subnets", prefixes_text(n.pod_subnets)}}, {n.from});
  for (const cluster::NamespaceObject& n : o.namespaces)
    if (text == n.name) add("namespace", n.name, nullptr, {}, {n.from});
}

void Finder::endpoints(const cluster::EndpointSlice& slice) {
  const std::string service = slice.namespace_ + "/" + slice.service;
  const auto state = [](const cluster::ServiceEndpoint& e) {
    return e.ready ? "ready" : e.terminating ? (e.serving ? "ending, still serves" : "ending") : "not ready";
  };
  const auto ports = joined(slice.ports, [](const auto& p) { return fmt::format("{}/{}", p.port, p.protocol); });
  if (is_qualified(thing_.text, slice.namespace_, slice.name) || is_qualified(thing_.text, slice.namespace_, slice.service))
    add("endpoints", slice.full_name(), nullptr,
        {{"service", service}, {"ports", ports},
         {"addresses", joined(slice.endpoints, [&](const auto& e) { return fmt::format("{} ({})", e.address.to_string(), state(e)); })}},
        {slice.from});
  for (const cluster::ServiceEndpoint& e : slice.endpoints)
    if (thing_.address == e.address && has_port(slice.ports))
      add("endpoint", fmt::format("{} of service {}", e.address.to_string(), service), cluster_.node(e.node),
          {{"ports", ports}, {"state", state(e)}, {"node", e.node},
           {"pod", e.pod.empty() ? "" : fmt::format("{}/{}", e.pod_namespace, e.pod)}}, {slice.from});
}

// ---- the machine

void Finder::machine(const Node& node) {
  if (thing_.text == node.name) add("machine", node.name, &node, {{"OVS version", node.ovs_version.value_or("")}}, {});
  for (const host::Link& link : node.host.links.value) {
    const auto own = std::find_if(link.addresses.begin(), link.addresses.end(),
                                  [&](const host::Address& a) { return thing_.address == a.prefix.address; });
    const bool named = thing_.text == link.name, by_mac = thing_.mac && link.mac == thing_.mac;
    if (own == link.addresses.end() && !named && !by_mac) continue;
    add("device", link.name, &node,
        {{"addresses", joined(link.addresses, [](const host::Address& a) { return a.prefix.to_string(); })},
         {"mac", link.mac ? link.mac->to_string() : ""}, {"state", link.state}, {"kind", link.kind},
         {"master", link.master}}, {own != link.addresses.end() ? own->from : link.from});
  }
  for (const host::Neighbour& n : node.host.neighbours.value)
    if (thing_.address == n.address || (thing_.mac && n.mac == thing_.mac))
      add("neighbour", n.address.to_string(), &node,
          {{"device", n.device}, {"mac", n.mac ? n.mac->to_string() : ""}, {"state", state_name(n.state)}}, {n.from});
}

// ---- OVN

void Finder::logical(const Node& node) {
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (thing_.text == d.name || (!thing_.uuid.empty() && d.uuid.starts_with(thing_.uuid)) ||
        is_number("metadata", d.tunnel_key) || (thing_.field == "tunnel_key" && is_number("tunnel_key", d.tunnel_key)))
      add(d.is_router ? "logical router" : "logical switch", d.name, &node,
          {{"tunnel key", d.tunnel_key ? fmt::format("{} (metadata {:#x})", *d.tunnel_key, *d.tunnel_key) : ""},
           {"datapath binding", d.uuid}}, {d.from});
  for (const ovn::LogicalPort& p : node.ovn.ports)
    if (thing_.text == p.name || has(p.addresses) || (thing_.mac && p.mac == thing_.mac) ||
        (!thing_.field.empty() && (is_number("tunnel_key", p.tunnel_key) || is_number("reg14", p.tunnel_key) ||
                                   is_number("reg15", p.tunnel_key))))
      add("logical port", p.name, &node,
          {{"type", p.type}, {"on", p.datapath}, {"addresses", prefixes_text(p.addresses)},
           {"mac", p.mac ? p.mac->to_string() : ""}, {"tunnel key", p.tunnel_key ? std::to_string(*p.tunnel_key) : ""},
           {"peer", p.peer}, {"chassis", p.chassis}}, {p.from});
  for (const ovn::Chassis& c : node.ovn.chassis)
    if (thing_.text == c.name || thing_.text == c.hostname || has(c.encap_ips))
      add("chassis", c.hostname.empty() ? c.name : c.hostname, &node,
          {{"name", c.name}, {"encapsulation", addresses_text(c.encap_ips)}}, {c.from});
  for (const auto& [name, zone] : node.ovn.ct_zones)
    if (thing_.text == name || is_number("zone", zone) || is_number("ct_zone", zone))
      add("conntrack zone", std::to_string(zone), &node, {{"of", name}}, {});
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) {
    const bool by_uuid = !thing_.uuid.empty() &&
                         (f.uuid.starts_with(thing_.uuid) || (!f.uuid.empty() && thing_.uuid.starts_with(f.uuid)));
    const bool by_stage = !f.stage.empty() && thing_.text == f.stage;
    if (by_uuid || by_stage) logical_flow(node, f);
  }
}

void Finder::logical_flow(const Node& node, const ovn::LogicalFlow& f) {
  const ovn::FlowOrigin* origin = ovn::origin_of(node.ovn, f);
  const std::string on = joined(ovn::datapaths_of(node.ovn, f), [](std::string_view d) { return std::string(d); });
  LookupMatch* match = add("logical flow", std::string(f.uuid), &node,
                           {{"on", on}, {"stage", fmt::format("{} ({} {})", f.stage, f.ingress ? "ingress" : "egress", f.table)},
                            {"priority", std::to_string(f.priority)}, {"match", std::string(f.match)},
                            {"actions", std::string(f.actions)}, {"made by", origin ? std::string(origin->source) : ""}}, {f.from});
  if (!match) return;
  for (const ovn::Row* behind : links_.northbound_rows(node, f)) {
    const std::string object = links_.object_of(*behind);
    match->facts.emplace_back("made for", fmt::format("{} {} {}{}", behind->table, behind->uuid, row_name(*behind),
                                                      object.empty() ? "" : ": " + object));
  }
  if (f.uuid_prefix) uses_of_cookie(node, *f.uuid_prefix, *match);
}

// ---- by itself

void Finder::value() {
  const std::string asked = thing_.field.empty() ? thing_.text : fmt::format("{}={}", thing_.field, thing_.text);
  Facts facts;
  if (thing_.number || thing_.address || thing_.mac || !thing_.field.empty())
    for (const Meaning& meaning : decode_value(asked)) facts.emplace_back(meaning.as, meaning.text);
  if (thing_.address)
    if (const std::string name = names_.address(*thing_.address); !name.empty()) facts.emplace_back("here", name);
  if (thing_.number && *thing_.number <= 0xffffffff && (thing_.field.starts_with("reg") || thing_.field.starts_with("xx")))
    if (const std::string name = names_.address(IpAddr::v4(static_cast<std::uint32_t>(*thing_.number))); !name.empty())
      facts.emplace_back("here", name);
  if (!facts.empty()) add("value", asked, nullptr, std::move(facts), {});
}

Lookup look_up(const cluster::Cluster& cluster, std::string_view text) {
  Finder finder(cluster, read_thing(text));
  finder.objects();
  for (const auto& node : cluster.nodes) {
    finder.machine(*node);
    finder.logical(*node);
    finder.rows(*node);
    finder.switches(*node);
    finder.datapath_flows(*node);
    finder.logical_flows_with_address(*node);
  }
  for (const cluster::DumpInfo& dump : cluster.dumps) finder.dump_lines(dump);
  finder.value();
  Lookup result{std::string(text), std::move(finder.matches), finder.truncated, {}};
  if (!result.matches.empty()) return result;
  std::vector<std::string> known;
  for (const cluster::Pod& p : cluster.objects.pods) known.push_back(fmt::format("{}/{}", p.namespace_, p.name));
  for (const cluster::Service& s : cluster.objects.services) known.push_back(fmt::format("{}/{}", s.namespace_, s.name));
  for (const cluster::EgressIp& e : cluster.objects.egress_ips) known.push_back(e.name);
  for (const auto& node : cluster.nodes) {
    known.push_back(node->name);
    for (const ovn::LogicalPort& p : node->ovn.ports) known.push_back(p.name);
    for (const ovn::Datapath& d : node->ovn.datapaths) known.push_back(d.name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  result.similar = nearest(result.thing, known);
  return result;
}

}  // namespace egt::explain
