// Compiled snapshots (.egt): the files of a snapshot as they were, and what reading the large ones found out.
//
// Layout (docs/formats/egt.md): a header of fixed size, the sections, a directory, and a hash of each block of the file.
// Header, directory and the list of hashes are checked when the file is opened; blocks before somebody looks at them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/parsers/content.h"
#include "snapshot/discover.h"

namespace egt::parsers {

class CompiledFile;

// What is kept of one dump beside its text.
class CompiledDump {
 public:
  CompiledDump(std::shared_ptr<const CompiledFile> file, std::string_view found) : file_(std::move(file)), found_(found) {}
  // Written by the format that reads it; begins at a multiple of 64 bytes.
  std::string_view found() const { return found_; }
  // Throws std::runtime_error where these bytes of the file (its mapping) are damaged.
  void check(const void* begin, std::size_t bytes) const;
  std::shared_ptr<const CompiledFile> file() const { return file_; }

 private:
  std::shared_ptr<const CompiledFile> file_;
  std::string_view found_;
};

bool is_compiled(std::string_view bytes);

// `key`: of this machine (machine_key.h). A file that is not sealed with it was made by somebody else: its dumps are read anew.
// The error is the reason alone: another version, cut, damaged.
Result<std::vector<FoundFile>> open_compiled(Content content, std::string_view key);

struct FileToCompile {
  const FoundFile* file = nullptr;
  std::string found;   // empty: nothing beside the text
};
// `key`: as above; empty: none. `write` gets the pieces of the file in order.
void write_compiled(const std::vector<FileToCompile>& files, std::string_view key, const std::function<void(std::string_view)>& write);

}  // namespace egt::parsers
