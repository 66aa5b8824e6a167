// UTF-8 (RFC 3629).
#pragma once

#include <cstdint>
#include <string>

namespace egt {

// `code`: at most 0x10ffff, and no half of a surrogate pair, which the caller has seen to.
void append_utf8(std::uint32_t code, std::string& out);

}  // namespace egt
