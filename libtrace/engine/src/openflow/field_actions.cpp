#include "field_actions.h"

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "hash.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// "symmetric_l4,1024,modulo_n,4,0,NXM_NX_REG0[]" as written.
struct MultipathArguments {
  std::optional<HashFields> fields;
  std::string_view algorithm;
  std::uint16_t basis = 0;
  unsigned links = 0, arg = 0;
};

unsigned multipath_number(std::string_view text) { return static_cast<unsigned>(parse_u64(trim(text)).value_or(0)); }

MultipathArguments multipath_arguments(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ',');
  parts.resize(5);
  return {hash_fields(parts[0]), parts[2], static_cast<std::uint16_t>(multipath_number(parts[1])), multipath_number(parts[3]),
          multipath_number(parts[4])};
}

}  // namespace

// --- queues ----------------------------------------------------------------------------------------------------------

std::optional<std::uint32_t> queue_priority(const XlateContext& c, std::uint32_t queue) {
  if (c.tables.sw.native_tunnels(c.bridge())) return queue;
  if (queue >= 0xf000) return std::nullopt;
  return 0x10000u | (queue + 1);
}

void FieldActions::operator()(const SetQueue& a) const {
  mask_all(wc(), F::skb_priority);
  if (const auto priority = queue_priority(c_, a.queue)) flow().set(F::skb_priority, *priority);
}

void FieldActions::operator()(const PopQueue&) const {
  const auto original = static_cast<std::uint32_t>(get(*c_.arrival.packet, F::skb_priority));
  mask_all(wc(), F::skb_priority);
  if (get(flow(), F::skb_priority) == original) return;
  flow().set(F::skb_priority, original);
  c_.report.note(NodeKind::detail, Remark::queue_is, original);
}

// --- VLAN tags ---------------------------------------------------------------------------------------------------------

template <class Change>
void FieldActions::set_tag(const std::string& word, Change change) const {
  if (!(get(flow(), F::vlan_tci) & kVlanPresent) && word.rfind("mod_", 0) != 0) return;
  if (get(flow(), X::vlan_tpid) == 0) set(flow(), X::vlan_tpid, ethertype::vlan);
  flow().set(F::vlan_tci, change(get(flow(), F::vlan_tci)) | kVlanPresent);
}

void FieldActions::operator()(const SetVlanVid& a) const {
  mask_bits(wc(), F::vlan_tci, kVlanVid | kVlanPresent);
  set_tag(a.word, [&](std::uint64_t tci) { return (tci & ~std::uint64_t{kVlanVid}) | a.vid; });
}

void FieldActions::operator()(const SetVlanPcp& a) const {
  mask_bits(wc(), F::vlan_tci, kVlanPcp | kVlanPresent);
  set_tag(a.word, [&](std::uint64_t tci) { return (tci & ~std::uint64_t{kVlanPcp}) | std::uint64_t{a.pcp} << 13; });
}

void FieldActions::operator()(const PopVlan&) const { pop_vlan(flow(), c_.packet.wc); }

void FieldActions::operator()(const PushVlan& a) const {
  push_vlan(flow(), c_.packet.wc);
  set(flow(), X::vlan_tpid, a.ethertype);
  flow().set(F::vlan_tci, kVlanPresent);
}

// --- fields ------------------------------------------------------------------------------------------------------------

void FieldActions::operator()(const SetField& a) const {
  if (a.word.rfind("set_tunnel", 0) == 0) return flow().set(F::tun_id, a.value);
  if (a.word.rfind("mod_", 0) == 0) return modify(a);
  if (!prerequisites_met(a.field, flow(), c_.packet.wc)) {
    Note n;
    n.what = Remark::unmet_prerequisites;
    n.field = whole(a.field);
    return c_.report.line(NodeKind::warning, std::move(n));
  }
  unmask_protocol(a.field);
  const U128 mask = a.mask.value_or(exact_mask(a.field));
  if (!(is_tunnel_field(a.field) && tunnel_writes_unmasked())) {
    unwildcard(wc(), a.field, mask);
    constexpr auto kOthers = tunnel_flag::df | tunnel_flag::csum | tunnel_flag::key;
    if (a.field == F::tun_flags && !a.mask) set(wc(), X::tun_header_flags, kOthers);  // flags without a name, too
  }
  write_masked(flow(), a.field, a.value, mask);
}

bool FieldActions::tunnel_writes_unmasked() const {
  const OvsVersion& v = c_.options.version;
  return v >= OvsVersion{3, 6, 2} || (v.minor == 5 && v.patch >= 3) || (v.minor == 4 && v.patch >= 5) ||
         (v.minor == 3 && v.patch >= 8);
}

