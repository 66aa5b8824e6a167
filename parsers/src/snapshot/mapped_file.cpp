#include "snapshot/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "egtrace/parsers/output_file.h"

namespace egt::parsers {
namespace {

// No memory is allocated for a handler of signals; what has no place here is not mapped but read.
struct Mapped {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};  // end 0: none
  std::array<char, 512> path{};
  struct stat info {};  // when it was mapped
};
std::array<Mapped, 8192> mapped_files;
std::atomic<std::size_t> next_place{0};                        // where to look for one that is free
std::atomic<const Mapped*> changed_before_unmapping{nullptr};  // never forgotten
std::atomic_flag ending;
int status_of_change = 0;

// Another file of its name leaves what is mapped as it was.
bool has_been_written(const Mapped& one) {
  struct stat now {};
  return ::stat(one.path.data(), &now) == 0 && now.st_dev == one.info.st_dev && now.st_ino == one.info.st_ino &&
         (now.st_size != one.info.st_size || now.st_mtim.tv_sec != one.info.st_mtim.tv_sec ||
          now.st_mtim.tv_nsec != one.info.st_mtim.tv_nsec);
}

Mapped* remember(void* at, std::size_t size, const std::string& path, const struct stat& info) {
  for (std::size_t i = 0; i < mapped_files.size(); ++i) {
    Mapped& one = mapped_files[next_place++ % mapped_files.size()];
    if (one.taken.exchange(true)) continue;
    const std::size_t length = std::min(path.size(), one.path.size() - 1);
    std::memcpy(one.path.data(), path.data(), length);
    one.path[length] = '\0';
    one.info = info;
    one.begin = reinterpret_cast<std::uintptr_t>(at);
    one.end = one.begin + size;
    return &one;
  }
  return nullptr;
}

void forget(Mapped& one) {
  one.end = 0;
  if (has_been_written(one)) {
    changed_before_unmapping = &one;
    return;
  }
  one.taken = false;
}

// Nothing that a terminal obeys.
void say_path(const char* path) {
  std::array<char, sizeof(Mapped::path)> shown{};
  std::size_t n = 0;
  for (; n + 1 < shown.size() && path[n] != '\0'; ++n) {
    const auto byte = static_cast<unsigned char>(path[n]);
    shown[n] = byte < ' ' || byte >= 0x7f ? '?' : path[n];
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, shown.data(), n);
}

void say(std::string_view text) { [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size()); }

extern "C" void end_as_changed(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Mapped& one : mapped_files) {
    if (at < one.begin || at >= one.end) continue;
    while (ending.test_and_set()) ::pause();  // another thread prints it
    remove_unfinished_files();
    say("egtrace: ");
    say_path(one.path.data());
    say(": ");
    say(kChangedWhileRead);
    say("\n");
    ::_exit(status_of_change);
  }
  std::signal(signal, SIG_DFL);  // another fault: as ever
}

}  // namespace

void end_when_files_change(int status) {
  status_of_change = status;
  struct sigaction action {};
  action.sa_sigaction = end_as_changed;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

std::optional<std::string> changed_file() {
  const Mapped* changed = changed_before_unmapping;
  const auto written = [](const Mapped& one) { return one.end != 0 && has_been_written(one); };
  const Mapped* const end =
      mapped_files.data() + std::min(next_place.load(), mapped_files.size());  // behind it none has been taken
  if (changed == nullptr) changed = std::find_if(std::as_const(mapped_files).data(), end, written);
  if (changed == end) return std::nullopt;
  return std::string(changed->path.data()) + ": " + kChangedWhileRead;
}

Content map_file(int fd, const struct stat& info, const std::string& path) {
  const auto size = static_cast<std::size_t>(info.st_size);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return {};
  Mapped* known = remember(at, size, path, info);
  if (known == nullptr) {
    ::munmap(at, size);
    return {};
  }
  Content content;
  content.keep = std::shared_ptr<const void>(at, [size, known](const void* p) {
    forget(*known);
    ::munmap(const_cast<void*>(p), size);
  });
  content.text = {static_cast<const char*>(at), size};
  return content;
}

}  // namespace egt::parsers
