// Does the node do what OVN demands? Logical flows that have no OpenFlow flow though they should, and OpenFlow flows of a
// logical flow that is not there: signs of an ovn-controller that lags or is stuck, or of dumps taken at different times.
//
// Only flows that must be there are missed: logical flows of datapaths that the node does not carry, and those of which the
// match may come to nothing here (ports that are not bound here, residence), may rightly have none.
#pragma once

#include <optional>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/agreement.h"

namespace egt::explain {

using ovn::Agreement;

// Empty where the dumps cannot show: excerpts, or a list without UUIDs or of some datapaths only.
std::optional<Agreement> agreement_of(const cluster::Cluster& cluster, const cluster::Node& node);

}  // namespace egt::explain
