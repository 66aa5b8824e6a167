#include "snapshot/byte_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "snapshot/packing.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kInflated = std::size_t{128} << 10;
constexpr std::string_view kGzip = "\x1f\x8b";

// gzip(1) by zlib: libarchive does not compare its checksums.
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(ByteSource& packed) : packed_(packed), out_(kInflated) {
    constexpr int kOnlyGzip = 16;  // zlib.h, inflateInit2(): added to the window's bits
    if (::inflateInit2(&zlib_, MAX_WBITS + kOnlyGzip) != Z_OK) end("zlib cannot begin");
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { ::inflateEnd(&zlib_); }

  std::string_view next() override {
    while (!ended_) {
      if (zlib_.avail_in == 0 && !refill()) break;
      zlib_.next_out = out_.data();
      zlib_.avail_out = static_cast<uInt>(out_.size());
      const int status = ::inflate(&zlib_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        ++members_;
        ::inflateReset(&zlib_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        if (between_members()) note_left_over();
        end(between_members() ? "" : std::string("gzip: ") + (zlib_.msg != nullptr ? zlib_.msg : "damaged"));
      }
      const std::size_t made = out_.size() - zlib_.avail_out;
      if (made > 0) return {reinterpret_cast<const char*>(out_.data()), made};
    }
    return {};
  }

 private:
  // Zeros fill up blocks of tapes; anything else is damage or was added.
  void note_left_over() {
    const auto* behind = zlib_.next_in;
    if (std::any_of(behind, behind + zlib_.avail_in, [](Bytef b) { return b != 0; }))
      left_over_ = "bytes behind the end of the gzip data are no gzip data and not read; copy it again";
  }

  // Nothing of a further member so far. What is behind the last one and begins none is not read, as by gzip(1).
  bool between_members() const { return members_ > 0 && zlib_.total_out == 0 && zlib_.total_in <= kGzip.size(); }

  bool refill() {
    const std::string_view block = packed_.next();
    if (block.empty()) end(!packed_.error().empty() ? packed_.error() : between_members() ? "" : "truncated gzip input");
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    zlib_.avail_in = static_cast<uInt>(block.size());
    return !ended_;
  }

  void end(std::string why) {
    error_ = std::move(why);
    ended_ = true;
  }

  ByteSource& packed_;
  z_stream zlib_{};
  std::vector<Bytef> out_;
  int members_ = 0;  // that ended
  bool ended_ = false;
};

// xz, lzma, bzip2, zstd and lz4 by libarchive, which compares their checksums.
class FilterSource : public ByteSource {
 public:
  explicit FilterSource(ByteSource& packed) : packed_(packed), reader_(new_filter_reader()) {
    archive_entry* entry = nullptr;
    int status = archive_read_open(reader_.get(), this, nullptr, read, nullptr);
    if (status == ARCHIVE_OK) status = archive_read_next_header(reader_.get(), &entry);
    ended_ = status != ARCHIVE_OK;
    if (ended_ && status != ARCHIVE_EOF) error_ = error_of(reader_.get());
  }

  std::string_view next() override {
    while (!ended_) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(reader_.get(), &block, &size, &offset);
      if (status == ARCHIVE_OK && size == 0) continue;
      if (status == ARCHIVE_OK) return {static_cast<const char*>(block), size};
      ended_ = true;
      if (status != ARCHIVE_EOF) error_ = error_of(reader_.get());
    }
    return {};
  }

 private:
  static la_ssize_t read(archive* a, void* self, const void** block) {
    ByteSource& packed = static_cast<FilterSource*>(self)->packed_;
    const std::string_view bytes = packed.next();
    *block = bytes.data();
    if (bytes.empty() && !packed.error().empty()) {
      archive_set_error(a, EIO, "%s", packed.error().c_str());
      return -1;
    }
    return static_cast<la_ssize_t>(bytes.size());
  }

  ByteSource& packed_;
  ArchiveReader reader_;
  bool ended_ = false;
};

}  // namespace

std::string_view MemorySource::next() {
  // In blocks: zlib counts what it is given in 32 bits.
  const std::string_view block = bytes_.substr(0, std::size_t{1} << 20);
  bytes_.remove_prefix(block.size());
  return block;
}

std::string_view PeekedSource::peek(std::size_t bytes) {
  while (beginning_.size() < bytes) {
    const std::string_view block = rest_.next();
    if (block.empty()) break;
    beginning_ += block;
  }
  return beginning_;
}

std::string_view PeekedSource::next() {
  if (!std::exchange(begun_, true) && !beginning_.empty()) return beginning_;
  const std::string_view block = rest_.next();
  error_ = rest_.error();
  return block;
}

std::unique_ptr<ByteSource> decompressed(ByteSource& packed, std::string_view beginning) {
  if (beginning.starts_with(kGzip)) return std::make_unique<GzipSource>(packed);
  return std::make_unique<FilterSource>(packed);
}

bool says_truncated(std::string_view error) {
  // The latter is liblzma's request for more (LZMA_BUF_ERROR).
  return error.find("runcated") != std::string_view::npos || error.find("No progress is possible") != std::string_view::npos;
}

}  // namespace egt::parsers
