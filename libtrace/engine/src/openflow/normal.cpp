#include "normal.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint64_t kBroadcast = 0xffffffffffff;

Vlans vlans_of(const FlowKey& k) {
  Vlans v;
  const F tci[] = {F::vlan_tci, F::vlan_tci1};
  const X tpid[] = {X::vlan_tpid, X::vlan_tpid1};
  for (unsigned i = 0; i < 2; ++i) {
    const auto t = static_cast<std::uint16_t>(get(k, tci[i]));
    if (!is_vlan_type(get(k, tpid[i])) || !(t & kVlanPresent)) break;
    v.tpid[i] = static_cast<std::uint16_t>(get(k, tpid[i]));
    v.vid[i] = t & kVlanVid;
    v.pcp[i] = t & kVlanPcp;
  }
  return v;
}

// xvlan_put
void put_vlans(FlowKey& k, const Vlans& v, PriorityTags priority_tags) {
  const F tci[] = {F::vlan_tci, F::vlan_tci1};
  const X tpid[] = {X::vlan_tpid, X::vlan_tpid1};
  for (unsigned i = 0; i < 2; ++i) {
    std::uint16_t t = v.vid[i] | v.pcp[i];
    if (t != 0 || (priority_tags == PriorityTags::always && v.tpid[i] != 0)) {
      t |= kVlanPresent;
      set(k, tpid[i], v.tpid[i] != 0 ? v.tpid[i] : ethertype::vlan);
    }
    k.set(tci[i], t);
  }
}

// xvlan_pop
void pop(Vlans& v) {
  v.vid[0] = v.vid[1], v.pcp[0] = v.pcp[1], v.tpid[0] = v.tpid[1];
  v.vid[1] = v.pcp[1] = v.tpid[1] = 0;
}

// xvlan_input_translate: the tags in the bridge of a packet that comes with `v`.
Vlans inside(const PortSettings& in, const Vlans& v) {
  Vlans made = v;
  const std::uint16_t tpid = v.tpid[0] != 0 ? v.tpid[0] : ethertype::vlan;
  switch (in.vlan_mode) {
    case VlanMode::trunk: break;
    case VlanMode::access:
      made = Vlans();
      made.tpid[0] = tpid, made.vid[0] = in.vlan, made.pcp[0] = v.pcp[0];
      break;
    case VlanMode::native_tagged:
    case VlanMode::native_untagged:
      if (v.vid[0] == 0) made.tpid[0] = tpid, made.vid[0] = in.vlan;
      break;
    case VlanMode::tunnel:
      made.tpid[1] = v.tpid[0], made.vid[1] = v.vid[0], made.pcp[1] = v.pcp[0];
      made.tpid[0] = in.tunnel_ethertype, made.vid[0] = in.vlan, made.pcp[0] = 0;
      break;
  }
  return made;
}

// xvlan_output_translate
Vlans outside(const PortSettings& out, const Vlans& v) {
  Vlans made = v;
  if (out.vlan_mode == VlanMode::access) made = Vlans();
  if (out.vlan_mode == VlanMode::tunnel || (out.vlan_mode == VlanMode::native_untagged && v.vid[0] == out.vlan)) pop(made);
  return made;
}

// input_vid_is_valid
bool is_in_vlans_of(const SwitchPort& port, const Vlans& v, const XlateReport& report) {
  const PortSettings& s = port.settings;
  const std::uint16_t vid = v.vid[0];
  std::optional<Remark> refused;
  if (s.vlan_mode == VlanMode::access) {
    if (vid != 0) refused = Remark::vlan_on_access_port;
  } else if (s.vlan_mode == VlanMode::tunnel) {
    if (!s.allows_customer(vid)) refused = Remark::vlan_not_in_tunnel;
  } else if (!s.trunks_vlan(vid) && (s.vlan_mode == VlanMode::trunk || vid != 0)) {
    refused = Remark::vlan_not_trunked;
  }
  if (refused) report.note(NodeKind::error, *refused, vid, s.vlan, port.interface->name);
  return !refused;
}

class NormalSwitch {
 public:
  NormalSwitch(SwitchBridge& bridge, XlatePacket& packet, const XlateReport& report, Policy& policy)
      : bridge_(&bridge), packet_(packet), report_(report), policy_(policy) {}
  std::vector<NormalOutput> outputs();

