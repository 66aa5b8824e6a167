// The order in which ovn-trace meets rows that nothing else orders: that of Open vSwitch's hash tables (lib/hmap.c,
// lib/hash.c). Among flows of one priority that match both, the first one counts, so it decides what a trace shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace egt::engine {

// What a hash is masked with to find its bucket, in a table into which `count` rows were put.
std::uint32_t hash_mask(std::size_t count);
// hash_string() with basis 0.
std::uint32_t hash_string(std::string_view text);

}  // namespace egt::engine
