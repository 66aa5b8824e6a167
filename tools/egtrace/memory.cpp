#include "memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "egtrace/base/heap.h"
#include "sanitized.h"

namespace egt::cli {
namespace {

// 0: not known.
std::uint64_t memory_of_host() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}

}  // namespace

int part_of_memory(std::uint64_t limit, std::uint64_t most) {
  constexpr std::uint64_t kLeast = 1 << 20, kPart = 64;
  return static_cast<int>(std::clamp(limit / kPart, kLeast, most));
}

int step_of_heap(std::uint64_t limit) {
  constexpr std::uint64_t kMost = 32 << 20;
  return part_of_memory(limit, kMost);
}

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

}  // namespace egt::cli
