// NORMAL: the bridge as an Ethernet switch.
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint64_t kBroadcast = 0xffffffffffff, kReserved = 0x0180c2000000, kReservedMask = 0xfffffffffff0;

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

void put_vlans(FlowKey& k, const Vlans& v) {
  const F tci[] = {F::vlan_tci, F::vlan_tci1};
  const X tpid[] = {X::vlan_tpid, X::vlan_tpid1};
  for (unsigned i = 0; i < 2; ++i) {
    std::uint16_t t = v.vid[i] | v.pcp[i];
    if (t != 0) {
      t |= kVlanPresent;
      set(k, tpid[i], v.tpid[i] != 0 ? v.tpid[i] : ethertype::vlan);
    }
    k.set(tci[i], t);
  }
}

}  // namespace

bool Xlate::is_gratuitous_arp() {
  constexpr unsigned kRequest = 1, kReply = 2;
  if (get(flow_, F::eth_type) != ethertype::arp) return false;
  mask_all(wc(), F::eth_dst);
  if (get(flow_, F::eth_dst) != kBroadcast) return false;
  mask_bits(wc(), F::nw_proto, 0xff);
  if (get(flow_, F::nw_proto) == kReply) return true;
  if (get(flow_, F::nw_proto) != kRequest) return false;
  mask_all(wc(), F::ip_src);
  mask_all(wc(), F::ip_dst);
  return get(flow_, F::ip_src) == get(flow_, F::ip_dst);
}

bool Xlate::vlan_admitted(const SwitchPort& port, const Vlans& v) {
  if (!port.interface->tag || *port.interface->tag == 0 || v.vid[0] == 0) return true;
  report(NodeKind::error, Remark::vlan_on_access_port, v.vid[0], *port.interface->tag, port.interface->name);
  report(NodeKind::warning, Remark::vlan_not_allowed);
  return false;
}

void Xlate::normal() {
  mask_all(wc(), F::eth_src);
  mask_all(wc(), F::eth_dst);
  mask_bits(wc(), F::vlan_tci, kVlanVid | kVlanPresent);
  const auto in_number = static_cast<std::uint32_t>(get(flow_, F::in_port));
  SwitchPort* in = bridge_->port(in_number);
  const bool from_none = in_number == port::none || in_number == port::controller;
  if (!in && !from_none) {
    error_report(Remark::unknown_input_port, in_number);
    return report(NodeKind::warning, Remark::no_input_bundle);
  }
  if (is_vlan_type(get(flow_, F::eth_type)) && !(get(flow_, F::vlan_tci) & kVlanPresent))
    return report(NodeKind::warning, Remark::partial_vlan);
  Vlans vlans = vlans_of(flow_);
  if (in && !vlan_admitted(*in, vlans)) return;
  if (in && in->interface->tag && *in->interface->tag != 0) {
    const Vlans given = vlans;
    vlans = Vlans();
    vlans.tpid[0] = given.tpid[0] != 0 ? given.tpid[0] : ethertype::vlan;
    vlans.vid[0] = *in->interface->tag;
    vlans.pcp[0] = given.pcp[0];
  }
  if (in && (get(flow_, F::eth_dst) & kReservedMask) == kReserved)
    return report(NodeKind::detail, Remark::reserved_mac);
  is_gratuitous_arp();
  if (in && !MacAddr{get(flow_, F::eth_src)}.is_multicast())
    policy_.saw_mac(bridge(), {get(flow_, F::eth_src)}, vlans.vid[0], in_number);
  if (const auto known = mac_port(vlans.vid[0])) {
    SwitchPort* out = bridge_->port(known->port);
    if (out && out == in) return report_learned(Remark::learned_port_is_input, *known);
    if (out) {
      report_learned(Remark::learned_port, *known);
      return output_normal(*out, vlans);
    }
  }
  report(NodeKind::detail, Remark::no_learned_mac);
  flood_normal(in, vlans);
}

void Xlate::report_learned(Remark what, const LearnedMac& learned) {
  Note n;
  n.what = what;
  n.a = learned.port;
  n.from = learned.from;
  report(NodeKind::detail, std::move(n));
}

// mac_learning_lookup
std::optional<LearnedMac> Xlate::mac_port(std::uint16_t vlan) {
  const MacAddr mac{get(flow_, F::eth_dst)};
  if (mac.is_multicast()) return std::nullopt;
  if (const auto learned = policy_.learned_mac(bridge(), mac, vlan)) return learned;
  if (const FdbEntry* e = bridge_->fdb_entry(mac, vlan)) return LearnedMac{e->port, e->from};
  if (bridge().has_fdb) return std::nullopt;
  const auto presumed = policy_.presumed_mac(bridge(), mac);
  gap(Input::mac_table, {bridge().name});
  return presumed;
}

void Xlate::flood_normal(const SwitchPort* in, const Vlans& vlans) {
  for (SwitchPort* p : bridge_->in_order) {
    if (p == in || p->no_flood()) continue;
    if (p->interface->tag && *p->interface->tag != 0 && (vlans.vid[0] != *p->interface->tag || vlans.vid[1] != 0))
      continue;
    output_normal(*p, vlans);
  }
}

void Xlate::output_normal(SwitchPort& port, const Vlans& vlans) {
  const bool access = port.interface->tag && *port.interface->tag != 0;
  const FlowKey old = flow_;
  put_vlans(flow_, access ? Vlans() : vlans);
  output_to(port.number, false, false);
  copy_vlans(old, flow_);
}

}  // namespace egt::engine::ofproto
