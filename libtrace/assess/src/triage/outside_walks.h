// Packets of clients outside to services, walked for the check of connections that are lost.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

// Each port of a service that nodes, load balancers or external addresses offer is asked once a family: of nodes one that is to answer,
// in turn, so that each node is asked for some service.
std::vector<LostFromOutside> lost_from_outside(const Facts& facts);

}  // namespace egt::assess
