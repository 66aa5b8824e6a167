#include "support/quick_hash.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "egtrace/base/fold.h"
#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15ULL, kSecond = 0xd6e8feb86659fd93ULL;
constexpr std::array<std::uint64_t, 4> kLane = {0xa0761d6478bd642fULL, 0xe7037ed1a0b428dbULL, 0x8ebc6af09c88c6e3ULL,
                                                0x589965cc75374cc3ULL};

std::uint64_t little_endian(const char* at, std::size_t bytes) {
  std::uint64_t v = 0;
  std::memcpy(&v, at, bytes);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
  return v;
}
std::uint64_t word_at(const char* at) { return little_endian(at, 8); }

// What a character counts as in a form: a digit of a number as '0'.
constexpr std::array<char, 256> kInForm = [] {
  std::array<char, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) {
    const char as_char = static_cast<char>(c);
    all[c] = is_hex_digit(as_char) || as_char == '.' ? '0' : as_char;
  }
  return all;
}();

}  // namespace

// Four lanes that do not wait for each other, then sixteen bytes at a time, then what is left.
std::uint64_t quick_hash(std::string_view text) {
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t h = text.size() * kFirst;
  if (left >= 64) {
    std::uint64_t a = h, b = h ^ kFirst, c = h ^ kSecond, d = ~h;
    for (; left >= 64; at += 64, left -= 64) {
      a = fold_product(word_at(at) ^ kLane[0], word_at(at + 8) ^ a);
      b = fold_product(word_at(at + 16) ^ kLane[1], word_at(at + 24) ^ b);
      c = fold_product(word_at(at + 32) ^ kLane[2], word_at(at + 40) ^ c);
      d = fold_product(word_at(at + 48) ^ kLane[3], word_at(at + 56) ^ d);
    }
    h = fold_product(a ^ kFirst, b) ^ fold_product(c ^ kSecond, d);
  }
  for (; left >= 16; at += 16, left -= 16) h = fold_product(word_at(at) ^ kLane[0], word_at(at + 8) ^ h);
  if (left >= 8)
    h = fold_product(word_at(at) ^ kLane[1], word_at(at + left - 8) ^ h);
  else if (left > 0)
    h = fold_product(little_endian(at, left) ^ kLane[2], h ^ kSecond);
  return fold_product(h ^ text.size(), kLane[3]);
}

// Where the pieces that are hashed end is shown by what is left of the text, so that longer numbers change nothing.
std::uint64_t form_of(std::string_view text) {
  std::array<char, 1024> form;
  std::size_t n = 0;
  std::uint64_t h = kFirst;
  const auto hash_piece = [&] {
    h = fold_product(h ^ kSecond, quick_hash({form.data(), n}));
    n = 0;
  };
  char last = '\0';
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, form.size() - n);
    for (const char c : piece) {
      const char counts_as = kInForm[static_cast<unsigned char>(c)];
      form[n] = counts_as;
      n += static_cast<std::size_t>(counts_as != '0' || last != '0');
      last = counts_as;
    }
    if (n == form.size()) hash_piece();
    text.remove_prefix(piece.size());
  }
  hash_piece();
  return h;
}

}  // namespace egt::parsers
