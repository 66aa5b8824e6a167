// Whether the OpenFlow flows of nodes do what their logical flows intend: one packet walked through either, stage by stage. A
// difference is ovn-controller lagging behind, or a bug of it (or of this program).
#pragma once

#include "egtrace/explain/explanation.h"

namespace egt::explain {

// `realised` was walked through OpenFlow flows, `intended` through logical flows, both with all steps (Question::steps). Of paths
// that the traffic is shared among those are compared that share most of the path. Stages whose only flow passes every
// packet on are not compared, nor what follows where one of the walks is undecided.
CrossCheck cross_check(const Explanation& realised, const Explanation& intended);

}  // namespace egt::explain
