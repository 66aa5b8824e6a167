// Archives and compressed files from arbitrary bytes: they end, within the limits, and no member leaves the archive. Text
// that is no archive is packed first, so that the damage that it has lies inside one.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/archive.h"
#include "snapshot/preview.h"

namespace {

using namespace egt::parsers;

constexpr std::uint64_t kKept = 1 << 20;

class Watch : public ArchiveVisitor {
 public:
  bool wants(const std::string& path, std::uint64_t size, std::string_view beginning) override {
    return worth_reading(path, size, beginning);
  }
  void take(ArchiveMember member) override {
    const std::string& name = member.is_link ? member.link_target : member.path;
    const std::string path = name.empty() ? "/" : "/" + name + "/";  // what a compressed file without a name holds
    if (path.find("/../") != std::string::npos || path.starts_with("//")) std::abort();
    kept_ += member.content.text.size();
    if (kept_ > kKept) std::abort();
  }
  void remark(const std::string&, const std::string&) override {}
  void missing(const std::string&, const std::string&) override {}
  void damaged(const std::string&, const std::string&) override {}

 private:
  std::uint64_t kept_ = 0;
};

void visit(std::string_view bytes, const std::string& path) {
  ContentLimits limits;
  limits.file_bytes = limits.archive_bytes = kKept;
  limits.unpacked_bytes = 16 * kKept;
  limits.archive_entries = 1000;
  UnpackBudget budget(limits);
  Watch watch;
  if (is_packed(bytes)) visit_packed(bytes, path, watch, budget);
  Content raw;
  raw.text = bytes;
  if (decompress(raw, limits).text.size() > std::max<std::uint64_t>(kKept, bytes.size())) std::abort();
}

std::string packed(std::string_view text, int filter) {
  std::vector<char> buffer(text.size() * 2 + (64 << 10));
  std::size_t used = 0;
  archive* a = archive_write_new();
  archive_write_add_filter(a, filter);
  archive_write_set_format_pax_restricted(a);
  archive_write_open_memory(a, buffer.data(), buffer.size(), &used);
  for (const char* name : {"case/w1/ip_rule", "case/../w2/ip_rule"}) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size() / 2));
    archive_write_header(a, entry);
    archive_write_data(a, text.data(), text.size() / 2);
    archive_entry_free(entry);
  }
  archive_write_close(a);
  archive_write_free(a);
  return {buffer.data(), used};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  visit(text, "x");
  if (size < 16 || is_packed(text)) return 0;
  std::string bytes = packed(text, data[0] % 2 == 0 ? ARCHIVE_FILTER_NONE : ARCHIVE_FILTER_GZIP);
  visit(bytes, "");
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(size, 8); i += 2) {
    const std::size_t at = (static_cast<std::size_t>(data[i]) * 251 + data[i + 1] * 7) % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (data[i] % 8)));
  }
  visit(bytes, "");
  visit(std::string_view(bytes).substr(0, bytes.size() / 2), "");
  return 0;
}
