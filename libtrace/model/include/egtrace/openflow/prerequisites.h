// Which fields a packet has (mf_are_prereqs_ok() of lib/meta-flow.c, lib/flow.h).
//
// `looked_at`, where given, is a mask: bits are added to it for what the question had to look at, beside the Ethernet type,
// which every packet is classified by.
#pragma once

#include <cstdint>

#include "egtrace/packet/packet.h"

namespace egt::openflow {

// The Ethernet type, or the one that the packet type shows.
std::uint16_t dl_type(const FlowKey& k);
inline bool is_ip_any(const FlowKey& k) { return dl_type(k) == ethertype::ipv4 || dl_type(k) == ethertype::ipv6; }
inline bool is_mpls(std::uint64_t type) { return type == ethertype::mpls || type == ethertype::mplsm; }
// Whether an IP packet has the protocol.
bool is_protocol(const FlowKey& k, FlowKey* looked_at, std::uint8_t proto);
bool is_icmpv4(const FlowKey& k, FlowKey* looked_at);
bool is_icmpv6(const FlowKey& k, FlowKey* looked_at);
bool is_nd(const FlowKey& k, FlowKey* looked_at);

// Whether actions may write, and microflows show, the field of such a packet.
bool prerequisites_met(FieldId f, const FlowKey& k, FlowKey* looked_at = nullptr);

}  // namespace egt::openflow
