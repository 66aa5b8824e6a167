// Text that quotes dumps, made fit for terminals and for whoever reads UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

// The bytes of the UTF-8 character with which the text begins (RFC 3629); 0: none.
std::size_t utf8_length(std::string_view text);

// Whether every byte belongs to a character that may be shown as it is: no control characters but line ends and tabs. With
// `colours` sequences that set colours (ECMA-48, SGR) may stand there too.
bool is_printable(std::string_view text, bool colours);
// The text with U+FFFD for each byte that is_printable() objects to: a dump cannot move the cursor or retitle a window.
std::string printable(std::string_view text, bool colours);

}  // namespace egt::render
