// Which readers and which model this program was built of: a hash of their sources, made by the build (parsers/CMakeLists.txt).
#pragma once

#include <string_view>

namespace egt::parsers {

std::string_view readers_hash();

}  // namespace egt::parsers
