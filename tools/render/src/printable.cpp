#include "egtrace/render/printable.h"

#include <cstdint>

namespace egt::render {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// "\033[1;31m"; 0: none.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  std::size_t end = 2;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == ';')) ++end;
  return end < text.size() && text[end] == 'm' ? end + 1 : 0;
}

// The bytes at the beginning that may stay; 0: the first may not.
std::size_t shown_length(std::string_view text, bool colours) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first >= 0x20 && first < 0x7f) return 1;
  if (first == '\n' || first == '\t') return 1;
  if (first == 0x1b && colours) return colour_length(text);
  if (first < 0x80) return 0;
  const bool c1 = first == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
  return c1 ? 0 : utf8_length(text);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return too_long || surrogate || code > 0x10ffff ? 0 : size;
}

bool is_printable(std::string_view text, bool colours) {
  while (!text.empty()) {
    const std::size_t length = shown_length(text, colours);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, bool colours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = shown_length(text, colours);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace egt::render
