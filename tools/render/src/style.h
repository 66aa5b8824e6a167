// Colour and line breaking of text for terminals. Widths count bytes of ASCII; other text is only ever too short.
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

enum class Tone { plain, heading, good, bad, doubtful, faint };

class Style {
 public:
  explicit Style(bool colour) : colour_(colour) {}
  std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool colour_;
};

Tone tone_of_verdict(std::string_view verdict);

// Breaks at blanks (and behind commas where a word is too long), each line indented; ends with a newline.
// `most_lines` 0: no limit; otherwise the rest is cut and marked "...".
std::string wrap(std::string_view text, std::size_t indent, std::size_t width, std::size_t most_lines = 0);

}  // namespace egt::render
