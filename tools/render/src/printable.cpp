#include "egtrace/render/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>

namespace egt::render {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// What begins a colour of ours. A dump may hold any sequence, but not one that is drawn when the program runs.
const std::string& colour_mark() {
  static const std::string mark = [] {
    std::random_device random;
    return fmt::format("\033[{:08x}{:08x}:", random(), random());
  }();
  return mark;
}

// "31m" behind the mark; 0: none.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with(colour_mark())) return 0;
  const std::size_t end = text.find('m', colour_mark().size());
  return end == std::string_view::npos ? 0 : end + 1;
}

constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = true;
  plain['\n'] = plain['\t'] = true;
  return plain;
}

// Whether all of eight bytes are from 0x20 to 0x7e.
bool are_visible(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = kOnes * 0x80;
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return ((word | (word - kOnes * 0x20) | (word + kOnes)) & kHigh) == 0;
}

// The bytes at the beginning that are ASCII and may stay: nearly all of every text, so they are copied in one piece.
std::size_t plain_length(std::string_view text) {
  static constexpr std::array<bool, 256> kPlain = plain_bytes();
  std::size_t i = 0;
  for (;;) {
    while (i + sizeof(std::uint64_t) <= text.size() && are_visible(text.data() + i)) i += sizeof(std::uint64_t);
    const std::size_t end = std::min(i + sizeof(std::uint64_t), text.size());
    while (i < end && kPlain[static_cast<unsigned char>(text[i])]) ++i;
    if (i < end || i == text.size()) return i;
  }
}

// The bytes at the beginning that may stay; 0: the first may not.
std::size_t shown_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first >= 0x20 && first < 0x7f) return 1;
  if (first == '\n' || first == '\t') return 1;
  if (first < 0x80) return 0;
  const bool c1 = first == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
  return c1 ? 0 : utf8_length(text);
}

std::uint32_t code_of(std::string_view character) {
  std::uint32_t code = static_cast<unsigned char>(character.front()) & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

struct CodeRange {
  std::uint32_t first, last;
};

// Unicode's characters without a width that say how others are shown: directions, joiners, marks of order, tags.
constexpr CodeRange kInvisible[] = {{0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
                                    {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
                                    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};

// The bytes of an invisible character or a control of C1 at the beginning; 0: none.
std::size_t invisible_length(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0xc2) return 0;
  const std::size_t length = utf8_length(text);
  if (length == 0) return 0;
  const std::uint32_t code = code_of(text.substr(0, length));
  const bool hidden = code < 0xa0 || std::any_of(std::begin(kInvisible), std::end(kInvisible),
                                                 [&](CodeRange r) { return code >= r.first && code <= r.last; });
  return hidden ? length : 0;
}

// "\u202e", as JSON writes it.
std::string escape_of(std::string_view character, std::string_view backslash) {
  const std::uint32_t code = code_of(character);
  if (code < 0x10000) return fmt::format("{}u{:04x}", backslash, code);
  return fmt::format("{0}u{1:04x}{0}u{2:04x}", backslash, 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
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

std::string colour(std::string_view code) { return fmt::format("{}{}m", colour_mark(), code); }

bool is_printable(std::string_view text) {
  for (text.remove_prefix(plain_length(text)); !text.empty(); text.remove_prefix(plain_length(text))) {
    const std::size_t length = invisible_length(text) == 0 ? shown_length(text) : 0;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = 1;
    if (const std::size_t plain = plain_length(text); plain > 0) {
      out += text.substr(0, plain);
      length = plain;
    } else if (const std::size_t coloured = colour_length(text); coloured > 0) {
      out += "\033[";
      out += text.substr(colour_mark().size(), coloured - colour_mark().size());
      length = coloured;
    } else if (const std::size_t hidden = invisible_length(text); hidden > 0) {
      out += escape_of(text.substr(0, hidden), "\\");
      length = hidden;
    } else if (const std::size_t shown = shown_length(text); shown > 0) {
      out += text.substr(0, shown);
      length = shown;
    } else {
      out += kReplacement;
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string with_visible(std::string_view text, std::string_view backslash) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t plain = plain_length(text); plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const std::size_t hidden = invisible_length(text), length = std::max<std::size_t>(hidden, 1);
    out += hidden > 0 ? escape_of(text.substr(0, hidden), backslash) : std::string(1, text.front());
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace egt::render
