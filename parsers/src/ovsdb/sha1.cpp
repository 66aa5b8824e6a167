#include "ovsdb/sha1.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

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

void add_block_portably(const char* bytes, Sha1& digest) {
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

#if defined(__x86_64__)

#define EGTRACE_SHA_EXTENSIONS __attribute__((target("sha,sse4.1")))

// Four of the eighty steps: the words that come in, and what earlier ones become of them (FIPS 180-4, 6.1.2).
template <int kGroup>
EGTRACE_SHA_EXTENSIONS inline void four_steps(__m128i& abcd, __m128i& e, __m128i (&w)[4]) {
  __m128i& now = w[kGroup & 3];
  if constexpr (kGroup >= 4) {
    const __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(now, w[(kGroup + 1) & 3]), w[(kGroup + 2) & 3]);
    now = _mm_sha1msg2_epu32(mixed, w[(kGroup + 3) & 3]);
  }
  const __m128i before = abcd;
  abcd = _mm_sha1rnds4_epu32(abcd, kGroup == 0 ? _mm_add_epi32(e, now) : _mm_sha1nexte_epu32(e, now), kGroup / 5);
  e = before;
}

template <int... kGroups>
EGTRACE_SHA_EXTENSIONS inline void all_steps(__m128i& abcd, __m128i& e, __m128i (&w)[4], std::integer_sequence<int, kGroups...>) {
  (four_steps<kGroups>(abcd, e, w), ...);
}

// With the instructions that processors have for it since 2016.
EGTRACE_SHA_EXTENSIONS void add_blocks_with_extensions(const char* bytes, std::size_t blocks, Sha1& digest) {
  const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
  __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(digest.data())), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(digest[4]), 0, 0, 0);
  for (; blocks > 0; --blocks, bytes += 64) {
    __m128i w[4];
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), order);
    const __m128i first_abcd = abcd, first_e = e;
    all_steps(abcd, e, w, std::make_integer_sequence<int, 20>());
    e = _mm_sha1nexte_epu32(e, first_e);
    abcd = _mm_add_epi32(abcd, first_abcd);
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(digest.data()), _mm_shuffle_epi32(abcd, 0x1b));
  digest[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
}

// CPUID leaf 7, EBX bit 29, and leaf 1, ECX bit 19.
bool has_extensions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c >> 19 & 1) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

#undef EGTRACE_SHA_EXTENSIONS

#endif

void add_blocks(const char* bytes, std::size_t blocks, Sha1& digest) {
#if defined(__x86_64__)
  constexpr std::size_t kFew = 2;  // not worth it
  static const bool extensions = has_extensions();
  if (extensions && blocks > kFew) return add_blocks_with_extensions(bytes, blocks, digest);
#endif
  for (; blocks > 0; --blocks, bytes += 64) add_block_portably(bytes, digest);
}

}  // namespace

Sha1 sha1(std::string_view bytes) {
  Sha1 digest = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  add_blocks(bytes.data(), bytes.size() / 64, digest);
  bytes.remove_prefix(bytes.size() / 64 * 64);
  char tail[128] = {};
  if (!bytes.empty()) std::memcpy(tail, bytes.data(), bytes.size());
  tail[bytes.size()] = static_cast<char>(0x80);
  const std::size_t end = bytes.size() < 56 ? 64 : 128;
  for (std::size_t i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<char>(bits >> (i * 8) & 0xff);
  add_blocks(tail, end / 64, digest);
  return digest;
}

std::string to_hex(const Sha1& digest) {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3], digest[4]);
}

}  // namespace egt::parsers::ovsdb
