#include "snapshot/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "egtrace/base/text.h"
#include "snapshot/byte_source.h"
#include "snapshot/packing.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr int kMaxFilters = 3;  // compressed again and again
constexpr int kMaxNesting = 5;  // case archive > sos collect > sosreport > compressed member, and one to spare

// No text that a tool prints shrinks like this; what does was made to fill memory or time.
constexpr std::uint64_t kInnocentGrowth = 250;
constexpr std::uint64_t kBelieved = std::uint64_t{16} << 20;  // of a member's size, before its bytes are there

const std::string kTooDeep = fmt::format("not read: more than {} archives in one another; unpack it first", kMaxNesting);
constexpr const char* kTooMuch = "the archive grows like a bomb";

std::string out_of_budget(const ContentLimits& limits) {
  return fmt::format("the archives unpack to more than {} GB ({} GB of dumps)", limits.unpacked_bytes >> 30,
                     limits.archive_bytes >> 30);
}

std::string text_of(const char* words) { return words != nullptr ? words : ""; }

// None for a path that leads out of the archive. An absolute one is below its root, as tar(1) has it.
std::optional<std::string> clean_path(std::string_view path) {
  std::string clean;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  return clean;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

// Where a symbolic link at `from` leads; none when it leaves the archive.
std::optional<std::string> resolve(const std::string& from, std::string_view target) {
  std::vector<std::string_view> parts;
  const std::string folder = folder_of(from);
  if (!target.starts_with('/') && !folder.empty()) parts = split(folder, '/');
  for (const std::string_view part : split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

// A member of an archive as bytes.
class MemberSource : public ByteSource {
 public:
  explicit MemberSource(archive* a) : archive_(a) {}

  std::string_view next() override {
    if (ended_) return {};
    const la_ssize_t n = archive_read_data(archive_, buffer_.get(), kBlock);
    ended_ = n <= 0;
    if (n < 0) error_ = error_of(archive_);
    return n > 0 ? std::string_view(buffer_.get(), static_cast<std::size_t>(n)) : std::string_view();
  }

 private:
  archive* archive_;
  const std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kBlock);
  bool ended_ = false;
};

// What bytes grew out of how many; a sparse member of a tar makes them out of nothing, like a filter.
struct Growth {
  std::uint64_t packed = 0, made = 0;
};

class Visit {
 public:
  Visit(ArchiveVisitor& visitor, UnpackBudget& budget) : visitor_(visitor), budget_(budget) {}

  void memory(std::string_view bytes, const std::string& path) {
    if (is_zip(bytes)) return zip_in_memory(bytes, path);
    MemorySource source(bytes);
    layer(source, {path});
  }

 private:
  // Where a stream stands: its path, the time that its archive shows, and how many archives are around it.
  struct StreamOrigin {
    std::string path;
    std::int64_t time = 0;
    int depth = 0;
    int filters = 0;  // around it, one in the other
  };

  // A source that counts what goes through it, as long as the limits allow.
  class Metered : public ByteSource {
   public:
    Metered(Visit& visit, ByteSource& inner, const std::string& path) : visit_(visit), inner_(inner), path_(path) {}

    std::string_view next() override {
      const std::string_view block = visit_.stopped_ ? std::string_view() : inner_.next();
      error_ = inner_.error();
      count += block.size();
      if (!visit_.stopped_ && visit_.may_go_on(block.size(), {packed(), count}, path_)) return block;
      error_ = kTooMuch;
      return {};
    }

    std::uint64_t count = 0;
    const Metered* grows_from = nullptr;  // what it is unpacked from; or
    archive* member_of = nullptr;         // the archive that it is in; or neither: it does not grow

   private:
    std::uint64_t packed() const {
      if (grows_from != nullptr) return grows_from->count;
      return member_of != nullptr ? static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(member_of, -1), 0))
                                  : count;
    }

    Visit& visit_;
    ByteSource& inner_;
    std::string path_;
  };

  // What a source begins with decides what it is: compressed, an archive, or a dump.
  void layer(ByteSource& bytes, const StreamOrigin& origin) {
    PeekedSource source(bytes);
    const std::string beginning(source.peek(kBlock));
    if (is_compressed(beginning)) {
      compressed(source, beginning, origin);
    } else if (is_tar(beginning) || is_zip(beginning)) {
      archived(source, origin);
    } else if (beginning.empty() && !source.broken().empty()) {
      unreadable(origin, source.broken());
    } else {
      ArchiveMember member;
      member.path = origin.path;
      member.time = origin.time;
      file(source, std::move(member), 0);
    }
  }

  void compressed(ByteSource& packed, std::string_view beginning, const StreamOrigin& origin) {
    if (origin.depth > kMaxNesting || origin.filters > kMaxFilters) return visitor_.missing(origin.path, kTooDeep);
    Metered counted(*this, packed, origin.path);
    const std::unique_ptr<ByteSource> filter = decompressed(counted, beginning);
    Metered source(*this, *filter, origin.path);
    source.grows_from = &counted;
    layer(source, {origin.path, origin.time, origin.depth, origin.filters + 1});
    drain(source);  // checksums are at the end
    if (!filter->left_over().empty()) visitor_.missing(origin.path, filter->left_over());
    check(filter->error(), origin.path);
  }

  // Bytes that are wrong, rather than missing, put all of the stream undecided.
  void check(const std::string& error, const std::string& path) {
    if (!error.empty() && !stopped_ && !says_truncated(error)) visitor_.damaged(path, error);
  }

  void zip_in_memory(std::string_view bytes, const std::string& path) {
    const ArchiveReader reader = new_archive_reader();
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
      return visitor_.missing(path, "cannot be opened: " + error_of(reader.get()));
    members(reader.get(), {path});
  }

  static la_ssize_t read_source(archive* a, void* context, const void** block) {
    ByteSource& source = *static_cast<ByteSource*>(context);
    const std::string_view bytes = source.next();
    *block = bytes.data();
    if (bytes.empty() && !source.error().empty()) {
      archive_set_error(a, EIO, "%s", source.error().c_str());
      return -1;
    }
    return static_cast<la_ssize_t>(bytes.size());
  }

  void archived(ByteSource& source, const StreamOrigin& origin) {
    if (origin.depth > kMaxNesting) return visitor_.missing(origin.path, kTooDeep);
    const ArchiveReader reader = new_archive_reader();
    if (archive_read_open(reader.get(), &source, nullptr, read_source, nullptr) != ARCHIVE_OK)
      return visitor_.missing(origin.path, "cannot be opened: " + error_of(reader.get()));
    members(reader.get(), origin);
  }

  void members(archive* a, const StreamOrigin& origin) {
    std::size_t encrypted = 0;
    read_members(a, origin, encrypted);
    if (encrypted > 0)
      visitor_.missing(origin.path, fmt::format("{} of its members {} encrypted and not read; unpack it with its password first",
                                                encrypted, encrypted == 1 ? "is" : "are"));
  }

  void read_members(archive* a, const StreamOrigin& origin, std::size_t& encrypted) {
    for (std::size_t count = 0;; ++count) {
      archive_entry* header = nullptr;
      const int status = archive_read_next_header(a, &header);
      if (status == ARCHIVE_EOF) return;
      if (status < ARCHIVE_WARN) return ended_early(error_of(a), origin, count);
      if (stopped_ || !budget_.take_entry())
        return stop(origin.path, fmt::format("more than {} members in archives", budget_.limits.archive_entries));
      if (archive_entry_is_encrypted(header) != 0) {
        ++encrypted;
        continue;
      }
      member(a, header, origin);
      if (stopped_) return;
    }
  }

  void ended_early(const std::string& why, const StreamOrigin& origin, std::size_t count) {
    if (stopped_) return;
    if (count == 0) return unreadable(origin, why);
    visitor_.missing(origin.path, fmt::format("cut short after {} members: {}; copy it again", count, why));
    check(why, origin.path);
  }

  void unreadable(const StreamOrigin& origin, const std::string& why) {
    ArchiveMember damaged;
    damaged.path = origin.path;
    damaged.time = origin.time;
    damaged.content.cut = true;
    damaged.content.cut_why = "cannot be unpacked: " + why;
    visitor_.take(std::move(damaged));
  }

  void stop(const std::string& path, const std::string& why) {
    if (!stopped_) visitor_.missing(path, why + "; the rest was not read, unpack what you need first");
    stopped_ = true;
  }

  void member(archive* a, archive_entry* header, const StreamOrigin& origin) {
    const std::string& prefix = origin.path;
    const char* utf8 = archive_entry_pathname_utf8(header);
    const std::string name = text_of(utf8 != nullptr ? utf8 : archive_entry_pathname(header));
    const auto clean = clean_path(name);
    ArchiveMember found;
    found.path = prefix.empty() || !clean ? clean.value_or("") : prefix + "/" + *clean;
    found.time = archive_entry_mtime_is_set(header) != 0 ? archive_entry_mtime(header) : 0;
    const auto type = archive_entry_filetype(header);
    if (!clean) {
      visitor_.remark(prefix.empty() ? name : prefix + "/" + name, "leads out of the archive; left out");
    } else if (archive_entry_symlink(header) != nullptr || archive_entry_hardlink(header) != nullptr) {
      link(header, *clean, prefix, std::move(found));
    } else if (type == AE_IFREG && !clean->empty()) {
      const bool shown = archive_entry_size_is_set(header) != 0 && archive_entry_size(header) > 0;
      body(a, std::move(found), shown ? static_cast<std::uint64_t>(archive_entry_size(header)) : 0, origin.depth);
    } else if (type != AE_IFDIR && !clean->empty()) {
      visitor_.remark(found.path, "no regular file; left out");
    }
  }

  void link(archive_entry* header, const std::string& at, const std::string& prefix, ArchiveMember found) {
    // A hard link names a member; a symbolic one is read from where it stands.
    const char* hard = archive_entry_hardlink(header);
    const auto target = hard != nullptr ? clean_path(hard) : resolve(at, text_of(archive_entry_symlink(header)));
    if (!target) return visitor_.remark(found.path, "a link that leads out of the archive; not followed");
    found.is_link = true;
    found.link_target = prefix.empty() ? *target : prefix + "/" + *target;
    visitor_.take(std::move(found));
  }

  void body(archive* a, ArchiveMember member, std::uint64_t size, int depth) {
    MemberSource bytes(a);
    Metered source(*this, bytes, member.path);
    source.member_of = a;
    const std::string path = member.path;
    PeekedSource peeked(source);
    if (is_packed(peeked.peek(kBlock))) {
      layer(peeked, {path, member.time, depth + 1});
    } else {
      file(peeked, std::move(member), size);
    }
    // In steps: libarchive alone would unpack a terabyte of a zip without a chance to stop it.
    if ((archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP) drain(peeked);
    check(bytes.error(), path);
  }

  void file(PeekedSource& source, ArchiveMember member, std::uint64_t size) {
    if (!visitor_.wants(member.path, size, source.peek(kBlock))) {
      member.left_out = true;
      return visitor_.take(std::move(member));
    }
    // The size that the archive announces is used only as far as it costs nothing.
    std::string text;
    text.reserve(static_cast<std::size_t>(std::min(size, kBelieved)));
    const std::uint64_t limit = budget_.limits.file_bytes;
    for (std::string_view block = source.next(); !block.empty(); block = source.next()) {
      text.append(block.substr(0, static_cast<std::size_t>(limit) - text.size()));
      if (text.size() >= limit) break;
    }
    std::string why = source.error();
    if (text.size() >= limit) why = "longer than egtrace reads";
    if (!budget_.take_kept(text.size())) {
      why = out_of_budget(budget_.limits);
      text.clear();
      stop(member.path, why);
    }
    member.content = owned_content(std::move(text));
    member.content.cut = !why.empty();
    member.content.cut_why = std::move(why);
    visitor_.take(std::move(member));
  }

  static void drain(ByteSource& source) {
    while (!source.next().empty()) {
    }
  }

  bool may_go_on(std::uint64_t more, const Growth& growth, const std::string& path) {
    if (growth.made > budget_.limits.innocent_bytes && growth.made / kInnocentGrowth > growth.packed) {
      stop(path, "an archive that grows more than any dump would");
    } else if (growth.made > growth.packed && !budget_.take_unpacked(more)) {
      stop(path, out_of_budget(budget_.limits));
    }
    return !stopped_;
  }

  ArchiveVisitor& visitor_;
  UnpackBudget& budget_;
  bool stopped_ = false;
};

}  // namespace

void visit_packed(std::string_view bytes, const std::string& path, ArchiveVisitor& visitor, UnpackBudget& budget) {
  Visit(visitor, budget).memory(bytes, path);
}

}  // namespace egt::parsers
