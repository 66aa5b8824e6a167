// A program that runs beside the test, until its end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace egt::testing {

class BackgroundProgram {
 public:
  // Waits for the first line that it prints. `directory`: where it runs.
  BackgroundProgram(std::vector<std::string> words, const std::string& directory);
  ~BackgroundProgram();  // SIGKILL, where it still runs
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;
  const std::string& first_line() const { return first_line_; }
  int end(int signal);  // its status; 128 + signal where a signal ended it

 private:
  pid_t process_ = -1;
  std::string first_line_;
};

}  // namespace egt::testing
