// A line of a mapped dump, read a second time when it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers {
class CompiledDump;
}

namespace egt::parsers::ofctl {

// The line that begins at `offset`, without its end and colours; `buffer` holds it where something was taken out. Of a
// compiled snapshot (`compiled`, may be null) its block is checked first. std::runtime_error behind the end of the text.
std::string_view reprinted_line(std::string_view text, std::uint64_t offset, const CompiledDump* compiled, std::string& buffer);

}  // namespace egt::parsers::ofctl
