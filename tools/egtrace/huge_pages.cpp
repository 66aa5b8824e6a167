#include "huge_pages.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "memory.h"
#include "sanitized.h"

namespace egt::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *kTunables = "GLIBC_TUNABLES", *kHugePages = "glibc.malloc.hugetlb=1";
constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
constexpr std::uint64_t kReserved = 128 << 20;

// Allocates nothing, so that the heap is as it was.
bool are_on_request() {
  const int setting = ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (setting < 0) return false;
  std::array<char, 256> modes{};
  const ssize_t size = ::read(setting, modes.data(), modes.size());
  ::close(setting);
  return size > 0 && std::string_view(modes.data(), static_cast<std::size_t>(size)).find("[madvise]") != std::string_view::npos;
}

// Of a file, or of a directory's files until it is enough; so are many small ones, as going through them takes time.
std::uintmax_t bytes_to_read(const fs::path& path, std::uintmax_t of_compiled, std::uintmax_t enough) {
  constexpr std::uintmax_t kOfArchive = 8;  // times its size
  std::error_code failed;
  if (fs::is_regular_file(path, failed))
    return fs::file_size(path, failed) * (path.extension() == ".egt" ? of_compiled : kOfArchive);
  constexpr std::size_t kMany = 1000;
  std::uintmax_t bytes = 0;
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end && bytes < enough; at.increment(failed)) {
    if (++entries > kMany) return enough;
    std::error_code gone;
    if (const std::uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0; !gone) bytes += size;
  }
  return bytes;
}

bool is_much_to_read(char** words) {
  constexpr std::uintmax_t kMuch = std::uintmax_t{32} << 20;
  // Of a compiled snapshot a walk takes over what it comes to.
  const std::string_view verb = *words != nullptr ? *words : "";
  const std::uintmax_t of_compiled = verb == "explain" || verb == "trace" || verb == "ltrace" ? 0 : 1;
  const char* snapshot = std::getenv("EGTRACE_SNAPSHOT");
  if (snapshot != nullptr && bytes_to_read(snapshot, of_compiled, kMuch) >= kMuch) return true;
  for (; *words != nullptr; ++words)
    if (bytes_to_read(*words, of_compiled, kMuch) >= kMuch) return true;
  return false;
}

}  // namespace

void restart_for_huge_pages(char** arguments) {
  const char* set = std::getenv(kTunables);
  if (kSanitized || set != nullptr || *arguments == nullptr || !are_on_request() || !is_much_to_read(arguments + 1)) return;
  std::array<char, 4096> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return;
  if (std::string_view(path.data()).find(".so") != std::string_view::npos) return;  // ld.so(8), named on the command line
  ::setenv(kTunables, kHugePages, 0);
  ::execv(path.data(), arguments);
  ::unsetenv(kTunables);  // it goes on without them
}

void reserve_huge_pages() {
  const char* set = std::getenv(kTunables);
  if (set != nullptr && std::string_view(set) == kHugePages) ::unsetenv(kTunables);  // by the exec above: not for other programs
  if (kSanitized || set != nullptr || !are_on_request()) return;
  // A page of which a part was touched stays in small ones: what is allocated first, and the header of what is free behind it, lie
  // before the first huge page.
  constexpr std::uintptr_t kBefore = std::uintptr_t{256} << 10, kAllocated = kBefore / 4 * 3;
  const auto at = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  const std::uintptr_t first = (at + kBefore + kPage - 1) / kPage * kPage;
  if (::sbrk(static_cast<std::intptr_t>(first - kBefore - at)) == reinterpret_cast<void*>(-1)) return;
  ::mallopt(M_TOP_PAD, part_of_memory(memory_limit(), kReserved));
  void* volatile grown = std::malloc(kAllocated);
  std::free(grown);
  ::mallopt(M_TOP_PAD, step_of_heap(memory_limit()));
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  if (end > first) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace egt::cli
