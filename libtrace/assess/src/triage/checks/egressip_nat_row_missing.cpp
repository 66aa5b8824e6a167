// An egress IP on OVN's own network whose gateway router has no SNAT row for one of its pods.
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_nat_row_missing {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    if (place.network != EgressNetwork::ovn) continue;
    const cluster::Node* node = f.cluster.node(place.node);
    if (node == nullptr) continue;
    const NatRows rows = nat_rows_of(*node);
    if (!rows.complete) {
      out.lacks(fmt::format("NAT rows of {} (ovn-nbctl list nat)", place.node));
      continue;
    }
    for (const KnownPod* pod : place.pods) {
      const std::string address = pod->address(place.address.family)->to_string(), external = place.address.to_string();
      const auto is_for_pod = [&](const NatRow& row) {
        const auto logical = Prefix::parse(row.logical_ip);
        return row.type == "snat" && row.external_ip == external && logical &&
               logical->contains(*pod->address(place.address.family));
      };
      if (std::any_of(rows.all.begin(), rows.all.end(), is_for_pod)) continue;
      out.add(fmt::format("The gateway router of {} has no SNAT row from pod {} ({}) to egress IP {}: the pod is "
                          "dropped at the external bridge, or leaves as the node.",
                          place.node, pod->full_name(), address, external),
              place.node, place.name(), {place.object->from, pod->object->from},
              fmt::format("ovn-nbctl lr-nat-list of the gateway router of {}; look for the EgressIP in the log of "
                          "ovnkube-controller there.",
                          place.node));
    }
  }
}

}  // namespace egressip_nat_row_missing

const Check kEgressIpNatRowMissing{"egressip-nat-row-missing",
                                   "No SNAT row on the gateway router for an egress IP's pod", Severity::error,
                                   needs_egress_ips, egressip_nat_row_missing::run};

}  // namespace egt::assess
