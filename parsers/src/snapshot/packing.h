// What the readers of archives and of compressed files share: magic bytes, and libarchive set up without the filters
// that would start other programs.
#pragma once

#include <archive.h>

#include <memory>
#include <string>
#include <string_view>

#include "egtrace/parsers/content.h"

namespace egt::parsers {

struct ArchiveCloser {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchiveReader = std::unique_ptr<archive, ArchiveCloser>;

ArchiveReader new_archive_reader();  // of tar and zip, not compressed
ArchiveReader new_filter_reader();   // of one compressed stream, its filters all running in this process; not of gzip
std::string error_of(archive* a);

bool is_compressed(std::string_view bytes);
bool is_tar(std::string_view bytes);  // by its magic, or by the checksum of a header that has none (v7)
bool is_zip(std::string_view bytes);

Content owned_content(std::string text);

}  // namespace egt::parsers
