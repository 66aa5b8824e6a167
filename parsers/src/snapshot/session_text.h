// What stands in a dump without being of it: words of `oc debug` and `oc exec`, and errors of the tool itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers {

struct Quiet {
  std::string_view text;            // without session text at its beginning and end
  std::uint32_t skipped_lines = 0;  // before it
  std::string failed;               // there is nothing but session text: the line that shows what went wrong
  std::string ended;                // the tool gave up in the end: its words
};
Quiet without_session_text(std::string_view text);

}  // namespace egt::parsers
