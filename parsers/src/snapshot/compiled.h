// Compiled snapshots (.egt): the files of a snapshot as they were, and what reading the large ones found out.
//
// Layout (docs/formats/egt.md): a header of fixed size, the sections, a directory, and a hash of each block of the file.
// Header, directory and the list of hashes are checked when the file is opened; blocks before they are first read.
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
  // Throws std::runtime_error where these bytes of the file (its mapping) are damaged. Without a file nothing is.
  void check(const void* begin, std::size_t bytes) const;
  // The two ends of the dump's text, by which it is recognised.
  void check_ends(std::string_view text) const;

 private:
  std::shared_ptr<const CompiledFile> file_;  // null: it is being compiled
  std::string_view found_;
};

// What opening the snapshot and reading its nodes found out (compiled_state.h): sections, the first of the whole, then one for
// each node.
class CompiledSections {
 public:
  CompiledSections(std::shared_ptr<const CompiledFile> file, std::vector<std::string_view> sections)
      : file_(std::move(file)), sections_(std::move(sections)) {}
  std::size_t size() const { return sections_.size(); }
  // Throws std::runtime_error where it is damaged.
  std::string_view at(std::size_t i) const;
  std::shared_ptr<const void> keep() const { return file_; }

 private:
  std::shared_ptr<const CompiledFile> file_;
  std::vector<std::string_view> sections_;
};

bool is_compiled(std::string_view bytes);

struct OpenedCompiled {
  std::vector<FoundFile> files;
  // Null: there are none, or other readers wrote them. Else no text is checked so far (FoundFile::unchecked and ::compiled).
  std::shared_ptr<const CompiledSections> sections;
};
// `key`: of this host (seal_key.h). A file that is not sealed with it was made by another user or host: its dumps are read
// anew. The error is the reason alone: another version, cut, damaged.
Result<OpenedCompiled> open_compiled(Content content, std::string_view key);
// Checks what recognising a file's text looks at. Throws std::runtime_error.
void check_ends(const FoundFile& file);

struct FileToCompile {
  const FoundFile* file = nullptr;
  std::string found;  // empty: nothing beside the text
};
// What a file's row in the directory holds of it, and whether secrets may be in it: the file as it will be opened.
FoundFile file_to_open(const FileToCompile& file);
// `key`: as above; empty: none. `write` gets the pieces of the file in order.
void write_compiled(const std::vector<FileToCompile>& files, const std::vector<std::string>& sections, std::string_view key,
                    const std::function<void(std::string_view)>& write);

}  // namespace egt::parsers
