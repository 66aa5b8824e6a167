#include "datapath/executor.h"

#include "openflow/packet_fields.h"

namespace egt::engine {
namespace {

using namespace ofproto;

constexpr std::uint64_t kEcnBits = 3;
constexpr std::uint16_t kTransparentEthernet = 0x6558;

// One action. Those that work on a copy execute lists of their own.
struct ActionExecution {
  DatapathPacket& packet;
  DatapathPorts& ports;
  std::size_t origin = 0;
  bool forks = false;
  FlowKey& key = packet.key;

  void operator()(const dp::Set& a) {
    using Attribute = dp::Attribute;
    const bool of_discovery =
        a.attribute == Attribute::icmpv6 || a.attribute == Attribute::nd || a.attribute == Attribute::nd_extensions;
    if (of_discovery && !packet.discovery) packet.discovery.emplace(key);
    for (const dp::SetField& f : a.fields) {
      if (f.mask == 0) continue;
      if (Discovery::has(f.field))
        packet.discovery->write(f.field, f.value, f.mask);
      else
        write(f, a.attribute);
    }
    if (of_discovery) is_nd(key, nullptr) ? packet.discovery->show(key) : Discovery::hide(key);
    if ((key.u32(F::ip_frag) & ip_frag::later) != 0) forget_transport();
  }
  void write(const dp::SetField& f, dp::Attribute attribute) {
    if (f.field == F::mpls_label && attribute == dp::Attribute::mpls)
      return set_mpls_lse(key, 0, static_cast<std::uint32_t>(f.value));
    FlowKey* const in = header_of(attribute);
    if (in == nullptr) return;
    in->set(f.field, (in->get(f.field) & ~f.mask) | (f.value & f.mask));
    // It stands for 65535 (get_arp_key()), and none beyond a byte is read back.
    if (attribute == dp::Attribute::arp && f.field == F::nw_proto && in->get(F::nw_proto) == 0xff) in->set(F::nw_proto, 0);
    // The type-of-service byte is two fields of a key.
    if (f.field == F::nw_tos) {
      const U128 mask = f.mask & kEcnBits;
      in->set(F::nw_ecn, (in->get(F::nw_ecn) & ~mask) | (f.value & mask));
    }
  }
  // The switch keeps where the headers below a label begin (dp_packet_resize_l2_5()), and writes them there. Null: not known.
  FlowKey* header_of(dp::Attribute attribute) {
    switch (attribute) {
      case dp::Attribute::ethernet:
      case dp::Attribute::skb_priority:
      case dp::Attribute::skb_mark:
      case dp::Attribute::mpls:
      case dp::Attribute::nsh: return &key;
      default: break;
    }
    if (!is_mpls(get(key, F::eth_type))) return &key;
    return packet.hidden.empty() ? nullptr : &packet.hidden.back();
  }
  // A later fragment has payload there, which is written into and never read (miniflow_extract() of lib/flow.c).
  void forget_transport() {
    for (const F f : {F::tp_src, F::tp_dst, F::tcp_flags}) key.set(f, 0);
    Discovery::hide(key);
  }
  void operator()(const dp::SetTunnel& a) {
    copy_tunnel(a.tunnel, key);
    packet.has_egress_tunnel = true;
  }
  void operator()(const dp::Output& a) {
    ports.output(a.port, packet, origin);
    packet.cut_to.reset();
    packet.whole_up_to.reset();
  }
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
    if (whole_frame) hide_tags();
    push_mpls(key, mpls_count(key, nullptr), a.ethertype, nullptr, true);
    set_mpls_lse(key, 0, a.lse);
    if (whole_frame) key.set(F::packet_type, 0x10000 | a.ethertype);
  }
  // They are the frame's, and so behind the label.
  void hide_tags() {
    packet.has_hidden_tags |= key.u32(F::vlan_tci) != 0;
    for (const F f : {F::vlan_tci, F::vlan_tci1}) key.set(f, 0);
    for (const X x : {X::vlan_tpid, X::vlan_tpid1}) set(key, x, 0);
  }
  // What stands behind the label is read as what the action names, whatever it is.
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
    clear_l3(key);  // what follows another Ethernet type is not parsed
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
    const std::optional<std::uint32_t> length = packet.length.compared(key);
    if (!length || *length > a.length) on_a_copy(a.greater);
    if (!length || *length <= a.length) on_a_copy(a.not_greater);
  }
  // How much is cut off is reckoned here, and cut off when it is sent (dp_packet_set_cutlen(), do_output()).
  void operator()(const dp::Truncate& a) {
    packet.whole_up_to = packet.length.largest_packet(a.length, key);
    if (packet.length.compared(key).value_or(0) > a.length) packet.cut_to = packet.length.cut_at(a.length, key);
  }
  // Meters drop what the caller counts as sent; tunnels are the caller's business.
  void operator()(const dp::Meter&) {}
  // No dump shows the hash: the choice of the bucket stands for it.
  void operator()(const dp::Hash&) { key.set(F::dp_hash, 1); }
  void operator()(const dp::TunnelPush&) { packet.is_opaque = true; }
  void operator()(const dp::TunnelPop&) { packet.is_opaque = true; }

  void on_a_copy(const dp::Actions& actions) {
    DatapathPacket copy = packet;
    execute(actions, copy, ports);
  }
  void lose_headers() {
    packet.is_opaque = true;
    clear_l3(key);
  }
};

void resize(DatapathPacket& packet, int by) {
  packet.length.resize(by);
  if (packet.cut_to) *packet.cut_to += by;
}

}  // namespace

void execute(const dp::Actions& actions, DatapathPacket& packet, DatapathPorts& ports) {
  for (std::size_t i = 0; i < actions.size() && !packet.is_dropped; ++i) {
    const bool forks = i + 1 < actions.size() && std::holds_alternative<dp::Recirculate>(actions[i + 1].kind);
    std::visit(ActionExecution{packet, ports, actions[i].origin, forks}, actions[i].kind);
    resize(packet, added_bytes(actions[i]));
  }
}

}  // namespace egt::engine
