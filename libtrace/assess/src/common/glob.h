// Patterns of the shell as far as names need them: * and ?.
#pragma once

#include <string_view>

namespace egt::assess {

bool has_glob(std::string_view pattern);
// `*` matches any run of characters. Linear in the pattern's stars times the text.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace egt::assess
