// One captured frame, as far as following a flow from place to place needs it: what NAT and routers leave alone (TCP
// sequence numbers, echo sequence, the first bytes of the payload) beside what they change. All numbers in host order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt::capture {

enum class Direction : std::uint8_t { unknown, in, out };  // in: the device hands it to the node

namespace tcp_flag {
constexpr std::uint8_t fin = 0x01, syn = 0x02, rst = 0x04, psh = 0x08, ack = 0x10;
}

// IP and above. Ports are 0 where there are none; of an ICMP echo, `sport` and `dport` are both its identifier.
struct Headers {
  IpAddr src, dst;
  std::uint8_t proto = 0, ttl = 0;
  std::uint16_t sport = 0, dport = 0;
  std::uint8_t icmp_type = 0, icmp_code = 0;
  std::uint16_t icmp_seq = 0;
  std::uint8_t tcp_flags = 0;
  std::uint32_t seq = 0, ack = 0;  // TCP; `has_seq`: whether they are absolute
  bool has_seq = false;
  bool later_fragment = false;      // no transport header
  std::uint32_t payload_bytes = 0;  // on the wire, whatever the capture kept
  std::uint64_t fingerprint = 0;    // of what NAT leaves alone; 0: none

  bool echo_request() const { return (proto == 1 && icmp_type == 8) || (proto == 58 && icmp_type == 128); }
  bool echo_reply() const { return (proto == 1 && icmp_type == 0) || (proto == 58 && icmp_type == 129); }
};

struct Tunnel {
  std::string_view type;  // "geneve", "vxlan"
  IpAddr src, dst;
  std::uint32_t vni = 0;
};

struct Frame {
  std::uint64_t number = 0;     // 1-based in its file, as tshark counts
  std::int64_t time = 0;        // nanoseconds since 1970, or since midnight where the text shows no date
  std::uint32_t interface = 0;  // index into Capture::interfaces
  std::uint32_t ifindex = 0;    // of a cooked capture (version 2) on all devices; else 0
  Direction direction = Direction::unknown;
  std::optional<MacAddr> smac, dmac;  // of the innermost Ethernet header; a cooked capture has no destination
  std::optional<std::uint16_t> vlan;
  Headers ip;                     // the innermost packet
  std::optional<Tunnel> tunnel;   // the outermost tunnel around it
  std::optional<Headers> quoted;  // of an ICMP error: the packet that it is about
};

struct Interface {
  std::string name;                      // of a pcapng interface block or of tcpdump -i any's text; else empty
  bool all_devices = false;              // a cooked capture: its frames show the device, or nothing does
  std::uint32_t ifindex = 0, netns = 0;  // of a tracer's events; 0: not shown
};

// A line that is not understood, of a capture that is text.
struct LineProblem {
  std::uint64_t line = 0;
  std::uint32_t column = 0;  // 1-based
  std::string message, text;
};

// A capture file without its frames.
struct Capture {
  std::string format;  // "pcap", "pcapng", "tcpdump text", "retis events", "pwru text"
  std::vector<Interface> interfaces;
  std::uint64_t frames = 0;
  std::uint64_t not_ip = 0;                // ARP, LLDP and such
  std::uint64_t not_understood = 0;        // cut before the IP header ended, or a line that is no packet
  std::uint64_t first_not_understood = 0;  // frame or line number; 0: none
  std::string cut_why;                     // why reading ended before the file's end; empty: it did not
  bool of_events = false;                  // a tracer's: what it does not show need not have been absent
  std::uint64_t events = 0, events_without_packet = 0;
  std::vector<LineProblem> problems;  // the first ones
};

}  // namespace egt::capture
