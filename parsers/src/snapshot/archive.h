// Archives as streams: members are visited in the order in which they lie, archives inside archives included, and what
// is not wanted is never held. Nothing is written anywhere.
//
// Understood are tar (ustar, pax, GNU, v7) and zip, behind any stack of gzip, xz, lzma, bzip2, zstd and lz4, shown by
// content. Filters of libarchive that start other programs are not used. Input is hostile until shown otherwise: the
// budget bounds what is kept and what is unpacked at all, members whose names lead out of the archive are refused, and
// links are shown as paths inside the archive or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/parsers/content.h"

namespace egt::parsers {

// What the unpacking of one snapshot may cost, shared by the threads that unpack.
class UnpackBudget {
 public:
  explicit UnpackBudget(const ContentLimits& l)
      : limits(l), kept_(l.archive_bytes), unpacked_(l.unpacked_bytes), entries_(l.archive_entries) {}

  const ContentLimits limits;
  bool take_entry() { return take(entries_, 1); }
  bool take_unpacked(std::uint64_t bytes) { return take(unpacked_, bytes); }
  bool take_kept(std::uint64_t bytes) { return take(kept_, bytes); }

 private:
  static bool take(std::atomic<std::uint64_t>& left, std::uint64_t amount) {
    std::uint64_t now = left.load();
    while (now >= amount && !left.compare_exchange_weak(now, now - amount)) {
    }
    return now >= amount;
  }
  std::atomic<std::uint64_t> kept_, unpacked_, entries_;
};

struct ArchiveMember {
  std::string path;  // archives stand for folders of their names; '/' between parts
  bool is_link = false;
  std::string link_target;  // where it leads, shown as `path` is
  Content content;
  std::int64_t time = 0;  // of its last change, seconds since 1970; 0: not shown
  bool left_out = false;  // not wanted: there is no content
};

class ArchiveVisitor {
 public:
  virtual ~ArchiveVisitor() = default;
  // Whether to read a member that begins so. `size` is what the archive shows, 0 where it does not.
  virtual bool wants(const std::string& path, std::uint64_t size, std::string_view beginning) = 0;
  virtual void take(ArchiveMember member) = 0;
  // Something was left out that is no file with a dump. `path` may be the archive's own.
  virtual void remark(const std::string& path, const std::string& why) = 0;
  // Something was left out in which there may be dumps: what is not in the snapshot may be there.
  virtual void missing(const std::string& path, const std::string& why) = 0;
  // A checksum or the format of an archive or a compressed file shows that bytes in it are wrong: what was taken of it,
  // before and after, may be so too. Not for one that only ends early.
  virtual void damaged(const std::string& path, const std::string& why) = 0;
};

// Whether these bytes begin what visit_packed() opens: an archive, or a compressed file.
bool is_packed(std::string_view bytes);

// Visits what `bytes` hold. `path`: of the archive below the snapshot's root, the folder of its members; empty for an
// archive that is the snapshot. A compressed single file is taken as one member of that very path.
void visit_packed(std::string_view bytes, const std::string& path, ArchiveVisitor& visitor, UnpackBudget& budget);

}  // namespace egt::parsers
