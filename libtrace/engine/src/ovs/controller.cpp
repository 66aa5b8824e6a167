// What ovn-controller does with packets that flows hand to it (OVN's controller/pinctrl.c).
//
// Refusals are answered: the answer takes addresses, registers and metadata from the packet, and re-enters the pipeline
// through the actions that came along in userdata. Whatever pauses a packet ends the walk here, because how it goes on
// is decided outside the dumps.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "translation.h"
#include "ovn_controller/userdata.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint8_t kTtlOfReset = 63, kTtlOfError = 255;
constexpr std::uint32_t kRstAck = 0x14, kRstBit = 0x04;
constexpr std::uint8_t kUnreachable4 = 3, kUnreachable6 = 1, kTooBig6 = 2, kTimeExceeded4 = 11, kTimeExceeded6 = 3;

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
    case ip_proto::tcp:
      return k.u32(F::tcp_flags) & kRstBit;
    case ip_proto::icmp:
      return k.u32(F::icmp_type) == kUnreachable4;
    case ip_proto::icmp6:
      return k.u32(F::icmp_type) == kUnreachable6;
    default:
      return false;
  }
}

std::optional<FlowKey> make_answer(const FlowKey& k, std::uint32_t code, const ActionList& nested) {
  if (!is_ip(k)) return std::nullopt;
  const auto proto = k.u64(F::nw_proto);
  const bool by_protocol = code == opcode::reject;
  if (by_protocol && is_refusal_itself(k)) return std::nullopt;
  if (code == opcode::tcp_reset || (by_protocol && proto == ip_proto::tcp))
    return proto == ip_proto::tcp ? std::optional(reset_answer(k, by_protocol)) : std::nullopt;
  if (code == opcode::sctp_abort || (by_protocol && proto == ip_proto::sctp))
    return proto == ip_proto::sctp ? std::optional(reset_answer(k, by_protocol)) : std::nullopt;
  return icmp_answer(k, code, sets_fragment_mtu(nested));
}

std::string unreachable_name4(std::uint32_t code) {
  switch (code) {
    case 0:
      return "icmp-net-unreachable";
    case 1:
      return "icmp-host-unreachable";
    case 2:
      return "icmp-proto-unreachable";
    case 3:
      return "icmp-port-unreachable";
    case 4:
      return "icmp-frag-needed";
    case 13:
      return "icmp-admin-prohibited";
    default:
      return fmt::format("icmp-type-3-code-{}", code);
  }
}

std::string unreachable_name6(std::uint32_t code) {
  switch (code) {
    case 0:
      return "icmp6-no-route";
    case 1:
      return "icmp6-adm-prohibited";
    case 3:
      return "icmp6-addr-unreachable";
    case 4:
      return "icmp6-port-unreachable";
    default:
      return fmt::format("icmp6-type-1-code-{}", code);
  }
}

std::string name_of(const FlowKey& answer) {
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

// The packet after those nested actions that stand before the first one that sends it anywhere.
FlowKey after_field_actions(const FlowKey& k, const ActionList& nested) {
  PipelineState s;
  s.key = k;
  for (const Action& a : nested)
    if (apply_field_action(a, s) != FieldOutcome::done) break;
  return s.key;
}

// The address that an ARP request or neighbour solicitation of OVN asks for.
IpAddr asked_address(const FlowKey& k, bool arp, const ActionList& nested) {
  FlowKey request = bare_answer(k, false);
  request.set(F::eth_type, arp ? ethertype::arp : ethertype::ipv6);
  if (arp) {
    request.set(F::arp_op, 1);
    return IpAddr::v4(after_field_actions(request, nested).u32(F::arp_tpa));
  }
  request.set(F::nw_proto, ip_proto::icmp6);
  request.set(F::icmp_type, 135);
  request.set(F::icmp_code, 0);
  request.set(F::nd_target, k.get(F::ipv6_dst));
  return IpAddr::v6(after_field_actions(request, nested).get(F::nd_target));
}

// Opcodes with which ovn-controller only takes note, while the packet goes its way.
bool only_notes(std::uint32_t code) {
  using namespace opcode;
  return code == put_arp || code == put_nd || code == log || code == event || code == put_fdb || code == igmp;
}

}  // namespace

bool Translation::controller(const Controller& a) {
  const auto data = a.userdata ? decode_userdata(*a.userdata) : std::nullopt;
  const std::uint32_t code = data ? data->opcode : 0;
  std::string name = a.reason.value_or("action");
  if (data) name = opcode_name(code).empty() ? fmt::format("opcode {}", code) : std::string(opcode_name(code));
  add(ToController{bridge().name, name, code, a.pause}, here());
  if (!data) {
    emit(OvsEmission::Kind::controller, nullptr, key());
    if (!a.pause) return true;
    result_.undecided = true;
    reason("a controller decides how it goes on", 0, here());
    exit_ = true;
    return false;
  }
  if (is_refusal(code)) {
    refuse(code, data->nested);
  } else if (a.pause || code == opcode::arp || code == opcode::nd_ns) {
    pause(code, data->nested);
    return false;
  } else if (!only_notes(code)) {
    reason(fmt::format("ovn-controller takes it ({})", name), 0, here());
  }
  return true;
}

void Translation::refuse(std::uint32_t code, const ActionList& nested) {
  if (answer_) return remark("ovn-controller's own answer is refused", here());
  const auto answer = make_answer(key(), code, nested);
  if (!answer) {
    remark("ovn-controller does not answer a packet of this kind", here());
    return reason("a flow hands it to ovn-controller, which drops it", 0, here());
  }
  const std::string with = name_of(after_field_actions(*answer, nested));
  add(Refused{where(), "a flow makes ovn-controller refuse it", with}, here());
  reason(fmt::format("a flow makes ovn-controller refuse it with {}", with), 0, here());
  result_.reject_with = with;
  Job job;
  job.state.bridge = state_.bridge;
  job.state.key = *answer;
  job.state.table = state_.table;
  if (with.rfind("icmp", 0) == 0) job.state.quoted = tuple_of(key());
  job.actions = nested;
  job.answer = Answer{with};
  job.evidence = here();
  push(std::move(job));
}

void Translation::pause(std::uint32_t code, const ActionList& nested) {
  exit_ = true;
  if (answer_) return remark("ovn-controller's own answer waits for an address to be resolved", here());
  result_.undecided = true;
  if (code == opcode::arp || code == opcode::nd_ns) {
    const std::string address = asked_address(key(), code == opcode::arp, nested).to_string();
    gap(fmt::format("MAC binding for {} unknown", address), "ovn-sbctl list MAC_Binding");
    return reason(
        fmt::format("OVN does not know the MAC of {}: ovn-controller would ask for it and hold the packet back "
                    "until the answer comes",
                    address),
        0, here());
  }
  reason(fmt::format("ovn-controller would handle it ({}) and send it on", opcode_name(code)), 0, here());
}

}  // namespace egt::engine
