// The text of collect.sh, which the build puts into the program.
#pragma once

#include <string_view>

namespace egt::cli {

std::string_view collect_script();

}  // namespace egt::cli
