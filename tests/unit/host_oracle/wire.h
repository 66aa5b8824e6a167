// Frames of the wire and FlowKeys: what is sent to a kernel, and what comes back from it.
//
// Every probe carries a number, which survives translation: in the sequence number of a TCP segment that opens a
// connection, behind the header of everything else. Whatever the kernel makes of the packet (also an error message that
// quotes it) is known by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egtrace/packet/packet.h"

namespace egt::test {

using Bytes = std::vector<std::uint8_t>;

// Numbers of a TCP segment of a connection that exists, as the other side expects them.
struct TcpPlace {
  std::optional<std::uint32_t> sequence;  // absent: the segment's own, made of the probe's number
  std::uint32_t acknowledge = 0;
};

// An Ethernet frame with correct checksums. `quoted`: an ICMP error's, which then carries the number.
Bytes frame_of(const FlowKey& key, std::uint32_t number, const TcpPlace& place = {}, const FlowKey* quoted = nullptr);

// A UDP datagram in two fragments; ports and number are in the first.
std::vector<Bytes> fragments_of(const FlowKey& key, std::uint32_t number);

struct Seen {
  FlowKey key;
  std::optional<std::uint32_t> number;  // of the probe that it carries, answers or quotes
  bool is_error = false;                // an ICMP error
  bool is_reset = false;                // a TCP reset
  std::uint32_t error_mtu = 0;          // of "fragmentation needed" and "packet too big"
  std::uint32_t sequence = 0;           // of TCP
  std::optional<Tuple> quoted;          // of an ICMP error
  std::size_t ip_length = 0;
};

std::optional<Seen> read_frame(std::span<const std::uint8_t> frame);
// An IP packet without its Ethernet header.
std::optional<Seen> read_packet(std::span<const std::uint8_t> packet);
// What follows an IPv6 header, of which only the addresses are shown.
void read_transport(std::span<const std::uint8_t> bytes, Seen& seen);

std::string to_text(const FlowKey& key);  // "tcp 10.0.0.2:5 > 10.1.0.2:80 ttl 64 tos 0"

}  // namespace egt::test
