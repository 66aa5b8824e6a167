#include "snapshot_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <vector>

#include "egtrace/base/sha256.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/compile.h"

namespace egt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".egt", kTried = ".tried";
constexpr std::uint64_t kArchiveFactor = 8;
constexpr std::int64_t kSettled = 2;  // seconds: a file changed just now may change again without its time showing it

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string directory_of_user() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/egtrace";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/egtrace" : std::string();
}

// "2G", "500M", "4096".
std::optional<std::uint64_t> size_of(std::string text) {
  try {
    return !text.empty() && CLI::AsSizeValue(false)(text).empty() ? parse_decimal(text) : std::nullopt;
  } catch (const CLI::ValidationError&) {
    return std::nullopt;
  }
}

// What shows whether files are as they were.
struct Files {
  std::string root, fingerprint;
  std::uint64_t bytes = 0;
  std::int64_t newest = 0;  // when one of them was changed last, in seconds
};

void add(const fs::path& path, const std::string& name, std::uint64_t factor, Files& files) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return;
  files.fingerprint += fmt::format("{} {:o} {} {}.{} {}.{} {} {}\n", name, info.st_mode, info.st_size, info.st_mtim.tv_sec,
                                   info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec, info.st_ino, info.st_dev);
  if (S_ISREG(info.st_mode)) files.bytes += static_cast<std::uint64_t>(info.st_size) * factor;
  files.newest = std::max({files.newest, std::int64_t{info.st_ctim.tv_sec}, std::int64_t{info.st_mtim.tv_sec}});
}

std::optional<Files> files_of(const std::string& snapshot) {
  std::error_code failed;
  const fs::path root = fs::canonical(snapshot, failed);
  if (failed) return std::nullopt;
  Files files{root.string(), fmt::format("{} {}\n", parsers::compiled_by(), root.string()), 0, 0};
  if (fs::is_regular_file(root, failed)) {
    add(root, "", kArchiveFactor, files);
    return files;
  }
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(root, failed), end; !failed && at != end; at.increment(failed))
    found.push_back(at->path());
  if (failed) return std::nullopt;
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) add(path, path.lexically_relative(root).string(), 1, files);
  return files;
}

// Into which no other user can write.
bool is_own(const std::string& directory) {
  struct stat info {};
  return ::lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & 022) == 0;
}

bool make_directory(const std::string& directory) {
  std::error_code failed;
  if (!fs::exists(directory, failed)) {
    fs::create_directories(fs::path(directory).parent_path(), failed);
    if (::mkdir(directory.c_str(), 0700) != 0) return false;
  }
  return is_own(directory);
}

// Held as long as any process has it open. Below 0: another one holds it.
int lock(const std::string& directory) {
  const int file = ::open((directory + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

// Whether it was tried within the last hour; from now on it was. A process that compiles may be ended with the job that it belongs to.
bool was_tried(const std::string& place) {
  constexpr std::int64_t kHour = 3600;
  const std::string mark = place + std::string(kTried);
  struct stat info {};
  const bool marked = ::lstat(mark.c_str(), &info) == 0;
  if (marked && info.st_mtim.tv_sec + kHour > static_cast<std::int64_t>(::time(nullptr))) return true;
  const int file = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0 || ::futimens(file, nullptr) != 0) return true;
  ::close(file);
  return false;
}

// A process of its own session, of low priority, that prints nothing and has no file of this one but the lock.
void start(const std::array<const char*, 6>& words, int held) {
  if (::fork() != 0) return;
  ::setsid();
  ::setpriority(PRIO_PROCESS, 0, 10);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  const auto own = static_cast<unsigned>(held);
  if (own > STDERR_FILENO + 1U) ::close_range(STDERR_FILENO + 1U, own - 1, 0);
  ::close_range(own + 1, ~0U, 0);
  ::execv(words.front(), const_cast<char* const*>(words.data()));
  ::_exit(127);
}

}  // namespace

SnapshotCache SnapshotCache::of_user() {
  const std::string wanted = environment("EGTRACE_CACHE");
  Limits limits;
  if (wanted == "off") return {"", limits};
  limits.all = size_of(wanted).value_or(limits.all);
  return {directory_of_user(), limits};
}

std::optional<std::string> SnapshotCache::place_of(const parsers::SnapshotRequest& r) const {
  if (directory_.empty() || r.path.empty() || r.path == "-" || r.path.ends_with(kEnding)) return std::nullopt;
  if (!r.dumps.empty() || r.as_of || r.history || r.logical_only || r.follow_links) return std::nullopt;
  const std::optional<Files> files = files_of(r.path);
  if (!files || files->bytes < limits_.large || files->newest + kSettled >= static_cast<std::int64_t>(::time(nullptr)))
    return std::nullopt;
  return fmt::format("{}/{}{}", directory_, sha256(files->fingerprint), kEnding);
}

bool SnapshotCache::has(const std::string& place) {
  struct stat info {};
  const bool there = is_own(fs::path(place).parent_path().string()) && ::lstat(place.c_str(), &info) == 0 &&
                     S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
  if (there) ::utimensat(AT_FDCWD, place.c_str(), nullptr, 0);
  return there;
}

// What a process left unfinished goes as well: no other process writes, as the lock is held.
void SnapshotCache::make_room(std::uint64_t bytes) const {
  struct CachedSnapshot {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t bytes;
  };
  std::vector<CachedSnapshot> kept;
  std::error_code failed;
  std::uint64_t all = bytes;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, failed)) {
    const std::string name = entry.path().filename().string();
    if (name == "lock" || !entry.is_regular_file(failed)) continue;
    if (!name.ends_with(kEnding) && !name.ends_with(kTried)) {
      fs::remove(entry.path(), failed);
      continue;
    }
    kept.push_back({entry.last_write_time(failed), entry.path(), entry.file_size(failed)});
    all += kept.back().bytes;
  }
  std::sort(kept.begin(), kept.end(), [](const CachedSnapshot& a, const CachedSnapshot& b) { return a.used < b.used; });
  for (const CachedSnapshot& oldest : kept) {
    if (all <= limits_.all) break;
    if (!fs::remove(oldest.path, failed)) continue;
    all -= oldest.bytes;
    fs::remove(oldest.path.string() + std::string(kTried), failed);
  }
}

void SnapshotCache::keep(const std::string& snapshot, const std::string& place, const std::string& program) const {
  const std::optional<Files> files = files_of(snapshot);
  if (!files || !make_directory(directory_)) return;
  const std::uint64_t bytes = files->bytes + files->bytes / 4;
  struct statvfs disk {};
  if (bytes > limits_.all || ::statvfs(directory_.c_str(), &disk) != 0 || disk.f_bavail * disk.f_frsize / 2 < bytes) return;
  const int held = lock(directory_);
  if (held < 0) return;
  if (!was_tried(place)) {
    make_room(bytes);
    start({program.c_str(), "compile", files->root.c_str(), "-o", place.c_str(), nullptr}, held);
  }
  ::close(held);
}

bool is_compiled_alike(const cluster::Collection& collection) {
  return collection.links_out.empty() && collection.damaged.empty() && collection.missing.empty() && !collection.translated_back;
}

}  // namespace egt::cli
