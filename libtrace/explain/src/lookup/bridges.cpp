#include "lookup/bridges.h"

#include <fmt/format.h>

#include <algorithm>

#include "in_pieces.h"
#include "lookup/flow_addresses.h"
#include "lookup/parts.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

using cluster::Node;

std::vector<openflow::FlowIndex> flows_with_mark(const openflow::FlowTables& flows, std::uint32_t mark) {
  const std::vector<bool> of_mark = shapes_that_look_at(flows, FieldId::pkt_mark);
  std::vector<openflow::FlowIndex> found;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    if (!of_mark[flows.shape_of(i)]) continue;
    const openflow::MatchView match = openflow::match_of(flows.flow(i));
    if (openflow::mask_of(match, FieldId::pkt_mark) != U128{} && openflow::value_of(match, FieldId::pkt_mark) == U128{mark})
      found.push_back(i);
  }
  return found;
}

}  // namespace

void BridgeLookup::find(const Node& node) {
  for (const openflow::Bridge& b : node.bridges) {
    if (asked_.is_called(b.name))
      matches_.add("bridge", b.name, &node,
                   {{"ports", std::to_string(b.interfaces.size())},
                    {"flows", b.flows ? std::to_string(b.flows->size()) : ""},
                    {"fail mode", b.fail_mode}},
                   {b.from});
    interfaces(node, b);
    for (const openflow::FdbEntry& entry : b.fdb)
      if (asked_.term.mac == entry.mac)
        matches_.add(phrase(Found::mac_entry), entry.mac.to_string(), &node,
                     {{"bridge", b.name}, {"port", std::to_string(entry.port)}, {"VLAN", std::to_string(entry.vlan)}},
                     {entry.from});
    find_group(node, b, asked_.term, origins_, matches_);
    if (!b.flows) continue;
    flows_with_cookie(node, b);
    flows_with_address(node, b);
  }
}

void BridgeLookup::interfaces(const Node& node, const openflow::Bridge& bridge) {
  const LookupTerm& term = asked_.term;
  for (const openflow::Interface& i : bridge.interfaces) {
    const auto iface = i.external_ids.find("iface-id");
    const std::string id = iface == i.external_ids.end() ? "" : iface->second;
    if (!asked_.is_called(i.name) && !(!id.empty() && asked_.is_called(id)) && !(term.mac && i.mac == term.mac) &&
        !term.is_number("ofport", i.ofport) && !term.is_number("in_port", i.ofport) && !term.is_number("output", i.ofport))
      continue;
    matches_.add("interface", i.name, &node,
                 {{"bridge", bridge.name},
                  {"ofport", i.ofport ? std::to_string(*i.ofport) : ""},
                  {"type", i.type},
                  {"iface-id", id},
                  {"mac", i.mac ? i.mac->to_string() : ""},
                  {"VLAN", i.tag ? std::to_string(*i.tag) : ""}},
                 {i.from});
  }
}

// Flows by their cookie where no row and no logical flow has it, and conjunctive flows that have none.
void BridgeLookup::flows_with_cookie(const Node& node, const openflow::Bridge& bridge) {
  const LookupTerm& term = asked_.term;
  if (!term.number || *term.number == 0 || !term.may_be("cookie")) return;
  const bool explained = std::any_of(matches_.all().begin(), matches_.all().end(), [&](const LookupMatch& m) {
    return m.node == node.name && !m.used_by.empty() && m.kind == "logical flow";
  });
  LookupMatch* match = nullptr;
  for (openflow::FlowIndex i = 0; !explained && i < bridge.flows->size(); ++i) {
    if (bridge.flows->cookie_of(i) != *term.number) continue;
    const openflow::FlowEntry& flow = bridge.flows->flow(i);
    if (!match) match = &matches_.add("cookie", fmt::format("{:#x}", flow.cookie), &node, {{"bridge", bridge.name}}, {});
    matches_.use(*match, phrase(FoundFact::flow, {bridge.name, flow.table, flow.priority}), flow.from);
  }
}

void BridgeLookup::flows_with_address(const Node& node, const openflow::Bridge& bridge) {
  if (!asked_.term.address) return;
  const AddressFlows found = flows_with_address_of(asked_.term, *bridge.flows);
  list_flows(node, bridge, phrase(Found::flows_matching), found.matching);
  list_flows(node, bridge, phrase(Found::flows_matching_prefix), found.matching_prefix);
  list_flows(node, bridge, phrase(Found::flows_naming), found.naming);
}

void BridgeLookup::find_flows_with_mark(const Node& node, std::uint32_t mark) {
  for (const openflow::Bridge& b : node.bridges)
    if (b.flows) list_flows(node, b, phrase(Found::flows_matching_mark), flows_with_mark(*b.flows, mark));
}

void BridgeLookup::list_flows(const Node& node, const openflow::Bridge& bridge, const std::string& kind,
                              const std::vector<openflow::FlowIndex>& flows) {
  if (flows.empty()) return;
  LookupMatch& match = matches_.add(kind, bridge.name, &node, {}, {});
  for (const openflow::FlowIndex i : flows) matches_.use(match, origins_.words(node, bridge, i), bridge.flows->flow(i).from);
  match.facts.emplace_back("flows", std::to_string(flows.size()));
}

}  // namespace egt::explain
