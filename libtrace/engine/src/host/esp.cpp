#include "egtrace/engine/esp.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace egt::engine {
namespace {

// Names and sizes as in the kernel's net/xfrm/xfrm_algo.c and crypto/: bytes of the initialization vector and of a block.
struct Cipher {
  std::string_view name;
  std::uint32_t vector, block;
};
constexpr Cipher kCiphers[] = {
    {"rfc4106(gcm(aes))", 8, 1}, {"rfc4309(ccm(aes))", 8, 1},
    {"rfc4543(gcm(aes))", 8, 1}, {"rfc7539esp(chacha20,poly1305)", 8, 1},
    {"rfc3686(ctr(aes))", 8, 1}, {"ecb(cipher_null)", 0, 1},
    {"cbc(aes)", 16, 16},        {"cbc(camellia)", 16, 16},
    {"cbc(serpent)", 16, 16},    {"cbc(twofish)", 16, 16},
    {"cbc(sm4)", 16, 16},        {"cbc(des3_ede)", 8, 8},
    {"cbc(des)", 8, 8},          {"cbc(cast5)", 8, 8},
    {"cbc(blowfish)", 8, 8},
};

constexpr std::uint32_t kEspHeader = 8, kUdpHeader = 8, kEspTrailer = 2, kAlignment = 4, kIpv4Header = 20, kIpv6Header = 40;
std::uint32_t ip_header(Family family) { return family == Family::v4 ? kIpv4Header : kIpv6Header; }

}  // namespace

std::uint32_t EspSizes::payload_of(std::uint32_t mtu) const {
  const std::uint32_t taken = header + check + ip;
  return mtu < taken + block ? 0 : (mtu - taken) / block * block + ip - kEspTrailer;
}

EspOverhead unknown_overhead(Family family) {
  constexpr std::uint32_t kWidestBlock = 16, kLongestCheck = 32, kShortestCheck = 8;
  return {{kEspHeader + kUdpHeader + kWidestBlock, kWidestBlock, kLongestCheck, ip_header(family)},
          {kEspHeader, kAlignment, kShortestCheck, ip_header(family)}};
}

EspOverhead overhead_of(const host::IpsecAssociation& a) {
  const auto cipher = std::find_if(std::begin(kCiphers), std::end(kCiphers), [&](const Cipher& c) { return c.name == a.cipher; });
  if (cipher == std::end(kCiphers) || !a.check_bits) return unknown_overhead(a.source.family);
  const EspSizes sizes{kEspHeader + cipher->vector + (a.udp_port != 0 ? kUdpHeader : 0), std::max(cipher->block, kAlignment),
                       *a.check_bits / 8u, ip_header(a.source.family)};
  return {sizes, sizes};
}

FittingSizes fitting_sizes(std::uint32_t mtu, const std::optional<EspOverhead>& esp) {
  if (!esp || mtu == 0) return {mtu, mtu};
  return {std::max(esp->most.payload_of(mtu), 1u), std::max(esp->least.payload_of(mtu), 1u)};
}

}  // namespace egt::engine
