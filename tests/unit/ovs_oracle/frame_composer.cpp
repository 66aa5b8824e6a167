#include "frame_composer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "egtrace/packet/packet.h"
#include "frame_bytes.h"

namespace egt::testing {
namespace {

using F = FieldId;

constexpr std::uint64_t kIpv4 = 0x0800, kArp = 0x0806, kRarp = 0x8035, kIpv6 = 0x86dd, kMpls = 0x8847, kMplsMulticast = 0x8848,
                        kNsh = 0x894f;
constexpr std::uint64_t kLeastType = 0x600;  // of Ethernet: below stand lengths
constexpr std::uint16_t kTag = 0x8100, kMoreFragments = 0x2000, kLaterOffset = 100;
constexpr std::uint64_t kOpensOrEnds = 0x7;                    // FIN, SYN, RST: segments without payload
constexpr std::uint64_t kSourceOption = 1, kTargetOption = 2;  // of neighbour discovery
constexpr std::uint8_t kIgmp = 2;
constexpr std::uint8_t kFragmentHeader = 44;
constexpr std::size_t kPayload = 64, kMostLabels = 3;

// CRC32c, with its bytes in the order in which SCTP has them.
std::uint32_t crc32c(const Bytes& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
  }
  return __builtin_bswap32(~crc);
}

// That which the key names first, whatever its address.
std::vector<std::uint64_t> option_types(const FlowKey& key) {
  std::vector<std::uint64_t> types;
  const std::uint64_t named = key.u64(F::nd_options_type);
  if (named == kSourceOption || named == kTargetOption) types.push_back(named);
  if (named != kSourceOption && key.get(F::nd_sll) != 0) types.push_back(kSourceOption);
  if (named != kTargetOption && key.get(F::nd_tll) != 0) types.push_back(kTargetOption);
  return types;
}

class Composer {
 public:
  explicit Composer(const FlowKey& key) : key_(key), type_(key.u64(F::eth_type)) {}

