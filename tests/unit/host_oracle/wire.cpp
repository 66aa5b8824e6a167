#include "wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "wire_bytes.h"

namespace egt::test {
namespace {

constexpr std::uint32_t kMagic = 0xe6000000, kMagicMask = 0xff000000;
constexpr std::size_t kNumberBytes = 4;
constexpr std::uint8_t kSctp = ip_proto::sctp;

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t b : bytes) {
    crc ^= b;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

std::uint8_t protocol(const FlowKey& k) { return static_cast<std::uint8_t>(k.u64(FieldId::nw_proto)); }

Bytes transport(const FlowKey& k, std::uint32_t number, const TcpPlace& place) {
  Bytes b;
  const std::uint8_t proto = protocol(k);
  const std::uint32_t marked = kMagic | number;
  if (has_ports(k)) {
    put16(b, k.u64(FieldId::tp_src));
    put16(b, k.u64(FieldId::tp_dst));
  }
  if (proto == ip_proto::tcp) {
    put32(b, place.sequence.value_or(marked));
    put32(b, (k.u32(FieldId::tcp_flags) & 0x10) != 0 ? place.acknowledge : 0);
    put16(b, 0x5000 | (k.u64(FieldId::tcp_flags) & 0x3f));
    put16(b, 1024);
    put32(b, 0);
    if (place.sequence) put32(b, marked);
  } else if (proto == ip_proto::udp) {
    put16(b, 8 + kNumberBytes);
    put16(b, 0);
    put32(b, marked);
  } else if (proto == kSctp) {
    put32(b, 0);  // an INIT chunk comes with verification tag 0
    put32(b, 0);
    put32(b, 0x01000014);
    put32(b, marked);  // initiate tag
    put32(b, 65535);
    put32(b, 0x00010001);
    put32(b, marked);
  } else {
    b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::icmp_type)));
    b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::icmp_code)));
    put16(b, 0);
    put16(b, k.u64(FieldId::icmp_id));
    put16(b, number & 0xffff);
    put32(b, marked);
  }
  return b;
}

void fill_checksum(const FlowKey& k, Bytes& b) {
  const std::uint8_t proto = protocol(k);
  if (proto == kSctp) {
    const std::uint32_t crc = crc32c(b);
    for (std::size_t i = 0; i < 4; ++i) b[8 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    return;
  }
  Bytes pseudo;
  if (proto != ip_proto::icmp) {
    put_address(pseudo, src_ip(k));
    put_address(pseudo, dst_ip(k));
    put32(pseudo, b.size());
    put32(pseudo, proto);
  }
  pseudo.insert(pseudo.end(), b.begin(), b.end());
  const std::size_t at = proto == ip_proto::tcp ? 16 : proto == ip_proto::udp ? 6 : 2;
  set16(b, at, internet_checksum(pseudo));
}

Bytes ip_header(const FlowKey& k, std::size_t payload) {
  Bytes b;
  if (family_of(k) == Family::v4) {
    b.push_back(0x45);
    b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::nw_tos)));
    put16(b, 20 + payload);
    put16(b, 0);
    put16(b, 0);
    b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::nw_ttl)));
    b.push_back(protocol(k));
    put16(b, 0);
    put_address(b, src_ip(k));
    put_address(b, dst_ip(k));
    set16(b, 10, internet_checksum(b));
    return b;
  }
  put32(b, 0x60000000 | (k.u64(FieldId::nw_tos) << 20));
  put16(b, payload);
  b.push_back(protocol(k));
  b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::nw_ttl)));
  put_address(b, src_ip(k));
  put_address(b, dst_ip(k));
  return b;
}

Bytes error_about(const FlowKey& k, const FlowKey& quoted, std::uint32_t number) {
  Bytes b;
  b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::icmp_type)));
  b.push_back(static_cast<std::uint8_t>(k.u64(FieldId::icmp_code)));
  put16(b, 0);
  put32(b, 0);
  Bytes inner = transport(quoted, number, {});
  fill_checksum(quoted, inner);
  const Bytes header = ip_header(quoted, inner.size());
  b.insert(b.end(), header.begin(), header.end());
  b.insert(b.end(), inner.begin(), inner.end());
  return b;
}

