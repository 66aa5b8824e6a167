#include "line_words.h"

#include "egtrace/base/text.h"

namespace egt::cli {

LineWords split_line(std::string_view line) {
  LineWords out;
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      out.in_word = true;
    } else if (quote != 0 ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != 0 ? '\0' : c;
      out.in_word = true;
    } else if (quote == 0 && (is_blank(c) || c == '\r')) {
      if (out.in_word) out.words.push_back(std::move(word));
      word.clear();
      out.in_word = false;
    } else if (quote == 0 && c == '#' && !out.in_word) {
      return out;
    } else {
      word += c;
      out.in_word = true;
    }
  }
  out.open_quote = quote != 0;
  if (out.in_word) out.words.push_back(std::move(word));
  return out;
}

}  // namespace egt::cli
