// Strict source validation on the link of an egress IP: replies whose route back leads elsewhere are dropped without a
// trace.
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "egtrace/base/text.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_rp_filter {

struct Filter {
  std::uint64_t value = 0;
  Provenance from;
};

// The kernel takes the larger of the link's value and that of "all" (ip-sysctl).
Filter filter_of(const cluster::Node& node, const std::string& link) {
  Filter filter;
  for (const std::string& name : {std::string("all"), link})
    if (const host::SysctlValue* v = dumped_host(node).sysctl_value(fmt::format("net.ipv4.conf.{}.rp_filter", name)))
      if (const auto n = parse_decimal(v->value); n && *n >= filter.value) filter = {*n, v->from};
  return filter;
}

// By the time of the check a reply has the pod's address again: the pod's own rule decides the route back, a mark does not
// (fib_validate_source()). What leads past the link for one of the pods; empty where all are well.
std::optional<engine::RouteAnswer> way_back_past(const cluster::Node& node, const std::vector<const KnownPod*>& pods,
                                                 const IpAddr& peer, const std::string& link) {
  for (const KnownPod* pod : pods) {
    engine::RouteQuery query;
    query.to = peer;
    query.from = *pod->address(peer.family);
    engine::RouteAnswer back = engine::find_route(node.host, query);
    const bool by_link =
        std::any_of(back.hops.begin(), back.hops.end(), [&](const auto& hop) { return hop.get().device == link; });
    if (!by_link && back.kind != engine::RouteAnswer::Kind::unknown) return back;
  }
  return std::nullopt;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || !place.address.is_v4() || node == nullptr) continue;
    const host::Link* link = node->host.owner_of(place.address);
    if (link == nullptr) continue;
    const Filter filter = filter_of(*node, link->name);
    if (filter.value != 1) continue;
    const IpAddr peer = outside(f.cluster, Family::v4);
    const auto back = way_back_past(*node, place.pods, peer, link->name);
    if (!back) continue;
    out.add(Claim::egress_rp_filter, place.node, place.name(),
            {link->name, peer, back->hops.empty() ? Term() : Term(back->hops.front().get().device.str()), place.address},
            {filter.from, back->route != nullptr ? back->route->from : Provenance{}, place.object->from});
  }
}

}  // namespace egress_rp_filter

const Check kEgressRpFilter{"egress-rp-filter", Severity::warning, needs_egress_ips, egress_rp_filter::run};

}  // namespace egt::assess
