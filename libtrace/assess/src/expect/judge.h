// One explanation compared with one expectation.
#pragma once

#include "egtrace/assess/check.h"

namespace egt::assess {

// What an expectation demands, for a reader; the verdict always first.
std::vector<Property> expected_properties(const expect::Expectation& e);

Judgement judge(const explain::Explanation& explanation, const expect::Expectation& e, const CheckOptions& options);

}  // namespace egt::assess
