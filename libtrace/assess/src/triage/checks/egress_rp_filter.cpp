// Strict source validation on the link of an egress IP: answers whose way back leads elsewhere are dropped without a
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
    if (const host::SysctlValue* v = node.host.sysctl_value(fmt::format("net.ipv4.conf.{}.rp_filter", name)))
      if (const auto n = parse_decimal(v->value); n && *n >= filter.value) filter = {*n, v->from};
  return filter;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || !place.address.is_v4() || node == nullptr) continue;
    const host::Link* link = node->host.owner_of(place.address);
    if (link == nullptr) continue;
    const Filter filter = filter_of(*node, link->name);
    if (filter.value != 1) continue;
    // The answer's source is looked up in the main table, whatever the pod's own rule says.
    const IpAddr peer = outside(f.cluster, Family::v4).address;
    const host::Route* back = best_route(*node, "main", peer);
    const bool other = back == nullptr || std::none_of(back->next_hops.begin(), back->next_hops.end(),
                                                       [&](const auto& hop) { return hop.device == link->name; });
    if (!other) continue;
    out.add(
        fmt::format(
            "rp_filter of {} on {} is strict, and the way back to {} leads by {}: answers to egress IP {} are dropped.",
            link->name, place.node, peer.to_string(),
            back == nullptr || back->next_hops.empty() ? "no device" : back->next_hops.front().device,
            place.address.to_string()),
        place.node, place.name(), {filter.from, back != nullptr ? back->from : Provenance{}, place.object->from},
        fmt::format(
            "sysctl -w net.ipv4.conf.{}.rp_filter=2 on {}; nstat -az TcpExtIPReversePathFilter counts what is dropped.",
            link->name, place.node));
  }
}

}  // namespace egress_rp_filter

const Check kEgressRpFilter{"egress-rp-filter", "Strict rp_filter in the way of an egress IP's answers",
                            Severity::warning, needs_egress_ips, egress_rp_filter::run};

}  // namespace egt::assess
