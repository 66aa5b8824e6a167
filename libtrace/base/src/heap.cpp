#include "egtrace/base/heap.h"

#include <malloc.h>

#include <cstddef>

// Sanitizers have an allocator of their own (sanitizer/allocator_interface.h).
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace egt {
namespace {

std::uint64_t counted_by_library() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 taken = ::mallinfo2();
  return taken.uordblks + taken.hblkhd;
#else
  return 0;
#endif
}

}  // namespace

std::uint64_t heap_in_use() {
  return __sanitizer_get_current_allocated_bytes != nullptr ? __sanitizer_get_current_allocated_bytes() : counted_by_library();
}

void give_back_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace egt
