// The userdata of OVN's controller actions: an opcode, and for some opcodes OpenFlow 1.5 actions in their wire form
// (OVN's include/ovn/actions.h, encode_nested_actions; Open vSwitch's lib/ofp-actions.c). All numbers are big-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "egtrace/openflow/action.h"

namespace egt::engine {

namespace opcode {
constexpr std::uint32_t arp = 0x00, put_arp = 0x01, nd_na = 0x03, put_nd = 0x04, log = 0x07, nd_ns = 0x09, icmp = 0x0a,
                        tcp_reset = 0x0b, nd_na_router = 0x0c, icmp4_error = 0x0e, event = 0x0f, igmp = 0x10, icmp6_error = 0x14,
                        reject = 0x16, sctp_abort = 0x18, put_fdb = 0x19;
}

// OVN's name of an opcode: "tcp_reset"; empty when it has none here.
std::string_view opcode_name(std::uint32_t code);
bool is_refusal(std::uint32_t code);

struct Userdata {
  std::uint32_t opcode = 0;
  openflow::ActionList nested;  // an action that is not understood is an Opaque
};
// The opcode alone; none when there is not even that.
std::optional<std::uint32_t> opcode_of(std::span<const std::uint8_t> bytes);
// None when there is not even an opcode. `nested` is decoded for the opcodes that carry actions.
std::optional<Userdata> decode_userdata(std::span<const std::uint8_t> bytes);

// Whether a note shows that the answer is an ICMP error of the kind "too big" (icmp4.frag_mtu, icmp6.frag_mtu).
bool sets_fragment_mtu(const openflow::ActionList& nested);

}  // namespace egt::engine
