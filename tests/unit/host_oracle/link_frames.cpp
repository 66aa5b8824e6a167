#include "link_frames.h"

#include "wire_bytes.h"

namespace egt::test {
namespace {

constexpr std::uint64_t kArp = 0x0806, kIpv6 = 0x86dd;
constexpr std::size_t kArpSender = kEthernet + 14, kArpTarget = kEthernet + 24, kArpBytes = kEthernet + 28;
constexpr std::size_t kIpHeader = 40, kIpv6Source = kEthernet + 8, kIpv6Destination = kEthernet + 24;
constexpr std::size_t kIcmp = kEthernet + kIpHeader, kNdTarget = kIcmp + 8, kNdBytes = kNdTarget + 16;
constexpr std::uint8_t kSolicitation = 135, kAdvertisement = 136;

void put_mac(Bytes& b, const MacAddr& mac) {
  put16(b, mac.value >> 32);
  put32(b, mac.value);
}

Bytes ethernet(const MacAddr& to, const MacAddr& from, std::uint64_t type) {
  Bytes b;
  put_mac(b, to);
  put_mac(b, from);
  put16(b, type);
  return b;
}

Bytes arp_request(const MacAddr& from, const engine::LinkQuestion& q) {
  Bytes b = ethernet(MacAddr{0xffffffffffff}, from, kArp);
  put32(b, 0x00010800);  // Ethernet, IPv4
  put32(b, 0x06040001);  // lengths of their addresses, a request
  put_mac(b, from);
  put_address(b, q.asker.value_or(IpAddr::v4(0)));
  put_mac(b, MacAddr{0});
  put_address(b, q.address);
  return b;
}

Bytes solicitation(const MacAddr& from, const engine::LinkQuestion& q) {
  const std::uint32_t low = static_cast<std::uint32_t>(q.address.value & 0xffffff);
  const IpAddr group = IpAddr::v6(U128{0xff02} << 112 | U128{0x1ff000000} | low);
  Bytes icmp{kSolicitation, 0, 0, 0, 0, 0, 0, 0};
  put_address(icmp, q.address);
  put16(icmp, 0x0101);  // the asker's own MAC follows
  put_mac(icmp, from);
  Bytes pseudo;
  put_address(pseudo, *q.asker);
  put_address(pseudo, group);
  put32(pseudo, icmp.size());
  put32(pseudo, ip_proto::icmp6);
  pseudo.insert(pseudo.end(), icmp.begin(), icmp.end());
  set16(icmp, 2, internet_checksum(pseudo));

  Bytes b = ethernet(MacAddr{0x3333ff000000 | std::uint64_t{low}}, from, kIpv6);
  put32(b, 0x60000000);
  put16(b, icmp.size());
  put16(b, std::uint64_t{ip_proto::icmp6} << 8 | 255);  // the hop limit of one who is on the link
  put_address(b, *q.asker);
  put_address(b, group);
  b.insert(b.end(), icmp.begin(), icmp.end());
  return b;
}

std::optional<IpAddr> specified(const IpAddr& a) { return a.is_unspecified() ? std::nullopt : std::optional(a); }

LinkMessage read_arp(std::span<const std::uint8_t> f) {
  const IpAddr sender = get_address(f, kArpSender, Family::v4), target = get_address(f, kArpTarget, Family::v4);
  if (f[kEthernet + 7] != 2) return {false, {target, specified(sender)}};
  return {true, {sender, specified(target)}};
}

}  // namespace

Bytes question_frame(const MacAddr& from, const engine::LinkQuestion& question) {
  return question.address.is_v4() ? arp_request(from, question) : solicitation(from, question);
}

std::optional<LinkMessage> read_link_message(std::span<const std::uint8_t> f) {
  if (f.size() < kEthernet) return std::nullopt;
  const unsigned type = static_cast<unsigned>(f[12] << 8 | f[13]);
  if (type == kArp && f.size() >= kArpBytes) return read_arp(f);
  if (type != kIpv6 || f.size() < kNdBytes || f[kEthernet + 6] != ip_proto::icmp6) return std::nullopt;
  if (f[kIcmp] != kSolicitation && f[kIcmp] != kAdvertisement) return std::nullopt;
  const bool is_answer = f[kIcmp] == kAdvertisement;
  const IpAddr asker = get_address(f, is_answer ? kIpv6Destination : kIpv6Source, Family::v6);
  return LinkMessage{is_answer, {get_address(f, kNdTarget, Family::v6), specified(asker)}};
}

}  // namespace egt::test
