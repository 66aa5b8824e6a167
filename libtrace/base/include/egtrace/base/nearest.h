// The known words that are nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egt {

// At most `most` of `known`, nearest first, none that is farther than about a third of its letters.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t most = 3);

}  // namespace egt
