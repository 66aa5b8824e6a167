#include "snapshot/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "egtrace/parsers/output_file.h"

namespace egt::parsers {
namespace {

// No memory is allocated for a handler of signals; what has no place here is not mapped but read.
struct Mapped {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};   // end 0: none
  std::array<char, 512> path{};
};
std::array<Mapped, 8192> mapped_files;
std::atomic<std::size_t> next_place{0};   // where to look for one that is free
int status_of_change = 0;

Mapped* remember(void* at, std::size_t size, const std::string& path) {
  for (std::size_t i = 0; i < mapped_files.size(); ++i) {
    Mapped& one = mapped_files[next_place++ % mapped_files.size()];
    if (one.taken.exchange(true)) continue;
    const std::size_t length = std::min(path.size(), one.path.size() - 1);
    std::memcpy(one.path.data(), path.data(), length);
    one.path[length] = '\0';
    one.begin = reinterpret_cast<std::uintptr_t>(at);
    one.end = one.begin + size;
    return &one;
  }
  return nullptr;
}

void forget(Mapped& one) {
  one.end = 0;
  one.taken = false;
}

void say(std::string_view text) { [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size()); }

extern "C" void end_as_changed(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Mapped& one : mapped_files) {
    if (at < one.begin || at >= one.end) continue;
    remove_unfinished_files();
    say("egtrace: ");
    say(one.path.data());
    say(": ");
    say(kChangedWhileRead);
    say("\n");
    ::_exit(status_of_change);
  }
  std::signal(signal, SIG_DFL);   // another fault: as ever
}

}  // namespace

void end_when_files_change(int status) {
  status_of_change = status;
  struct sigaction action {};
  action.sa_sigaction = end_as_changed;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

Content map_file(int fd, std::size_t size, const std::string& path) {
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return {};
  Mapped* known = remember(at, size, path);
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
