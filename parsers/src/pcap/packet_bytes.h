// From bytes on the wire to capture::Frame: Ethernet, Linux cooked (1 and 2), raw IP and loopback; VLAN tags; Geneve
// and VXLAN (RFC 8926, RFC 7348). https://www.tcpdump.org/linktypes.html numbers the link types.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/capture/frame.h"

namespace egt::parsers::pcap {

enum class Decoded : std::uint8_t { ip, not_ip, not_understood };

// `link_type`: a LINKTYPE_ or (where libpcap translated it) DLT_ value. Fills all but number, time and interface.
Decoded decode_frame(std::string_view bytes, int link_type, capture::Frame& frame);

bool is_cooked(int link_type);

// Mixes what stays the same from place to place into a number; 0 where the capture kept too little. `salt`: the IP
// identification of a datagram, the type of an ICMP message.
std::uint64_t fingerprint_of(const capture::Headers& h, std::string_view payload, std::uint16_t salt);

}  // namespace egt::parsers::pcap
