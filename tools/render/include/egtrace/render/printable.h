// Text that quotes dumps, made fit for terminals and for readers of UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

// The bytes of the UTF-8 character with which the text begins (RFC 3629); 0: none.
std::size_t utf8_length(std::string_view text);

// Begins a colour ("1;31") or ends it ("0"), for printable(), which turns it into what terminals know (ECMA-48, SGR).
std::string colour(std::string_view code);

// Whether every byte belongs to a character that may be shown as it is: no colours, no control characters but line ends
// and tabs, no invisible characters.
bool is_printable(std::string_view text);
// The text with U+FFFD for each byte of a control character or of none, and with "\u202e" for characters that are invisible
// and change how others look (Trojan Source): a dump cannot colour, move the cursor, retitle a window or turn text round.
std::string printable(std::string_view text);

// The text with escapes for invisible characters and controls of C1, everything else as it is. JSON, with the backslash that
// it writes, still means the same; what is shown to people has a backslash of its own ("\\\\" within JSON).
std::string with_visible(std::string_view text, std::string_view backslash = "\\");

}  // namespace egt::render
