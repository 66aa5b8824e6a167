// The lines that a user typed, for the next session: $XDG_STATE_HOME/egtrace/history, else ~/.local/state/egtrace/history
// (XDG Base Directory Specification). No other user may read them.
#pragma once

#include <string>
#include <vector>

namespace egt::cli {

class HistoryFile {
 public:
  HistoryFile();
  std::vector<std::string> lines() const;      // the newest last
  void append(const std::string& line) const;  // where it cannot be written, nothing happens
  const std::string& path() const { return path_; }

 private:
  std::string path_;  // empty: there is no home
};

}  // namespace egt::cli
