// The words of what assess finds. No other folder words it.
#pragma once

#include <string>
#include <vector>

#include "egtrace/assess/triage.h"
#include "egtrace/base/term.h"

namespace egt::assess {

// Something of the snapshot that a check needs.
struct Missing {
  Lack lack{};
  Terms about = {};
};

std::string phrase(const Missing& missing);
std::string phrase(const std::vector<Missing>& all);   // each once

// Gives the finding its texts.
void word(Finding& finding);

}  // namespace egt::assess
