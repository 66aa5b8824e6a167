#include "egtrace/parsers/content.h"

#include <archive_entry.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "snapshot/packing.h"

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

Result<Content> read_stream(int fd, const ContentLimits& limits) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{std::strerror(errno)};
    if (n == 0) return owned_content(std::move(text));
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
  Content content = owned_content(std::move(text));
  content.cut = cut;
  content.cut_why = std::move(why);
  return content;
}

}  // namespace

Result<Content> read_packed(const std::string& path, const ContentLimits& limits) {
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

Content decompress(Content raw, const ContentLimits& limits) {
  if (!is_compressed(raw.text)) return raw;
  const ArchiveReader reader = new_archive_reader(false);
  archive_entry* entry = nullptr;
  int status = archive_read_open_memory(reader.get(), raw.text.data(), raw.text.size());
  if (status == ARCHIVE_OK) status = archive_read_next_header(reader.get(), &entry);
  if (status == ARCHIVE_EOF) return {};  // an empty file that was compressed
  if (status != ARCHIVE_OK) {
    raw.cut = true;
    raw.cut_why = error_of(reader.get());
    raw.text = {};
    return raw;
  }
  return read_entry(reader.get(), limits.file_bytes);
}

Result<Content> read_content(const std::string& path, const ContentLimits& limits) {
  Result<Content> raw = read_packed(path, limits);
  if (!raw) return raw;
  return decompress(std::move(*raw), limits);
}

bool looks_binary(std::string_view text) { return text.substr(0, 4096).find('\0') != std::string_view::npos; }

}  // namespace egt::parsers
