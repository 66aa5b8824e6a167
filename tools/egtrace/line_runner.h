// Runs lines of `egtrace shell`, each in a process of its own that shares what is open: whatever a line does, takes or breaks
// ends with it, and ^C ends the line alone. Snapshots are opened before, by the shell, which keeps them.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace egt::cli {

// At a terminal SIGINT is the line's; in a script it ends the whole.
enum class Keyboard { line, script };

// While it is there, SIGINT ends nothing in the shell's own process; a line that has not begun its work does not begin it.
class CountedInterrupts {
 public:
  CountedInterrupts();
  CountedInterrupts(const CountedInterrupts&) = delete;
  CountedInterrupts& operator=(const CountedInterrupts&) = delete;
  ~CountedInterrupts();
  static bool any();  // since it was shown to forget them
  static void forget();

 private:
  struct sigaction before_ {};
};

// The exit status; 128 + N where signal N ended it.
int run_line_apart(const std::vector<std::string>& words, Keyboard keyboard);

}  // namespace egt::cli
