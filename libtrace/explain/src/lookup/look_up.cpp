#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/nearest.h"
#include "egtrace/explain/decode.h"
#include "egtrace/explain/lookup.h"
#include "lookup/bridges.h"
#include "lookup/dump_lines.h"
#include "lookup/object_lines.h"
#include "lookup/objects.h"
#include "lookup/ovn.h"
#include "lookup/parts.h"

namespace egt::explain {
namespace {

// What the number or address means by itself.
void find_value(const LookupTerm& term, const Names& names, MatchList& matches) {
  const std::string asked = term.field.empty() ? term.text : fmt::format("{}={}", term.field, term.text);
  MatchList::Facts facts;
  if (term.number || term.address || term.mac || !term.field.empty())
    for (const Meaning& meaning : decode_value(asked)) facts.emplace_back(meaning.as, meaning.text);
  if (term.address)
    if (const std::string name = names.address(*term.address); !name.empty()) facts.emplace_back("here", name);
  if (term.number && *term.number <= 0xffffffff && (term.field.starts_with("reg") || term.field.starts_with("xx")))
    if (const std::string name = names.address(IpAddr::v4(static_cast<std::uint32_t>(*term.number))); !name.empty())
      facts.emplace_back("here", name);
  if (!facts.empty()) matches.add("value", asked, nullptr, std::move(facts), {});
}

std::vector<std::string> similar_names(const cluster::Cluster& cluster, const std::string& text) {
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
  return nearest(text, known);
}

}  // namespace

Lookup look_up(const cluster::Cluster& cluster, std::string_view text, std::string_view name_space) {
  const LookupTerm term = read_term(text, name_space);
  const Names names(cluster);
  MatchList matches(cluster);
  const Asked asked = ObjectLookup(cluster, term, matches).find();
  OvnLookup ovn(cluster, asked, matches);
  BridgeLookup bridges(asked, names, matches);
  DumpLines lines(cluster, term, matches);
  for (const auto& node : cluster.nodes) {
    find_on_host(*node, asked, matches);
    ovn.find(*node);
    bridges.find(*node);
    for (const AskedObject& object : asked.objects) {
      find_devices(*node, object, matches);
      if (object.mark) bridges.find_flows_with_mark(*node, *object.mark);
    }
    find_datapath_flows(*node, term, matches);
    lines.find_logical_flows(*node);
  }
  ObjectLines object_lines(cluster, asked, matches);
  for (const cluster::DumpInfo& dump : cluster.dumps) object_lines.find_tables(dump);
  for (const cluster::DumpInfo& dump : cluster.dumps) {
    lines.find(dump);
    object_lines.find(dump);
  }
  find_value(term, names, matches);
  Lookup result{std::string(text), matches.take(), {}};
  if (result.matches.empty()) result.similar = similar_names(cluster, term.text);
  return result;
}

}  // namespace egt::explain
