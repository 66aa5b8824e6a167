// Bytes that come block by block: of memory, of a member of an archive, and of what is behind a compression.
//
// Compressed streams are read to their end, for it is there that gzip, xz, bzip2 and zstd keep the checksums of what
// was handed out before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace egt::parsers {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, good until the next call; empty at the end, early or not.
  virtual std::string_view next() = 0;
  // Why it ended early; empty while it has not.
  const std::string& error() const { return error_; }
  // What stood behind its end and was not read; empty: nothing.
  const std::string& left_over() const { return left_over_; }

 protected:
  std::string error_, left_over_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::string_view next() override;

 private:
  std::string_view bytes_;
};

// A source whose first bytes were looked at.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(ByteSource& rest) : rest_(rest) {}
  // The first `bytes` of it, or all that there is; before the first next().
  std::string_view peek(std::size_t bytes);
  std::string_view next() override;
  const std::string& broken() const { return rest_.error(); }  // why its beginning could not be read

 private:
  ByteSource& rest_;
  std::string beginning_;
  bool begun_ = false;
};

// What `packed` holds compressed, shown by its beginning, which is_compressed(). One layer: what comes out may be
// compressed again.
std::unique_ptr<ByteSource> decompressed(ByteSource& packed, std::string_view beginning);

// Whether an error mentions a stream that ends too early and not of one that is damaged: what came before it is right.
bool says_truncated(std::string_view error);

}  // namespace egt::parsers
