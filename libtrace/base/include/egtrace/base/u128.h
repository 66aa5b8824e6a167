// A 128-bit unsigned integer: the widest thing an OpenFlow field (xxreg, ct_label, IPv6) can hold.
#pragma once

#include <cstdint>
#include <string>

namespace egt {

__extension__ using U128 = unsigned __int128;

constexpr std::uint64_t high64(U128 v) { return static_cast<std::uint64_t>(v >> 64); }
constexpr std::uint64_t low64(U128 v) { return static_cast<std::uint64_t>(v); }
constexpr U128 make_u128(std::uint64_t high, std::uint64_t low) { return (static_cast<U128>(high) << 64) | low; }
// The lowest `bits` bits set; 128 gives all ones.
constexpr U128 ones(unsigned bits) { return bits >= 128 ? ~static_cast<U128>(0) : (static_cast<U128>(1) << bits) - 1; }

// "0x2a", and "0" for zero when `bare_zero`, as ovs-ofctl prints loads.
std::string hex(U128 value, bool bare_zero = false);

}  // namespace egt
