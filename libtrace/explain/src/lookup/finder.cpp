#include "lookup/finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/nearest.h"
#include "egtrace/base/text.h"
#include "egtrace/explain/decode.h"
#include "egtrace/ovn/southbound.h"
#include "in_pieces.h"
#include "lookup/texts.h"

namespace egt::explain {
namespace {

using cluster::Node;

std::string state_name(host::NeighbourState state) {
  constexpr std::string_view kNames[] = {"NONE",  "INCOMPLETE", "REACHABLE", "STALE",    "DELAY",
                                         "PROBE", "FAILED",     "NOARP",     "PERMANENT"};
  return std::string(kNames[static_cast<std::size_t>(state)]);
}

}  // namespace

Finder::Finder(const cluster::Cluster& cluster, LookupTerm term)
    : cluster_(cluster), term_(std::move(term)), names_(cluster), links_(cluster) {
  if (term_.address || term_.mac) asked_text_ = term_.address ? term_.address_text() : term_.mac->to_string();
  const bool is_port = term_.may_be("nodeport") || term_.may_be("port");
  if (is_port && term_.number && *term_.number > 0 && *term_.number <= 65535)
    asked_port_ = static_cast<std::uint16_t>(*term_.number);
}

LookupMatch* Finder::add(std::string kind, std::string name, const Node* node, Facts facts, const std::vector<Provenance>& from) {
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  matches.push_back({std::move(kind), std::move(name), node ? node->name : std::string(), std::move(facts), evidence(from), {}});
  return &matches.back();
}

void Finder::use(LookupMatch& match, std::string what, Provenance from) {
  match.used_by.push_back({std::move(what), evidence({from})});
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
  return term_.address &&
         std::any_of(prefixes.begin(), prefixes.end(), [&](const Prefix& p) { return p.address == *term_.address; });
}

bool Finder::has(const std::vector<IpAddr>& addresses) const {
  return term_.address && std::find(addresses.begin(), addresses.end(), *term_.address) != addresses.end();
}

bool Finder::is_number(std::string_view field, std::optional<std::uint64_t> n) const {
  return n && term_.number == n && term_.may_be(field);
}

// ---- the host

void Finder::host(const Node& node) {
  if (is_called(node.name)) add("host", node.name, &node, {{"OVS version", node.ovs_version.value_or("")}}, {});
  for (const host::Link& link : node.host.links.value) {
    const auto own = std::find_if(link.addresses.begin(), link.addresses.end(),
                                  [&](const host::Address& a) { return term_.address == a.prefix.address; });
    const bool named = is_called(link.name), by_mac = term_.mac && link.mac == term_.mac;
    if (own == link.addresses.end() && !named && !by_mac) continue;
    add("device", link.name, &node,
        {{"addresses", joined(link.addresses, [](const host::Address& a) { return a.prefix.to_string(); })},
         {"mac", link.mac ? link.mac->to_string() : ""},
         {"state", link.state},
         {"kind", link.kind},
         {"master", link.master}},
        {own != link.addresses.end() ? own->from : link.from});
  }
  for (const host::Neighbour& n : node.host.neighbours.value)
    if (term_.address == n.address || (term_.mac && n.mac == term_.mac))
      add("neighbour", n.address.to_string(), &node,
          {{"device", n.device}, {"mac", n.mac ? n.mac->to_string() : ""}, {"state", state_name(n.state)}}, {n.from});
}

// ---- OVN

void Finder::logical(const Node& node) {
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (is_called(d.name) || (!term_.uuid.empty() && d.uuid.starts_with(term_.uuid)) || is_number("metadata", d.tunnel_key) ||
        (term_.field == "tunnel_key" && is_number("tunnel_key", d.tunnel_key)))
      add(d.is_router ? "logical router" : "logical switch", d.name, &node,
          {{"tunnel key", d.tunnel_key ? fmt::format("{} (metadata {:#x})", *d.tunnel_key, *d.tunnel_key) : ""},
           {"datapath binding", d.uuid}},
          {d.from});
  for (const ovn::LogicalPort& p : node.ovn.ports)
    if (is_called(p.name) || has(p.addresses) || (term_.mac && p.mac == term_.mac) ||
        (!term_.field.empty() &&
         (is_number("tunnel_key", p.tunnel_key) || is_number("reg14", p.tunnel_key) || is_number("reg15", p.tunnel_key))))
      add("logical port", p.name, &node,
          {{"type", p.type},
           {"on", p.datapath},
           {"addresses", prefixes_text(p.addresses)},
           {"mac", p.mac ? p.mac->to_string() : ""},
           {"tunnel key", p.tunnel_key ? std::to_string(*p.tunnel_key) : ""},
           {"peer", p.peer},
           {"chassis", p.chassis}},
          {p.from});
  for (const ovn::Chassis& c : node.ovn.chassis)
    if (is_called(c.name) || is_called(c.hostname) || has(c.encap_ips))
      add("chassis", c.hostname.empty() ? c.name : c.hostname, &node,
          {{"name", c.name}, {"encapsulation", addresses_text(c.encap_ips)}}, {c.from});
  for (const auto& [name, zone] : node.ovn.ct_zones)
    if (is_called(name) || is_number("zone", zone) || is_number("ct_zone", zone))
      add("conntrack zone", std::to_string(zone), &node, {{"of", name}}, {});
  const auto is_asked_for = [&](const ovn::LogicalFlow& f) {
    const bool by_uuid =
        !term_.uuid.empty() && (f.uuid.starts_with(term_.uuid) || (!f.uuid.empty() && term_.uuid.starts_with(f.uuid)));
    return by_uuid || (!f.stage.empty() && is_called(f.stage));
  };
  for (const ovn::LogicalFlow* f : wanted_of(node.ovn.logical_flows, is_asked_for)) logical_flow(node, *f);
}

void Finder::logical_flow(const Node& node, const ovn::LogicalFlow& f) {
  const std::string on = joined(ovn::datapaths_of(node.ovn, f), [](std::string_view d) { return std::string(d); });
  LookupMatch* match = add("logical flow", std::string(f.uuid), &node,
                           {{"on", on},
                            {"stage", fmt::format("{} ({} {})", f.stage, f.ingress ? "ingress" : "egress", f.table)},
                            {"priority", std::to_string(f.priority)},
                            {"match", std::string(f.match)},
                            {"actions", std::string(f.actions)},
                            {"made by", f.origin ? std::string(f.origin->source) : ""}},
                           {f.from});
  for (const ovn::Row* behind : links_.northbound_rows(node, f)) {
    const std::string object = to_text(links_.object_of(*behind));
    match->facts.emplace_back("made for", fmt::format("{} {} {}{}", behind->table, behind->uuid, row_name(*behind),
                                                      object.empty() ? "" : ": " + object));
  }
  if (f.uuid_prefix) want_cookie(*f.uuid_prefix, *match);
}

// ---- by itself

void Finder::value() {
  const std::string asked = term_.field.empty() ? term_.text : fmt::format("{}={}", term_.field, term_.text);
  Facts facts;
  if (term_.number || term_.address || term_.mac || !term_.field.empty())
    for (const Meaning& meaning : decode_value(asked)) facts.emplace_back(meaning.as, meaning.text);
  if (term_.address)
    if (const std::string name = names_.address(*term_.address); !name.empty()) facts.emplace_back("here", name);
  if (term_.number && *term_.number <= 0xffffffff && (term_.field.starts_with("reg") || term_.field.starts_with("xx")))
    if (const std::string name = names_.address(IpAddr::v4(static_cast<std::uint32_t>(*term_.number))); !name.empty())
      facts.emplace_back("here", name);
  if (!facts.empty()) add("value", asked, nullptr, std::move(facts), {});
}

Lookup look_up(const cluster::Cluster& cluster, std::string_view text, std::string_view name_space) {
  const LookupTerm term = read_term(text, name_space);
  Finder finder(cluster, term);
  finder.objects();
  for (const auto& node : cluster.nodes) {
    finder.host(*node);
    finder.logical(*node);
    finder.rows(*node);
    finder.flows_of_cookies(*node);
    finder.switches(*node);
    finder.of_subjects(*node);
    finder.datapath_flows(*node);
    finder.logical_flows_with_address(*node);
  }
  finder.prepare_lines();
  for (const cluster::DumpInfo& dump : cluster.dumps) finder.tables_of_subjects(dump);
  for (const cluster::DumpInfo& dump : cluster.dumps) {
    finder.dump_lines(dump);
    finder.lines_of_subjects(dump);
  }
  finder.value();
  Lookup result{std::string(text), std::move(finder.matches), {}};
  if (!result.matches.empty()) return result;
  std::vector<std::string> known;
  for (const cluster::Pod& p : cluster.objects.pods) known.push_back(fmt::format("{}/{}", p.namespace_, p.name));
  for (const cluster::Service& s : cluster.objects.services) known.push_back(fmt::format("{}/{}", s.namespace_, s.name));
  for (const cluster::EgressIp& e : cluster.objects.egress_ips) known.push_back(e.name);
  for (const cluster::NetworkPolicy& p : cluster.objects.network_policies) known.push_back(p.full_name());
  for (const auto& node : cluster.nodes) {
    known.push_back(node->name);
    for (const ovn::LogicalPort& p : node->ovn.ports) known.push_back(p.name);
    for (const ovn::Datapath& d : node->ovn.datapaths) known.push_back(d.name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  result.similar = nearest(term.text, known);
  return result;
}

}  // namespace egt::explain
