#include "egtrace/base/ip.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

#include "egtrace/base/text.h"

namespace egt {
namespace {

constexpr std::size_t kLongestAddress = 45;  // an IPv6 address with an embedded IPv4 one

U128 from_bytes(const unsigned char* bytes) {
  U128 v = 0;
  for (int i = 0; i < 16; ++i) v = v << 8 | bytes[i];
  return v;
}

}  // namespace

std::optional<IpAddr> IpAddr::parse(std::string_view text) {
  if (text.size() < 2 || text.size() > kLongestAddress) return std::nullopt;
  char buffer[kLongestAddress + 1];
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  if (text.find(':') == std::string_view::npos) {
    in_addr a{};
    if (inet_pton(AF_INET, buffer, &a) != 1) return std::nullopt;
    return v4(ntohl(a.s_addr));
  }
  in6_addr a{};
  if (inet_pton(AF_INET6, buffer, &a) != 1) return std::nullopt;
  return v6(from_bytes(a.s6_addr));
}

bool IpAddr::is_multicast() const { return is_v4() ? (value >> 28) == 0xe : (value >> 120) == 0xff; }
bool IpAddr::is_loopback() const { return is_v4() ? (value >> 24) == 127 : value == 1; }
bool IpAddr::is_link_local() const { return is_v4() ? (value >> 16) == 0xa9fe : (value >> 118) == 0x3fa; }

std::string IpAddr::to_string() const {
  char buffer[INET6_ADDRSTRLEN];
  if (is_v4()) {
    // By hand: inet_ntop takes sprintf for it, and captures have millions of them.
    char* end = buffer;
    for (int shift = 24; shift >= 0; shift -= 8) {
      if (shift != 24) *end++ = '.';
      end = std::to_chars(end, buffer + sizeof buffer, as_v4() >> shift & 255).ptr;
    }
    return {buffer, end};
  }
  in6_addr a{};
  for (int i = 0; i < 16; ++i) a.s6_addr[i] = static_cast<unsigned char>(value >> (120 - 8 * i));
  return inet_ntop(AF_INET6, &a, buffer, sizeof buffer);
}

std::optional<Prefix> Prefix::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddr::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return host(*address);
  const auto length = parse_decimal(text.substr(slash + 1));
  if (!length || *length > address_bits(address->family)) return std::nullopt;
  return Prefix{*address, static_cast<std::uint8_t>(*length)};
}

U128 Prefix::mask() const {
  const unsigned bits = address_bits(address.family);
  return length == 0 ? 0 : ones(bits) ^ ones(bits - length);
}

bool Prefix::contains(const IpAddr& a) const { return a.family == address.family && ((a.value ^ address.value) & mask()) == 0; }

bool Prefix::contains(const Prefix& other) const { return other.length >= length && contains(other.address); }

Prefix Prefix::network() const { return {{address.family, address.value & mask()}, length}; }

std::string Prefix::to_string() const { return address.to_string() + "/" + std::to_string(length); }

std::string Prefix::to_short_string() const { return is_host() ? address.to_string() : to_string(); }

}  // namespace egt
