#include "frame_bytes.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::testing {

void put(Bytes& out, U128 value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void set16(Bytes& out, std::size_t at, std::uint16_t value) {
  out[at] = static_cast<std::uint8_t>(value >> 8);
  out[at + 1] = static_cast<std::uint8_t>(value);
}

std::uint32_t sum_of(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < bytes.size() ? bytes[i + 1] : 0u);
  return sum;
}

std::uint16_t checksum(std::uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::string hex_of(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

Bytes bytes_of(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

bool is_cut(const Bytes& frame) {
  constexpr std::size_t kAddresses = 12, kTag = 4, kIpv6Header = 40;
  const auto word = [&](std::size_t at) { return at + 1 < frame.size() ? frame[at] << 8 | frame[at + 1] : 0; };
  std::size_t at = kAddresses;
  while (word(at) == 0x8100 || word(at) == 0x88a8) at += kTag;
  const int type = word(at);
  const std::size_t begin = at + 2, rest = frame.size() - std::min(frame.size(), begin);
  if (type == 0x0800) return rest < 20 || static_cast<std::size_t>(word(begin + 2)) > rest;
  return type == 0x86dd && (rest < kIpv6Header || static_cast<std::size_t>(word(begin + 4)) + kIpv6Header > rest);
}

}  // namespace egt::testing
