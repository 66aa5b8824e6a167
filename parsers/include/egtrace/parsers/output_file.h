// A file that is there as a whole or not at all: it is written beside its target under a name of its own, brought to the
// disk, and takes the target's name at the end. Whatever happens before (no space left, an error, a signal), an old file of
// that name stays as it was and nothing is left behind.
//
// A device, a pipe or a socket in the target's place is written to as it is.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"

namespace egt::parsers {

enum class Readers { as_usual, owner_alone };  // which users may read it: by the umask and as the old file, or 0600

class OutputFile {
 public:
  // The error is "PATH: cannot be written: why".
  static Result<OutputFile> create(const std::string& path, Readers readers = Readers::as_usual);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // without finish(): as if it had never been

  // False: it failed, and finish() gives the reason.
  bool write(std::string_view bytes);
  // For a library that writes by name in place of write(): this file, which is empty. None where the target itself is written.
  const std::string& unfinished() const { return unfinished_; }
  void fail(int error);  // an errno: that library could not; finish() gives it
  // Why it cannot be written; empty where all is well.
  [[nodiscard]] std::string finish();

 private:
  OutputFile(std::string path, std::string target, std::string unfinished, std::FILE* file);

  std::string path_, target_;  // as the user wrote it; where it leads
  std::string unfinished_;     // the file that takes the target's name; empty: the target itself is written
  std::FILE* file_ = nullptr;
  int error_ = 0;
  int slot_ = -1;  // among the files that a signal removes
};

// From now on SIGINT, SIGTERM and SIGHUP remove unfinished files before they end the program.
void remove_unfinished_files_on_signals();
// For handlers of other signals.
void remove_unfinished_files() noexcept;

}  // namespace egt::parsers
