#include "datapath/executor.h"

#include "openflow/packet_fields.h"

namespace egt::engine {
namespace {

using namespace ofproto;

constexpr std::uint64_t kEcnBits = 3;
constexpr std::uint16_t kTransparentEthernet = 0x6558;
constexpr std::uint64_t kSourceOption = 1, kTargetOption = 2;  // ND_OPT_SOURCE_LINKADDR, ND_OPT_TARGET_LINKADDR

constexpr F kDiscovery[] = {F::nd_target, F::nd_sll, F::nd_tll, F::nd_reserved, F::nd_options_type};

// One action. Those that work on a copy execute lists of their own.
struct ActionExecution {
  DatapathPacket& packet;
  std::optional<std::uint32_t> length;
  DatapathPorts& ports;
  std::size_t origin = 0;
  bool forks = false;
  FlowKey& key = packet.key;

  void operator()(const dp::Set& a) {
    const U128 option = key.get(F::nd_options_type);
    for (const dp::SetField& f : a.fields) {
      if (f.mask == 0) continue;
      if (a.attribute == dp::Attribute::nd && !has_option(f.field)) continue;
      if (f.field == F::mpls_label && a.attribute == dp::Attribute::mpls) {
        set_mpls_lse(key, 0, static_cast<std::uint32_t>(f.value));
        continue;
      }
      // packet_set_nd_ext() writes the whole of what it writes, under whatever mask.
      const U128 kept = a.attribute == dp::Attribute::nd_extensions ? U128{0} : key.get(f.field) & ~f.mask;
      key.set(f.field, kept | (f.value & f.mask));
      // It stands for 65535 (get_arp_key()), and none beyond a byte is read back.
      if (a.attribute == dp::Attribute::arp && f.field == F::nw_proto && key.get(F::nw_proto) == 0xff) key.set(F::nw_proto, 0);
      // The type-of-service byte is two fields of a key.
      if (f.field == F::nw_tos) {
        const U128 mask = f.mask & kEcnBits;
        key.set(F::nw_ecn, (key.get(F::nw_ecn) & ~mask) | (f.value & mask));
      }
    }
    if ((key.u32(F::ip_frag) & ip_frag::later) != 0) forget_transport();
    if (a.attribute == dp::Attribute::icmpv6) is_nd(key, nullptr) ? show_discovery() : hide_discovery();
    if (a.attribute == dp::Attribute::nd_extensions) retype_option(option);
  }
  // packet_set_nd() writes into the first option that is there.
  bool has_option(F address) const {
    if (address != F::nd_sll && address != F::nd_tll) return true;
    const std::uint64_t first = key.u64(F::nd_options_type);
    if (first != kSourceOption && first != kTargetOption) return key.get(address) != 0;
    return (first == kSourceOption) == (address == F::nd_sll);
  }
  // The address of an option is the source's or the target's by the option's type, of another type nobody's (parse_icmpv6()).
  void retype_option(U128 before) {
    const U128 now = key.get(F::nd_options_type);
    const auto address_of = [](U128 type) { return type == kSourceOption ? F::nd_sll : F::nd_tll; };
    const bool was_address = before == kSourceOption || before == kTargetOption,
               is_address = now == kSourceOption || now == kTargetOption;
    if (now == before || !was_address) return;
    const U128 address = key.get(address_of(before));
    key.set(address_of(before), 0);
    if (!is_address) return key.set(F::nd_options_type, 0);
    if (address == 0) return;  // the next option of that type counts
    if (key.get(address_of(now)) == 0) return key.set(address_of(now), address);
    for (const F f : {F::nd_target, F::nd_sll, F::nd_tll}) key.set(f, 0);  // two of them are invalid
  }
  // A later fragment has payload there, which is written into and read by nobody (miniflow_extract() of lib/flow.c).
  void forget_transport() {
    for (const F f : {F::tp_src, F::tp_dst, F::tcp_flags}) key.set(f, 0);
    forget_discovery();
  }
  // What another type of ICMPv6 has there nobody reads, and it is there again when the type is.
  void hide_discovery() {
    if (packet.hidden_discovery.empty())
      for (const F f : kDiscovery) packet.hidden_discovery.push_back(key.get(f));
    forget_discovery();
  }
  void show_discovery() {
    for (std::size_t i = 0; i < packet.hidden_discovery.size(); ++i) key.set(kDiscovery[i], packet.hidden_discovery[i]);
    packet.hidden_discovery.clear();
  }
  void forget_discovery() {
    for (const F f : kDiscovery) key.set(f, 0);
  }
  void operator()(const dp::SetTunnel& a) {
    copy_tunnel(a.tunnel, key);
    packet.has_egress_tunnel = true;
  }
  void operator()(const dp::Output& a) { ports.output(a.port, packet, origin); }
  void operator()(const dp::Recirculate& a) { ports.recirculate(a.id, packet, origin); }
  void operator()(const dp::ToController& a) { ports.to_controller(a, packet, origin); }
  void operator()(const dp::Conntrack& a) { ports.track(a, packet, origin, forks); }
  void operator()(const dp::ConntrackClear&) { clear_conntrack(key); }
  void operator()(const dp::PushEthernet& a) {
    key.set(F::packet_type, packet_type::ethernet);
    key.set(F::eth_src, a.source.value);
    key.set(F::eth_dst, a.destination.value);
  }
  void operator()(const dp::PopEthernet&) { key.set(F::packet_type, 0x10000 | get(key, F::eth_type)); }
  void operator()(const dp::PushVlan& a) {
    push_vlan(key, nullptr);
    set(key, X::vlan_tpid, a.tpid);
    key.set(F::vlan_tci, a.tci | kVlanPresent);
  }
  void operator()(const dp::PopVlan&) { pop_vlan(key, nullptr); }
  // add_mpls puts the label around the whole frame, push_mpls behind its Ethernet header (add_mpls() of lib/packets.c).
  void operator()(const dp::PushMpls& a) {
    const bool whole_frame = a.add && get(key, F::packet_type) == packet_type::ethernet;
    if (whole_frame || !is_mpls(get(key, F::eth_type))) packet.hidden.push_back(key);
    push_mpls(key, mpls_count(key, nullptr), a.ethertype, nullptr, true);
    set_mpls_lse(key, 0, a.lse);
    if (whole_frame) key.set(F::packet_type, 0x10000 | a.ethertype);
  }
  // What stands behind the label is taken for what the action says, whatever it is.
  bool uncovers_frame(const dp::PopMpls& a) const {
    const bool frame_below = !packet.hidden.empty() && get(packet.hidden.back(), F::packet_type) == packet_type::ethernet;
    return frame_below && get(key, F::packet_type) != packet_type::ethernet && mpls_count(key, nullptr) == 1 &&
           !is_mpls(a.ethertype);
  }
  void operator()(const dp::PopMpls& a) {
    if (uncovers_frame(a)) {
      if (a.ethertype != kTransparentEthernet) return lose_headers();
      copy_headers(packet.hidden.back(), key);
      packet.hidden.pop_back();
      key.set(F::packet_type, packet_type::ethernet);
      return;
    }
    pop_mpls(key, mpls_count(key, nullptr), a.ethertype, nullptr);
    if (is_mpls(get(key, F::eth_type))) return;
    if (packet.hidden.empty()) return lose_headers();
    const FlowKey below = packet.hidden.back();
    packet.hidden.pop_back();
    if (get(below, F::eth_type) == a.ethertype) return copy_l3(below, key);
    if (is_ip_any(key)) return lose_headers();
    clear_l3(key);  // nobody reads what follows another Ethernet type
  }
  void operator()(const dp::PushNsh& a) {
    packet.hidden.push_back(key);
    copy_headers(a.nsh, key);
    key.set(F::packet_type, packet_type::nsh);
  }
  void operator()(const dp::PopNsh&) {
    if (packet.hidden.empty()) return lose_headers();
    const FlowKey below = packet.hidden.back();
    packet.hidden.pop_back();
    copy_headers(below, key);
    key.set(F::packet_type, below.get(F::packet_type));
  }
  void operator()(const dp::Sample& a) { on_a_copy(a.actions); }
  void operator()(const dp::Clone& a) { on_a_copy(a.actions); }
  void operator()(const dp::CheckLength& a) {
    if (!length || *length > a.length) on_a_copy(a.greater);
    if (!length || *length <= a.length) on_a_copy(a.not_greater);
  }
  // Meters and truncation drop or shorten what the caller counts as sent; tunnels are the caller's business.
  void operator()(const dp::Meter&) {}
  void operator()(const dp::Truncate&) {}
  // No dump shows the hash: whoever chooses the bucket answers for it.
  void operator()(const dp::Hash&) { key.set(F::dp_hash, 1); }
  void operator()(const dp::TunnelPush&) { packet.is_opaque = true; }
  void operator()(const dp::TunnelPop&) { packet.is_opaque = true; }

  void on_a_copy(const dp::Actions& actions) {
    DatapathPacket copy = packet;
    execute(actions, copy, length, ports);
  }
  void lose_headers() {
    packet.is_opaque = true;
    clear_l3(key);
  }
};

}  // namespace

void execute(const dp::Actions& actions, DatapathPacket& packet, std::optional<std::uint32_t> length, DatapathPorts& ports) {
  for (std::size_t i = 0; i < actions.size() && !packet.is_dropped; ++i) {
    const bool forks = i + 1 < actions.size() && std::holds_alternative<dp::Recirculate>(actions[i + 1].kind);
    std::visit(ActionExecution{packet, length, ports, actions[i].origin, forks}, actions[i].kind);
  }
}

}  // namespace egt::engine
