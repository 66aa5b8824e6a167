// Lines of a user at a terminal: edited, completed and remembered where GNU readline was there when this was built, else as the
// terminal gives them. ^C gives the line up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace egt::cli {

class LineReader {
 public:
  // What may stand where the last of the words does.
  using Complete = std::function<std::vector<std::string>(const std::vector<std::string>& words)>;

  explicit LineReader(Complete complete);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // None: the end (^D). Empty, too, for a line that ^C ended.
  std::optional<std::string> read(const std::string& prompt);
  void remember(const std::string& line);
};

}  // namespace egt::cli