 private:
  // The port that the frame came by, null for the controller's and none; nothing where it goes no further.
  std::optional<SwitchPort*> admitted_by(Vlans& vlans);
  void learn(const SwitchPort* in, std::uint16_t vlan);
  std::optional<LearnedMac> mac_port(std::uint16_t vlan);
  void report_learned(Remark what, const LearnedMac& learned);
  NormalOutput by(SwitchPort& port, const Vlans& vlans) { return normal_output(port, vlans, packet_); }
  bool is_reserved_destination() const;
  std::vector<NormalOutput> flood(const SwitchPort* in, const Vlans& vlans);
  bool is_gratuitous_arp();
  const openflow::Bridge& bridge() const { return *bridge_->bridge; }

  SwitchBridge* bridge_;
  XlatePacket& packet_;
  const XlateReport& report_;
  Policy& policy_;
};

bool NormalSwitch::is_gratuitous_arp() {
  constexpr unsigned kRequest = 1, kReply = 2;
  if (get(packet_.flow, F::eth_type) != ethertype::arp) return false;
  mask_all(*packet_.wc, F::eth_dst);
  if (get(packet_.flow, F::eth_dst) != kBroadcast) return false;
  mask_bits(*packet_.wc, F::nw_proto, 0xff);
  if (get(packet_.flow, F::nw_proto) == kReply) return true;
  if (get(packet_.flow, F::nw_proto) != kRequest) return false;
  mask_all(*packet_.wc, F::ip_src);
  mask_all(*packet_.wc, F::ip_dst);
  return get(packet_.flow, F::ip_src) == get(packet_.flow, F::ip_dst);
}

bool NormalSwitch::is_reserved_destination() const {
  return !bridge_->settings.forwards_reserved && is_reserved_mac(get(packet_.flow, F::eth_dst));
}

std::optional<SwitchPort*> NormalSwitch::admitted_by(Vlans& vlans) {
  const auto in_number = static_cast<std::uint32_t>(get(packet_.flow, F::in_port));
  SwitchPort* in = bridge_->port(in_number);
  const bool from_none = in_number == port::none || in_number == port::controller;
  if (!in && !from_none) {
    report_.error(Remark::unknown_input_port, in_number);
    report_.note(NodeKind::warning, Remark::no_input_bundle);
    return std::nullopt;
  }
  if (is_vlan_type(get(packet_.flow, F::eth_type)) && !(get(packet_.flow, F::vlan_tci) & kVlanPresent)) {
    report_.note(NodeKind::warning, Remark::partial_vlan);
    return std::nullopt;
  }
  vlans = vlans_of(packet_.flow);
  if (!in) return nullptr;
  if (in->mirrors_out != 0) {
    report_mirror_port(report_, NodeKind::warning, Remark::input_port_of_mirror, *in);
    return std::nullopt;
  }
  if (!is_in_vlans_of(*in, vlans, report_)) {
    report_.note(NodeKind::warning, Remark::vlan_not_allowed);
    return std::nullopt;
  }
  vlans = inside(in->settings, vlans);
  if (!is_reserved_destination()) return in;
  report_.note(NodeKind::detail, Remark::reserved_mac);
  return std::nullopt;
}

std::vector<NormalOutput> NormalSwitch::outputs() {
  mask_all(*packet_.wc, F::eth_src);
  mask_all(*packet_.wc, F::eth_dst);
  mask_bits(*packet_.wc, F::vlan_tci, kVlanVid | kVlanPresent);
  Vlans vlans;
  const auto admitted = admitted_by(vlans);
  if (!admitted) return {};
  SwitchPort* const in = *admitted;
  is_gratuitous_arp();
  learn(in, vlans.vid[0]);
  if (const auto known = mac_port(vlans.vid[0])) {
    SwitchPort* out = bridge_->port(known->port);
    if (out && out->mirrors_out != 0) {
      report_mirror_port(report_, NodeKind::warning, Remark::learned_port_of_mirror, *out);
      return {};
    }
    if (out) report_learned(out == in ? Remark::learned_port_is_input : Remark::learned_port, *known);
    if (out && out == in) return {};
    if (out) return {by(*out, vlans)};
  }
  report_.note(NodeKind::detail, Remark::no_learned_mac);
  return flood(in, vlans);
}

void NormalSwitch::report_learned(Remark what, const LearnedMac& learned) {
  Note n;
  n.what = what;
  n.a = learned.port;
  n.from = learned.from;
  report_.line(NodeKind::detail, std::move(n));
}

