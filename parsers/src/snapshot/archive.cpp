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
#include "snapshot/packing.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr int kMaxNesting = 5;  // case archive > sos collect > sosreport > compressed member, and one to spare

// No text that a tool prints shrinks like this; what does was made to fill memory or time.
constexpr std::uint64_t kInnocentGrowth = 250;
constexpr std::uint64_t kBelieved = std::uint64_t{16} << 20;   // of a member's size, before its bytes are there

constexpr const char* kOutOfBudget = "the archives unpack to more than egtrace reads";

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

class Visit {
 public:
  Visit(ArchiveVisitor& visitor, UnpackBudget& budget) : visitor_(visitor), budget_(budget) {}

  void memory(std::string_view bytes, const std::string& path) {
    const ArchiveReader reader = new_archive_reader(true);
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
      visitor_.remark(path, "cannot be opened: " + error_of(reader.get()));
      return;
    }
    opened(reader.get(), path, 0, 0);
  }

 private:
  void opened(archive* a, const std::string& path, std::int64_t time, int depth) {
    for (std::size_t count = 0;; ++count) {
      archive_entry* header = nullptr;
      const int status = archive_read_next_header(a, &header);
      if (status == ARCHIVE_EOF) {
        if (count == 0) nothing_in(a, path, time);
        return;
      }
      if (status < ARCHIVE_WARN) return ended_early(a, path, time, count);
      if (archive_format(a) == ARCHIVE_FORMAT_RAW) return raw(a, path, time, depth);
      if (stopped_ || !budget_.take_entry()) return stop(path, "more members than egtrace reads");
      member(a, header, path, depth);
      if (stopped_) return;
    }
  }

  // An empty file that was compressed is an empty dump; an archive without members is nothing.
  void nothing_in(archive* a, const std::string& path, std::int64_t time) {
    if (archive_format(a) != ARCHIVE_FORMAT_EMPTY) return;
    ArchiveMember empty;
    empty.path = path;
    empty.time = time;
    visitor_.take(std::move(empty));
  }

  void ended_early(archive* a, const std::string& path, std::int64_t time, std::size_t count) {
    if (count > 0) return visitor_.remark(path, "archive cut short: " + error_of(a));
    ArchiveMember damaged;
    damaged.path = path;
    damaged.time = time;
    damaged.content.cut = true;
    damaged.content.cut_why = "cannot be unpacked: " + error_of(a);
    visitor_.take(std::move(damaged));
  }

  void stop(const std::string& path, const std::string& why) {
    if (!stopped_) visitor_.remark(path, why + "; the rest is left out");
    stopped_ = true;
  }

  void raw(archive* a, const std::string& path, std::int64_t time, int depth) {
    ArchiveMember member;
    member.path = path;
    member.time = time;
    body(a, std::move(member), 0, depth);
  }

  void member(archive* a, archive_entry* header, const std::string& prefix, int depth) {
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
      const bool told = archive_entry_size_is_set(header) != 0 && archive_entry_size(header) > 0;
      return body(a, std::move(found), told ? static_cast<std::uint64_t>(archive_entry_size(header)) : 0, depth);
    } else if (type != AE_IFDIR && !clean->empty()) {
      visitor_.remark(found.path, "no regular file; left out");
    }
    drain(a, found.path, depth);
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
    std::string text;
    read_up_to(a, text, kBlock, member);
    if (is_packed(text) && !member.content.cut) {
      if (depth < kMaxNesting) {
        nested(a, text, member, depth);
      } else {
        visitor_.remark(member.path, "archives nested deeper than egtrace looks; left out");
      }
    } else if (visitor_.wants(member.path, size, text)) {
      return keep(a, std::move(text), std::move(member), size, depth);
    } else {
      member.left_out = true;
      member.content = {};
      visitor_.take(member);
    }
    drain(a, member.path, depth);
  }

  // A member of an outer archive, read as the bytes of an inner one.
  struct Feed {
    Visit& visit;
    archive* outer;
    std::string_view beginning;  // read already
    const std::string& path;
    std::uint64_t passed = 0;
    std::vector<char> buffer = std::vector<char>(kBlock);
  };

  static la_ssize_t read_feed(archive* inner, void* context, const void** block) {
    Feed& feed = *static_cast<Feed*>(context);
    if (!feed.beginning.empty()) {
      *block = feed.beginning.data();
      return static_cast<la_ssize_t>(std::exchange(feed.beginning, {}).size());
    }
    const la_ssize_t n = archive_read_data(feed.outer, feed.buffer.data(), feed.buffer.size());
    *block = feed.buffer.data();
    if (n < 0) archive_set_error(inner, EIO, "%s", error_of(feed.outer).c_str());
    if (n <= 0) return n < 0 ? -1 : 0;
    feed.passed += static_cast<std::uint64_t>(n);
    if (feed.visit.may_go_on(feed.outer, static_cast<std::uint64_t>(n), feed.passed, feed.path)) return n;
    archive_set_error(inner, EIO, "more than egtrace reads");
    return -1;
  }

  void nested(archive* a, std::string_view beginning, const ArchiveMember& member, int depth) {
    Feed feed{*this, a, beginning, member.path};
    const ArchiveReader inner = new_archive_reader(true);
    if (archive_read_open(inner.get(), &feed, nullptr, read_feed, nullptr) != ARCHIVE_OK) {
      visitor_.remark(member.path, "cannot be opened: " + error_of(inner.get()));
      return;
    }
    opened(inner.get(), member.path, member.time, depth + 1);
  }

  void keep(archive* a, std::string text, ArchiveMember member, std::uint64_t size, int depth) {
    // What the archive promises is only believed as far as it costs nothing.
    text.reserve(static_cast<std::size_t>(std::min(size, kBelieved)));
    if (!member.content.cut) read_up_to(a, text, budget_.limits.file_bytes, member);
    if (!budget_.take_kept(text.size())) {
      member.content = {};
      member.content.cut = true;
      member.content.cut_why = kOutOfBudget;
      text.clear();
      stop(member.path, kOutOfBudget);
    }
    if (!member.content.cut && text.size() >= budget_.limits.file_bytes) {
      member.content.cut = true;
      member.content.cut_why = "longer than egtrace reads";
      drain(a, member.path, depth);
    }
    Content content = owned_content(std::move(text));
    content.cut = member.content.cut;
    content.cut_why = std::move(member.content.cut_why);
    member.content = std::move(content);
    visitor_.take(std::move(member));
  }

  // Appends to `text` until it has `limit` bytes or the member ends; a damaged stream sets member.content.cut.
  void read_up_to(archive* a, std::string& text, std::uint64_t limit, ArchiveMember& member) {
    std::vector<char>& buffer = buffer_;
    while (text.size() < limit) {
      const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), limit - text.size()));
      const la_ssize_t n = archive_read_data(a, buffer.data(), room);
      if (n == 0) return;
      std::string why = n < 0 ? error_of(a) : std::string();
      if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
      if (n > 0 && !may_go_on(a, static_cast<std::uint64_t>(n), text.size(), member.path))
        why = "the archive grows like a bomb";
      if (why.empty()) continue;
      member.content.cut = true;
      member.content.cut_why = std::move(why);
      return;
    }
  }

  // Passes over the rest of a member, in steps: libarchive alone would unpack a terabyte without a chance to stop it.
  void drain(archive* a, const std::string& path, int depth) {
    if (depth == 0 && archive_filter_count(a) <= 1) return;  // nothing to unpack: libarchive jumps over it
    std::uint64_t passed = 0;
    while (!stopped_) {
      const la_ssize_t n = archive_read_data(a, buffer_.data(), buffer_.size());
      if (n <= 0) return;
      passed += static_cast<std::uint64_t>(n);
      may_go_on(a, static_cast<std::uint64_t>(n), passed, path);
    }
  }

  // `in_member`: bytes of the present member so far; a sparse one makes them out of nothing.
  bool may_go_on(archive* a, std::uint64_t more, std::uint64_t in_member, const std::string& path) {
    const auto packed = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(a, -1), 1));
    const auto unpacked = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(a, 0), 0));
    const std::uint64_t made = std::max(unpacked, in_member);
    if (made > budget_.limits.innocent_bytes && made / kInnocentGrowth > packed) {
      stop(path, "an archive that grows more than any dump would");
    } else if (!budget_.take_unpacked(more)) {
      stop(path, kOutOfBudget);
    }
    return !stopped_;
  }

  ArchiveVisitor& visitor_;
  UnpackBudget& budget_;
  bool stopped_ = false;
  std::vector<char> buffer_ = std::vector<char>(kBlock);
};

}  // namespace

void visit_packed(std::string_view bytes, const std::string& path, ArchiveVisitor& visitor, UnpackBudget& budget) {
  Visit(visitor, budget).memory(bytes, path);
}

}  // namespace egt::parsers
