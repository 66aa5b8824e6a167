// ovn-northd has not translated rows of the northbound database: it stands still, and nothing that was changed since has effect.
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/look.h"
#include "common/router_networks.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/southbound.h"
#include "triage/checks.h"

namespace egt::assess {
namespace northd_behind {

namespace nb = rows::nb;
using Route = nb::LogicalRouterStaticRoute;
using Policy = nb::LogicalRouterPolicy;

constexpr std::string_view kShown[] = {Policy::kTable, Route::kTable, nb::Acl::kTable};

// What the row's logical flows match.
std::string match_of(const ovn::Row& row) {
  if (const auto route = as<Route>(row)) return route->ip_prefix();
  if (const auto policy = as<Policy>(row)) return policy->match();
  const auto acl = as<nb::Acl>(row);
  return acl ? acl->match() : std::string();
}

// Whether a logical flow was made for the row. A database has the flow's stage-hint (ovn-sb(5)), which names the row; a list shows it
// only of routes and policies, which stand in the flow's match.
class Translated {
 public:
  explicit Translated(const cluster::Node& node) : has_hints_(ovn::has_flow_database(node.ovn)) {
    for (const ovn::LogicalFlow& flow : node.ovn.logical_flows) {
      if (flow.stage == "lr_in_ip_routing") add_prefixes(flow.match);
      if (flow.stage == "lr_in_policy") policies_.insert(flow.match);
      if (flow.origin) hints_.insert(flow.origin->stage_hint);
    }
  }

  bool shows(std::string_view table) const { return has_hints_ || table != nb::Acl::kTable; }
  bool has(const ovn::Row& row) const {
    if (has_hints_) return hints_.contains(std::string_view(row.uuid).substr(0, 8));
    const std::string wanted = match_of(row);
    return is<Policy>(row) ? policies_.contains(wanted) : routes_.contains(wanted);
  }

 private:
  // Of "reg7 == 0 && ip4.dst == 10.0.0.0/8"; ovn-northd writes a host route without its length or with it.
  void add_prefixes(std::string_view match) {
    for (const std::string_view word : words(match)) {
      routes_.insert(word);
      if (const auto prefix = Prefix::parse(word); prefix && prefix->is_host()) routes_.insert(word.substr(0, word.find('/')));
    }
  }

  bool has_hints_;
  std::set<std::string_view, std::less<>> routes_;  // words of their matches
  std::set<std::string_view, std::less<>> policies_, hints_;
};

// How many rows of a table make flows with one match.
class Matches {
 public:
  explicit Matches(const ovn::Ovn& ovn) {
    for (const std::string_view table : kShown)
      for (const ovn::Row& row : ovn.rows.of(Route::kDatabase, table)) ++counts_[{row.table, match_of(row)}];
  }
  bool has_several(const ovn::Row& row) const { return counts_.at({row.table, match_of(row)}) > 1; }

 private:
  std::map<std::pair<std::string_view, std::string>, std::size_t> counts_;
};

// Routes with BFD may be down; equal ones make one flow.
bool is_distinct(const ovn::Row& row) {
  const auto route = as<Route>(row);
  return !route || route->bfd().empty();
}

// ACLs that are made flows of: of a switch, or of a group with ports.
std::set<std::string> acls_in_effect(const ovn::Ovn& ovn) {
  std::set<std::string> all;
  const auto add = [&all](const std::vector<std::string>& uuids) { all.insert(uuids.begin(), uuids.end()); };
  for (const nb::LogicalSwitch of : rows_of<nb::LogicalSwitch>(ovn.rows)) add(of.acls());
  for (const nb::PortGroup group : rows_of<nb::PortGroup>(ovn.rows))
    if (!group.ports().empty()) add(group.acls());
  return all;
}

// Leaves those that ovn-northd makes flows of where it runs, as far as dumps show it.
void keep_effective(const ovn::Ovn& ovn, std::vector<const ovn::Row*>& rows) {
  if (rows.empty()) return;
  const RouterNetworks networks(ovn);
  const std::set<std::string> acls = acls_in_effect(ovn);
  std::erase_if(rows, [&](const ovn::Row* row) {
    if (is<nb::Acl>(*row)) return !acls.contains(row->uuid);
    return networks.knows_routers() && networks.reach_of(*row) != Reach::reached;
  });
}

std::vector<const ovn::Row*> rows_without_flows(const ovn::Ovn& ovn, const Translated& translated) {
  std::vector<const ovn::Row*> without;
  const Matches matches(ovn);
  for (const std::string_view table : kShown) {
    if (!translated.shows(table)) continue;
    for (const ovn::Row& row : ovn.rows.of(Route::kDatabase, table))
      if (ovn::uuid_prefix(row.uuid) != 0 && !translated.has(row) && is_distinct(row) && !matches.has_several(row))
        without.push_back(&row);
  }
  return without;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!f.explainer.agreement(*node)) {  // not all logical flows are there
      if (is_cluster_node(*node)) out.lacks(Lack::logical_flows, {node->name});
      continue;
    }
    std::vector<const ovn::Row*> without = rows_without_flows(node->ovn, Translated(*node));
    keep_effective(node->ovn, without);
    if (without.empty()) continue;
    const ovn::Row& row = *without.front();
    const auto route = as<Route>(row);
    Terms about{route ? Term(route->ip_prefix()) : Term(is<nb::Acl>(row)), route ? route->nexthop() : match_of(row),
                more(without.size() - 1)};
    out.add(route ? Claim::northd_lacks_route : Claim::northd_lacks_row, node->name, "", about, places_of(without));
  }
}

}  // namespace northd_behind

const Check kNorthdBehind{"northd-behind", Severity::warning, always, northd_behind::run};

}  // namespace egt::assess
