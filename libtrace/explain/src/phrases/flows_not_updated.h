// What is assumed of the flows of a node whose ovn-controller is not connected.
#pragma once

#include "egtrace/explain/explanation.h"

namespace egt::explain {

AssumptionReport flows_not_updated(const std::string& node, Evidence evidence);

}  // namespace egt::explain
