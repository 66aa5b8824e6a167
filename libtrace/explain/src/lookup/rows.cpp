// Rows of databases and OpenFlow flows that match, and what uses them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "in_pieces.h"
#include "lookup/finder.h"
#include "lookup/flow_addresses.h"
#include "lookup/references.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

using cluster::Node;
using ovn::Row;

bool refers_to(const Row& row, std::string_view word) {
  return std::any_of(row.columns.begin(), row.columns.end(), [&](const auto& c) { return mentions(c.second, word); });
}

std::string kind_words(const Row& row) { return fmt::format("{} {}", row.table, row.uuid.empty() ? row_name(row) : row.uuid); }

}  // namespace

bool Finder::is_row(const Row& row) const {
  if (!term_.uuid.empty() && row.uuid.starts_with(term_.uuid)) return true;
  if (!term_.field.empty())
    return (term_.field == "tunnel_key" && text_of(row, "tunnel_key") == term_.text) ||
           (term_.field == "tag" && text_of(row, "tag") == term_.text);
  for (const char* column : {"name", "logical_port", "hostname"})
    if (const std::string name = text_of(row, column); !name.empty() && is_called(name)) return true;
  if (term_.address || term_.mac) return refers_to(row, asked_text_);
  if (term_.kind) return false;
  const std::map<std::string, std::string> ids = external_ids_of(row);
  return std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return id.second == term_.text; });
}

void Finder::rows(const Node& node) {
  std::vector<const Row*> asked;
  for (const auto* all : {&node.ovn.rows, &node.ovs_rows})
    for (const ovn::Rows::Table& table : all->tables()) add_asked(table.rows(), asked);
  const References references(node, asked);
  for (const Row* r : asked) row(node, *r, references.of(*r));
}

void Finder::add_asked(const ovn::RowList<Row>& rows, std::vector<const Row*>& asked) const {
  const auto found = wanted_of(rows, [&](const Row& row) { return is_row(row) || is_made_for_subject(row); });
  asked.insert(asked.end(), found.begin(), found.end());
}

void Finder::row(const Node& node, const Row& row, const RowUses& uses) {
  Facts facts = {{"database", row.database}, {"uuid", row.uuid}, {"object", to_text(links_.object_of(row))}};
  for (const auto& [name, value] : row.columns)
    if (value != "[]" && value != "{}" && value != "\"\"") facts.emplace_back(name, value);
  LookupMatch& match = *add(row.table, row_name(row), &node, std::move(facts), {row.from});
  for (const Row* other : uses.rows) use(match, fmt::format("{}: {}", kind_words(*other), row_name(*other)), other->from);
  for (const ovn::LogicalFlow* f : uses.flows)
    use(match, fmt::format("logical flow {} ({}, priority {})", f->uuid, f->stage, f->priority), f->from);
  if (row.database == "SB") want_cookie(ovn::uuid_prefix(row.uuid), match);
}

void Finder::want_cookie(std::uint32_t cookie, const LookupMatch& match) {
  if (cookie != 0) cookies_[cookie].push_back(static_cast<std::size_t>(&match - matches.data()));
}

// All of them in one pass: a node may have a million flows.
void Finder::flows_of_cookies(const Node& node) {
  const auto wanted = std::exchange(cookies_, {});
  if (wanted.empty()) return;
  for (const openflow::Bridge& b : node.bridges) {
    if (!b.flows) continue;
    const auto pieces = in_pieces<std::vector<openflow::FlowIndex>>(
        *b.flows, [&](openflow::FlowIndex begin, openflow::FlowIndex end, std::vector<openflow::FlowIndex>& found) {
          for (openflow::FlowIndex i = begin; i < end; ++i)
            if (wanted.contains(b.flows->cookie_of(i))) found.push_back(i);
        });
    for (const auto& found : pieces)
      for (const openflow::FlowIndex i : found) {
        const openflow::FlowEntry& flow = b.flows->flow(i);
        for (const std::size_t match : wanted.at(flow.cookie))
          use(matches[match], phrase(FoundFact::flow, {b.name, flow.table, flow.priority}), flow.from);
      }
  }
}

// ---- bridges

