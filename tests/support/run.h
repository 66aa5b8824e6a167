// Runs a program as a user would, without a shell in between.
#pragma once

#include <string>
#include <vector>

namespace egt::testing {

struct Ran {
  int status = 0;  // exit status; 128 + signal where a signal ended it
  std::string out, err;
};

// `directory`: where it runs; empty: here. Standard input is `input`.
Ran run(const std::vector<std::string>& command, const std::string& input = "", const std::string& directory = "");

// Arguments of a line: blanks between, '…' and "…" around.
std::vector<std::string> shell_words(const std::string& line);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);  // with the folders on the way

// A directory that goes away with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }
  std::string file(const std::string& name, const std::string& text) const;  // writes it; its path

 private:
  std::string path_;
};

}  // namespace egt::testing
