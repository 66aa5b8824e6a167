// Packets of clients outside to services, walked for the check of connections that are lost.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

// Each port of a service that nodes, load balancers or external addresses offer is asked once a family: of the nodes that are to answer
// one, each in turn; then each node that was not asked for any, for one that all answer.
std::vector<LostFromOutside> lost_from_outside(const Facts& facts);

}  // namespace egt::assess
