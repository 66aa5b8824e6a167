#include "hash.h"

#include <array>
#include <cstring>

#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

std::uint32_t rotate(std::uint32_t x, unsigned k) { return (x << k) | (x >> (32 - k)); }

std::uint32_t load32(const std::uint8_t* p) {
  std::uint32_t v = 0;
  std::memcpy(&v, p, sizeof v);
  return v;
}

struct Jenkins {
  std::uint32_t a, b, c;
  void mix() {
    a -= c;
    a ^= rotate(c, 4);
    c += b;
    b -= a;
    b ^= rotate(a, 6);
    a += c;
    c -= b;
    c ^= rotate(b, 8);
    b += a;
    a -= c;
    a ^= rotate(c, 16);
    c += b;
    b -= a;
    b ^= rotate(a, 19);
    a += c;
    c -= b;
    c ^= rotate(b, 4);
    b += a;
  }
  void finish() {
    c ^= b;
    c -= rotate(b, 14);
    a ^= c;
    a -= rotate(c, 11);
    b ^= a;
    b -= rotate(a, 25);
    c ^= b;
    c -= rotate(b, 16);
    a ^= c;
    a -= rotate(c, 4);
    b ^= a;
    b -= rotate(a, 14);
    c ^= b;
    c -= rotate(b, 24);
  }
};

// Writes fields as they lie in memory: most significant byte first.
template <std::size_t N>
struct Bytes {
  std::array<std::uint8_t, N> data{};
  std::size_t size = 0;
  void put(U128 value, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0;) data[size++] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  void skip(std::size_t bytes) { size += bytes; }
};

// Eight bytes as the processor loads them from network order.
std::uint64_t loaded64(std::uint64_t network_order) { return __builtin_bswap64(network_order); }
std::uint32_t loaded32(std::uint32_t network_order) { return __builtin_bswap32(network_order); }
std::uint16_t loaded16(std::uint16_t network_order) { return __builtin_bswap16(network_order); }

std::uint32_t hash_add64(std::uint32_t hash, std::uint64_t data) {
  return hash_add(hash_add(hash, static_cast<std::uint32_t>(data)), static_cast<std::uint32_t>(data >> 32));
}

std::uint64_t xor_of(const FlowKey& k, F a, F b) { return get(k, a) ^ get(k, b); }

std::uint16_t vlan_ids(const FlowKey& k) {
  return static_cast<std::uint16_t>((get(k, F::vlan_tci) ^ get(k, F::vlan_tci1)) & kVlanVid);
}

bool is_tcp_or_sctp(const FlowKey& k) { return get(k, F::nw_proto) == ip_proto::tcp || get(k, F::nw_proto) == ip_proto::sctp; }

std::uint32_t symmetric_l2(const FlowKey& k, std::uint32_t basis) {
  if (get(k, F::packet_type) != packet_type::ethernet) return 0;
  Bytes<12> b;
  b.put(get(k, F::eth_type), 2);
  b.put(vlan_ids(k), 2);
  b.put(xor_of(k, F::eth_src, F::eth_dst), 6);
  std::uint32_t hash = basis;
  for (std::size_t i = 0; i < b.data.size(); i += 4) hash = hash_add(hash, load32(b.data.data() + i));
  return hash_finish(hash, basis);
}

std::uint32_t symmetric_l3l4(const FlowKey& k, std::uint32_t basis, bool with_udp) {
  std::uint32_t hash = basis;
  if (get(k, F::eth_type) == ethertype::ipv4) {
    hash = hash_add(hash, loaded32(static_cast<std::uint32_t>(xor_of(k, F::ip_src, F::ip_dst))));
  } else if (get(k, F::eth_type) == ethertype::ipv6) {
    const U128 x = k.get(F::ipv6_src) ^ k.get(F::ipv6_dst);
    hash = hash_add64(hash, loaded64(high64(x)));
    hash = hash_add64(hash, loaded64(low64(x)));
  } else {
    return symmetric_l2(k, basis);
  }
  hash = hash_add(hash, static_cast<std::uint32_t>(get(k, F::nw_proto)));
  const bool ports = is_tcp_or_sctp(k) || (with_udp && get(k, F::nw_proto) == ip_proto::udp);
  if (get(k, F::ip_frag) == 0 && ports)
    hash = hash_add(hash, loaded16(static_cast<std::uint16_t>(xor_of(k, F::tp_src, F::tp_dst))));
  return hash_finish(hash, basis);
}

