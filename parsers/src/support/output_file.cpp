#include "egtrace/parsers/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

// What a handler of signals may touch: no memory is allocated for it, and a name is there as a whole before it is `used`.
struct Unfinished {
  std::atomic<bool> taken{false}, used{false};
  std::array<char, PATH_MAX> name{};
};
std::array<Unfinished, 16> unfinished_files;

int remember(const std::string& name) {
  for (std::size_t i = 0; i < unfinished_files.size(); ++i) {
    Unfinished& one = unfinished_files[i];
    if (name.size() >= one.name.size() || one.taken.exchange(true)) continue;
    std::memcpy(one.name.data(), name.c_str(), name.size() + 1);
    one.used = true;
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  Unfinished& one = unfinished_files[static_cast<std::size_t>(slot)];
  one.used = false;
  one.taken = false;
}

extern "C" void remove_and_end(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

Error cannot(const std::string& path, int why) {
  return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(why))};
}

// What the name means once it is written: behind symbolic links, also where the last leads to nothing so far.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(path, failed);
  return failed ? path : target.string();
}

mode_t mode_for(Readers readers, const struct stat* old) {
  if (readers == Readers::owner_alone) return S_IRUSR | S_IWUSR;
  if (old != nullptr) return old->st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

void sync_folder(const std::string& target) {
  const std::string folder = fs::path(target).parent_path().string();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // the file has its name already; the kernel brings it to the disk some time
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (Unfinished& one : unfinished_files)
    if (one.used) ::unlink(one.name.data());
}

void remove_unfinished_files_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    // A process that ignores it (nohup) goes on doing so.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) std::signal(signal, remove_and_end);
  }
}

Result<OutputFile> OutputFile::create(const std::string& path, Readers readers) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return cannot(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    std::FILE* file = std::fopen(path.c_str(), "wbe");
    if (file == nullptr) return cannot(path, errno);
    return OutputFile(path, path, "", file);
  }
  const std::string target = behind_links(path);
  std::string name = target + ".XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return cannot(path, errno);
  OutputFile made(path, target, name, ::fdopen(fd, "wb"));
  if (made.file_ == nullptr || ::fchmod(fd, mode_for(readers, exists ? &old : nullptr)) != 0) return cannot(path, errno);
  return made;
}

OutputFile::OutputFile(std::string path, std::string target, std::string unfinished, std::FILE* file)
    : path_(std::move(path)), target_(std::move(target)), unfinished_(std::move(unfinished)), file_(file) {
  if (!unfinished_.empty()) slot_ = remember(unfinished_);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      unfinished_(std::exchange(other.unfinished_, {})),
      file_(std::exchange(other.file_, nullptr)),
      error_(other.error_),
      slot_(std::exchange(other.slot_, -1)) {}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
  forget(slot_);
}

bool OutputFile::write(std::string_view bytes) {
  if (error_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) error_ = errno;
  return error_ == 0;
}

void OutputFile::fail(int error) {
  if (error_ == 0) error_ = error;
}

std::string OutputFile::finish() {
  const auto note = [&](bool good) {
    if (!good && error_ == 0) error_ = errno;
  };
  if (file_ == nullptr) return error_ == 0 ? "" : cannot(path_, error_).message;
  note(std::fflush(file_) == 0);
  if (!unfinished_.empty()) note(::fsync(::fileno(file_)) == 0);
  note(std::fclose(std::exchange(file_, nullptr)) == 0);
  if (!unfinished_.empty() && error_ == 0) {
    note(::rename(unfinished_.c_str(), target_.c_str()) == 0);
    if (error_ == 0) unfinished_.clear(), sync_folder(target_);
  }
  return error_ == 0 ? "" : cannot(path_, error_).message;
}

}  // namespace egt::parsers
