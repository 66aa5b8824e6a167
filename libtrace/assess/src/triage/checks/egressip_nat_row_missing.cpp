// An egress IP on OVN's own network whose gateway router has no SNAT row for one of its pods.
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
    const NatRows& rows = f.nat_rows_at(*node);
    if (!rows.complete) {
      out.lacks(Lack::nat_rows, {place.node});
      continue;
    }
    std::vector<const KnownPod*> without;
    for (const KnownPod* pod : place.pods) {
      const std::vector<const NatRow*> own = rows.of(*pod->address(place.address.family));
      const auto translates = [&](const NatRow* row) { return row->type == "snat" && row->external == place.address; };
      if (std::none_of(own.begin(), own.end(), translates)) without.push_back(pod);
    }
    if (without.empty()) continue;
    std::vector<Provenance> proof;
    for (const Provenance& line : layers_of(f, place, without)) proof.push_back(line);
    if (!rows.all.empty()) proof.push_back(rows.all.front().from);  // the list in which the row should be
    out.about(without);
    out.add(Claim::egressip_nat_row_missing, place.node, place.name(), {terms_of(without, place.address.family), place.address},
            proof);
  }
}

}  // namespace egressip_nat_row_missing

const Check kEgressIpNatRowMissing{"egressip-nat-row-missing",    Severity::error,     needs_egress_ips,
                                   egressip_nat_row_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
