#include "egtrace/base/mac.h"

#include "egtrace/base/text.h"

namespace egt {

std::optional<MacAddr> MacAddr::parse(std::string_view text) {
  std::uint64_t value = 0;
  for (int octet = 0; octet < 6; ++octet) {
    if (octet > 0) {
      if (text.empty() || (text.front() != ':' && text.front() != '-')) return std::nullopt;
      text.remove_prefix(1);
    }
    std::size_t digits = 0;
    while (digits < 2 && digits < text.size() && is_hex_digit(text[digits])) ++digits;
    const auto v = parse_hex(text.substr(0, digits));
    if (!v) return std::nullopt;
    value = value << 8 | *v;
    text.remove_prefix(digits);
  }
  if (!text.empty()) return std::nullopt;
  return MacAddr{value};
}

std::string MacAddr::to_string() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(17);
  for (int shift = 40; shift >= 0; shift -= 8) {
    if (shift != 40) out += ':';
    out += kDigits[value >> (shift + 4) & 15];
    out += kDigits[value >> shift & 15];
  }
  return out;
}

}  // namespace egt
