// Reading and changing the headers of a FlowKey in the words of IP rather than of OpenFlow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/packet/flow_key.h"

namespace egt {

// Bytes of it in front of an IP packet, without VLAN tags.
inline constexpr std::uint32_t kEthernetHeader = 14;

// What conntrack and NAT look at. For ICMP echo `sport` and `dport` are both the identifier; for other ICMP both are 0.
struct Tuple {
  IpAddr src, dst;
  std::uint8_t proto = 0;
  std::uint16_t sport = 0, dport = 0;
  std::uint8_t icmp_type = 0, icmp_code = 0;

  friend bool operator==(const Tuple&, const Tuple&) = default;
  friend auto operator<=>(const Tuple&, const Tuple&) = default;
};
// Of the answer: addresses and ports swapped, echo request against echo reply.
Tuple reversed(const Tuple& t);

bool is_ip(const FlowKey& k);  // IPv4 or IPv6
bool is_arp(const FlowKey& k);
Family family_of(const FlowKey& k);
IpAddr src_ip(const FlowKey& k);
IpAddr dst_ip(const FlowKey& k);
void set_src_ip(FlowKey& k, const IpAddr& a);
// The whole TOS octet (IPv6: traffic class): FieldId::nw_tos alone is without the two bits of ECN.
std::uint8_t tos_of(const FlowKey& k);
void set_tos(FlowKey& k, std::uint8_t tos);
void set_dst_ip(FlowKey& k, const IpAddr& a);
MacAddr src_mac(const FlowKey& k);
MacAddr dst_mac(const FlowKey& k);
bool has_ports(const FlowKey& k);  // TCP, UDP, SCTP
Tuple tuple_of(const FlowKey& k);
// Writes addresses and ports; protocol and family stay.
void set_tuple(FlowKey& k, const Tuple& t);
// All pipeline state (registers, metadata, ct_*, tunnel, in_port, conj_id …) to zero; headers and pkt_mark stay.
void clear_pipeline(FlowKey& k);
// Only ct_state, ct_zone, ct_mark, ct_label and the original tuple.
void clear_conntrack(FlowKey& k);

const char* proto_name(std::uint8_t proto, Family f);  // "tcp", "icmp6"; "ip" when it has no name

}  // namespace egt
