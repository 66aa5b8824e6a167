// The words of what assess finds. No other folder words it.
#pragma once

#include <string>
#include <string_view>
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
std::string phrase(const std::vector<Missing>& all);  // each once

std::string_view title_of(std::string_view check);  // by its id
// A claim about one connection, and what to look at next.
struct CausePhrase {
  std::string claim, next;
};
CausePhrase phrase_of_cause(Claim claim, const Terms& about);
// Gives the finding its texts.
void word(Finding& finding);

}  // namespace egt::assess
