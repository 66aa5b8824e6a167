// Archives for tests, packed in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace egt::testing {

struct PackedFile {
  std::string name, text = {};
  std::string link = {};  // target of a symbolic link; then there is no text
  std::int64_t time = 0;
  enum class Kind : std::uint8_t { file, fifo, device } kind = Kind::file;
};

// `filter`: "", "gz", "xz", "zst", "bz2"; `format`: "tar", "zip", "encrypted zip" or "raw" (the first file alone).
std::string pack(const std::vector<PackedFile>& files, const std::string& filter = "", const std::string& format = "tar");

// The files below a directory, in order of their names, symbolic links as links.
std::vector<PackedFile> files_below(const std::string& directory, const std::string& prefix = "");

}  // namespace egt::testing
