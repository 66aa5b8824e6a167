// SHA-256 (FIPS 180-4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt {

// In lower-case hexadecimal, as sha256sum prints it.
std::string sha256(std::string_view text);

// In base64 (RFC 4648), as Content-Security-Policy writes it.
std::string sha256_base64(std::string_view text);

}  // namespace egt
