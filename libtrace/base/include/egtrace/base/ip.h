// IPv4 and IPv6 addresses and prefixes as one value type each.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/u128.h"

namespace egt {

enum class Family : std::uint8_t { v4, v6 };

constexpr unsigned address_bits(Family f) { return f == Family::v4 ? 32 : 128; }

// An address in host order; an IPv4 address occupies the low 32 bits of `value`.
struct IpAddr {
  Family family = Family::v4;
  U128 value = 0;

  static constexpr IpAddr v4(std::uint32_t host_order) { return {Family::v4, host_order}; }
  static constexpr IpAddr v6(U128 host_order) { return {Family::v6, host_order}; }
  // Accepts dotted quad or RFC 4291 text, without brackets, prefix length or zone.
  static std::optional<IpAddr> parse(std::string_view text);

  bool is_v4() const { return family == Family::v4; }
  bool is_unspecified() const { return value == 0; }
  bool is_multicast() const;
  bool is_loopback() const;
  bool is_link_local() const;
  std::uint32_t as_v4() const { return static_cast<std::uint32_t>(value); }
  std::string to_string() const;

  friend bool operator==(const IpAddr&, const IpAddr&) = default;
  friend auto operator<=>(const IpAddr&, const IpAddr&) = default;
};

// A network: `address` keeps the host bits that the text had, as `ip addr` prints them.
struct Prefix {
  IpAddr address;
  std::uint8_t length = 0;

  static Prefix host(IpAddr a) { return {a, static_cast<std::uint8_t>(address_bits(a.family))}; }
  static Prefix any(Family f) { return {{f, 0}, 0}; }
  // "10.0.0.0/8", "10.0.0.1" (a host), "fd00::/64". "default" is for the caller.
  static std::optional<Prefix> parse(std::string_view text);

  U128 mask() const;
  bool contains(const IpAddr& a) const;
  bool contains(const Prefix& other) const;
  Prefix network() const;  // host bits cleared
  bool is_host() const { return length == address_bits(address.family); }
  std::string to_string() const;        // always with the length
  std::string to_short_string() const;  // a host without the length

  friend bool operator==(const Prefix&, const Prefix&) = default;
  friend auto operator<=>(const Prefix&, const Prefix&) = default;
};

// An inclusive range of addresses of one family.
struct IpRange {
  IpAddr first, last;
  bool contains(const IpAddr& a) const { return a.family == first.family && first.value <= a.value && a.value <= last.value; }
  friend bool operator==(const IpRange&, const IpRange&) = default;
};

}  // namespace egt