// xlate_normal(): what an encapsulation has left without Ethernet is not learned from.
void NormalSwitch::learn(const SwitchPort* in, std::uint16_t vlan) {
  const MacAddr source{get(packet_.flow, F::eth_src)};
  if (in && !source.is_multicast() && get(packet_.flow, F::packet_type) == packet_type::ethernet)
    policy_.saw_mac(bridge(), source, vlan, in->number);
}

// mac_learning_lookup
std::optional<LearnedMac> NormalSwitch::mac_port(std::uint16_t vlan) {
  const MacAddr mac{get(packet_.flow, F::eth_dst)};
  if (mac.is_multicast()) return std::nullopt;
  if (const auto& flooded = bridge_->settings.no_learning; !flooded.empty() && flooded[vlan]) return std::nullopt;
  if (const auto learned = policy_.learned_mac(bridge(), mac, vlan)) return learned;
  if (const FdbEntry* e = bridge_->fdb_entry(mac, vlan)) {
    policy_.used_mac(bridge(), *e);
    return LearnedMac{e->port, e->from};
  }
  if (bridge().has_fdb) return std::nullopt;
  const auto presumed = policy_.presumed_mac(bridge(), mac);
  policy_.missing({Input::mac_table, {bridge().name}});
  return presumed;
}

std::vector<NormalOutput> NormalSwitch::flood(const SwitchPort* in, const Vlans& vlans) {
  std::vector<NormalOutput> all;
  for (SwitchPort* p : bridge_->in_order) {
    if (p == in || p->no_flood() || p->mirrors_out != 0) continue;
    if (p->settings.includes(vlans.vid[0], vlans.vid[1])) all.push_back(by(*p, vlans));
  }
  return all;
}

}  // namespace

void write_tags(const NormalOutput& output, FlowKey& flow) { put_vlans(flow, output.tags, output.port->settings.priority_tags); }

std::vector<NormalOutput> normal_outputs(SwitchBridge& bridge, XlatePacket& packet, const XlateReport& report, Policy& policy) {
  return NormalSwitch(bridge, packet, report, policy).outputs();
}

std::optional<Vlans> tags_at(const SwitchPort& port, const FlowKey& flow, const XlateReport& report) {
  const Vlans outside = vlans_of(flow);
  return is_in_vlans_of(port, outside, report) ? std::optional(inside(port.settings, outside)) : std::nullopt;
}

NormalOutput normal_output(SwitchPort& port, const Vlans& vlans, XlatePacket& packet) {
  const PortSettings& s = port.settings;
  if (s.vlan_mode == VlanMode::tunnel && !s.customer_vlans.empty()) mask_all(*packet.wc, F::vlan_tci1);
  Vlans out = outside(s, vlans);
  if (s.priority_tags != PriorityTags::never) out.pcp[0] = get(packet.flow, F::vlan_tci) & kVlanPcp;
  return {&port, out};
}

// eth_addr_is_reserved() of lib/packets.c: IEEE 802.1D, Extreme and Cisco protocols.
bool is_reserved_mac(std::uint64_t mac) {
  constexpr std::uint64_t kIeee = 0x0180c2000000, kIeeeMask = 0xfffffffffff0;
  if ((mac & kIeeeMask) == kIeee) return true;
  constexpr std::uint64_t kOthers[] = {0x00e02b000000, 0x00e02b000004, 0x00e02b000006, 0x01000c000000, 0x01000ccccccc,
                                       0x01000ccccccd, 0x01000ccdcdcd, 0x01000cccccc0, 0x01000cccccc1, 0x01000cccccc2,
                                       0x01000cccccc3, 0x01000cccccc4, 0x01000cccccc5, 0x01000cccccc6, 0x01000cccccc7};
  return std::find(std::begin(kOthers), std::end(kOthers), mac) != std::end(kOthers);
}

void report_mirror_port(const XlateReport& report, NodeKind kind, Remark what, const SwitchPort& port) {
  const Mirror& mirror = port.bridge->mirrors[static_cast<std::size_t>(std::countr_zero(port.mirrors_out))];
  Note n;
  n.what = what;
  n.text = port.interface->name;
  n.more = mirror.row.name();
  n.from = mirror.row.from();
  report.line(kind, std::move(n));
}

bool is_between_protected_ports(const SwitchBridge& bridge, const FlowKey& flow, const SwitchPort& out) {
  if (!out.settings.is_protected) return false;
  const SwitchPort* in = bridge.port(static_cast<std::uint32_t>(get(flow, F::in_port)));
  return in != nullptr && in->settings.is_protected;
}

}  // namespace egt::engine::ofproto
