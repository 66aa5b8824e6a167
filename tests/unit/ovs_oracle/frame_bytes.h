// Bytes of frames, in network byte order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/base/u128.h"

namespace egt::testing {

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& out, U128 value, int bytes);
void set16(Bytes& out, std::size_t at, std::uint16_t value);
// Of its words of 16 bits, for checksum().
std::uint32_t sum_of(const Bytes& bytes);
std::uint16_t checksum(std::uint32_t sum);

std::string hex_of(const Bytes& bytes);
Bytes bytes_of(const std::string& hex);

// Whether an IP packet, with VLAN tags in front or not, is longer by its header than the frame.
bool is_cut(const Bytes& frame);

}  // namespace egt::testing
