#include "ovn_controller/packet_in.h"

#include <fmt/format.h>

#include "ovn_controller/userdata.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint8_t kTtlOfReset = 63, kTtlOfError = 255;
constexpr std::uint32_t kRstAck = 0x14, kRstBit = 0x04;
constexpr std::uint8_t kUnreachable4 = 3, kUnreachable6 = 1, kTooBig6 = 2, kTimeExceeded4 = 11, kTimeExceeded6 = 3,
                       kSolicitation = 135, kAdvertisement = 136;

// pinctrl.c, reload_metadata: the answer starts with the registers and the metadata of the packet.
FlowKey bare_answer(const FlowKey& k, bool swap_addresses) {
  FlowKey a;
  for (auto id = static_cast<unsigned>(F::reg0); id <= static_cast<unsigned>(F::reg31); ++id)
    a.set(static_cast<F>(id), k.get(static_cast<F>(id)));
  a.set(F::metadata, k.get(F::metadata));
  a.set(F::in_port, port::controller);
  a.set(F::actset_output, port::unset);
  a.set(F::eth_type, k.get(F::eth_type));
  a.set(F::eth_src, k.get(swap_addresses ? F::eth_dst : F::eth_src));
  a.set(F::eth_dst, k.get(swap_addresses ? F::eth_src : F::eth_dst));
  set_src_ip(a, swap_addresses ? dst_ip(k) : src_ip(k));
  set_dst_ip(a, swap_addresses ? src_ip(k) : dst_ip(k));
  return a;
}

FlowKey reset_answer(const FlowKey& k, bool swap_addresses) {
  FlowKey a = bare_answer(k, swap_addresses);
  a.set(F::nw_proto, k.get(F::nw_proto));
  a.set(F::nw_ttl, kTtlOfReset);
  a.set(F::tp_src, k.get(F::tp_dst));
  a.set(F::tp_dst, k.get(F::tp_src));
  if (k.u64(F::nw_proto) == ip_proto::tcp) a.set(F::tcp_flags, kRstAck);
  return a;
}

FlowKey icmp_answer(const FlowKey& k, std::uint32_t code, bool too_big) {
  FlowKey a = bare_answer(k, code == opcode::reject);
  a.set(F::vlan_tci, k.get(F::vlan_tci));
  const bool v4 = family_of(k) == Family::v4;
  const bool for_udp = (code == opcode::reject || code == opcode::icmp) && k.u64(F::nw_proto) == ip_proto::udp;
  a.set(F::nw_proto, v4 ? ip_proto::icmp : ip_proto::icmp6);
  a.set(F::nw_ttl, kTtlOfError);
  a.set(F::icmp_type, v4 ? kUnreachable4 : kUnreachable6);
  a.set(F::icmp_code, for_udp ? (v4 ? 3 : 4) : 1);
  if (too_big && v4) a.set(F::icmp_code, 4);
  if (too_big && !v4) {
    a.set(F::icmp_type, kTooBig6);
    a.set(F::icmp_code, 0);
  }
  return a;
}

// pinctrl.c, pinctrl_handle_reject_ignore_pkt: resets and errors are not answered.
bool is_refusal_itself(const FlowKey& k) {
  switch (k.u64(F::nw_proto)) {
    case ip_proto::tcp: return k.u32(F::tcp_flags) & kRstBit;
    case ip_proto::icmp: return k.u32(F::icmp_type) == kUnreachable4;
    case ip_proto::icmp6: return k.u32(F::icmp_type) == kUnreachable6;
    default: return false;
  }
}

std::string unreachable_name4(std::uint32_t code) {
  switch (code) {
    case 0: return "icmp-net-unreachable";
    case 1: return "icmp-host-unreachable";
    case 2: return "icmp-proto-unreachable";
    case 3: return "icmp-port-unreachable";
    case 4: return "icmp-frag-needed";
    case 13: return "icmp-admin-prohibited";
    default: return fmt::format("icmp-type-3-code-{}", code);
  }
}

