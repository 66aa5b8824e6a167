// The bytes of one file as every later stage reads them: mapped where they lie plain, decompressed where they do not.
//
// Compression is shown by the first bytes, not by the name (.gz, .xz, .zst, .bz2, .lz4). Only regular files (behind any
// number of symbolic links) and standard input are opened: a device or a fifo would block or never end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"

namespace egt::parsers {

struct Content {
  std::string_view text;
  std::shared_ptr<const void> keep;  // owns what `text` points to
  bool cut = false;                  // the compressed stream ended early or was damaged: `text` is what came before
  std::string cut_why;
};

// Against compression bombs: what is longer is cut there, and `cut` is set.
struct ContentLimits {
  std::uint64_t file_bytes = std::uint64_t{4} << 30;       // of one decompressed file
  std::uint64_t archive_bytes = std::uint64_t{8} << 30;    // of all members of archives that are kept, together
  std::uint64_t unpacked_bytes = std::uint64_t{64} << 30;  // of all that is unpacked to find them
  std::uint64_t archive_entries = 500000;
  std::uint64_t innocent_bytes = std::uint64_t{256} << 20;  // an archive that unpacks to less is never called a bomb
};

// "-" is standard input; a pipe is read to its end ("<(…)" of a shell). The error is the reason alone ("no such file"), without
// the path.
Result<Content> read_content(const std::string& path, const ContentLimits& limits = {});

// The same without decompressing, and without opening pipes: for what lies in a snapshot.
Result<Content> read_packed(const std::string& path, const ContentLimits& limits = {});

// Decompresses `raw` where its first bytes are of a compressed format; hands it back unchanged otherwise.
Content decompress(Content raw, const ContentLimits& limits = {});

// Large files are mapped. From now on one that another process cuts short while it is read ends the program with
// this status and a line that names it, where it would end by SIGBUS.
void end_when_files_change(int status);

// A mapped file that was written to since, and what to do; none where all are as they were. What was taken from
// them is not to be relied on.
std::optional<std::string> changed_file();

// A NUL byte near its beginning: nothing that was pasted or typed.
bool looks_binary(std::string_view text);
// Whether it is something else than text, such as a capture of packets: one of 32 bytes at its beginning or more is none of
// a text. A text with damaged places still is one.
bool is_no_text(std::string_view bytes);

}  // namespace egt::parsers