std::uint32_t symmetric_l3(const FlowKey& k, std::uint32_t basis) {
  Bytes<20> b;  // a union of both address families, then the type, padded to four bytes
  const auto type = get(k, F::eth_type);
  if (type == ethertype::ipv4) {
    b.put(xor_of(k, F::ip_src, F::ip_dst), 4);
    b.skip(12);
  } else if (type == ethertype::ipv6) {
    b.put(k.get(F::ipv6_src) ^ k.get(F::ipv6_dst), 16);
  } else {
    b.skip(16);
  }
  b.put(type, 2);
  return jhash_bytes(b.data.data(), b.data.size(), basis);
}

std::uint32_t address(const FlowKey& k, F v4, F v6, std::uint32_t basis) {
  Bytes<16> b;
  if (get(k, F::eth_type) == ethertype::ipv4) {
    b.put(get(k, v4), 4);
  } else if (get(k, F::eth_type) == ethertype::ipv6) {
    b.put(k.get(v6), 16);
  } else {
    return basis;
  }
  return jhash_bytes(b.data.data(), b.size, basis);
}

void mask_addresses(const FlowKey& k, FlowKey& wc, bool source, bool destination) {
  const auto type = get(k, F::eth_type);
  if (type != ethertype::ipv4 && type != ethertype::ipv6) return;
  const bool v4 = type == ethertype::ipv4;
  if (source) mask_all(wc, v4 ? F::ip_src : F::ipv6_src);
  if (destination) mask_all(wc, v4 ? F::ip_dst : F::ipv6_dst);
}

void mask_ports(FlowKey& wc) {
  mask_all(wc, F::tp_src);
  mask_all(wc, F::tp_dst);
}

std::uint16_t iterated(std::uint32_t hash, unsigned links, unsigned modulo) {
  if (modulo < links || modulo / 2 > links) {
    modulo = 1;
    while (modulo < links) modulo *= 2;
  }
  std::uint16_t link = 0;
  std::uint32_t i = 0;
  do {
    link = static_cast<std::uint16_t>(hash_2words(hash, i++) % modulo);
  } while (link >= links);
  return link;
}

std::uint16_t highest_random_weight(std::uint32_t hash, unsigned links) {
  std::uint16_t best = 0;
  std::uint32_t best_weight = hash_2words(hash, 0);
  for (unsigned link = 1; link < links; ++link) {
    const std::uint32_t weight = hash_2words(hash, link);
    if (weight <= best_weight) continue;
    best = static_cast<std::uint16_t>(link);
    best_weight = weight;
  }
  return best;
}

}  // namespace

std::uint32_t hash_add(std::uint32_t hash, std::uint32_t data) {
  if (data != 0) hash ^= rotate(data * 0xcc9e2d51u, 15) * 0x1b873593u;
  return rotate(hash, 13) * 5 + 0xe6546b64u;
}

