#include "lookup/ovn.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/ovn/southbound.h"
#include "in_pieces.h"
#include "lookup/cookie_flows.h"
#include "lookup/made_for.h"
#include "lookup/parts.h"
#include "lookup/references.h"
#include "lookup/texts.h"

namespace egt::explain {
namespace {

using cluster::Node;
using ovn::Row;

bool refers_to(const Row& row, std::string_view word) {
  return std::any_of(row.columns.begin(), row.columns.end(), [&](const auto& c) { return mentions(c.second, word); });
}

std::string kind_words(const Row& row) { return fmt::format("{} {}", row.table, row.uuid.empty() ? row_name(row) : row.uuid); }

}  // namespace

void OvnLookup::find(const Node& node) {
  CookieFlows flows(matches_);
  find_logical(node, asked_, matches_);
  logical_flows(node, flows);
  rows(node, flows);
  flows.find(node);
}

void OvnLookup::logical_flows(const Node& node, CookieFlows& flows) {
  const LookupTerm& term = asked_.term;
  const auto is_asked_for = [&](const ovn::LogicalFlow& f) {
    const bool by_uuid =
        !term.uuid.empty() && (f.uuid.starts_with(term.uuid) || (!f.uuid.empty() && term.uuid.starts_with(f.uuid)));
    return by_uuid || (!f.stage.empty() && asked_.is_called(f.stage));
  };
  for (const ovn::LogicalFlow* f : wanted_of(node.ovn.logical_flows, is_asked_for)) logical_flow(node, *f, flows);
}

void OvnLookup::logical_flow(const Node& node, const ovn::LogicalFlow& f, CookieFlows& flows) {
  const std::string on = joined(ovn::datapaths_of(node.ovn, f), [](std::string_view d) { return std::string(d); });
  LookupMatch& match = matches_.add("logical flow", std::string(f.uuid), &node,
                                    {{"on", on},
                                     {"stage", fmt::format("{} ({} {})", f.stage, f.ingress ? "ingress" : "egress", f.table)},
                                     {"priority", std::to_string(f.priority)},
                                     {"match", std::string(f.match)},
                                     {"actions", std::string(f.actions)},
                                     {"made by", f.origin ? std::string(f.origin->source) : ""}},
                                    {f.from});
  for (const Row* behind : links_.northbound_rows(node, f)) {
    const std::string object = to_text(links_.object_of(*behind));
    match.facts.emplace_back("made for", fmt::format("{} {} {}{}", behind->table, behind->uuid, row_name(*behind),
                                                     object.empty() ? "" : ": " + object));
  }
  if (f.uuid_prefix) flows.want(*f.uuid_prefix, match);
}

void OvnLookup::rows(const Node& node, CookieFlows& flows) {
  std::vector<const Row*> asked;
  for (const auto* all : {&node.ovn.rows, &node.ovs_rows})
    for (const ovn::Rows::Table& table : all->tables()) {
      const auto found = wanted_of(table.rows(), [&](const Row& row) { return is_row(row) || is_made_for_asked(row); });
      asked.insert(asked.end(), found.begin(), found.end());
    }
  const References references(node, asked);
  for (const Row* r : asked) row(node, *r, references.of(*r), flows);
}

bool OvnLookup::is_row(const Row& row) const {
  const LookupTerm& term = asked_.term;
  if (!term.uuid.empty() && row.uuid.starts_with(term.uuid)) return true;
  if (!term.field.empty())
    return (term.field == "tunnel_key" && text_of(row, "tunnel_key") == term.text) ||
           (term.field == "tag" && text_of(row, "tag") == term.text);
  for (const char* column : {"name", "logical_port", "hostname"})
    if (const std::string name = text_of(row, column); !name.empty() && asked_.is_called(name)) return true;
  if (term.address || term.mac) return refers_to(row, term.dump_text);
  if (term.kind) return false;
  const std::map<std::string, std::string> ids = external_ids_of(row);
  return std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return id.second == term.text; });
}

bool OvnLookup::is_made_for_asked(const Row& row) const {
  if (const auto port = asked_.term.as_port(); port && has_vip_with_port(row, *port)) return true;
  return std::any_of(asked_.objects.begin(), asked_.objects.end(),
                     [&](const AskedObject& object) { return is_made_for(row, object, links_); });
}

void OvnLookup::row(const Node& node, const Row& row, const RowUses& uses, CookieFlows& flows) {
  MatchList::Facts facts = {{"database", row.database}, {"uuid", row.uuid}, {"object", to_text(links_.object_of(row))}};
  for (const auto& [name, value] : row.columns)
    if (value != "[]" && value != "{}" && value != "\"\"") facts.emplace_back(name, value);
  LookupMatch& match = matches_.add(row.table, row_name(row), &node, std::move(facts), {row.from});
  for (const Row* other : uses.rows)
    matches_.use(match, fmt::format("{}: {}", kind_words(*other), row_name(*other)), other->from);
  for (const ovn::LogicalFlow* f : uses.flows)
    matches_.use(match, fmt::format("logical flow {} ({}, priority {})", f->uuid, f->stage, f->priority), f->from);
  if (row.database == "SB") flows.want(ovn::uuid_prefix(row.uuid), match);
}

}  // namespace egt::explain
