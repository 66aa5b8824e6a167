// A question about one connection, answered: by `explain`, and by `egtrace serve`.
#pragma once

#include "egtrace/explain/explainer.h"

namespace egt::cli {

// With the cause of what goes wrong, and the counters that show it.
Result<explain::Explanation> answer(const explain::Explainer& explainer, const explain::Question& question);

}  // namespace egt::cli
