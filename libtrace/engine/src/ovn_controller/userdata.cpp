#include "userdata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace egt::engine {
namespace {

using namespace openflow;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kActionAlign = 8, kMaxNestedDepth = 16;
constexpr std::uint32_t kNicira = 0x00002320;
constexpr std::uint16_t kExperimenter = 0xffff;

// Reads with bounds; beyond the end everything is zero.
std::uint64_t number(Bytes b, std::size_t at, std::size_t size) {
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < size; ++i) v = v << 8 | (at + i < b.size() ? b[at + i] : 0u);
  return v;
}
std::uint16_t u16(Bytes b, std::size_t at) { return static_cast<std::uint16_t>(number(b, at, 2)); }
std::uint32_t u32(Bytes b, std::size_t at) { return static_cast<std::uint32_t>(number(b, at, 4)); }

Action opaque(Bytes b) {
  std::string text = "OpenFlow action ";
  for (const std::uint8_t byte : b.first(std::min<std::size_t>(b.size(), 64))) text += fmt::format("{:02x}", byte);
  return {Opaque{text}};
}

// OXM header: class, field, has-mask bit, length of what follows.
struct Oxm {
  const Field* field = nullptr;
  bool has_mask = false;
  std::size_t payload = 0;  // bytes behind the header, mask included
};

Oxm oxm(Bytes b, std::size_t at) {
  const std::uint32_t header = u32(b, at);
  constexpr std::uint32_t kExperimenterClass = 0xffff0000, kHasMask = 0x100, kLength = 0xff;
  if (at + 4 > b.size() || (header & kExperimenterClass) == kExperimenterClass) return {};
  return {find_field_by_oxm(header), (header & kHasMask) != 0, header & kLength};
}

std::optional<Subfield> subfield(Bytes b, std::size_t header_at, unsigned first, unsigned bits) {
  const Oxm o = oxm(b, header_at);
  if (!o.field || bits == 0 || first + bits > o.field->bits) return std::nullopt;
  return Subfield{o.field->id, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(bits)};
}

// (offset << 6) | (bits - 1), as reg_load and output_reg have it.
std::optional<Subfield> packed_subfield(Bytes b, std::size_t header_at, std::uint16_t ofs_nbits) {
  return subfield(b, header_at, ofs_nbits >> 6, (ofs_nbits & 0x3fu) + 1);
}

U128 value_at(Bytes b, std::size_t at, std::size_t size) {
  U128 v = 0;
  for (std::size_t i = 0; i < size; ++i) v = v << 8 | (at + i < b.size() ? b[at + i] : 0u);
  return v;
}

Action set_field(Bytes b, std::size_t at) {
  constexpr std::size_t kWidest = 16;
  const Oxm o = oxm(b, at);
  const std::size_t size = o.has_mask ? o.payload / 2 : o.payload;
  if (!o.field || size == 0 || size > kWidest || at + 4 + o.payload > b.size()) return opaque(b);
  SetField s{o.field->id, value_at(b, at + 4, size), std::nullopt, "set_field"};
  if (o.has_mask) s.mask = value_at(b, at + 4 + size, size);
  return {s};
}

Action move(Bytes b, std::size_t bits_at, std::size_t headers_at) {
  const unsigned bits = u16(b, bits_at);
  const auto source = subfield(b, headers_at, u16(b, bits_at + 2), bits);
  const auto dest = subfield(b, headers_at + 4, u16(b, bits_at + 4), bits);
  return source && dest ? Action{Move{*source, *dest}} : opaque(b);
}

Action stack(Bytes b, bool push) {
  const auto s = subfield(b, 12, u16(b, 10), u16(b, 16));
  if (!s) return opaque(b);
  return push ? Action{Push{*s}} : Action{Pop{*s}};
}

ActionList actions(Bytes b, std::size_t depth);

Action conntrack(Bytes b) {
  constexpr std::size_t kFixed = 24;
  constexpr std::uint8_t kNoTable = 0xff;
  if (b.size() != kFixed) return opaque(b);  // nested nat or exec: OVN has none in here
  Ct ct;
  ct.commit = u16(b, 10) & 1;
  ct.force = u16(b, 10) & 2;
  if (b[18] != kNoTable) ct.table = b[18];
  if (u32(b, 12) == 0) {
    ct.zone = u16(b, 16);
  } else {
    const auto source = packed_subfield(b, 12, u16(b, 16));
    if (!source) return opaque(b);
    ct.zone = *source;
  }
  return {ct};
}

Action note(Bytes b) { return {Note{{b.begin() + std::min<std::ptrdiff_t>(10, std::ssize(b)), b.end()}}}; }

Action resubmit(Bytes b, bool with_table, bool with_ct) {
  Resubmit r;
  const std::uint16_t in_port = u16(b, 10);
  if (in_port != port::in_port) r.in_port = Port{in_port, ""};
  if (with_table) r.table = static_cast<std::uint8_t>(number(b, 12, 1));
  r.with_ct = with_ct;
  return {r};
}

