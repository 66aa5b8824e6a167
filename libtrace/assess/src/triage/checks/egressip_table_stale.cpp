// The routing table of an egress IP's link is empty, or belongs to another link (a link that was made anew has a new
// index).
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_table_stale {

void judge(const EgressPlace& place, const cluster::Node& node, const host::PolicyRule& rule, const KnownPod& pod,
           Findings& out) {
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
  out.about(pod);
  out.add(any ? Claim::egressip_table_of_other_link : Claim::egressip_table_empty, place.node, place.name(),
          {rule.table.str(), pod.full_name(), place.address, any ? Term(link->name) : Term()},
          {rule.from, first, place.object->from});
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    const auto& rules = rules_of(*node, place.address.family);
    const auto& routes = routes_of(*node, place.address.family);
    if (!routes.present || routes.partial) {
      out.lacks(Lack::routes, {place.node});
      continue;
    }
    for (const KnownPod* pod : place.pods) {
      const IpAddr& address = *pod->address(place.address.family);
      const auto rule = std::find_if(rules.value.begin(), rules.value.end(), [&](const host::PolicyRule& r) {
        return r.has_from && r.from_prefix.length > 0 && r.from_prefix.contains(address) && r.action == host::RuleAction::lookup;
      });
      if (rule == rules.value.end() || rule->table == "main") continue;
      judge(place, *node, *rule, *pod, out);
      break;  // all pods of one address share the table
    }
  }
}

}  // namespace egressip_table_stale

const Check kEgressIpTableStale{"egressip-table-stale",    Severity::error,     needs_egress_ips,
                                egressip_table_stale::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