std::uint32_t get(std::span<const std::uint8_t> b, std::size_t at, std::size_t bytes) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < bytes; ++i) v = v << 8 | (at + i < b.size() ? b[at + i] : 0u);
  return v;
}
std::optional<std::uint32_t> number_in(std::uint32_t word) {
  if ((word & kMagicMask) != kMagic) return std::nullopt;
  return word & ~kMagicMask;
}

bool shows_error(std::uint8_t proto, std::uint32_t type) {
  if (proto == ip_proto::icmp) return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
  return proto == ip_proto::icmp6 && type >= 1 && type <= 4;
}

}  // namespace

Bytes frame_of(const FlowKey& key, std::uint32_t number, const TcpPlace& place, const FlowKey* quoted) {
  Bytes frame;
  for (const FieldId id : {FieldId::eth_dst, FieldId::eth_src})
    for (int i = 5; i >= 0; --i) frame.push_back(static_cast<std::uint8_t>(key.u64(id) >> (8 * i)));
  put16(frame, key.u64(FieldId::eth_type));
  Bytes body = quoted != nullptr ? error_about(key, *quoted, number) : transport(key, number, place);
  fill_checksum(key, body);
  const Bytes header = ip_header(key, body.size());
  frame.insert(frame.end(), header.begin(), header.end());
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

std::vector<Bytes> fragments_of(const FlowKey& key, std::uint32_t number) {
  constexpr std::size_t kFirst = 24, kRest = 16, kUnit = 8;  // of the IP payload; offsets count units
  Bytes body = transport(key, number, {});
  body.resize(kFirst + kRest);
  set16(body, 4, body.size());
  fill_checksum(key, body);
  std::vector<Bytes> frames;
  for (const bool first : {true, false}) {
    const std::span<const std::uint8_t> part = std::span(body).subspan(first ? 0 : kFirst, first ? kFirst : kRest);
    Bytes frame = frame_of(key, number);
    frame.resize(kEthernet);
    const std::uint64_t offset = first ? 0 : kFirst / kUnit;
    Bytes header = ip_header(key, part.size());
    if (family_of(key) == Family::v4) {
      constexpr std::uint64_t kMoreFollow = 0x2000;
      set16(header, 4, number & 0xffff);
      set16(header, 6, first ? kMoreFollow : offset);
      set16(header, 10, 0);
      set16(header, 10, internet_checksum(header));
    } else {
      constexpr std::uint8_t kFragmentHeader = 44, kNextHeader = 6;
      set16(header, 4, part.size() + kUnit);
      header[kNextHeader] = kFragmentHeader;
      header.push_back(protocol(key));
      header.push_back(0);
      put16(header, offset << 3 | (first ? 1u : 0u));
      put32(header, number);
    }
    frame.insert(frame.end(), header.begin(), header.end());
    frame.insert(frame.end(), part.begin(), part.end());
    frames.push_back(std::move(frame));
  }
  return frames;
}

void read_transport(std::span<const std::uint8_t> b, Seen& seen) {
  const std::uint8_t proto = protocol(seen.key);
  if (has_ports(seen.key)) {
    seen.key.set(FieldId::tp_src, get(b, 0, 2));
    seen.key.set(FieldId::tp_dst, get(b, 2, 2));
  }
  if (proto == ip_proto::tcp && b.size() >= 8) {
    const std::uint32_t flags = b.size() > 13 ? b[13] & 0x3fu : 0u;
    seen.key.set(FieldId::tcp_flags, flags);
    seen.is_reset = (flags & 0x04) != 0;
    constexpr std::size_t kHeader = 20;
    seen.sequence = get(b, 4, 4);
    if (b.size() >= kHeader + kNumberBytes) seen.number = number_in(get(b, kHeader, 4));
    if (!seen.number) seen.number = number_in(seen.sequence);
    if (!seen.number) seen.number = number_in(get(b, 8, 4) - ((flags & 0x04) != 0 ? 1 : 0));
  } else if (proto == ip_proto::udp) {
    seen.number = number_in(get(b, 8, 4));
  } else if (proto == kSctp) {
    seen.number = number_in(get(b, 16, 4));
  } else if (proto == ip_proto::icmp || proto == ip_proto::icmp6) {
    seen.key.set(FieldId::icmp_type, get(b, 0, 1));
    seen.key.set(FieldId::icmp_code, get(b, 1, 1));
    seen.is_error = shows_error(proto, get(b, 0, 1));
    if (!seen.is_error) {
      seen.key.set(FieldId::icmp_id, get(b, 4, 2));
      seen.number = number_in(get(b, 8, 4));
    } else if (b.size() > 8) {
      seen.error_mtu = proto == ip_proto::icmp ? get(b, 6, 2) : get(b, 4, 4);
      if (const auto inner = read_packet(b.subspan(8))) {
        seen.number = inner->number;
        seen.quoted = tuple_of(inner->key);
      }
    }
  }
}

namespace {

constexpr std::uint32_t kOffset = 0x1fff;  // of a fragment, in an IPv4 header

// False for fragments that are not the first.
bool read_rest(std::span<const std::uint8_t> b, std::uint32_t offset, Seen& seen) {
  constexpr std::uint8_t kFragmentHeader = 44;
  constexpr std::size_t kFragmentBytes = 8;
  if (protocol(seen.key) == kFragmentHeader && b.size() >= kFragmentBytes) {
    offset = get(b, 2, 2) >> 3;
    seen.key.set(FieldId::nw_proto, b[0]);
    b = b.subspan(kFragmentBytes);
  }
  if (offset == 0) read_transport(b, seen);
  return offset == 0;
}

}  // namespace

std::optional<Seen> read_packet(std::span<const std::uint8_t> b) {
  if (b.empty()) return std::nullopt;
  const bool v4 = b[0] >> 4 == 4;
  const std::size_t header = v4 ? (b[0] & 0xfu) * 4 : 40;
  if (b.size() < header || header < 20 || (!v4 && b[0] >> 4 != 6)) return std::nullopt;
  const Family family = v4 ? Family::v4 : Family::v6;
  Seen seen;
  seen.ip_length = b.size();
  seen.key.set(FieldId::eth_type, v4 ? ethertype::ipv4 : ethertype::ipv6);
  seen.key.set(FieldId::nw_tos, v4 ? b[1] : (get(b, 0, 4) >> 20) & 0xff);
  seen.key.set(FieldId::nw_ttl, b[v4 ? 8 : 7]);
  seen.key.set(FieldId::nw_proto, b[v4 ? 9 : 6]);
  set_src_ip(seen.key, get_address(b, v4 ? 12 : 8, family));
  set_dst_ip(seen.key, get_address(b, v4 ? 16 : 24, family));
  return read_rest(b.subspan(header), v4 ? get(b, 6, 2) & kOffset : 0, seen) ? std::optional(seen) : std::nullopt;
}

std::optional<Seen> read_frame(std::span<const std::uint8_t> frame) {
  if (frame.size() < kEthernet) return std::nullopt;
  const std::uint32_t type = get(frame, 12, 2);
  if (type != ethertype::ipv4 && type != ethertype::ipv6) return std::nullopt;
  auto seen = read_packet(frame.subspan(kEthernet));
  if (!seen) return std::nullopt;
  const auto mac = [&](std::size_t at) { return std::uint64_t{get(frame, at, 2)} << 32 | get(frame, at + 2, 4); };
  seen->key.set(FieldId::eth_dst, mac(0));
  seen->key.set(FieldId::eth_src, mac(6));
  return seen;
}

std::string to_text(const FlowKey& k) {
  const Tuple t = tuple_of(k);
  std::string out = fmt::format("{} {}:{} > {}:{} ttl {} tos {:#x}", proto_name(t.proto, family_of(k)), t.src.to_string(),
                                t.sport, t.dst.to_string(), t.dport, k.u32(FieldId::nw_ttl), k.u32(FieldId::nw_tos));
  if (!has_ports(k)) out += fmt::format(" type {} code {}", k.u32(FieldId::icmp_type), k.u32(FieldId::icmp_code));
  if (t.proto == ip_proto::tcp) out += fmt::format(" flags {:#x}", k.u32(FieldId::tcp_flags));
  if (k.u32(FieldId::pkt_mark) != 0) out += fmt::format(" mark {:#x}", k.u32(FieldId::pkt_mark));
  return out;
}

}  // namespace egt::test
