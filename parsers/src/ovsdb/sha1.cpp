#include "ovsdb/sha1.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace egt::parsers::ovsdb {
namespace {

using Block = std::array<std::uint32_t, 16>;

std::uint32_t big_endian(const char* p) {
  const auto byte = [p](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

// One of the four rounds of twenty steps; `f` mixes, `k` is the round's constant.
template <int kFirst, class F>
void round(std::uint32_t (&v)[5], Block& w, std::uint32_t k, F f) {
  for (int t = kFirst; t < kFirst + 20; ++t) {
    if (t >= 16) w[t & 15] = std::rotl(w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15], 1);
    const std::uint32_t next = std::rotl(v[0], 5) + f(v[1], v[2], v[3]) + v[4] + w[t & 15] + k;
    v[4] = v[3];
    v[3] = v[2];
    v[2] = std::rotl(v[1], 30);
    v[1] = v[0];
    v[0] = next;
  }
}

void add_block(const char* bytes, Sha1& digest) {
  Block w;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = big_endian(bytes + i * 4);
  std::uint32_t v[5] = {digest[0], digest[1], digest[2], digest[3], digest[4]};
  using U = std::uint32_t;
  const auto parity = [](U b, U c, U d) { return b ^ c ^ d; };
  round<0>(v, w, 0x5a827999, [](U b, U c, U d) { return d ^ (b & (c ^ d)); });
  round<20>(v, w, 0x6ed9eba1, parity);
  round<40>(v, w, 0x8f1bbcdc, [](U b, U c, U d) { return (b & c) | (d & (b | c)); });
  round<60>(v, w, 0xca62c1d6, parity);
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] += v[i];
}

}  // namespace

Sha1 sha1(std::string_view bytes) {
  Sha1 digest = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) add_block(bytes.data(), digest);
  char tail[128] = {};
  if (!bytes.empty()) std::memcpy(tail, bytes.data(), bytes.size());
  tail[bytes.size()] = static_cast<char>(0x80);
  const std::size_t end = bytes.size() < 56 ? 64 : 128;
  for (std::size_t i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<char>(bits >> (i * 8) & 0xff);
  for (std::size_t at = 0; at < end; at += 64) add_block(tail + at, digest);
  return digest;
}

std::string to_hex(const Sha1& digest) {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3], digest[4]);
}

}  // namespace egt::parsers::ovsdb
