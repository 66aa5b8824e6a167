#include "snapshot/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "egtrace/base/sha256.h"
#include "snapshot/readers_hash.h"
#include "snapshot/seal_key.h"
#include "support/binary.h"
#include "support/quick_hash.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kMagic{
    "\x7f"
    "EGTRACE",
    8};
constexpr std::uint32_t kVersion = 6, kByteOrder = 0x01020304;
constexpr std::size_t kHashedBlock = std::size_t{1} << 16, kAlign = 64, kHeaderBytes = 128;

struct Header {
  std::array<char, 8> magic{};
  std::uint32_t version = kVersion, byte_order = kByteOrder;
  std::uint64_t file_size = 0;
  std::uint64_t directory_at = 0, directory_size = 0, directory_hash = 0;
  std::uint64_t hashes_at = 0, hashes = 0, hashes_hash = 0;  // of the blocks before hashes_at
  std::array<char, 32> seal{};                               // of the user and host that made it (seal_key.h); zeros: none
  std::uint64_t header_hash = 0;                             // of all that stands before it
};
static_assert(sizeof(Header) == 112 && sizeof(Header) <= kHeaderBytes);

std::string_view bytes_of(const Header& h, std::size_t n) { return {reinterpret_cast<const char*>(&h), n}; }
std::uint64_t hash_of(const Header& h) { return quick_hash(bytes_of(h, offsetof(Header, header_hash))); }

// Of all that the hashes hang on: header, directory (with the SHA-256 of each text) and the hashes of the blocks.
std::array<char, 32> sealed(Header h, std::string_view directory, std::string_view hashes, std::string_view key) {
  std::array<char, 32> seal{};
  if (key.empty()) return seal;
  h.seal = {};
  h.header_hash = 0;
  std::string message(bytes_of(h, sizeof h));
  message.append(directory).append(hashes);
  const std::string digest = seal_of(key, message);
  std::copy_n(digest.begin(), seal.size(), seal.begin());
  return seal;
}

}  // namespace

// The mapping with the hashes of its blocks.
class CompiledFile {
 public:
  CompiledFile(Content content, std::vector<std::uint64_t> hashes)
      : content_(std::move(content)),
        hashes_(std::move(hashes)),
        checked_(std::make_unique<std::atomic<bool>[]>(hashes_.size())) {}

  std::string_view bytes() const { return content_.text; }

  void check(std::size_t begin, std::size_t size) const {
    if (size == 0) return;
    if (begin > bytes().size() || size > bytes().size() - begin) throw std::runtime_error("the compiled snapshot is cut");
    for (std::size_t b = begin / kHashedBlock; b <= (begin + size - 1) / kHashedBlock && b < hashes_.size(); ++b) {
      if (checked_[b].load(std::memory_order_relaxed)) continue;
      if (hash_of_block(b) != hashes_[b])
        throw std::runtime_error(fmt::format("the compiled snapshot is damaged (block {}); compile it again", b));
      checked_[b].store(true, std::memory_order_relaxed);
    }
  }

  bool made_here = false;    // sealed with this host's key
  std::size_t data_end = 0;  // of what the hashes are of

 private:
  // The header is hashed by itself: to the first block it is empty.
  std::uint64_t hash_of_block(std::size_t b) const {
    const std::string_view block = bytes().substr(b * kHashedBlock, std::min(kHashedBlock, data_end - b * kHashedBlock));
    if (b != 0) return quick_hash(block);
    std::string copy(block);
    std::fill_n(copy.begin(), std::min(copy.size(), kHeaderBytes), '\0');
    return quick_hash(copy);
  }

  Content content_;
  std::vector<std::uint64_t> hashes_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // of two threads that come to a block both may hash it
};

void CompiledDump::check(const void* begin, std::size_t bytes) const {
  if (file_ != nullptr) file_->check(static_cast<std::size_t>(static_cast<const char*>(begin) - file_->bytes().data()), bytes);
}

void CompiledDump::check_ends(std::string_view text) const {
  constexpr std::size_t kEnds = std::size_t{64} << 10;
  const std::size_t end = std::min(kEnds, text.size());
  check(text.data(), end);
  check(text.data() + text.size() - end, end);
}

std::string_view CompiledSections::at(std::size_t i) const {
  const std::string_view section = sections_.at(i);
  file_->check(static_cast<std::size_t>(section.data() - file_->bytes().data()), section.size());
  return section;
}

void check_ends(const FoundFile& file) {
  for (const auto& dump : {file.compiled, file.unchecked})
    if (dump) dump->check_ends(file.content.text);
}

bool is_compiled(std::string_view bytes) { return bytes.starts_with(kMagic); }

