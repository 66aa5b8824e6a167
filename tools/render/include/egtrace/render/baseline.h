// The file of known failures that `check --write-baseline` writes and `--baseline` reads (docs/schema/baseline.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "egtrace/assess/baseline.h"
#include "egtrace/base/result.h"

namespace egt::render {

// One failure after the other in the order of the expectations, so that a review shows what came and went.
std::string baseline_json(const assess::Baseline& baseline);
// The error names what is wrong with the file.
Result<assess::Baseline> read_baseline(std::string_view text);

}  // namespace egt::render
