// Packets that actions make: ARP and ND, ICMP errors, resets.
#include <algorithm>

#include "egtrace/packet/packet.h"
#include "ovn/walker.h"
#include "ovn_controller/packet_in.h"
#include "ovn_controller/userdata.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;
using K = ovn::Nested::Kind;

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

std::optional<std::uint32_t> opcode_of(K kind) {
  switch (kind) {
    case K::icmp4:
    case K::icmp6: return opcode::icmp;
    case K::icmp4_error: return opcode::icmp4_error;
    case K::icmp6_error: return opcode::icmp6_error;
    case K::tcp_reset: return opcode::tcp_reset;
    case K::sctp_abort: return opcode::sctp_abort;
    case K::reject: return opcode::reject;
    default: return std::nullopt;
  }
}

bool sets_mtu(const ovn::ActionList& actions) {
  return std::any_of(actions.begin(), actions.end(), [](const ovn::Action& action) {
    const auto* load = std::get_if<ovn::Load>(&action.kind);
    return load != nullptr && load->to.symbol->is_ovn_field && load->to.symbol->name.ends_with(".frag_mtu");
  });
}

}  // namespace

void Walker::run_block(const ovn::Nested& a, Transformed::Kind kind, const Place& at, FlowKey packet) {
  Node node{NodeType::transformation, false, Transformed{kind, nullptr, 0, false, 0, false, {}, {}}, {}};
  ++depth_;
  if (!at_limit(node.children)) execute_all(a.actions, {at.datapath, at.pipeline, at.table, node.children, at.step}, packet);
  --depth_;
  at.nodes.push_back(std::move(node));
}

void Walker::icmp_error(const ovn::Nested& a, const Place& at, const FlowKey& packet, bool ipv6, bool back) {
  const std::uint32_t type = ipv6 ? kUnreachable6 : kUnreachable4;
  if (back && packet.u32(F::tp_src) == type) return;  // no errors about errors
  FlowKey icmp = packet;
  if (back) {
    answer_ethernet(icmp, packet);
    answer_ip(icmp, packet, ipv6);
  }
  icmp.set(F::nw_proto, ipv6 ? ip_proto::icmp6 : ip_proto::icmp);
  icmp.set(F::nw_ttl, kMaxTtl);
  icmp.set(F::tp_src, type);
  icmp.set(F::tp_dst, kHostUnreachable);
  run_block(a, ipv6 ? Transformed::Kind::icmp6 : Transformed::Kind::icmp4, at, icmp);
}

void Walker::reset(const ovn::Nested& a, const Place& at, const FlowKey& packet, bool sctp, bool back) {
  if (back && packet.u32(F::tcp_flags) == kReset) return;
  const bool ipv6 = packet.u64(F::eth_type) != ethertype::ipv4;
  FlowKey answer = packet;
  if (back) {
    answer_ethernet(answer, packet);
    answer_ip(answer, packet, ipv6);
  }
  // ovn-trace makes the SCTP abort of IPv6 a TCP packet.
  answer.set(F::nw_proto, sctp && !ipv6 ? ip_proto::sctp : ip_proto::tcp);
  answer.set(F::nw_ttl, kMaxTtl);
  answer.set(F::tcp_flags, kReset);
  run_block(a, sctp ? Transformed::Kind::sctp_abort : Transformed::Kind::tcp_reset, at, answer);
}

void Walker::reject(const ovn::Nested& a, const Place& at, const FlowKey& packet) {
  const auto protocol = packet.u32(F::nw_proto);
  if (protocol == ip_proto::tcp) return reset(a, at, packet, false, true);
  if (protocol == ip_proto::sctp) return reset(a, at, packet, true, true);
  icmp_error(a, at, packet, packet.u64(F::eth_type) != ethertype::ipv4, true);
}

// ARP requests, solicitations and their answers are of no packet that somebody asks about.
void Walker::refuse(const ovn::Nested& a, const Place& at, const FlowKey& packet) {
  const auto code = opcode_of(a.kind);
  if (!code) return;
  const auto answer = refusal_of(packet, *code, sets_mtu(a.actions));
  if (!environment_->begin_refusal(at.at(), packet, answer.has_value())) return;
  ++depth_;
  FlowKey sent = *answer;
  if (!at_limit(at.nodes)) execute_all(a.actions, at, sent);
  --depth_;
  environment_->end_refusal();
}

void Walker::nested(const ovn::Nested& a, const ovn::Action&, const Place& at, const FlowKey& packet) {
  using T = Transformed::Kind;
  if (environment_ && a.kind != K::clone) return refuse(a, at, packet);
  switch (a.kind) {
    case K::clone: return run_block(a, T::clone, at, packet);
    case K::arp: return run_block(a, T::arp, at, arp_request(packet));
    case K::icmp4:
    case K::icmp4_error: return icmp_error(a, at, packet, false, false);
    case K::icmp6:
    case K::icmp6_error: return icmp_error(a, at, packet, true, false);
    case K::tcp_reset: return reset(a, at, packet, false, false);
    case K::sctp_abort: return reset(a, at, packet, true, false);
    case K::reject: return reject(a, at, packet);
    case K::nd_na:
    case K::nd_na_router: return run_block(a, T::nd_na, at, advertisement(packet));
    case K::nd_ns: return run_block(a, T::nd_ns, at, solicitation(packet));
  }
}

}  // namespace egt::engine::logical
