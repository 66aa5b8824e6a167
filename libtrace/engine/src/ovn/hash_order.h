// The order in which ovn-trace meets rows that nothing else orders: that of Open vSwitch's hash tables (lib/hmap.h,
// lib/hash.c). Among flows of one priority that match both, the first one counts, so it decides what a trace shows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "egtrace/ovn/southbound.h"

namespace egt::engine {

// Which elements a table hands out one after the other, when those with these hashes were put into it in their order.
std::vector<std::uint32_t> order_in_hash_table(std::span<const std::uint32_t> hashes);
// The same for rows of a database that a server handed to a client, as one object of JSON: both keep them in such
// tables.
std::vector<std::uint32_t> order_at_client(std::span<const ovn::Uuid> rows);
// hash_string() with basis 0.
std::uint32_t hash_string(std::string_view text);

}  // namespace egt::engine
