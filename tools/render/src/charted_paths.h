// The paths of an explanation as charts show them: of paths that fold one, then its replies.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::render {

struct ChartedPath {
  const explain::PathReport* path = nullptr;
  std::string title;
};

std::vector<ChartedPath> charted_paths(const explain::Explanation& e);

}  // namespace egt::render
