// How much memory the process has taken for what it made, and how it gives back what it no longer needs.
#pragma once

#include <cstdint>

namespace egt {

// Bytes that are allocated; mapped files are none of them. 0 where the C library does not count them (only glibc does,
// mallinfo2(3)).
std::uint64_t heap_in_use();
// Gives freed memory back to the system, malloc_trim(3).
void give_back_freed_memory();

}  // namespace egt
