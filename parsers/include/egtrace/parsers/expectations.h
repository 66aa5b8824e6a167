// Reads a file of expectations (YAML, docs/expectations.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/expect/expectation.h"

namespace egt::parsers {

// The error is "PATH:LINE: what; what to do". A key that is not known is an error: an expectation that is silently left
// away would pass.
Result<std::vector<expect::Expectation>> parse_expectations(std::string_view text, const std::string& path);

}  // namespace egt::parsers
