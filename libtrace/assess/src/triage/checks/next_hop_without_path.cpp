// Rows of the northbound database that ovn-northd ignores, because no port of the router reaches their next hop.
#include "common/look.h"
#include "common/router_networks.h"
#include "egtrace/ovn/rows/nb.h"
#include "triage/checks.h"

namespace egt::assess {
namespace next_hop_without_path {

using Route = rows::nb::LogicalRouterStaticRoute;
using Policy = rows::nb::LogicalRouterPolicy;

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const RouterNetworks networks(node->ovn);
    std::vector<const ovn::Row*> without;
    for (const ovn::Row& row : node->ovn.rows)
      if ((is<Route>(row) || is<Policy>(row)) && networks.reach_of(row) == Reach::not_reached) without.push_back(&row);
    if (without.empty()) continue;
    const ovn::Row& row = *without.front();
    const auto route = as<Route>(row);
    const std::string subject = route ? route->ip_prefix() : as<Policy>(row)->match();
    out.add(Claim::next_hop_without_path, node->name, "",
            {Term(!route), subject, ovn::text_of(row, "router"), next_hops_of(row).front(), more(without.size() - 1)},
            places_of(without));
  }
}

}  // namespace next_hop_without_path

const Check kNextHopWithoutPath{"next-hop-without-path", Severity::warning, always, next_hop_without_path::run};

}  // namespace egt::assess
