#include "ovn/port_security.h"

#include <algorithm>

#include "egtrace/packet/packet.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;

constexpr std::uint32_t kDhcpClient = 68, kDhcpServer = 67, kBroadcast = 0xffffffff;
constexpr std::uint32_t kNeighbourSolicitation = 135, kNeighbourAdvertisement = 136;

bool holds(const std::vector<IpAddr>& list, const IpAddr& ip) { return std::find(list.begin(), list.end(), ip) != list.end(); }

// The EUI-64 link-local address (RFC 4291, appendix A).
IpAddr link_local(MacAddr mac) {
  const std::uint64_t m = mac.value ^ 0x020000000000ULL;
  return IpAddr::v6(make_u128(0xfe80ULL << 48, (m >> 24) << 40 | 0xfffe000000ULL | (m & 0xffffff)));
}

bool may_send_arp(const FlowKey& k, const PortSecurity& s) {
  if (k.u64(F::arp_sha) != s.mac.value) return false;
  return s.ipv4.empty() || holds(s.ipv4, IpAddr::v4(k.u32(F::arp_spa)));
}

bool may_send_ip4(const FlowKey& k, const PortSecurity& s) {
  if (s.ipv4.empty() && s.ipv6.empty()) return true;
  if (holds(s.ipv4, src_ip(k))) return true;
  return k.u32(F::nw_proto) == ip_proto::udp && k.u32(F::tp_src) == kDhcpClient && k.u32(F::tp_dst) == kDhcpServer &&
         k.u32(F::ip_src) == 0 && k.u32(F::ip_dst) == kBroadcast;
}

bool may_send_ip6(const FlowKey& k, const PortSecurity& s) {
  if (s.ipv4.empty() && s.ipv6.empty()) return true;
  const IpAddr own = link_local(s.mac);
  if (!holds(s.ipv6, src_ip(k)) && src_ip(k) != own) return false;
  if (k.u32(F::nw_proto) != ip_proto::icmp6) return true;
  const auto foreign = [&](F id) { return k.u64(id) != 0 && k.u64(id) != s.mac.value; };
  if (k.u32(F::tp_src) == kNeighbourSolicitation) return !foreign(F::nd_sll);
  if (k.u32(F::tp_src) != kNeighbourAdvertisement) return true;
  const IpAddr target = IpAddr::v6(k.get(F::nd_target));
  return !foreign(F::nd_tll) && (s.ipv6.empty() || holds(s.ipv6, target) || target == own);
}

bool may_get_ip4(const FlowKey& k, const PortSecurity& s) {
  if (s.ipv4.empty() && s.ipv6.empty()) return true;
  if (s.ipv4.empty()) return false;
  const IpAddr to = dst_ip(k);
  return holds(s.ipv4, to) || to.as_v4() == kBroadcast || to.is_multicast();
}

bool may_get_ip6(const FlowKey& k, const PortSecurity& s) {
  if (s.ipv4.empty() && s.ipv6.empty()) return true;
  if (s.ipv6.empty()) return false;
  const IpAddr to = dst_ip(k);
  return holds(s.ipv6, to) || to == link_local(s.mac) || to.is_multicast();
}

// The first entry with the MAC decides.
template <class May>
bool violates(const NetworkPort* port, std::uint64_t mac, May may) {
  if (port == nullptr || port->security.empty()) return false;
  for (const PortSecurity& s : port->security)
    if (s.mac.value == mac) return !may(s);
  return true;
}

}  // namespace

bool violates_ingress(const NetworkPort* port, const FlowKey& k) {
  return violates(port, k.u64(F::eth_src), [&](const PortSecurity& s) {
    switch (k.u64(F::eth_type)) {
      case ethertype::ipv4: return may_send_ip4(k, s);
      case ethertype::arp: return may_send_arp(k, s);
      case ethertype::ipv6: return may_send_ip6(k, s);
      default: return true;
    }
  });
}

bool violates_egress(const NetworkPort* port, const FlowKey& k) {
  return violates(port, k.u64(F::eth_dst), [&](const PortSecurity& s) {
    switch (k.u64(F::eth_type)) {
      case ethertype::ipv4: return may_get_ip4(k, s);
      case ethertype::ipv6: return may_get_ip6(k, s);
      default: return true;
    }
  });
}

}  // namespace egt::engine::logical
