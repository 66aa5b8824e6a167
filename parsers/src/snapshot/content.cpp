#include "egtrace/parsers/content.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Content owned(std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  Content content;
  content.text = *kept;
  content.keep = std::move(kept);
  return content;
}

Result<Content> read_stream(int fd, const ContentLimits& limits) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{std::strerror(errno)};
    if (n == 0) return owned(std::move(text));
    if (text.size() + static_cast<std::size_t>(n) > limits.file_bytes) return Error{"is longer than egtrace reads"};
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<Content> map_file(int fd, std::size_t size, const ContentLimits& limits) {
  // Files of /proc and /sys claim to be empty and are not.
  if (size == 0) return read_stream(fd, limits);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return read_stream(fd, limits);
  Content content;
  content.keep = std::shared_ptr<const void>(at, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  content.text = {static_cast<const char*>(at), size};
  return content;
}

Result<Content> read_raw(const std::string& path, const ContentLimits& limits) {
  if (path == "-") return read_stream(STDIN_FILENO, limits);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return Error{errno == ENOENT ? std::string("no such file") : std::string(std::strerror(errno))};
  }
  if (S_ISDIR(info.st_mode)) return Error{"is a directory"};
  if (!S_ISREG(info.st_mode)) return Error{"is no regular file"};
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return Error{std::strerror(errno)};
  return map_file(fd.get(), static_cast<std::size_t>(info.st_size), limits);
}

bool is_compressed(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kMagic[] = {"\x1f\x8b"sv, "\xfd"
                                                              "7zXZ\0"sv,
                                                "\x28\xb5\x2f\xfd"sv, "BZh"sv, "\x04\x22\x4d\x18"sv};
  return std::any_of(std::begin(kMagic), std::end(kMagic), [&](std::string_view m) { return bytes.starts_with(m); });
}

struct ArchiveCloser {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchiveReader = std::unique_ptr<archive, ArchiveCloser>;

std::string error_of(archive* a) {
  const char* words = archive_error_string(a);
  return words != nullptr ? words : "damaged";
}

// The rest of the current entry. libarchive tells a damaged stream by an error after the good blocks.
Content read_entry(archive* a, std::uint64_t limit) {
  std::string text;
  bool cut = false;
  std::string why;
  std::vector<char> buffer(1 << 18);
  for (;;) {
    const la_ssize_t n = archive_read_data(a, buffer.data(), buffer.size());
    if (n == 0) break;
    if (n < 0) {
      cut = true;
      why = error_of(a);
      break;
    }
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(limit - text.size(), buffer.size()));
    text.append(buffer.data(), std::min(static_cast<std::size_t>(n), room));
    if (text.size() >= limit) {
      cut = true;
      why = "longer than egtrace reads";
      break;
    }
  }
  Content content = owned(std::move(text));
  content.cut = cut;
  content.cut_why = std::move(why);
  return content;
}

ArchiveReader open_raw(std::string_view bytes) {
  ArchiveReader reader(archive_read_new());
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_raw(reader.get());
  const bool opened = archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) == ARCHIVE_OK;
  return opened ? std::move(reader) : nullptr;
}

std::string clean_path(std::string_view path) {
  std::string clean;
  for (std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") continue;
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  return clean;
}

std::string text_of(const char* words) { return words != nullptr ? words : ""; }

}  // namespace

Content decompress(Content raw, const ContentLimits& limits) {
  if (!is_compressed(raw.text)) return raw;
  const ArchiveReader reader = open_raw(raw.text);
  archive_entry* entry = nullptr;
  if (!reader || archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    raw.cut = true;
    raw.cut_why = reader ? error_of(reader.get()) : "cannot be decompressed";
    raw.text = {};
    return raw;
  }
  return read_entry(reader.get(), limits.file_bytes);
}

Result<Content> read_content(const std::string& path, const ContentLimits& limits) {
  Result<Content> raw = read_raw(path, limits);
  if (!raw) return raw;
  return decompress(std::move(*raw), limits);
}

bool is_tar(std::string_view bytes) { return bytes.size() >= 512 && bytes.substr(257, 5) == "ustar"; }

bool looks_binary(std::string_view text) { return text.substr(0, 4096).find('\0') != std::string_view::npos; }

ArchiveEnd read_tar(std::string_view bytes, const std::function<void(ArchiveEntry)>& take,
                    const ContentLimits& limits) {
  ArchiveReader reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return {false, error_of(reader.get())};
  }
  std::uint64_t left = limits.archive_bytes;
  for (std::size_t count = 0;; ++count) {
    archive_entry* header = nullptr;
    const int status = archive_read_next_header(reader.get(), &header);
    if (status == ARCHIVE_EOF) return {};
    if (status < ARCHIVE_WARN) return {false, error_of(reader.get())};
    if (count >= limits.archive_entries) return {false, "more entries than egtrace reads"};
    ArchiveEntry entry;
    entry.path = clean_path(text_of(archive_entry_pathname(header)));
    if (const char* link = archive_entry_symlink(header)) entry.link_target = link;
    if (const char* link = archive_entry_hardlink(header)) entry.link_target = '/' + clean_path(link);
    if (entry.path.empty() || (entry.link_target.empty() && archive_entry_filetype(header) != AE_IFREG)) continue;
    if (entry.link_target.empty()) {
      Content packed = read_entry(reader.get(), std::min(left, limits.file_bytes));
      const bool cut = packed.cut;
      const std::string why = packed.cut_why;
      left -= packed.text.size();
      entry.content = decompress(std::move(packed), limits);
      if (cut) {
        entry.content.cut = true;
        entry.content.cut_why = why;
      }
      take(std::move(entry));
      if (cut) return {false, why};
      if (left == 0) return {false, "longer than egtrace reads"};
    } else {
      take(std::move(entry));
    }
  }
}

}  // namespace egt::parsers
