#include "kernel_events/parsed_packet.h"

#include "egtrace/packet/flow_key.h"

namespace egt::parsers::kernel_events {

void ParsedPacket::section(JsonLine& json, std::string_view k) {
  if (k == "eth")
    json.object([&](std::string_view f) { ethernet(json, f); });
  else if (k == "ip")
    json.object([&](std::string_view f) { ip(json, f); });
  else if (k == "tcp" || k == "udp")
    ports(json);
  else if (k == "icmp" || k == "icmpv6")
    icmp(json);
  else
    flat(json, k);
}

void ParsedPacket::ethernet(JsonLine& json, std::string_view k) {
  if (k == "src")
    frame_.smac = MacAddr::parse(json.string());
  else if (k == "dst")
    frame_.dmac = MacAddr::parse(json.string());
  else
    json.skip();
}

void ParsedPacket::ip(JsonLine& json, std::string_view k) {
  if (k == "saddr")
    frame_.ip.src = IpAddr::parse(json.string()).value_or(IpAddr{});
  else if (k == "daddr")
    frame_.ip.dst = IpAddr::parse(json.string()).value_or(IpAddr{});
  else if (k == "protocol")
    frame_.ip.proto = static_cast<std::uint8_t>(json.number());
  else if (k == "ttl")
    frame_.ip.ttl = static_cast<std::uint8_t>(json.number());
  else if (k == "len" || k == "l3_len")
    ip_length_ = static_cast<std::uint32_t>(json.number());
  else if (k == "v4")
    json.object([&](std::string_view f) { f == "offset" ? void(frame_.ip.later_fragment = json.number() != 0) : json.skip(); });
  else if (k == "v6") {
    is_v6_ = true;
    json.skip();
  } else
    json.skip();
}

void ParsedPacket::ports(JsonLine& json) {
  json.object([&](std::string_view k) {
    if (k == "sport")
      frame_.ip.sport = static_cast<std::uint16_t>(json.number());
    else if (k == "dport")
      frame_.ip.dport = static_cast<std::uint16_t>(json.number());
    else if (k == "seq") {
      frame_.ip.seq = static_cast<std::uint32_t>(json.number());
      frame_.ip.has_seq = true;
    } else if (k == "ack_seq")
      frame_.ip.ack = static_cast<std::uint32_t>(json.number());
    else if (k == "flags")
      frame_.ip.tcp_flags = static_cast<std::uint8_t>(json.number());
    else if (k == "doff")
      tcp_words_ = static_cast<std::uint32_t>(json.number());
    else
      json.skip();
  });
}

void ParsedPacket::icmp(JsonLine& json) {
  json.object([&](std::string_view k) {
    if (k == "type")
      frame_.ip.icmp_type = static_cast<std::uint8_t>(json.number());
    else if (k == "code")
      frame_.ip.icmp_code = static_cast<std::uint8_t>(json.number());
    else
      json.skip();
  });
}

void ParsedPacket::flat(JsonLine& json, std::string_view k) {
  if (k == "src" || k == "dst")
    ethernet(json, k);
  else if (k == "saddr" || k == "daddr" || k == "protocol" || k == "ttl" || k == "l3_len")
    ip(json, k);
  else if (k == "ip_version")
    is_v6_ = json.number() == 6;
  else if (k == "sport")
    frame_.ip.sport = static_cast<std::uint16_t>(json.number());
  else if (k == "dport")
    frame_.ip.dport = static_cast<std::uint16_t>(json.number());
  else if (k == "tcp_flags")
    frame_.ip.tcp_flags = static_cast<std::uint8_t>(json.number());
  else if (k == "tcp_seq") {
    frame_.ip.seq = static_cast<std::uint32_t>(json.number());
    frame_.ip.has_seq = true;
  } else if (k == "tcp_ack_seq")
    frame_.ip.ack = static_cast<std::uint32_t>(json.number());
  else if (k == "icmp_type")
    frame_.ip.icmp_type = static_cast<std::uint8_t>(json.number());
  else if (k == "icmp_code")
    frame_.ip.icmp_code = static_cast<std::uint8_t>(json.number());
  else
    json.skip();
}

bool ParsedPacket::finish() {
  capture::Headers& ip = frame_.ip;
  if (ip.src.is_unspecified() || ip.dst.is_unspecified()) return false;
  const std::uint32_t before = (is_v6_ ? 0 : 20) + (ip.proto == ip_proto::tcp ? tcp_words_ * 4 : 8);
  if (ip_length_ > before && (ip.proto != ip_proto::tcp || tcp_words_ >= 5)) ip.payload_bytes = ip_length_ - before;
  if (ip.proto != ip_proto::tcp && ip.proto != ip_proto::udp && ip.proto != ip_proto::icmp && ip.proto != ip_proto::icmp6)
    ip.sport = ip.dport = 0;
  return true;
}

}  // namespace egt::parsers::kernel_events
