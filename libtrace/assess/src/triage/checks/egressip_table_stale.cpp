// The routing table of an egress IP's link is empty, or belongs to another link (a link that was made anew has a new
// index).
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_table_stale {

void judge(const Facts& f, const EgressPlace& place, const cluster::Node& node, const host::PolicyRule& rule,
           const KnownPod& pod, Findings& out) {
  const auto& routes = routes_of(node, place.address.family);
  const host::Link* link = node.host.owner_of(place.address);
  bool any = false, right = false;
  Provenance first;
  for (const host::Route& r : routes.value) {
    if (r.table != rule.table) continue;
    if (!any) first = r.from;
    any = true;
    for (const host::NextHop& hop : r.next_hops) right |= link == nullptr || hop.device == link->name;
  }
  if (any && right) return;
  const std::string what = !any ? fmt::format("is empty: packets fall through to the main table")
                                : fmt::format("holds no route by {}, which has the address", link->name);
  out.about(pod);
  out.add(fmt::format("Table {} on {}, to which the rule for pod {} of egress IP {} leads, {}.", rule.table, place.node,
                      pod.full_name(), place.address.to_string(), what),
          place.node, place.name(), {rule.from, first, place.object->from},
          fmt::format("ip route show table {} and ip link on {}: the table is 1000 + the link's index; restart "
                      "ovnkube-node after the link was made anew.",
                      rule.table, place.node));
  (void)f;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    const auto& rules = rules_of(*node, place.address.family);
    const auto& routes = routes_of(*node, place.address.family);
    if (!routes.present || routes.partial) {
      out.lacks(fmt::format("routes of {} (ip route show table all)", place.node));
      continue;
    }
    for (const KnownPod* pod : place.pods) {
      const IpAddr& address = *pod->address(place.address.family);
      const auto rule = std::find_if(rules.value.begin(), rules.value.end(), [&](const host::PolicyRule& r) {
        return r.has_from && r.from_prefix.length > 0 && r.from_prefix.contains(address) &&
               r.action == host::RuleAction::lookup;
      });
      if (rule == rules.value.end() || rule->table == "main") continue;
      judge(f, place, *node, *rule, *pod, out);
      break;  // all pods of one address share the table
    }
  }
}

}  // namespace egressip_table_stale

const Check kEgressIpTableStale{"egressip-table-stale", "The routing table of an egress IP is empty or of another link",
                                Severity::error, needs_egress_ips, egressip_table_stale::run,
    Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
