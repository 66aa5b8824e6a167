#include "snapshot/compared_dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/host/rule_difference.h"

namespace egt::parsers {
namespace {

using host::Route;

// What of a route decides, as text: to be compared.
std::string text_to_compare(const Route& r) {
  const auto sources = host::sources_of(r);
  std::string text = fmt::format("{} {} from {} table {} metric {} tos {} src {} id {}", static_cast<int>(r.type),
                                 r.to.to_string(), sources ? sources->to_string() : "", host::canonical_table(r.table), r.metric,
                                 r.tos.value_or(0), r.source_hint ? r.source_hint->to_string() : "", r.nexthop_id);
  std::set<std::string> hops;
  for (const host::NextHop& hop : r.next_hops)
    hops.insert(fmt::format(" {} {} {}", hop.via ? hop.via->to_string() : "", hop.device, hop.weight));
  for (const std::string& hop : hops) text += hop;
  return text;
}

// Routes by their texts, by table.
using Tables = std::map<std::string, std::map<std::string, const Route*>>;

Tables tables_of(const std::vector<Route>& routes) {
  Tables tables;
  for (const Route& r : routes) tables[host::canonical_table(r.table)].emplace(text_to_compare(r), &r);
  return tables;
}

// The first route of a table that the other lacks.
const Route* lacking(const std::map<std::string, const Route*>& in, const std::map<std::string, const Route*>& other) {
  for (const auto& [text, route] : in)
    if (!other.contains(text)) return route;
  return nullptr;
}

class RouteDumpComparison {
 public:
  explicit RouteDumpComparison(cluster::Node& node) : node_(node) {}

  void compare(const host::Part<std::vector<Route>>& read, const host::Part<std::vector<Route>>& other,
               std::set<std::string>& confirmed) {
    if (!read.present || read.partial || !other.present) return;
    const Tables ours = tables_of(read.value), theirs = tables_of(other.value);
    for (const auto& [table, routes] : ours) {
      const auto same_table = theirs.find(table);
      if (same_table == theirs.end()) continue;
      const Route* ours_alone = lacking(routes, same_table->second);
      const Route* theirs_alone = lacking(same_table->second, routes);
      for (const Route* r : {ours_alone, theirs_alone}) report(r);
      if (ours_alone == nullptr && theirs_alone == nullptr) confirmed.insert(table);
    }
  }

 private:
  void report(const Route* r) {
    if (r == nullptr) return;
    const char* dash = r->family == Family::v4 ? "-4" : "-6";
    node_.inconsistencies.push_back(
        {cluster::Inconsistency::About::routes, "", r->to, cluster::Conflict::routes, {r->to.to_short_string(), r->table, dash}});
  }

  cluster::Node& node_;
};

}  // namespace

namespace {

bool is_of(const Candidate& c, std::string_view kind) { return c.format != nullptr && c.format->kind == kind; }

// A link or a copy (sos has both) adds nothing.
bool is_copy_of_read(const Candidate& c, const std::vector<Candidate*>& dumps) {
  return std::any_of(dumps.begin(), dumps.end(), [&](const Candidate* read) {
    return read != &c && read->superseded_by.empty() && read->format == c.format && read->dump.text == c.dump.text;
  });
}

// What a dump shows alone; nothing where it is not understood.
std::optional<cluster::Node> shown_by(const Candidate& c) {
  cluster::Cluster scratch;
  cluster::Node other;
  Report report;
  try {
    c.format->load(c.dump, scratch, other, report);
  } catch (const std::exception&) {
    return std::nullopt;  // reported where it is loaded
  }
  return report.not_understood.empty() ? std::optional(std::move(other)) : std::nullopt;
}

// What each whole dump of that kind shows that was not read beside a better one.
std::vector<cluster::Node> shown_beside(const std::vector<Candidate*>& dumps, std::string_view kind) {
  std::vector<cluster::Node> all;
  for (const Candidate* c : dumps) {
    if (!is_of(*c, kind) || c->superseded_by.empty() || !c->why_partial.empty() || is_copy_of_read(*c, dumps)) continue;
    if (auto other = shown_by(*c)) all.push_back(std::move(*other));
  }
  return all;
}

}  // namespace

host::ConfirmedTables compare_route_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node) {
  host::ConfirmedTables confirmed;
  RouteDumpComparison comparison(node);
  for (const cluster::Node& other : shown_beside(dumps, "ip route")) {
    comparison.compare(node.host.routes_v4, other.host.routes_v4, confirmed.v4);
    comparison.compare(node.host.routes_v6, other.host.routes_v6, confirmed.v6);
  }
  return confirmed;
}

