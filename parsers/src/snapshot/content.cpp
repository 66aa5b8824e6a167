#include "egtrace/parsers/content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "snapshot/byte_source.h"
#include "snapshot/mapped_file.h"
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

// `expected`: what is thought to come; nothing depends on it.
Result<Content> read_stream(int fd, const ContentLimits& limits, std::size_t expected) {
  constexpr std::size_t kMore = 1 << 16;
  std::string text(expected + 1, '\0');  // one more shows the end
  for (std::size_t used = 0;;) {
    if (used == text.size()) text.resize(used + std::max(used, kMore));
    const ssize_t n = ::read(fd, text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{std::strerror(errno)};
    used += static_cast<std::size_t>(n);
    if (used > limits.file_bytes) return Error{"is longer than egtrace reads"};
    if (n != 0) continue;
    text.resize(used);
    return owned_content(std::move(text));
  }
}

constexpr std::size_t kMapped = std::size_t{1} << 17;  // files of this size on are not copied

bool has_changed(int fd, const struct stat& before) {
  struct stat now {};
  return ::fstat(fd, &now) == 0 && (now.st_size != before.st_size || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
                                    now.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
}

Result<Content> read_file(int fd, const std::string& path, const ContentLimits& limits) {
  struct stat before {};
  if (::fstat(fd, &before) != 0) return Error{std::strerror(errno)};
  const auto size = static_cast<std::size_t>(before.st_size);
  if (size >= kMapped)
    if (Content mapped = map_file(fd, before, path); mapped.keep) return mapped;
  Result<Content> content = read_stream(fd, limits, std::min<std::size_t>(size, limits.file_bytes));
  // The size of files of /proc and /sys has no meaning.
  if (content && has_changed(fd, before)) return Error{kChangedWhileRead};
  return content;
}

// What is left of a source, up to `limit` bytes.
Content read_rest(ByteSource& source, std::uint64_t limit) {
  std::string text;
  for (std::string_view block = source.next(); !block.empty() && text.size() < limit; block = source.next())
    text.append(block.substr(0, static_cast<std::size_t>(limit) - text.size()));
  const bool long_one = text.size() >= limit;
  Content content = owned_content(std::move(text));
  content.cut_why = long_one ? "longer than egtrace reads" : source.error();
  content.cut = !content.cut_why.empty();
  return content;
}

Result<Content> read_pipe(const std::string& path, const ContentLimits& limits) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return Error{std::strerror(errno)};
  return read_stream(fd.get(), limits, 0);
}

}  // namespace

Result<Content> read_packed(const std::string& path, const ContentLimits& limits) {
  if (path == "-") return read_stream(STDIN_FILENO, limits, 0);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return Error{errno == ENOENT ? std::string("no such file") : std::string(std::strerror(errno))};
  }
  if (S_ISDIR(info.st_mode)) return Error{"is a directory"};
  if (!S_ISREG(info.st_mode)) return Error{"is no regular file"};
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return Error{std::strerror(errno)};
  return read_file(fd.get(), path, limits);
}

Content decompress(Content raw, const ContentLimits& limits) {
  constexpr int kMostLayers = 4;  // what is compressed may be so again, or unpack to itself for ever
  for (int i = 0; i < kMostLayers && !raw.cut && is_compressed(raw.text); ++i) {
    MemorySource packed(raw.text);
    raw = read_rest(*decompressed(packed, raw.text), limits.file_bytes);
  }
  return raw;
}

Result<Content> read_content(const std::string& path, const ContentLimits& limits) {
  struct stat info {};
  const bool pipe = path != "-" && ::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
  Result<Content> raw = pipe ? read_pipe(path, limits) : read_packed(path, limits);
  if (!raw) return raw;
  return decompress(std::move(*raw), limits);
}

namespace {

constexpr std::size_t kBeginning = 4096;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && std::string_view("\t\n\v\f\r\b\x1b").find(c) == std::string_view::npos) || byte == 0x7f;
}

}  // namespace

bool looks_binary(std::string_view text) { return text.substr(0, kBeginning).find('\0') != std::string_view::npos; }

bool is_no_text(std::string_view bytes) {
  constexpr std::size_t kFew = 32;  // one in so many may be damage
  const std::string_view beginning = bytes.substr(0, kBeginning);
  return static_cast<std::size_t>(std::count_if(beginning.begin(), beginning.end(), is_control)) * kFew > beginning.size();
}

}  // namespace egt::parsers
