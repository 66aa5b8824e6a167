// How much memory the program may take: a small archive may unpack to text that needs more than the host has.
#pragma once

#include <cstdint>

namespace egt::cli {

// Of what the program keeps for itself; mapped files do not count. What would need more ends in std::bad_alloc.
void limit_memory(std::uint64_t bytes);
// What the heap may have in reserve, in bytes: little where little is allowed, as a limit counts what is not used yet.
int part_of_memory(std::uint64_t limit, std::uint64_t most);
// By how much the heap grows at once.
int step_of_heap(std::uint64_t limit);
// The limit that holds, in bytes; the largest number where there is none.
std::uint64_t memory_limit();
// Of what may be read again: half of what the host has, and of what limit_memory() allows. 0 where neither is known.
std::uint64_t memory_for_nodes();
// Three quarters of what the host has.
void limit_memory_by_host();
// A walk takes and frees the same memory as the walk before it: keep it between two of them, rather than return it to the
// kernel, which zeroes each page anew (mallopt(3)). A fifth of the time of an audit.
void keep_freed_memory();

}  // namespace egt::cli