namespace {

// What stands in the directory of one file.
struct DirectoryEntry {
  std::string_view path, shown, identity, problem, cut_why, digest;
  bool by_link = false, cut = false, left_out = false, masked = false;
  std::uint64_t text_at = 0, text_size = 0, found_at = 0, found_size = 0;
};

void write_entry(BinaryWriter& w, const DirectoryEntry& e) {
  for (const std::string_view s : {e.path, e.shown, e.identity, e.problem, e.cut_why, e.digest}) w.text(s);
  for (const bool flag : {e.by_link, e.cut, e.left_out, e.masked}) w.number<std::uint8_t>(flag);
  for (const std::uint64_t n : {e.text_at, e.text_size, e.found_at, e.found_size}) w.number(n);
}

DirectoryEntry read_entry(BinaryReader& in) {
  DirectoryEntry e;
  for (std::string_view* s : {&e.path, &e.shown, &e.identity, &e.problem, &e.cut_why, &e.digest}) *s = in.text();
  for (bool* flag : {&e.by_link, &e.cut, &e.left_out, &e.masked}) *flag = in.number<std::uint8_t>() != 0;
  for (std::uint64_t* n : {&e.text_at, &e.text_size, &e.found_at, &e.found_size}) *n = in.number<std::uint64_t>();
  return e;
}

std::string_view section(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) throw std::runtime_error("a section lies outside of the file");
  return bytes.substr(at, size);
}

std::shared_ptr<CompiledFile> check_header(Content content, std::string_view key, std::string_view& directory) {
  const std::string_view bytes = content.text;
  if (bytes.size() < sizeof(Header)) throw std::runtime_error("the compiled snapshot is cut");
  Header h;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.version != kVersion)
    throw std::runtime_error(
        fmt::format("compiled by another version of egtrace (format {}, not {}); compile it again", h.version, kVersion));
  if (h.byte_order != kByteOrder) throw std::runtime_error("compiled on a host of another byte order; compile it again");
  if (h.header_hash != hash_of(h)) throw std::runtime_error("the header is damaged; compile it again");
  if (h.file_size != bytes.size()) throw std::runtime_error("the compiled snapshot is cut; copy it again");
  directory = section(bytes, h.directory_at, h.directory_size);
  if (h.directory_at % 8 != 0 || quick_hash(directory) != h.directory_hash)
    throw std::runtime_error("the directory is damaged; compile it again");
  if (h.hashes > bytes.size() / 8 || h.hashes != (h.hashes_at + kHashedBlock - 1) / kHashedBlock)
    throw std::runtime_error("the list of blocks is damaged; compile it again");
  const std::string_view raw = section(bytes, h.hashes_at, h.hashes * 8);
  if (quick_hash(raw) != h.hashes_hash) throw std::runtime_error("the list of blocks is damaged; compile it again");
  std::vector<std::uint64_t> hashes(h.hashes);
  if (!hashes.empty()) std::memcpy(hashes.data(), raw.data(), raw.size());
  auto file = std::make_shared<CompiledFile>(std::move(content), std::move(hashes));
  file->data_end = h.hashes_at;
  file->made_here = !key.empty() && h.seal == sealed(h, directory, raw, key);
  return file;
}

FoundFile found_file(const DirectoryEntry& e, const std::shared_ptr<CompiledFile>& file) {
  const std::string_view bytes = file->bytes();
  FoundFile f;
  f.path = e.path;
  f.shown = e.shown;
  f.identity = e.identity;
  f.by_link = e.by_link;
  f.left_out = e.left_out;
  f.masked = e.masked;
  f.problem = e.problem;
  f.content.text = section(bytes, e.text_at, e.text_size);
  f.content.keep = file;
  f.content.cut = e.cut;
  f.content.cut_why = e.cut_why;
  f.masked_before = file->made_here;
  if (e.found_size == 0) {
    if (e.text_size > 0) f.unchecked = std::make_shared<CompiledDump>(file, std::string_view());
    return f;
  }
  if (!file->made_here) {
    // An index made elsewhere may be forged and not agree with the text: the text is read anew.
    file->check(e.text_at, e.text_size);
    if (sha256(f.content.text) != e.digest)
      throw std::runtime_error(fmt::format("{} is not the text that was compiled (SHA-256); compile it again", e.path));
    return f;
  }
  f.compiled = std::make_shared<CompiledDump>(file, section(bytes, e.found_at, e.found_size));
  if (e.found_at % kAlign != 0) throw std::runtime_error("a section is not aligned");
  return f;
}

// What other releases found out, or a file that was not made here claims, is ignored.
std::shared_ptr<const CompiledSections> read_sections(BinaryReader& in, const std::shared_ptr<CompiledFile>& file) {
  const std::string_view readers = in.text();
  std::vector<std::string_view> sections;
  for (std::uint64_t n = in.count(16); n > 0; --n) {
    const auto at = in.number<std::uint64_t>();
    sections.push_back(section(file->bytes(), at, in.number<std::uint64_t>()));
  }
  if (sections.empty() || !file->made_here || readers != readers_hash()) return nullptr;
  return std::make_shared<CompiledSections>(file, std::move(sections));
}

}  // namespace

Result<OpenedCompiled> open_compiled(Content content, std::string_view key) {
  try {
    std::string_view directory;
    const std::shared_ptr<CompiledFile> file = check_header(std::move(content), key, directory);
    BinaryReader in(directory);
    OpenedCompiled opened;
    for (std::uint64_t n = in.count(64); n > 0; --n) opened.files.push_back(found_file(read_entry(in), file));
    opened.sections = read_sections(in, file);
    if (opened.sections == nullptr)
      for (const FoundFile& f : opened.files) check_ends(f);
    return opened;
  } catch (const std::exception& error) {
    return Error{error.what()};
  }
}

