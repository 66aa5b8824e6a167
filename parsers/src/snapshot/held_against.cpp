#include "snapshot/held_against.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>

namespace egt::parsers {
namespace {

using host::Route;

// What of a route decides, as text: to be compared.
std::string told_by(const Route& r) {
  std::string text = fmt::format("{} {} table {} metric {} tos {} src {} id {}", static_cast<int>(r.type),
                                 r.to.to_string(), host::canonical_table(r.table), r.metric, r.tos.value_or(0),
                                 r.source_hint ? r.source_hint->to_string() : "", r.nexthop_id.value_or(0));
  std::set<std::string> hops;
  for (const host::NextHop& hop : r.next_hops)
    hops.insert(fmt::format(" {} {} {}", hop.via ? hop.via->to_string() : "", hop.device, hop.weight));
  for (const std::string& hop : hops) text += hop;
  return text;
}

// The first of `some`, in a table that the others show as well, that is not among them.
const Route* not_among(const std::vector<Route>& some, const std::vector<Route>& others) {
  std::set<std::string> known, tables;
  for (const Route& r : others) {
    known.insert(told_by(r));
    tables.insert(host::canonical_table(r.table));
  }
  const auto found = std::find_if(some.begin(), some.end(), [&](const Route& r) {
    return tables.contains(host::canonical_table(r.table)) && !known.contains(told_by(r));
  });
  return found == some.end() ? nullptr : &*found;
}

void compare(const host::Part<std::vector<Route>>& read, const host::Part<std::vector<Route>>& other,
             cluster::Node& node) {
  if (!read.present || read.partial || !other.present) return;
  for (const Route* r : {not_among(read.value, other.value), not_among(other.value, read.value)}) {
    if (r == nullptr) continue;
    const char* dash = r->family == Family::v4 ? "-4" : "-6";
    node.contradictions.push_back(
        {cluster::Contradiction::About::routes, "", r->to,
         cluster::Conflict::routes, {r->to.to_short_string(), r->table, dash}});
  }
}

}  // namespace

void hold_routes_against(const std::vector<Candidate*>& dumps, cluster::Node& node) {
  for (const Candidate* c : dumps) {
    if (c->format == nullptr || c->format->kind != "ip route" || c->superseded_by.empty() || !c->why_partial.empty())
      continue;
    cluster::Cluster scratch;
    cluster::Node other;
    Report report;
    try {
      c->format->load(c->dump, scratch, other, report);
    } catch (const std::exception&) {
      continue;  // said where it is loaded in earnest
    }
    if (!report.not_understood.empty()) continue;
    compare(node.host.routes_v4, other.host.routes_v4, node);
    compare(node.host.routes_v6, other.host.routes_v6, node);
  }
}

}  // namespace egt::parsers