void compare_neighbour_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node) {
  using Key = std::pair<IpAddr, std::string_view>;  // address, device
  std::map<Key, const host::Neighbour*> known;
  for (const host::Neighbour& n : node.host.neighbours.value)
    if (n.mac) known.emplace(Key{n.address, n.device}, &n);
  for (const cluster::Node& other : shown_beside(dumps, "ip neigh"))
    for (const host::Neighbour& n : other.host.neighbours.value) {
      const auto same = known.find({n.address, n.device});
      if (same == known.end() || !n.mac || *n.mac == *same->second->mac) continue;
      node.inconsistencies.push_back({cluster::Inconsistency::About::neighbour,
                                      "",
                                      Prefix::host(n.address),
                                      cluster::Conflict::neighbour,
                                      {n.address.to_string(), n.device}});
    }
}

namespace {

struct RuleListing {
  host::Part<netfilter::Ruleset> host::Host::*rules;
  const char* command;
};
constexpr RuleListing kRuleListings[] = {{&host::Host::iptables_v4, "iptables-save"},
                                         {&host::Host::iptables_v6, "ip6tables-save"},
                                         {&host::Host::iptables_legacy_v4, "iptables-legacy-save"},
                                         {&host::Host::iptables_legacy_v6, "ip6tables-legacy-save"},
                                         {&host::Host::nft, "nft list ruleset"}};

// The command that printed the other listing.
std::string command_of(const Candidate& other, std::string_view read_by) {
  const bool commands = other.format->kind == "iptables -S";
  return commands ? fmt::format("{} -S", read_by.substr(0, read_by.find("-save"))) : std::string(other.format->kind);
}

bool lists_rules(const Candidate& c) {
  constexpr std::string_view kKinds[] = {"iptables-save", "ip6tables-save", "iptables -S", "nft list ruleset",
                                         "nft -j list ruleset"};
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](std::string_view kind) { return is_of(c, kind); });
}

bool was_read(const Candidate& c, const cluster::Node& node) {
  return std::any_of(std::begin(kRuleListings), std::end(kRuleListings),
                     [&](const RuleListing& l) { return (node.host.*l.rules).from.source == c.dump.source; });
}

// A table as iptables-save or iptables -S prints it: policies in no order, rules in that of their chains, without counters.
struct PrintedTable {
  std::set<std::string_view> policies;  // "INPUT DROP"
  std::vector<std::string_view> rules;  // "-A INPUT …"
  friend bool operator==(const PrintedTable&, const PrintedTable&) = default;
};

std::vector<PrintedTable> printed_tables(std::string_view text) {
  std::vector<PrintedTable> tables(1);  // of -S, which names none
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with('*')) tables.emplace_back();
    if (line.starts_with('[')) line = trim(line.substr(std::min(line.find(']'), line.size() - 1) + 1));
    if (line.starts_with("-A ")) tables.back().rules.push_back(line);
    if (line.starts_with("-P ")) tables.back().policies.insert(line.substr(3));
    if (line.starts_with(':') && line.find(" - ") == std::string_view::npos)
      tables.back().policies.insert(trim(line.substr(1, line.find('[') - 1)));
  }
  return tables;
}

bool is_of_same_tool(const Candidate& a, const Candidate& b) {
  const auto says = [](const Candidate& c, std::string_view word) {
    return c.dump.command.find(word) != std::string_view::npos || c.format->kind.find(word) != std::string_view::npos;
  };
  return says(a, "tables") && says(b, "tables") && says(a, "ip6tables") == says(b, "ip6tables") &&
         says(a, "legacy") == says(b, "legacy");
}

// Whether `other` only repeats tables of the listing that was read, which spares it being parsed.
bool is_printed_alike(const Candidate& other, const std::vector<Candidate*>& dumps, const cluster::Node& node) {
  const std::vector<PrintedTable> tables = printed_tables(other.dump.text);
  const auto alike = [&](const Candidate& read) {
    const std::vector<PrintedTable> known = printed_tables(read.dump.text);
    return std::all_of(tables.begin(), tables.end(),
                       [&](const PrintedTable& t) { return std::find(known.begin(), known.end(), t) != known.end(); });
  };
  return std::any_of(dumps.begin(), dumps.end(), [&](const Candidate* c) {
    return lists_rules(*c) && is_of_same_tool(*c, other) && was_read(*c, node) && alike(*c);
  });
}

}  // namespace

void compare_rule_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node) {
  for (const Candidate* c : dumps) {
    if (!lists_rules(*c) || !c->why_partial.empty() || was_read(*c, node) || is_copy_of_read(*c, dumps) ||
        is_printed_alike(*c, dumps, node))
      continue;
    const auto other = shown_by(*c);
    for (const auto& [rules, command] : kRuleListings) {
      const auto& read = node.host.*rules;
      if (!other || !read.present || read.partial || !(other->host.*rules).present) continue;
      if (const auto differs = netfilter::different_chain(read.value, (other->host.*rules).value))
        node.inconsistencies.push_back(
            {cluster::Inconsistency::About::netfilter,
             "",
             std::nullopt,
             cluster::Conflict::rules,
             {differs->chain, differs->table, fmt::format("{}; {}", command, command_of(*c, command))}});
    }
  }
}

}  // namespace egt::parsers
