#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"

namespace egt::ovn {
namespace {

constexpr std::size_t kLength = 36;

bool is_dash_place(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

unsigned digit(char c) {
  if (c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != kLength) return std::nullopt;
  Uuid uuid;
  for (std::size_t i = 0, digits = 0; i < kLength; ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    if (!is_hex_digit(text[i])) return std::nullopt;
    std::uint64_t& half = digits++ < 16 ? uuid.high : uuid.low;
    half = half << 4 | digit(text[i]);
  }
  return uuid;
}

std::string Uuid::to_string() const {
  std::string text(kLength, '-');
  for (std::size_t i = 0, digits = 0; i < kLength; ++i) {
    if (is_dash_place(i)) continue;
    const std::uint64_t half = digits < 16 ? high : low;
    text[i] = "0123456789abcdef"[half >> (60 - 4 * (digits++ % 16)) & 0xf];
  }
  return text;
}

}  // namespace egt::ovn
