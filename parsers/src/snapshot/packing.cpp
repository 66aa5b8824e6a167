#include "snapshot/packing.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "egtrace/base/text.h"
#include "snapshot/archive.h"

namespace egt::parsers {

ArchiveReader new_archive_reader() {
  ArchiveReader reader(archive_read_new());
  archive_read_support_format_empty(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  return reader;
}

ArchiveReader new_filter_reader() {
  ArchiveReader reader(archive_read_new());
  archive* a = reader.get();
  archive_read_support_filter_xz(a);
  archive_read_support_filter_lzma(a);
  archive_read_support_filter_bzip2(a);
  archive_read_support_filter_zstd(a);
  archive_read_support_filter_lz4(a);
  archive_read_support_format_raw(a);
  archive_read_support_format_empty(a);
  return reader;
}

std::string error_of(archive* a) {
  const char* words = archive_error_string(a);
  return words != nullptr ? words : "damaged";
}

bool is_compressed(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kMagic[] = {"\x1f\x8b"sv,
                                                "\xfd"
                                                "7zXZ\0"sv,
                                                "\x28\xb5\x2f\xfd"sv,
                                                "BZh"sv,
                                                "\x04\x22\x4d\x18"sv,
                                                "\x5d\0\0"sv};  // the last: lzma
  return std::any_of(std::begin(kMagic), std::end(kMagic), [&](std::string_view m) { return bytes.starts_with(m); });
}

bool is_tar(std::string_view bytes) {
  if (bytes.size() < 512) return false;
  if (bytes.substr(257, 5) == "ustar") return true;
  // tar(5): the octal sum of the header's bytes, its own eight counted as blanks.
  const std::string_view field = bytes.substr(148, 8);
  const std::size_t end = field.find_first_not_of("01234567", field.find_first_not_of(' '));
  if (bytes[0] == '\0' || end == std::string_view::npos || end < 4) return false;
  unsigned shown = 0;
  for (const char c : trim(field.substr(0, end))) shown = shown * 8 + static_cast<unsigned>(c - '0');
  const auto add = [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); };
  const unsigned sum = std::accumulate(bytes.begin(), bytes.begin() + 148, 8U * ' ', add);
  return shown == std::accumulate(bytes.begin() + 156, bytes.begin() + 512, sum, add);
}

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

bool is_packed(std::string_view bytes) { return is_compressed(bytes) || is_tar(bytes) || is_zip(bytes); }

Content owned_content(std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  Content content;
  content.text = *kept;
  content.keep = std::move(kept);
  return content;
}

}  // namespace egt::parsers
