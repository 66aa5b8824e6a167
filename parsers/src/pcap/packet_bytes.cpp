#include "pcap/packet_bytes.h"

#include <algorithm>

namespace egt::parsers::pcap {
namespace {

using capture::Frame;
using capture::Headers;

constexpr std::uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd, kVlan = 0x8100, kQinq = 0x88a8, kBridged = 0x6558;
constexpr std::uint8_t kIcmp = 1, kTcp = 6, kUdp = 17, kIcmp6 = 58, kSctp = 132;
constexpr std::uint16_t kGenevePort = 6081, kVxlanPort = 4789;
constexpr std::size_t kFingerprintBytes = 16;  // what a tunnelled packet still holds in a capture of 128 bytes a frame
constexpr int kDeepest = 4;                    // tunnels inside tunnels, and quotations

std::uint8_t u8(std::string_view b, std::size_t at) { return static_cast<std::uint8_t>(b[at]); }
std::uint16_t u16(std::string_view b, std::size_t at) { return static_cast<std::uint16_t>(u8(b, at) << 8 | u8(b, at + 1)); }
std::uint32_t u32(std::string_view b, std::size_t at) { return static_cast<std::uint32_t>(u16(b, at)) << 16 | u16(b, at + 2); }
MacAddr mac(std::string_view b, std::size_t at) { return {static_cast<std::uint64_t>(u16(b, at)) << 32 | u32(b, at + 2)}; }
IpAddr ip6(std::string_view b, std::size_t at) {
  U128 value = 0;
  for (std::size_t i = 0; i < 16; ++i) value = value << 8 | u8(b, at + i);
  return IpAddr::v6(value);
}

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h ^= h >> 31;
  return h * 0xbf58476d1ce4e5b9ULL;
}

// The bytes of one IP packet behind its header.
struct Inside {
  std::string_view bytes;    // what the capture kept
  std::uint32_t length = 0;  // by the header
  std::uint16_t ip_id = 0;
};

bool read_ipv4(std::string_view b, Headers& h, Inside& in) {
  if (b.size() < 20 || u8(b, 0) >> 4 != 4) return false;
  const std::size_t header = (u8(b, 0) & 15u) * 4u;
  if (header < 20 || b.size() < header) return false;
  const std::uint16_t total = u16(b, 2), fragment = u16(b, 6);
  h.src = IpAddr::v4(u32(b, 12));
  h.dst = IpAddr::v4(u32(b, 16));
  h.proto = u8(b, 9);
  h.ttl = u8(b, 8);
  h.later_fragment = (fragment & 0x1fff) != 0;
  in.ip_id = u16(b, 4);
  // Segmentation offload leaves 0 in frames that the sender captures.
  in.length = total >= header ? static_cast<std::uint32_t>(total - header) : static_cast<std::uint32_t>(b.size() - header);
  in.bytes = b.substr(header, in.length);
  return true;
}

bool is_extension(std::uint8_t next) { return next == 0 || next == 43 || next == 44 || next == 51 || next == 60; }

bool read_ipv6(std::string_view b, Headers& h, Inside& in) {
  if (b.size() < 40 || u8(b, 0) >> 4 != 6) return false;
  h.src = ip6(b, 8);
  h.dst = ip6(b, 24);
  h.ttl = u8(b, 7);
  h.proto = u8(b, 6);
  std::uint32_t length = u16(b, 4);
  std::string_view rest = b.substr(40);
  if (length != 0)
    rest = rest.substr(0, length);
  else
    length = static_cast<std::uint32_t>(rest.size());
  for (int i = 0; i < 8 && is_extension(h.proto) && rest.size() >= 8; ++i) {
    const std::uint8_t kind = h.proto;
    std::size_t size = kind == 44 ? 8 : kind == 51 ? (u8(rest, 1) + 2u) * 4u : (u8(rest, 1) + 1u) * 8u;
    if (kind == 44) h.later_fragment = (u16(rest, 2) & 0xfff8) != 0;
    h.proto = u8(rest, 0);
    size = std::min(size, rest.size());
    rest.remove_prefix(size);
    length -= std::min<std::uint32_t>(length, static_cast<std::uint32_t>(size));
    if (h.later_fragment) break;
  }
  in.bytes = rest;
  in.length = length;
  return true;
}

bool read_ip(std::string_view b, Headers& h, Inside& in) {
  if (b.empty()) return false;
  return u8(b, 0) >> 4 == 4 ? read_ipv4(b, h, in) : read_ipv6(b, h, in);
}

bool is_error(const Headers& h) {
  if (h.proto == kIcmp) return h.icmp_type == 3 || h.icmp_type == 4 || h.icmp_type == 5 || h.icmp_type == 11 || h.icmp_type == 12;
  return h.proto == kIcmp6 && h.icmp_type >= 1 && h.icmp_type <= 4;
}

void read_tcp(const Inside& in, Headers& h) {
  const std::string_view b = in.bytes;
  if (b.size() < 4) return;
  h.sport = u16(b, 0);
  h.dport = u16(b, 2);
  if (b.size() < 8) return;
  h.seq = u32(b, 4);
  h.has_seq = true;  // an ICMP error quotes no more than this
  if (b.size() < 14) return;
  h.ack = u32(b, 8);
  h.tcp_flags = u8(b, 13);
  const std::uint32_t header = (u8(b, 12) >> 4) * 4u;
  h.payload_bytes = in.length > header ? in.length - header : 0;
}

void read_datagram(const Inside& in, Headers& h) {
  const std::string_view b = in.bytes;
  if (b.size() < 4) return;
  h.sport = u16(b, 0);
  h.dport = u16(b, 2);
  if (b.size() < 8) return;
  h.payload_bytes = h.proto == kUdp && u16(b, 4) >= 8 ? u16(b, 4) - 8u : in.length > 12 ? in.length - 12 : 0;
  h.fingerprint = fingerprint_of(h, b.substr(h.proto == kUdp ? 8 : std::min<std::size_t>(12, b.size())), in.ip_id);
}

void read_icmp(const Inside& in, Headers& h) {
  const std::string_view b = in.bytes;
  if (b.size() < 2) return;
  h.icmp_type = u8(b, 0);
  h.icmp_code = u8(b, 1);
  if (b.size() < 8 || !(h.echo_request() || h.echo_reply())) return;
  h.sport = h.dport = u16(b, 4);
  h.icmp_seq = u16(b, 6);
  h.payload_bytes = in.length > 8 ? in.length - 8 : 0;
  h.fingerprint = fingerprint_of(h, b.substr(8), h.icmp_type);
}

void read_transport(const Inside& in, Headers& h) {
  if (h.later_fragment) return;
  if (h.proto == kTcp)
    read_tcp(in, h);
  else if (h.proto == kUdp || h.proto == kSctp)
    read_datagram(in, h);
  else if (h.proto == kIcmp || h.proto == kIcmp6)
    read_icmp(in, h);
}

Decoded decode_ethernet(std::string_view b, Frame& frame, int depth);

// The packet inside a UDP datagram to a tunnel's port; false when there is none.
bool enter_tunnel(std::string_view datagram, const Headers& outer, Frame& frame, int depth) {
  const bool geneve = outer.dport == kGenevePort, vxlan = outer.dport == kVxlanPort;
  if (depth >= kDeepest || outer.proto != kUdp || !(geneve || vxlan) || datagram.size() < 16) return false;
  const std::string_view b = datagram.substr(8);
  const std::size_t header = geneve ? 8u + (u8(b, 0) & 0x3fu) * 4u : 8u;
  if (b.size() < header) return false;
  if (geneve && (u8(b, 0) >> 6 != 0)) return false;   // version 0 is all there is
  if (vxlan && (u8(b, 0) & 0x08) == 0) return false;  // no network identifier
  const std::uint16_t carries = geneve ? u16(b, 2) : kBridged;
  Frame inner = frame;
  if (!inner.tunnel) inner.tunnel = capture::Tunnel{geneve ? "geneve" : "vxlan", outer.src, outer.dst, u32(b, 4) >> 8};
  inner.ip = Headers{};
  if (carries != kBridged || decode_ethernet(b.substr(header), inner, depth + 1) != Decoded::ip) return false;
  frame = inner;
  return true;
}

Decoded decode_ip(std::string_view b, Frame& frame, int depth) {
  Headers h;
  Inside in;
  if (!read_ip(b, h, in)) return Decoded::not_understood;
  read_transport(in, h);
  if (!h.later_fragment && enter_tunnel(in.bytes, h, frame, depth)) return Decoded::ip;
  frame.ip = h;
  frame.quoted.reset();
  if (is_error(h) && in.bytes.size() > 8) {
    Headers quoted;
    Inside inside;
    if (read_ip(in.bytes.substr(8), quoted, inside)) {
      read_transport(inside, quoted);
      frame.quoted = quoted;
    }
  }
  return Decoded::ip;
}

Decoded decode_payload(std::uint16_t type, std::string_view b, Frame& frame, int depth) {
  for (int tags = 0; (type == kVlan || type == kQinq) && tags < 4; ++tags) {
    if (b.size() < 4) return Decoded::not_understood;
    frame.vlan = static_cast<std::uint16_t>(u16(b, 0) & 0xfff);
    type = u16(b, 2);
    b.remove_prefix(4);
  }
  if (type != kIpv4 && type != kIpv6) return Decoded::not_ip;
  return decode_ip(b, frame, depth);
}

Decoded decode_ethernet(std::string_view b, Frame& frame, int depth) {
  if (b.size() < 14) return Decoded::not_understood;
  frame.dmac = mac(b, 0);
  frame.smac = mac(b, 6);
  frame.vlan.reset();
  return decode_payload(u16(b, 12), b.substr(14), frame, depth);
}

// packet(7): PACKET_HOST 0, BROADCAST 1, MULTICAST 2, OTHERHOST 3, OUTGOING 4.
capture::Direction cooked_direction(unsigned packet_type) {
  return packet_type == 4 ? capture::Direction::out : capture::Direction::in;
}

Decoded decode_cooked(std::string_view b, Frame& frame) {
  if (b.size() < 16) return Decoded::not_understood;
  frame.direction = cooked_direction(u16(b, 0));
  if (u16(b, 4) == 6) frame.smac = mac(b, 6);
  return decode_payload(u16(b, 14), b.substr(16), frame, 0);
}

Decoded decode_cooked2(std::string_view b, Frame& frame) {
  if (b.size() < 20) return Decoded::not_understood;
  frame.ifindex = u32(b, 4);
  frame.direction = cooked_direction(u8(b, 10));
  if (u8(b, 11) == 6) frame.smac = mac(b, 12);
  return decode_payload(u16(b, 0), b.substr(20), frame, 0);
}

constexpr int kNull = 0, kEthernet = 1, kDltRaw = 12, kDltRawBsd = 14, kRaw = 101, kLoop = 108, kCooked = 113, kIpv4Only = 228,
              kIpv6Only = 229, kCooked2 = 276;

}  // namespace

