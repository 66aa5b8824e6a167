// ovn-northd has not translated rows of the northbound database: it stands still, and nothing that was changed since has effect.
#include <algorithm>
#include <set>
#include <string_view>

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
      if (flow.stage == "lr_in_ip_routing") routes_.push_back(flow.match);
      if (flow.stage == "lr_in_policy") policies_.insert(flow.match);
      if (const ovn::FlowOrigin* origin = ovn::origin_of(node.ovn, flow)) hints_.insert(origin->stage_hint);
    }
  }

  bool is_shown(const ovn::Row& row) const { return is<Route>(row) || is<Policy>(row) || (has_hints_ && is<nb::Acl>(row)); }
  bool has(const ovn::Row& row) const {
    if (has_hints_) return hints_.contains(std::string_view(row.uuid).substr(0, 8));
    const std::string wanted = match_of(row);
    if (is<Policy>(row)) return policies_.contains(wanted);
    return std::any_of(routes_.begin(), routes_.end(),
                       [&](std::string_view match) { return match.find(wanted) != std::string_view::npos; });
  }

 private:
  bool has_hints_;
  std::vector<std::string_view> routes_;  // matches
  std::set<std::string_view, std::less<>> policies_, hints_;
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

bool has_equal(const cluster::Node& node, const ovn::Row& row) {
  return std::any_of(node.ovn.rows.begin(), node.ovn.rows.end(), [&](const ovn::Row& other) {
    return &other != &row && other.table == row.table && other.database == row.database && match_of(other) == match_of(row);
  });
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!f.explainer.agreement(*node)) {  // not all logical flows are there
      if (is_cluster_node(*node)) out.lacks(Lack::logical_flows, {node->name});
      continue;
    }
    const Translated translated(*node);
    std::vector<const ovn::Row*> without;
    for (const ovn::Row& row : node->ovn.rows) {
      if (row.uuid.size() < 8 || !translated.is_shown(row) || translated.has(row)) continue;
      if (is_distinct(row) && !has_equal(*node, row)) without.push_back(&row);
    }
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
