#include "phrases/flows_not_updated.h"

#include <fmt/format.h>

namespace egt::explain {

AssumptionReport flows_not_updated(const std::string& node, Evidence evidence) {
  return {fmt::format("the flows of {} stay as they are", node),
          "its ovn-controller is not connected to the southbound database, and changes them when it is again", std::move(evidence)};
}

}  // namespace egt::explain
