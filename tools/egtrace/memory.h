// How much memory the program may take: a small archive may unpack to text that needs more than the host has.
#pragma once

#include <cstdint>

namespace egt::cli {

// Of what the program keeps for itself; mapped files do not count. What would need more ends in std::bad_alloc.
void limit_memory(std::uint64_t bytes);
// The limit that holds, in bytes; the largest number where there is none.
std::uint64_t memory_limit();
// Of what may be read again: half of what the host has, and of what limit_memory() allows. 0 where neither is known.
std::uint64_t memory_for_nodes();
// Three quarters of what the host has.
void limit_memory_by_host();
// A walk takes and frees the same memory as the walk before it: keep it between two of them, rather than return it to the
// kernel, which zeroes each page anew (mallopt(3)). A fifth of the time of an audit.
void keep_freed_memory();
// Starts the program again, once, so that its heap is of huge pages where the kernel gives them on request: glibc reads
// "glibc.malloc.hugetlb" when a program starts, and only then (GLIBC_TUNABLES, which is left alone where it is set). Each page
// that is touched first costs a fault: with pages of 2 MB a large snapshot is read in a quarter less time. Comes back where there is
// nothing to gain, or where it cannot.
void take_huge_pages(char** arguments);

}  // namespace egt::cli
