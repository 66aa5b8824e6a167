// A program at a terminal, as a user sits before one: what is typed goes in, what it shows comes back.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace egt::testing {

class Terminal {
 public:
  // Runs in `directory`, with these variables ("NAME=value") besides those of the test.
  Terminal(const std::vector<std::string>& command, const std::string& directory, const std::vector<std::string>& variables);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  void type(const std::string& keys) const;
  // Reads until `text` was shown; false where the program ended, or showed nothing of it for half a minute.
  bool wait_for(const std::string& text);
  const std::string& shown() const { return shown_; }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string shown_;
  std::size_t looked_at_ = 0;  // in it: the end of what was waited for last
};

}  // namespace egt::testing
