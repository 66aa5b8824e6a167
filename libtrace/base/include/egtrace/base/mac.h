// An Ethernet address.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace egt {

struct MacAddr {
  std::uint64_t value = 0;  // 48 bits, first octet on the wire is the most significant

  static std::optional<MacAddr> parse(std::string_view text);  // six octets, ':' or '-' between
  bool is_zero() const { return value == 0; }
  bool is_multicast() const { return (value >> 40) & 1; }
  bool is_broadcast() const { return value == 0xffffffffffffULL; }
  std::string to_string() const;

  friend bool operator==(const MacAddr&, const MacAddr&) = default;
  friend auto operator<=>(const MacAddr&, const MacAddr&) = default;
};

}  // namespace egt