bool is_cooked(int link_type) { return link_type == kCooked || link_type == kCooked2; }

std::uint64_t fingerprint_of(const Headers& h, std::string_view payload, std::uint16_t salt) {
  const std::size_t want = std::min<std::size_t>(kFingerprintBytes, h.payload_bytes);
  if (payload.size() < want || (want == 0 && salt == 0)) return 0;
  std::uint64_t f = mix(mix(h.proto, h.payload_bytes), h.icmp_seq);
  f = mix(f, salt);
  for (std::size_t i = 0; i < want; ++i) f = mix(f, u8(payload, i));
  return f == 0 ? 1 : f;
}

Decoded decode_frame(std::string_view bytes, int link_type, Frame& frame) {
  switch (link_type) {
    case kEthernet: return decode_ethernet(bytes, frame, 0);
    case kCooked: return decode_cooked(bytes, frame);
    case kCooked2: return decode_cooked2(bytes, frame);
    case kRaw:
    case kDltRaw:
    case kDltRawBsd:
    case kIpv4Only:
    case kIpv6Only: return decode_ip(bytes, frame, 0);
    case kNull:
    case kLoop:
      if (bytes.size() < 4) return Decoded::not_understood;
      return decode_ip(bytes.substr(4), frame, 0);
    default: return Decoded::not_understood;
  }
}

}  // namespace egt::parsers::pcap
