#include "egtrace/base/columns.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace egt {
namespace {

struct CodeRange {
  std::uint32_t first, last;
};

// Unicode's Mn and Me, as far as names and comments have them.
constexpr CodeRange kCombining[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
                                    {0x6d6, 0x6dc},   {0x900, 0x902},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},
                                    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                    {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
// Wide and fullwidth ones (Unicode Standard Annex #11).
constexpr CodeRange kWide[] = {{0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615},   {0x26a1, 0x26a1},
                               {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2757, 0x2757},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
                               {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                               {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
                               {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

template <std::size_t N>
bool is_among(std::uint32_t code, const CodeRange (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](CodeRange r) { return code >= r.first && code <= r.last; });
}

struct Character {
  std::size_t bytes = 1, columns = 1;
};

Character first_character(std::string_view text) {
  constexpr std::size_t kMostOfATab = 8;
  const auto first = static_cast<unsigned char>(text.front());
  if (first == '\t') return {1, kMostOfATab};
  if (first < 0xc2) return {};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {};
    code = code << 6 | (next & 0x3fU);
  }
  return {bytes, is_among(code, kCombining) ? 0U : is_among(code, kWide) ? 2U : 1U};
}

// The bytes of the shortest end, in whole characters, without which the text takes no more than that.
std::size_t bytes_before_last(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t left = columns_of(text); left > columns;) {
    const Character c = first_character(text.substr(at));
    left -= c.columns;
    at += c.bytes;
  }
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    columns += c.columns;
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character c = first_character(text.substr(at));
    if (c.columns > columns) break;
    columns -= c.columns;
    at += c.bytes;
  }
  return at;
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t own = columns_of(text);
  return std::string(text) + std::string(own < columns ? columns - own : 0, ' ');
}

std::string shortened_path(std::string_view path, std::size_t columns) {
  constexpr std::string_view kDots = "...", kMiddle = "/.../";
  if (columns_of(path) <= columns || columns <= kDots.size()) return std::string(path);
  const std::string_view head = path.substr(0, path.find('/', 1));
  // As many whole folders before the file as there is room for.
  for (std::size_t slash = path.find('/', head.size()); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const std::string_view tail = path.substr(slash + 1);
    if (columns_of(head) + kMiddle.size() + columns_of(tail) > columns) continue;
    return std::string(head).append(kMiddle).append(tail);
  }
  constexpr std::string_view kFolders = ".../";
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.size() < path.size() && kFolders.size() + columns_of(file) <= columns) return std::string(kFolders).append(file);
  const std::size_t room = columns - kDots.size(), before = room / 3;
  return std::string(path.substr(0, bytes_within(path, before)))
      .append(kDots)
      .append(path.substr(bytes_before_last(path, room - before)));
}

}  // namespace egt
