// The bytes of one file as every later stage wants them: mapped where they lie plain, decompressed where they do not.
//
// Compression is told by the first bytes, not by the name (.gz, .xz, .zst, .bz2, .lz4). Only regular files (behind any
// number of symbolic links) and standard input are opened: a device or a fifo would block or never end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"

namespace egt::parsers {

struct Content {
  std::string_view text;
  std::shared_ptr<const void> keep;   // owns what `text` points to
  bool cut = false;                   // the compressed stream ended early or was damaged: `text` is what came before
  std::string cut_why;
};

// Against compression bombs: what is longer is cut there, and `cut` says so.
struct ContentLimits {
  std::uint64_t file_bytes = std::uint64_t{4} << 30;      // of one decompressed file
  std::uint64_t archive_bytes = std::uint64_t{8} << 30;   // of all entries of one archive together
  std::size_t archive_entries = 200000;
};

// "-" is standard input. The error is the reason alone ("no such file"), without the path.
Result<Content> read_content(const std::string& path, const ContentLimits& limits = {});

// Decompresses `raw` where its first bytes say so; hands it back unchanged otherwise.
Content decompress(Content raw, const ContentLimits& limits = {});

// Whether these bytes (decompressed) begin a tar archive.
bool is_tar(std::string_view bytes);

// Whether the text is no text: a NUL byte near its beginning.
bool looks_binary(std::string_view text);

struct ArchiveEntry {
  std::string path;                   // as in the archive, cleaned: no leading '/', no "." and ".." parts
  std::string link_target;            // of a symbolic or hard link; then there is no content
  Content content;
};

// Calls `take` for each regular file and link of a tar archive. An archive that is cut gives the entries before the cut
// and an error that says so.
struct ArchiveEnd { bool complete = true; std::string why; };
ArchiveEnd read_tar(std::string_view bytes, const std::function<void(ArchiveEntry)>& take,
                    const ContentLimits& limits = {});

}  // namespace egt::parsers
