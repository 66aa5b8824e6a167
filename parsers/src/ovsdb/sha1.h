// SHA-1 (RFC 3174), by which a database log vouches for its records. Not for anything that must be secret.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers::ovsdb {

using Sha1 = std::array<std::uint32_t, 5>;  // the five words of the digest, first one first

Sha1 sha1(std::string_view bytes);
std::string to_hex(const Sha1& digest);  // 40 digits, lower case

}  // namespace egt::parsers::ovsdb
