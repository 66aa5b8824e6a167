// SHA-1 (RFC 3174), by which a database log vouches for its records. Not for anything that must be secret.
#pragma once

#include <string>
#include <string_view>

namespace egt::parsers::ovsdb {

// In lower-case hexadecimal: 40 digits.
std::string sha1(std::string_view bytes);

}  // namespace egt::parsers::ovsdb
