// "Did you mean …?": the known words that are nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egt::explain {

// " (did you mean A, B?)", " (there are A, B)" of a few that are all unlike it, or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace egt::explain