Action nicira(Bytes b, std::size_t depth) {
  switch (u16(b, 8)) {
    case 1: return resubmit(b, false, false);
    case 14: return resubmit(b, true, false);
    case 44: return resubmit(b, true, true);
    case 6: return move(b, 10, 16);
    case 7:
      if (const auto dest = packed_subfield(b, 12, u16(b, 10))) return {Load{number(b, 16, 8), *dest}};
      return opaque(b);
    case 33: return set_field(b, 10);
    case 27: return stack(b, true);
    case 28: return stack(b, false);
    case 8: return note(b);
    case 15:
      if (const auto source = packed_subfield(b, 12, u16(b, 10))) return {OutputReg{*source}};
      return opaque(b);
    case 17: return {Exit{}};
    case 18: return {DecTtl{}};
    case 35: return conntrack(b);
    case 42: return b.size() >= 16 ? Action{Clone{actions(b.subspan(16), depth + 1)}} : opaque(b);
    case 43: return {CtClear{}};
    default: return opaque(b);
  }
}

Action action(Bytes b, std::size_t depth) {
  switch (u16(b, 0)) {
    case 0: {
      const std::uint32_t number = u32(b, 4);
      constexpr std::uint32_t kReserved32 = 0xffffff00;
      return {Output{{number >= kReserved32 ? number & 0xffff : number, ""}}};
    }
    case 17: return {PushVlan{u16(b, 4)}};
    case 18: return {PopVlan{}};
    case 21: return {SetQueue{u32(b, 4)}};
    case 22: return {GroupRef{u32(b, 4)}};
    case 23: return {SetField{FieldId::nw_ttl, number(b, 4, 1), std::nullopt, "mod_nw_ttl"}};
    case 24: return {DecTtl{}};
    case 25: return set_field(b, 4);
    case 28: return move(b, 4, 12);
    case kExperimenter: return u32(b, 4) == kNicira ? nicira(b, depth) : opaque(b);
    default: return opaque(b);
  }
}

ActionList actions(Bytes b, std::size_t depth) {
  ActionList list;
  while (!b.empty()) {
    const std::size_t length = u16(b, 2);
    if (length < kActionAlign || length % kActionAlign != 0 || length > b.size() || depth > kMaxNestedDepth) {
      list.push_back(opaque(b));
      break;
    }
    list.push_back(action(b.first(length), depth));
    b = b.subspan(length);
  }
  return list;
}

constexpr std::array<std::string_view, 0x1f> kNames{"arp",
                                                    "put_arp",
                                                    "put_dhcp_opts",
                                                    "nd_na",
                                                    "put_nd",
                                                    "put_dhcpv6_opts",
                                                    "dns_lookup",
                                                    "log",
                                                    "put_nd_ra_opts",
                                                    "nd_ns",
                                                    "icmp",
                                                    "tcp_reset",
                                                    "nd_na_router",
                                                    "put_icmp4_frag_mtu",
                                                    "icmp4_error",
                                                    "trigger_event",
                                                    "igmp",
                                                    "bind_vport",
                                                    "handle_svc_check",
                                                    "handle_dhcpv6_reply",
                                                    "icmp6_error",
                                                    "put_icmp6_frag_mtu",
                                                    "reject",
                                                    "handle_bfd_msg",
                                                    "sctp_abort",
                                                    "put_fdb",
                                                    "activation_strategy",
                                                    "split_buf",
                                                    "dhcp_relay_req_chk",
                                                    "dhcp_relay_resp_chk",
                                                    "put_icmp4_inner_ip4_src"};

bool carries_actions(std::uint32_t code) {
  return code == opcode::arp || code == opcode::nd_na || code == opcode::nd_ns || code == opcode::nd_na_router ||
         is_refusal(code);
}

}  // namespace

std::string_view opcode_name(std::uint32_t code) { return code < kNames.size() ? kNames[code] : std::string_view(); }

bool is_refusal(std::uint32_t code) {
  using namespace opcode;
  return code == icmp || code == tcp_reset || code == icmp4_error || code == icmp6_error || code == reject || code == sctp_abort;
}

std::optional<std::uint32_t> opcode_of(Bytes bytes) {
  constexpr std::size_t kOpcodeSize = 4;
  return bytes.size() < kOpcodeSize ? std::nullopt : std::optional(u32(bytes, 0));
}

std::optional<Userdata> decode_userdata(Bytes bytes) {
  constexpr std::size_t kHeaderSize = 8;
  const auto opcode = opcode_of(bytes);
  if (!opcode) return std::nullopt;
  Userdata u;
  u.opcode = *opcode;
  if (bytes.size() > kHeaderSize && carries_actions(u.opcode)) u.nested = actions(bytes.subspan(kHeaderSize), 0);
  return u;
}

bool sets_fragment_mtu(const ActionList& nested) {
  static constexpr std::array<std::uint8_t, 4> kMagic{'o', 'v', 'n', 0};
  constexpr std::uint16_t kIcmp4Mtu = 0, kIcmp6Mtu = 1;
  return std::any_of(nested.begin(), nested.end(), [](const Action& a) {
    const auto* n = std::get_if<Note>(&a.kind);
    if (!n || n->bytes.size() < 6 || !std::equal(kMagic.begin(), kMagic.end(), n->bytes.begin())) return false;
    const std::uint16_t id = u16(n->bytes, 4);
    return id == kIcmp4Mtu || id == kIcmp6Mtu;
  });
}

}  // namespace egt::engine
