#include "memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "egtrace/base/heap.h"

namespace egt::cli {
namespace {

// Sanitizers have an allocator of their own, and reserve terabytes beside what the program takes.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr const char *kTunables = "GLIBC_TUNABLES", *kHugePages = "glibc.malloc.hugetlb=1";

// Where the kernel gives huge pages to those who ask for them (Documentation/admin-guide/mm/transhuge.rst).
bool are_huge_pages_on_request() {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  return std::getline(setting, modes) && modes.find("[madvise]") != std::string::npos;
}

// By how much the heap grows at once: little where little is allowed, as a limit counts what is not used yet.
int step_of_heap(std::uint64_t limit) {
  constexpr std::uint64_t kLeast = 1 << 20, kMost = 32 << 20, kPart = 64;
  return static_cast<int>(std::clamp(limit / kPart, kLeast, kMost));
}

// 0: not known.
std::uint64_t memory_of_host() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}

}  // namespace

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  if (kSanitized || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  ::mallopt(M_TOP_PAD, step_of_heap(bytes));
  give_back_freed_memory();  // what the heap has in reserve counts
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::uint64_t memory_limit() {
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? limit.rlim_cur : std::numeric_limits<std::uint64_t>::max();
}

void limit_memory_by_host() {
  if (const std::uint64_t all = memory_of_host(); all != 0) limit_memory(all / 4 * 3);
}

std::uint64_t memory_for_nodes() {
  const std::uint64_t all = memory_of_host(), allowed = memory_limit();
  const bool is_limited = allowed != std::numeric_limits<std::uint64_t>::max();
  if (all == 0) return is_limited ? allowed / 2 : 0;
  return std::min(all, allowed) / 2;
}

void keep_freed_memory() {
  constexpr int kKept = 1 << 30, kMapped = 64 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kKept);
  ::mallopt(M_MMAP_THRESHOLD, kMapped);
}

void take_huge_pages(char** arguments) {
  const char* set = std::getenv(kTunables);
  if (set != nullptr && std::string_view(set) == kHugePages) ::unsetenv(kTunables);  // by the exec below: not for other programs
  if (kSanitized || set != nullptr || !are_huge_pages_on_request()) return;
  std::array<char, 4096> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return;
  if (std::string_view(path.data()).find(".so") != std::string_view::npos) return;  // ld.so(8), named on the command line
  ::setenv(kTunables, kHugePages, 0);
  ::execv(path.data(), arguments);
  ::unsetenv(kTunables);  // it goes on without them
}

}  // namespace egt::cli
