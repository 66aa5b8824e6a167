// A line of `egtrace shell` as words: blanks between them, '…' and "…" around blanks, a backslash before anything else. Nothing
// is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egt::cli {

struct LineWords {
  std::vector<std::string> words;
  bool open_quote = false;  // the last word lacks its second quote
  bool in_word = false;     // the line ends within a word
};

// Behind a word that begins with '#' is a comment.
LineWords split_line(std::string_view line);

}  // namespace egt::cli
