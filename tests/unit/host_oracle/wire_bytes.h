// Numbers and addresses in frames, in network byte order.
#pragma once

#include "wire.h"

namespace egt::test {

constexpr std::size_t kEthernet = 14;  // bytes of its header

inline void put16(Bytes& b, std::uint64_t v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
inline void put32(Bytes& b, std::uint64_t v) {
  put16(b, v >> 16);
  put16(b, v);
}
inline void put_address(Bytes& b, const IpAddr& a) {
  const int bytes = a.is_v4() ? 4 : 16;
  for (int i = bytes - 1; i >= 0; --i) b.push_back(static_cast<std::uint8_t>(a.value >> (8 * i)));
}
inline void set16(Bytes& b, std::size_t at, std::uint64_t v) {
  b[at] = static_cast<std::uint8_t>(v >> 8);
  b[at + 1] = static_cast<std::uint8_t>(v);
}

inline std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < bytes.size() ? bytes[i + 1] : 0u);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

inline IpAddr get_address(std::span<const std::uint8_t> b, std::size_t at, Family f) {
  U128 v = 0;
  for (std::size_t i = 0; i < (f == Family::v4 ? 4u : 16u); ++i) v = v << 8 | b[at + i];
  return {f, v};
}

}  // namespace egt::test
