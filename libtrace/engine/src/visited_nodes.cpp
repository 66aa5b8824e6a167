#include "egtrace/engine/visited_nodes.h"

#include <utility>

namespace egt::engine {

std::set<std::string_view> visited_nodes(const Record& record) {
  std::set<std::string_view> names;
  std::string_view last;  // most steps are on the node of the step before
  for (const Step& step : record.steps)
    if (std::exchange(last, step.node) != step.node) names.insert(step.node);
  return names;
}

}  // namespace egt::engine