// As of the fix of CVE-2023-1668, which distributions carried back: no version shows that it is missing.
void FieldActions::unmask_protocol(F f) const {
  const bool ip = f == F::ip_src || f == F::ip_dst || f == F::ipv6_src || f == F::ipv6_dst || f == F::ipv6_label ||
                  f == F::nw_tos || f == F::nw_ecn || f == F::nw_ttl;  // and not ip_dscp, which is another name
  const bool arp = f == F::arp_op || f == F::arp_sha || f == F::arp_tha || f == F::arp_spa || f == F::arp_tpa;
  if ((ip && is_ip_any(flow())) || (arp && get(flow(), F::eth_type) == ethertype::arp)) mask_bits(wc(), F::nw_proto, 0xff);
}

// The words of OpenFlow 1.0: no remark where the packet lacks the field.
void FieldActions::modify(const SetField& a) const {
  F f = a.field;
  const bool is_port = a.word == "mod_tp_src" || a.word == "mod_tp_dst";
  if (f == F::nw_tos) f = F::ip_dscp;
  if (f == F::ip_src || f == F::ip_dst) {
    if (get(flow(), F::eth_type) != ethertype::ipv4) return;
  } else if (f != F::eth_src && f != F::eth_dst) {
    if (!is_ip_any(flow())) return;
    if (is_port && (get(flow(), F::ip_frag) & ip_frag::later)) return;
  }
  if (is_port) {
    mask_bits(wc(), F::nw_proto, 0xff);
    f = a.word == "mod_tp_src" ? F::tp_src : F::tp_dst;
  } else if (f != F::eth_src && f != F::eth_dst) {
    mask_bits(wc(), F::nw_proto, 0xff);
  }
  mask_all(wc(), f);
  flow().set(f, f == F::ip_dscp && a.field == F::nw_tos ? a.value >> 2 : a.value);
}

void FieldActions::operator()(const Move& a) const {
  if (prerequisites_met(a.dest.field, flow(), c_.packet.wc) && prerequisites_met(a.source.field, flow(), c_.packet.wc)) {
    unwildcard(wc(), a.source);
    unwildcard(wc(), a.dest);
    write(flow(), a.dest, read(flow(), a.source));
  }
  c_.report.field(a.dest, flow(), c_.bridge());
}

void FieldActions::operator()(const Load& a) const {
  if (!prerequisites_met(a.dest.field, flow(), c_.packet.wc)) return;
  unwildcard(wc(), a.dest);
  write(flow(), a.dest, a.value);
}

void FieldActions::operator()(const Push& a) const {
  unwildcard(wc(), a.source);
  c_.packet.stack.push(read(flow(), a.source), std::min(a.source.bits + 0u, field_bits(a.source.field, c_.bridge().tlv_map)));
}

void FieldActions::operator()(const Pop& a) const {
  if (c_.packet.stack.empty()) return c_.report.error(Remark::stack_underflow);
  unwildcard(wc(), a.dest);
  write(flow(), a.dest, c_.packet.stack.pop());
  c_.report.field(a.dest, flow(), c_.bridge());
}

void FieldActions::operator()(const SetMpls& a) const {
  if (!is_mpls(get(flow(), F::eth_type))) return;
  const F f = a.what == "set_mpls_label" ? F::mpls_label : a.what == "set_mpls_tc" ? F::mpls_tc : F::mpls_ttl;
  mask_all(wc(), f);
  flow().set(f, a.value);
}

void FieldActions::operator()(const Multipath& a) const {
  const MultipathArguments m = multipath_arguments(a.text);
  if (m.fields) {
    std::optional<std::uint16_t> link;
    if (c_.policy.chooses()) {
      link = static_cast<std::uint16_t>(m.links > 1 ? c_.policy.link(m.links) : 0);
    } else {
      link = multipath_link(flow_hash(flow(), *m.fields, m.basis), m.algorithm, m.links, m.arg);
    }
    mask_hash_fields(flow(), wc(), *m.fields);
    if (link) operator()(Load{*link, a.dest});
  }
  c_.report.field(a.dest, flow(), c_.bridge());
}

void FieldActions::operator()(const FinTimeout&) const { mask_bits(wc(), F::nw_proto, 0xff); }

// The value stays, for those who do not ask whether it is there.
void FieldActions::operator()(const DeleteField& a) const {
  set(flow(), X::tun_present,
      get(flow(), X::tun_present) &
          ~(std::uint64_t{1} << (static_cast<unsigned>(a.field) - static_cast<unsigned>(F::tun_metadata0))));
  Note n;
  n.what = Remark::deletes_field;
  n.field = whole(a.field);
  c_.report.line(NodeKind::detail, std::move(n));
}

void FieldActions::operator()(const WriteMetadata& a) const {
  const std::uint64_t mask = a.mask.value_or(~std::uint64_t{0});
  flow().set(F::metadata, (get(flow(), F::metadata) & ~mask) | (a.value & mask));
}

}  // namespace egt::engine::ofproto