std::string unreachable_name6(std::uint32_t code) {
  switch (code) {
    case 0: return "icmp6-no-route";
    case 1: return "icmp6-adm-prohibited";
    case 3: return "icmp6-addr-unreachable";
    case 4: return "icmp6-port-unreachable";
    default: return fmt::format("icmp6-type-1-code-{}", code);
  }
}

// Opcodes with which ovn-controller only takes note, while the packet goes on.
bool only_notes(std::uint32_t code) {
  using namespace opcode;
  return code == put_arp || code == put_nd || code == log || code == event || code == put_fdb || code == igmp;
}

}  // namespace

Reaction reaction_to(std::uint32_t code, bool pauses) {
  if (is_refusal(code)) return Reaction::refuses;
  if (code == opcode::arp || code == opcode::nd_ns) return Reaction::resolves;
  if (code == opcode::nd_na || code == opcode::nd_na_router) return Reaction::answers;
  if (pauses) return Reaction::holds;
  return only_notes(code) ? Reaction::notes : Reaction::consumes;
}

std::optional<FlowKey> refusal_of(const FlowKey& k, std::uint32_t code, bool too_big) {
  if (!is_ip(k)) return std::nullopt;
  const auto proto = k.u64(F::nw_proto);
  const bool by_protocol = code == opcode::reject;
  if (by_protocol && is_refusal_itself(k)) return std::nullopt;
  if (code == opcode::tcp_reset || (by_protocol && proto == ip_proto::tcp))
    return proto == ip_proto::tcp ? std::optional(reset_answer(k, by_protocol)) : std::nullopt;
  if (code == opcode::sctp_abort || (by_protocol && proto == ip_proto::sctp))
    return proto == ip_proto::sctp ? std::optional(reset_answer(k, by_protocol)) : std::nullopt;
  return icmp_answer(k, code, too_big);
}

std::string refusal_name(const FlowKey& answer) {
  const auto proto = answer.u64(F::nw_proto);
  if (proto == ip_proto::tcp) return "tcp-reset";
  if (proto == ip_proto::sctp) return "sctp-abort";
  const std::uint32_t type = answer.u32(F::icmp_type), code = answer.u32(F::icmp_code);
  if (proto == ip_proto::icmp) {
    if (type == kUnreachable4) return unreachable_name4(code);
    return type == kTimeExceeded4 ? "icmp-time-exceeded" : fmt::format("icmp-type-{}-code-{}", type, code);
  }
  if (type == kUnreachable6) return unreachable_name6(code);
  if (type == kTooBig6) return "icmp6-packet-too-big";
  return type == kTimeExceeded6 ? "icmp6-time-exceeded" : fmt::format("icmp6-type-{}-code-{}", type, code);
}

// pinctrl.c, pinctrl_handle_nd_na().
std::optional<FlowKey> advertisement_of(const FlowKey& k) {
  if (k.u64(F::nw_proto) != ip_proto::icmp6 || k.u32(F::icmp_type) != kSolicitation) return std::nullopt;
  FlowKey a = bare_answer(k, true);
  a.set(F::ipv6_src, k.get(F::nd_target));
  a.set(F::nw_proto, ip_proto::icmp6);
  a.set(F::nw_ttl, kTtlOfError);
  a.set(F::icmp_type, kAdvertisement);
  a.set(F::icmp_code, 0);
  a.set(F::nd_target, k.get(F::nd_target));
  a.set(F::nd_tll, a.get(F::eth_src));
  return a;
}

FlowKey address_request(const FlowKey& k, bool arp) {
  FlowKey request = bare_answer(k, false);
  request.set(F::eth_type, arp ? ethertype::arp : ethertype::ipv6);
  if (arp) {
    request.set(F::arp_op, 1);
    return request;
  }
  request.set(F::nw_proto, ip_proto::icmp6);
  request.set(F::icmp_type, kSolicitation);
  request.set(F::icmp_code, 0);
  request.set(F::nd_target, k.get(F::ipv6_dst));
  return request;
}

IpAddr requested_address(const FlowKey& request) {
  if (request.u32(F::eth_type) == ethertype::arp) return IpAddr::v4(request.u32(F::arp_tpa));
  return IpAddr::v6(request.get(F::nd_target));
}

}  // namespace egt::engine
