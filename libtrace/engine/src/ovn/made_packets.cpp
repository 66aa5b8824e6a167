#include "ovn/made_packets.h"

#include <algorithm>

#include "egtrace/packet/packet.h"
#include "ovn_controller/packet_in.h"
#include "ovn_controller/userdata.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;
using K = ovn::Nested::Kind;
using T = Transformed::Kind;

constexpr std::uint32_t kUnreachable4 = 3, kUnreachable6 = 1, kHostUnreachable = 1, kMaxTtl = 255;
constexpr std::uint32_t kArpRequest = 1, kSolicitation = 135, kAdvertisement = 136;
constexpr std::uint32_t kReset = 4;  // TCP flag

void answer_ethernet(FlowKey& to, const FlowKey& from) {
  to.set(F::eth_dst, from.get(F::eth_src));
  to.set(F::eth_src, from.get(F::eth_dst));
}

void answer_ip(FlowKey& to, const FlowKey& from, bool ipv6) {
  to.set(ipv6 ? F::ipv6_dst : F::ip_dst, from.get(ipv6 ? F::ipv6_src : F::ip_src));
  to.set(ipv6 ? F::ipv6_src : F::ip_src, from.get(ipv6 ? F::ipv6_dst : F::ip_dst));
}

FlowKey arp_request(const FlowKey& packet) {
  FlowKey arp = packet;
  for (const F id : {F::ip_frag, F::nw_tos, F::nw_ecn, F::nw_ttl, F::tcp_flags}) arp.set(id, 0);
  arp.set(F::eth_type, ethertype::arp);
  arp.set(F::arp_op, kArpRequest);
  arp.set(F::arp_sha, arp.get(F::eth_src));
  arp.set(F::arp_tha, 0);
  return arp;
}

FlowKey advertisement(const FlowKey& packet) {
  FlowKey na = packet;
  answer_ethernet(na, packet);
  na.set(F::ipv6_dst, packet.get(F::ipv6_src));
  na.set(F::ipv6_src, packet.get(F::nd_target));
  na.set(F::tp_src, kAdvertisement);
  na.set(F::arp_sha, 0);
  na.set(F::arp_tha, packet.get(F::eth_dst));
  return na;
}

// To the solicited-node address of the destination (RFC 4291, 2.7.1).
FlowKey solicitation(const FlowKey& packet) {
  FlowKey ns = packet;
  ns.set(F::eth_dst, 0x3333ff000000ULL | (packet.u64(F::ipv6_dst) & 0xffffff));
  ns.set(F::tp_src, kSolicitation);
  ns.set(F::arp_sha, 0);
  ns.set(F::arp_tha, packet.get(F::eth_dst));
  return ns;
}

// `back`: to the sender of the packet. No errors about errors.
std::optional<MadePacket> icmp_error(const FlowKey& packet, bool ipv6, bool back) {
  const std::uint32_t type = ipv6 ? kUnreachable6 : kUnreachable4;
  if (back && packet.u32(F::tp_src) == type) return std::nullopt;
  MadePacket made{ipv6 ? T::icmp6 : T::icmp4, packet};
  FlowKey& icmp = made.packet;
  if (back) {
    answer_ethernet(icmp, packet);
    answer_ip(icmp, packet, ipv6);
  }
  icmp.set(F::nw_proto, ipv6 ? ip_proto::icmp6 : ip_proto::icmp);
  icmp.set(F::nw_ttl, kMaxTtl);
  icmp.set(F::tp_src, type);
  icmp.set(F::tp_dst, kHostUnreachable);
  return made;
}

std::optional<MadePacket> reset(const FlowKey& packet, bool sctp, bool back) {
  if (back && packet.u32(F::tcp_flags) == kReset) return std::nullopt;
  const bool ipv6 = packet.u64(F::eth_type) != ethertype::ipv4;
  MadePacket made{sctp ? T::sctp_abort : T::tcp_reset, packet};
  FlowKey& answer = made.packet;
  if (back) {
    answer_ethernet(answer, packet);
    answer_ip(answer, packet, ipv6);
  }
  // ovn-trace makes the SCTP abort of IPv6 a TCP packet.
  answer.set(F::nw_proto, sctp && !ipv6 ? ip_proto::sctp : ip_proto::tcp);
  answer.set(F::nw_ttl, kMaxTtl);
  answer.set(F::tcp_flags, kReset);
  return made;
}

std::optional<MadePacket> reject(const FlowKey& packet) {
  const auto protocol = packet.u32(F::nw_proto);
  if (protocol == ip_proto::tcp) return reset(packet, false, true);
  if (protocol == ip_proto::sctp) return reset(packet, true, true);
  return icmp_error(packet, packet.u64(F::eth_type) != ethertype::ipv4, true);
}

}  // namespace

std::optional<MadePacket> packet_made_by(ovn::Nested::Kind kind, const FlowKey& packet) {
  switch (kind) {
    case K::clone: break;  // is the packet itself
    case K::arp: return MadePacket{T::arp, arp_request(packet)};
    case K::icmp4:
    case K::icmp4_error: return icmp_error(packet, false, false);
    case K::icmp6:
    case K::icmp6_error: return icmp_error(packet, true, false);
    case K::tcp_reset: return reset(packet, false, false);
    case K::sctp_abort: return reset(packet, true, false);
    case K::reject: return reject(packet);
    case K::nd_na:
    case K::nd_na_router: return MadePacket{T::nd_na, advertisement(packet)};
    case K::nd_ns: return MadePacket{T::nd_ns, solicitation(packet)};
  }
  return std::nullopt;
}

}  // namespace egt::engine::logical