void Finder::switches(const Node& node) {
  for (const openflow::Bridge& b : node.bridges) {
    if (is_called(b.name))
      add("bridge", b.name, &node,
          {{"ports", std::to_string(b.interfaces.size())},
           {"flows", b.flows ? std::to_string(b.flows->size()) : ""},
           {"fail mode", b.fail_mode}},
          {b.from});
    for (const openflow::Interface& i : b.interfaces) {
      const auto iface = i.external_ids.find("iface-id");
      const std::string id = iface == i.external_ids.end() ? "" : iface->second;
      if (!is_called(i.name) && !(!id.empty() && is_called(id)) && !(term_.mac && i.mac == term_.mac) &&
          !is_number("ofport", i.ofport) && !is_number("in_port", i.ofport) && !is_number("output", i.ofport))
        continue;
      add("interface", i.name, &node,
          {{"bridge", b.name},
           {"ofport", i.ofport ? std::to_string(*i.ofport) : ""},
           {"type", i.type},
           {"iface-id", id},
           {"mac", i.mac ? i.mac->to_string() : ""},
           {"VLAN", i.tag ? std::to_string(*i.tag) : ""}},
          {i.from});
    }
    for (const openflow::FdbEntry& entry : b.fdb)
      if (term_.mac == entry.mac)
        add(phrase(Found::mac_entry), entry.mac.to_string(), &node,
            {{"bridge", b.name}, {"port", std::to_string(entry.port)}, {"VLAN", std::to_string(entry.vlan)}}, {entry.from});
    groups(node, b);
    if (!b.flows) continue;
    flows_with_cookie(node, b);
    flows_with_address(node, b);
  }
}

// Flows by their cookie where no row and no logical flow has it, and conjunctive flows that have none.
void Finder::flows_with_cookie(const Node& node, const openflow::Bridge& bridge) {
  if (!term_.number || *term_.number == 0 || !term_.may_be("cookie")) return;
  const bool explained = std::any_of(matches.begin(), matches.end(), [&](const LookupMatch& m) {
    return m.node == node.name && !m.used_by.empty() && m.kind == "logical flow";
  });
  LookupMatch* match = nullptr;
  for (openflow::FlowIndex i = 0; !explained && i < bridge.flows->size(); ++i) {
    if (bridge.flows->cookie_of(i) != *term_.number) continue;
    const openflow::FlowEntry& flow = bridge.flows->flow(i);
    if (!match) match = add("cookie", fmt::format("{:#x}", flow.cookie), &node, {{"bridge", bridge.name}}, {});
    use(*match, phrase(FoundFact::flow, {bridge.name, flow.table, flow.priority}), flow.from);
  }
}

void Finder::flows_with_address(const Node& node, const openflow::Bridge& bridge) {
  if (!term_.address) return;
  const AddressFlows found = flows_with_address_of(term_, *bridge.flows);
  list_flows(node, bridge, phrase(Found::flows_matching), found.matching);
  list_flows(node, bridge, phrase(Found::flows_matching_prefix), found.matching_prefix);
  list_flows(node, bridge, phrase(Found::flows_naming), found.naming);
}

std::set<std::uint64_t> Finder::cookies_behind(const openflow::Bridge& bridge, openflow::FlowIndex member) {
  std::set<std::uint64_t> cookies;
  if (!bridge.flows->is_conjunctive(member)) return cookies;
  const auto [known, fresh] = conjunctions_.try_emplace(&bridge);
  const std::vector<bool> of_clauses = fresh ? shapes_that_look_at(*bridge.flows, FieldId::conj_id) : std::vector<bool>();
  for (openflow::FlowIndex i = 0; fresh && i < bridge.flows->size(); ++i)
    if (of_clauses[bridge.flows->shape_of(i)]) {
      const openflow::FlowEntry& flow = bridge.flows->flow(i);
      const auto id = static_cast<std::uint32_t>(openflow::value_of(bridge.flows->match(flow), FieldId::conj_id));
      if (flow.cookie != 0) known->second.emplace(std::pair(flow.table, id), flow.cookie);
    }
  std::vector<openflow::Conjunction> memberships;
  bridge.flows->memberships_of(member, memberships);
  for (const openflow::Conjunction& of : memberships)
    for (auto [one, end] = known->second.equal_range({bridge.flows->table_of(member), of.id}); one != end; ++one)
      cookies.insert(one->second);
  return cookies;
}

std::string Finder::flow_words(const Node& node, const openflow::Bridge& bridge, openflow::FlowIndex i) {
  const openflow::FlowEntry& flow = bridge.flows->flow(i);
  std::string what = phrase(FoundFact::flow_of_table, {flow.table, flow.priority});
  if (flow.cookie == 0)
    for (const std::uint64_t cookie : cookies_behind(bridge, i))
      for (const ovn::LogicalFlow* behind : names_.logical_flows(node, cookie))
        what += phrase(FoundFact::of_conjunction, {behind->uuid, behind->stage});
  for (const ovn::LogicalFlow* behind : names_.logical_flows(node, flow.cookie))
    what += phrase(FoundFact::of_logical_flow, {behind->uuid, behind->stage});
  return what;
}

void Finder::list_flows(const Node& node, const openflow::Bridge& bridge, const std::string& kind,
                        const std::vector<openflow::FlowIndex>& flows) {
  if (flows.empty()) return;
  LookupMatch& match = *add(kind, bridge.name, &node, {}, {});
  for (const openflow::FlowIndex i : flows) use(match, flow_words(node, bridge, i), bridge.flows->flow(i).from);
  match.facts.emplace_back("flows", std::to_string(flows.size()));
}

}  // namespace egt::explain