namespace {

// Hashes what passes, block by block.
class BlockWriter {
 public:
  explicit BlockWriter(const std::function<void(std::string_view)>& write) : write_(write) {}

  void put(std::string_view bytes) {
    write_(bytes);
    at_ += bytes.size();
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kHashedBlock - block_.size());
      block_ += part;
      bytes.remove_prefix(part.size());
      if (block_.size() == kHashedBlock) end_block();
    }
  }
  void align(std::size_t to) { put(std::string((to - at_ % to) % to, '\0')); }
  void end_block() {
    if (!block_.empty()) hashes.push_back(quick_hash(block_));
    block_.clear();
  }
  std::uint64_t at() const { return at_; }
  std::vector<std::uint64_t> hashes;

 private:
  const std::function<void(std::string_view)>& write_;
  std::string block_;
  std::uint64_t at_ = 0;
};

std::uint64_t aligned(std::uint64_t at) { return (at + kAlign - 1) / kAlign * kAlign; }

}  // namespace

FoundFile file_to_open(const FileToCompile& file) {
  FoundFile f;
  f.path = file.file->path;
  f.shown = file.file->shown;
  f.identity = file.file->identity;
  f.by_link = file.file->by_link;
  f.left_out = file.file->left_out;
  f.masked = file.file->masked;
  f.problem = file.file->problem;
  f.content = file.file->content;
  f.masked_before = true;
  if (!file.found.empty()) f.compiled = std::make_shared<CompiledDump>(nullptr, file.found);
  return f;
}

void write_compiled(const std::vector<FileToCompile>& files, const std::vector<std::string>& sections, std::string_view key,
                    const std::function<void(std::string_view)>& write) {
  // All places are known before the first byte is written, but the hashes are not: the header's block is hashed with the
  // header left empty, and the header has a hash of its own.
  Header header;
  std::copy(kMagic.begin(), kMagic.end(), header.magic.begin());
  BinaryWriter directory;
  directory.number<std::uint64_t>(files.size());
  std::uint64_t at = kHeaderBytes;
  std::vector<DirectoryEntry> entries;
  for (const FileToCompile& f : files) {
    DirectoryEntry e{f.file->path,
                     f.file->shown,
                     f.file->identity,
                     f.file->problem,
                     f.file->content.cut_why,
                     {},
                     f.file->by_link,
                     f.file->content.cut,
                     f.file->left_out,
                     f.file->masked,
                     at,
                     f.file->content.text.size(),
                     0,
                     0};
    at = aligned(at + e.text_size);
    if (!f.found.empty()) e.found_at = at, e.found_size = f.found.size(), at = aligned(at + e.found_size);
    const std::string digest = sha256(f.file->content.text);
    e.digest = digest;
    write_entry(directory, e);
    entries.push_back(e);
  }
  directory.text(readers_hash());
  directory.number<std::uint64_t>(sections.size());
  for (const std::string& section : sections) {
    directory.number(at);
    directory.number<std::uint64_t>(section.size());
    at = aligned(at + section.size());
  }
  const std::string listing = directory.take();
  header.directory_at = at;
  header.directory_size = listing.size();
  header.directory_hash = quick_hash(listing);
  header.hashes_at = aligned(at + listing.size());
  header.hashes = (header.hashes_at + kHashedBlock - 1) / kHashedBlock;

  // Once for the hashes, once for the bytes: the texts are mapped, and the header comes first.
  const auto body = [&](BlockWriter& out) {
    out.put(std::string(kHeaderBytes, '\0'));
    for (std::size_t i = 0; i < files.size(); ++i) {
      out.align(kAlign);
      out.put(files[i].file->content.text);
      out.align(kAlign);
      out.put(files[i].found);
    }
    for (const std::string& section : sections) {
      out.align(kAlign);
      out.put(section);
    }
    out.align(kAlign);
    out.put(listing);
    out.align(kAlign);
    out.end_block();
  };
  const std::function<void(std::string_view)> nowhere = [](std::string_view) {};
  BlockWriter first(nowhere);
  body(first);
  const std::string_view hashes{reinterpret_cast<const char*>(first.hashes.data()), first.hashes.size() * 8};
  header.hashes_hash = quick_hash(hashes);
  header.file_size = header.hashes_at + hashes.size();
  header.seal = sealed(header, listing, hashes, key);
  header.header_hash = hash_of(header);
  std::size_t skipped = 0;
  const std::function<void(std::string_view)> behind_header = [&](std::string_view bytes) {
    const std::size_t skip = std::min(kHeaderBytes - skipped, bytes.size());
    skipped += skip;
    write(bytes.substr(skip));
  };
  std::string begin(bytes_of(header, sizeof header));
  begin.resize(kHeaderBytes);
  write(begin);
  BlockWriter second(behind_header);
  body(second);
  write(hashes);
}

}  // namespace egt::parsers