  Bytes run() {
    Bytes body = behind_ethernet(), out;
    put(out, key_.get(F::eth_dst), 6);
    put(out, key_.get(F::eth_src), 6);
    for (const F tag : {F::vlan_tci, F::vlan_tci1})
      if (key_.u64(tag) & 0x1000) {
        put(out, kTag, 2);
        put(out, key_.get(tag) & 0xefff, 2);
      }
    put(out, type_ < kLeastType ? 0 : type_, 2);
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

 private:
  Bytes behind_ethernet() const {
    switch (type_) {
      case kIpv4: return ipv4();
      case kIpv6: return ipv6();
      case kArp:
      case kRarp: return arp();
      case kMpls:
      case kMplsMulticast: return labels();
      default: return {};
    }
  }

  // A stack that does not say where it ends has as many as the switch looks at.
  Bytes labels() const {
    Bytes out;
    const std::uint64_t first =
        key_.u64(F::mpls_label) << 12 | key_.u64(F::mpls_tc) << 9 | key_.u64(F::mpls_bos) << 8 | key_.u64(F::mpls_ttl);
    put(out, first, 4);
    for (std::size_t i = 1; i < kMostLabels && key_.u64(F::mpls_bos) == 0; ++i) put(out, 0, 4);
    return out;
  }

  Bytes arp() const {
    Bytes out{0, 1, 8, 0, 6, 4};
    put(out, key_.get(F::arp_op), 2);
    put(out, key_.get(F::arp_sha), 6);
    put(out, key_.get(F::arp_spa), 4);
    put(out, key_.get(F::arp_tha), 6);
    put(out, key_.get(F::arp_tpa), 4);
    return out;
  }

  std::uint16_t fragment() const {
    const std::uint64_t kind = key_.u64(F::ip_frag);
    if (kind == 0) return 0;
    return kMoreFragments | (kind & ip_frag::later ? kLaterOffset : 0);
  }

  Bytes ipv4() const {
    const Bytes body = transport(4);
    Bytes out{0x45, tos_of(key_)};
    put(out, 20 + body.size(), 2);
    put(out, 0, 2);
    put(out, fragment(), 2);
    put(out, key_.get(F::nw_ttl), 1);
    put(out, key_.get(F::nw_proto), 1);
    put(out, 0, 2);
    put(out, key_.get(F::ip_src), 4);
    put(out, key_.get(F::ip_dst), 4);
    set16(out, 10, checksum(sum_of(out)));
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  Bytes ipv6() const {
    Bytes body;
    const bool in_pieces = key_.u64(F::ip_frag) != 0;
    if (in_pieces) {
      put(body, key_.get(F::nw_proto), 1);
      put(body, 0, 1);
      put(body, (key_.u64(F::ip_frag) & ip_frag::later ? kLaterOffset << 3 : 0) | 1, 2);
      put(body, 1, 4);
    }
    const Bytes rest = transport(16);
    body.insert(body.end(), rest.begin(), rest.end());
    Bytes out;
    put(out, 6u << 28 | static_cast<std::uint32_t>(tos_of(key_)) << 20 | key_.u64(F::ipv6_label), 4);
    put(out, body.size(), 2);
    put(out, in_pieces ? kFragmentHeader : key_.u64(F::nw_proto), 1);
    put(out, key_.get(F::nw_ttl), 1);
    put(out, key_.get(F::ipv6_src), 16);
    put(out, key_.get(F::ipv6_dst), 16);
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  Bytes transport(int address_bytes) const {
    if (key_.u64(F::ip_frag) & ip_frag::later) return {};
    switch (key_.u64(F::nw_proto)) {
      case ip_proto::tcp: return tcp(address_bytes);
      case ip_proto::udp: return udp(address_bytes);
      case ip_proto::sctp: return sctp();
      case ip_proto::icmp: return address_bytes == 4 ? icmp() : Bytes();
      case kIgmp: return address_bytes == 4 ? igmp() : Bytes();
      case ip_proto::icmp6: return address_bytes == 16 ? icmp6() : Bytes();
      default: return {};
    }
  }

  static void add_payload(Bytes& out) {
    for (std::size_t i = 0; i < kPayload; ++i) out.push_back(static_cast<std::uint8_t>(i));
  }

  Bytes ports() const {
    Bytes out;
    put(out, key_.get(F::tp_src), 2);
    put(out, key_.get(F::tp_dst), 2);
    return out;
  }

  // With the header that the checksum imagines in front.
  std::uint16_t full_checksum(const Bytes& body, int address_bytes) const {
    Bytes imagined;
    put(imagined, key_.get(address_bytes == 4 ? F::ip_src : F::ipv6_src), address_bytes);
    put(imagined, key_.get(address_bytes == 4 ? F::ip_dst : F::ipv6_dst), address_bytes);
    put(imagined, key_.get(F::nw_proto), 2);
    put(imagined, body.size(), 2);
    return checksum(sum_of(imagined) + sum_of(body));
  }

  Bytes tcp(int address_bytes) const {
    Bytes out = ports();
    put(out, 0, 8);
    put(out, 5u << 12 | key_.u64(F::tcp_flags), 2);
    put(out, 0, 6);
    if ((key_.u64(F::tcp_flags) & kOpensOrEnds) == 0) add_payload(out);
    set16(out, 16, full_checksum(out, address_bytes));
    return out;
  }

  Bytes udp(int address_bytes) const {
    Bytes out = ports();
    put(out, 8 + kPayload, 2);
    put(out, 0, 2);
    add_payload(out);
    const std::uint16_t sum = full_checksum(out, address_bytes);
    set16(out, 6, sum == 0 ? 0xffff : sum);
    return out;
  }

  Bytes sctp() const {
    Bytes out = ports();
    put(out, 0, 8);
    Bytes sum;
    put(sum, crc32c(out), 4);
    std::copy(sum.begin(), sum.end(), out.begin() + 8);
    return out;
  }

  Bytes icmp() const {
    Bytes out;
    put(out, key_.get(F::tp_src), 1);
    put(out, key_.get(F::tp_dst), 1);
    put(out, 0, 6);
    if (is_echo(0, 8)) add_payload(out);
    set16(out, 2, checksum(sum_of(out)));
    return out;
  }

  bool is_echo(std::uint64_t request, std::uint64_t reply) const {
    const std::uint64_t type = key_.u64(F::tp_src);
    return (type == request || type == reply) && key_.u64(F::tp_dst) == 0;
  }
  bool is_discovery() const { return (key_.u64(F::tp_src) == 135 || key_.u64(F::tp_src) == 136) && key_.u64(F::tp_dst) == 0; }

  Bytes igmp() const {
    Bytes out;
    put(out, key_.get(F::tp_src), 1);
    put(out, key_.get(F::tp_dst), 1);
    put(out, 0, 6);
    set16(out, 2, checksum(sum_of(out)));
    return out;
  }

  Bytes icmp6() const {
    Bytes out;
    put(out, key_.get(F::tp_src), 1);
    put(out, key_.get(F::tp_dst), 1);
    put(out, 0, 2);
    put(out, is_discovery() ? key_.get(F::nd_reserved) : 0, 4);
    if (is_discovery()) {
      put(out, key_.get(F::nd_target), 16);
      for (const std::uint64_t type : option_types(key_)) {
        put(out, type, 1);
        put(out, 1, 1);
        put(out, key_.get(type == kSourceOption ? F::nd_sll : F::nd_tll), 6);
      }
    } else if (is_echo(128, 129)) {
      add_payload(out);
    }
    set16(out, 2, full_checksum(out, 16));
    return out;
  }

  const FlowKey& key_;
  std::uint64_t type_;
};

}  // namespace

std::uint64_t first_option(const FlowKey& key) {
  const auto types = option_types(key);
  return types.empty() ? 0 : types.front();
}

std::optional<std::string> compose_frame(const FlowKey& key) {
  if (key.u64(F::eth_type) == kNsh) return std::nullopt;
  return hex_of(Composer(key).run());
}

}  // namespace egt::testing