std::uint32_t hash_finish(std::uint32_t hash, std::uint32_t final) {
  hash ^= final;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

std::uint32_t hash_2words(std::uint32_t x, std::uint32_t y) { return hash_finish(hash_add(hash_add(x, 0), y), 8); }

std::uint32_t hash_uint64(std::uint64_t x) { return hash_finish(hash_add64(0, x), 8); }

std::uint32_t hash_bytes(const void* data, std::size_t n, std::uint32_t basis) {
  const auto* p = static_cast<const std::uint8_t*>(data);
  std::uint32_t hash = basis;
  std::size_t left = n;
  for (; left >= 4; left -= 4, p += 4) hash = hash_add(hash, load32(p));
  if (left > 0) {
    std::uint32_t tail = 0;
    std::memcpy(&tail, p, left);
    hash = hash_add(hash, tail);
  }
  return hash_finish(hash, static_cast<std::uint32_t>(n));
}

std::uint32_t jhash_bytes(const void* data, std::size_t n, std::uint32_t basis) {
  const auto* p = static_cast<const std::uint8_t*>(data);
  const std::uint32_t start = 0xdeadbeefu + static_cast<std::uint32_t>(n) + basis;
  Jenkins j{start, start, start};
  for (; n >= 12; n -= 12, p += 12) {
    j.a += load32(p);
    j.b += load32(p + 4);
    j.c += load32(p + 8);
    j.mix();
  }
  if (n > 0) {
    std::uint32_t tail[3] = {0, 0, 0};
    std::memcpy(tail, p, n);
    j.a += tail[0];
    j.b += tail[1];
    j.c += tail[2];
    j.finish();
  }
  return j.c;
}

std::optional<HashFields> hash_fields(std::string_view name) {
  if (name == "eth_src") return HashFields::eth_src;
  if (name == "symmetric_l4") return HashFields::symmetric_l4;
  if (name == "symmetric_l3l4") return HashFields::symmetric_l3l4;
  if (name == "symmetric_l3l4+udp") return HashFields::symmetric_l3l4_udp;
  if (name == "nw_src") return HashFields::nw_src;
  if (name == "nw_dst") return HashFields::nw_dst;
  if (name == "symmetric_l3") return HashFields::symmetric_l3;
  return std::nullopt;
}

std::uint32_t flow_hash_symmetric_l4(const FlowKey& k, std::uint32_t basis) {
  Bytes<32> b;  // address (16), type, VLAN, ports, Ethernet addresses (6), protocol, padding
  const auto type = get(k, F::eth_type);
  const bool ip = type == ethertype::ipv4 || type == ethertype::ipv6;
  if (type == ethertype::ipv4) {
    b.put(xor_of(k, F::ip_src, F::ip_dst), 4);
    b.skip(12);
  } else if (type == ethertype::ipv6) {
    b.put(k.get(F::ipv6_src) ^ k.get(F::ipv6_dst), 16);
  } else {
    b.skip(16);
  }
  b.put(type, 2);
  b.put(vlan_ids(k), 2);
  b.put(ip && is_tcp_or_sctp(k) ? xor_of(k, F::tp_src, F::tp_dst) : 0, 2);
  b.put(xor_of(k, F::eth_src, F::eth_dst), 6);
  b.put(ip ? get(k, F::nw_proto) : 0, 1);
  return jhash_bytes(b.data.data(), b.data.size(), basis);
}

std::uint32_t flow_hash(const FlowKey& k, HashFields fields, std::uint16_t basis) {
  switch (fields) {
    case HashFields::eth_src: {
      Bytes<6> b;
      b.put(get(k, F::eth_src), 6);
      return jhash_bytes(b.data.data(), b.size, basis);
    }
    case HashFields::symmetric_l4: return flow_hash_symmetric_l4(k, basis);
    case HashFields::symmetric_l3l4: return symmetric_l3l4(k, basis, false);
    case HashFields::symmetric_l3l4_udp: return symmetric_l3l4(k, basis, true);
    case HashFields::nw_src: return address(k, F::ip_src, F::ipv6_src, basis);
    case HashFields::nw_dst: return address(k, F::ip_dst, F::ipv6_dst, basis);
    case HashFields::symmetric_l3: return symmetric_l3(k, basis);
  }
  return basis;
}

void mask_hash_fields(const FlowKey& k, FlowKey& wc, HashFields fields) {
  const auto type = get(k, F::eth_type);
  const bool plain_ip = type == ethertype::ipv4 || type == ethertype::ipv6;
  switch (fields) {
    case HashFields::eth_src: return mask_all(wc, F::eth_src);
    case HashFields::symmetric_l4:
      mask_all(wc, F::eth_src);
      mask_all(wc, F::eth_dst);
      mask_addresses(k, wc, true, true);
      if (is_ip_any(k)) {
        mask_bits(wc, F::nw_proto, 0xff);
        if (get(k, F::nw_proto) == ip_proto::icmp) {
          wc.set(F::tp_src, 0xff);
          wc.set(F::tp_dst, 0xff);
        } else if (get(k, F::nw_proto) != ip_proto::udp) {
          mask_ports(wc);
        }
      }
      mask_bits(wc, F::vlan_tci, kVlanVid | kVlanPresent);
      return mask_bits(wc, F::vlan_tci1, kVlanVid | kVlanPresent);
    case HashFields::symmetric_l3l4:
    case HashFields::symmetric_l3l4_udp:
      if (fields == HashFields::symmetric_l3l4_udp && is_ip_any(k) && get(k, F::nw_proto) == ip_proto::udp &&
          get(k, F::ip_frag) == 0)
        mask_ports(wc);
      if (!plain_ip) return;
      mask_addresses(k, wc, true, true);
      mask_bits(wc, F::nw_proto, 0xff);
      if (is_tcp_or_sctp(k) && get(k, F::ip_frag) == 0) mask_ports(wc);
      return;
    case HashFields::nw_src: return mask_addresses(k, wc, true, false);
    case HashFields::nw_dst: return mask_addresses(k, wc, false, true);
    case HashFields::symmetric_l3: return mask_addresses(k, wc, true, true);
  }
}

std::optional<std::uint16_t> multipath_link(std::uint32_t hash, std::string_view algorithm, unsigned links, unsigned arg) {
  if (links == 0) return std::nullopt;
  if (algorithm == "modulo_n") return static_cast<std::uint16_t>(hash % links);
  if (algorithm == "hash_threshold") return static_cast<std::uint16_t>(links == 1 ? 0 : hash / (0xffffffffu / links + 1));
  if (algorithm == "hrw") return links <= 64 ? highest_random_weight(hash, links) : iterated(hash, links, 0);
  if (algorithm == "iter_hash") return iterated(hash, links, arg);
  return std::nullopt;
}

}  // namespace egt::engine::ofproto
