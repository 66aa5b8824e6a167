// RFC 4648, as tracers print the bytes of packets.
#pragma once

#include <string>
#include <string_view>

namespace egt::parsers::kernel_events {

// The bytes, in place of what `out` holds. False where the text is none of base64: `out` has what came before.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace egt::parsers::kernel_events
