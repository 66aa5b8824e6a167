// The order in which the programs of Open vSwitch meet what nothing else orders: that of their hash tables (lib/hmap.h).
// FLOOD goes through the ports in it; of logical flows of one priority that match both, ovn-trace takes the first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egtrace/ovn/southbound.h"

namespace egt::engine {

// Which elements a table hands out one after the other, when those with these hashes were put into it in their order.
std::vector<std::uint32_t> order_in_hash_table(std::span<const std::uint32_t> hashes);
// The same for rows of a database that a server handed to a client, as one object of JSON: both keep them in such
// tables.
std::vector<std::uint32_t> order_at_client(std::span<const ovn::Uuid> rows);

}  // namespace egt::engine
