// Which finding of triage explains what one connection meets.
#pragma once

#include <optional>

#include "egtrace/explain/explainer.h"

namespace egt::assess {

// Runs the checks that find causes (not those that report what follows from them) and picks the finding that concerns this
// connection's ends and objects, or stands on the lines that decided it. None where no check knows the cause, and where
// nothing is wrong: the connection is answered as intended, or undecided.
std::optional<explain::Cause> find_cause(const explain::Explainer& explainer, const explain::Explanation& e);

}  // namespace egt::assess
