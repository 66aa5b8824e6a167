#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/packet/packet.h"
#include "generator.h"

namespace egt::testing {
namespace {

using namespace kind;
using F = FieldId;

FieldId id_of(const FieldSpec& f) { return find_field(f.name)->id; }

bool is_set(const FlowKey& key, const FieldSpec& f) { return key.get(id_of(f)) != 0; }

// Fields whose bits other names show, or that ofproto/trace does not take.
bool shown_otherwise(std::string_view name) {
  return name.starts_with("xreg") || name.starts_with("xxreg") || name == "dl_vlan" || name == "vlan_vid" ||
         name == "dl_vlan_pcp" || name == "vlan_pcp" || name == "in_port_oxm" || name == "actset_output" || name == "nw_tos" ||
         name == "eth_type" || name == "nw_proto" || name == "packet_type";
}

class Packet {
 public:
  Packet(Dice& dice, const Protocol& protocol, unsigned tlv_map)
      : dice_(dice), protocol_(protocol), fields_(field_specs(tlv_map)) {
    for (const auto& [f, value] : protocol.fields) key_.set(f, value);
  }

  // Makes the packet one that the match takes, as far as its protocol allows.
  void suit(const GeneratedMatch& match) {
    for (const Term& t : match.terms) {
      const FieldId id = t.field->name == std::string_view("in_port_oxm") ? F::in_port : id_of(*t.field);
      const U128 mask = t.masking == Masking::none ? ones(t.field->bits) : t.value.mask;
      const U128 other = dice_.one_in(2) ? random_value(dice_, *t.field, Masking::none).value : U128{0};
      U128 value = (t.value.value & mask) | (other & ~mask & ones(t.field->bits));
      if (t.field->form == Form::fragment && value == 2) value = 3;
      if (std::string_view(t.field->name).find("vlan") != std::string_view::npos && value != 0)
        key_.set(F::vlan_tci, key_.get(F::vlan_tci) | 0x1000);
      key_.set(id, value);
    }
  }

  void fill() {
    for (const FieldSpec& f : fields_) {
      if (shown_otherwise(f.name) || !has_kinds(protocol_.kinds, f.needs) || is_set(key_, f)) continue;
      const bool header = f.needs != any;
      const std::string_view name = f.name;
      if (name == "vlan_tci" ? !dice_.one_in(12) : header ? dice_.one_in(3) : !dice_.one_in(30)) continue;
      if (name == "ip_frag" && !dice_.one_in(6)) continue;
      if (name.starts_with("tun_") && !tunnel_) continue;
      key_.set(id_of(f), random_value(dice_, f, Masking::none).value);
    }
    if (key_.u64(F::in_port) == 0 && !dice_.one_in(30)) key_.set(F::in_port, dice_.between(1, 6));
    if (key_.u64(F::vlan_tci) != 0) key_.set(F::vlan_tci, key_.get(F::vlan_tci) | 0x1000);
  }
  void make_tunneled() { tunnel_ = true; }

  std::string text() const {
    std::string out = protocol_.packet_words;
    const bool later = key_.u64(F::ip_frag) & ip_frag::later;
    for (const FieldSpec& f : fields_) {
      const std::string_view name = f.name;
      if (shown_otherwise(name) || !is_set(key_, f) || said(name)) continue;
      if (!has_kinds(protocol_.kinds, f.needs) && !(f.needs & tracked)) continue;
      if ((f.needs & tracked) && !tracked_field_allowed(f)) continue;
      if (later && (f.needs & (tcp | udp | sctp | icmp4 | icmp6))) continue;
      out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, text_of(f, {key_.get(id_of(f)), ones(f.bits)}, Masking::none));
    }
    return out.empty() ? "in_port=1" : out;
  }

 private:
  bool said(std::string_view name) const {
    return (std::string(",") + protocol_.packet_words).find(fmt::format(",{}=", name)) != std::string::npos;
  }
  bool tracked_field_allowed(const FieldSpec& f) const {
    return (key_.u64(F::ct_state) & 0x0b) != 0 && has_kinds(protocol_.kinds, f.needs & ~tracked);
  }

  Dice& dice_;
  const Protocol& protocol_;
  const std::vector<FieldSpec>& fields_;
  FlowKey key_;
  bool tunnel_ = false;
};

const GeneratedFlow* flow_to_meet(Dice& dice, const Configuration& c, const std::string& bridge) {
  const bool about_field = dice.one_in(2);
  std::vector<const GeneratedFlow*> all;
  for (const GeneratedFlow& f : c.flows) {
    const bool first = f.head.starts_with("table=0");
    if (f.bridge == bridge && f.match.protocol != nullptr && (about_field ? f.about_field : first || dice.one_in(4)))
      all.push_back(&f);
  }
  return all.empty() ? nullptr : dice.of(all);
}

std::string mac(Dice& dice) {
  return text_of(field_spec("eth_src"), random_value(dice, field_spec("eth_src"), Masking::none), Masking::none);
}
std::string v4(Dice& dice) {
  return text_of(field_spec("ip_src"), random_value(dice, field_spec("ip_src"), Masking::none), Masking::none);
}
std::string v6(Dice& dice) {
  return text_of(field_spec("ipv6_src"), random_value(dice, field_spec("ipv6_src"), Masking::none), Masking::none);
}

// What lies within the tags: "eth_type(0x0800),ipv4(…),tcp(…)".
std::string inner_headers(Dice& dice) {
  static const char* const kPorts[] = {"tcp(src=80,dst=443)", "tcp(src=1000,dst=80),tcp_flags(syn|ack)", "udp(src=53,dst=53)",
                                       "sctp(src=1,dst=2)", "icmp(type=8,code=0)"};
  static const unsigned kProtocols[] = {6, 6, 17, 132, 1};
  const unsigned which = dice.below(5);
  switch (dice.below(9)) {
    case 0:
      return fmt::format("eth_type(0x0806),arp(sip={},tip={},op={},sha={},tha={})", v4(dice), v4(dice), dice.between(1, 2),
                         mac(dice), mac(dice));
    case 1:
      return dice.one_in(2) ? "eth_type(0x8847),mpls(label=100,tc=3,ttl=64,bos=1)"
                            : "eth_type(0x8847),mpls(label=100,tc=3,ttl=64,bos=0,label=7,tc=0,ttl=9,bos=1)";
    case 3:
      return fmt::format(
          "eth_type(0x86dd),ipv6(src={},dst={},label=0,proto=58,tclass=0,hlimit=255,frag=no),"
          "icmpv6(type={},code=0),nd(target={},{}={})",
          v6(dice), v6(dice), which < 3 ? 135 : 136, v6(dice), which < 3 ? "sll" : "tll", mac(dice));
    case 4:
      return fmt::format("eth_type(0x0800),ipv4(src={},dst={},proto=17,tos=0,ttl=3,frag={})", v4(dice), v4(dice),
                         dice.one_in(2) ? "later" : "first");
    case 5:  // the switch reads no nsh(…)
      return fmt::format("eth_type(0x86dd),ipv6(src={},dst={},label=0,proto={},tclass=0,hlimit=9,frag={})", v6(dice), v6(dice),
                         dice.one_in(2) ? 44 : 17, dice.one_in(2) ? "later" : "first");
    case 2:
      return fmt::format(
          "eth_type(0x86dd),ipv6(src={},dst={},label=0x5,proto=17,tclass=0x2,hlimit=64,frag=no),"
          "udp(src=53,dst=1000)",
          v6(dice), v6(dice));
    default:
      return fmt::format("eth_type(0x0800),ipv4(src={},dst={},proto={},tos=0x{:x},ttl={},frag=no),{}", v4(dice), v4(dice),
                         kProtocols[which], dice.below(4), dice.between(1, 64), kPorts[which]);
  }
}

// A flow of the datapath, with none, one or two tags.
std::string datapath_packet(Dice& dice, const std::string& bridge) {
  const char* const device = bridge == "br-int" ? "p1" : bridge == "br-ex" ? "q1" : "r1";
  std::string out;
  if (dice.one_in(4)) out += fmt::format("skb_mark(0x{:x}),", dice.below(4));
  if (dice.one_in(6)) out += "ct_state(+trk+est),ct_zone(0x5),ct_mark(0x1),";
  out += fmt::format("in_port({}),eth(src={},dst={}),", device, mac(dice), mac(dice));
  const std::string inner = inner_headers(dice);
  switch (dice.below(3)) {
    case 0: return out + inner;
    case 1: return out + fmt::format("eth_type(0x8100),vlan(vid={},pcp={}),encap({})", dice.between(4, 7), dice.below(8), inner);
    default:
      return out + fmt::format("eth_type(0x88a8),vlan(vid={},pcp=0),encap(eth_type(0x8100),vlan(vid={},pcp=3),encap({}))",
                               dice.between(4, 7), dice.between(4, 7), inner);
  }
}

}  // namespace

std::string random_packet(Dice& dice, const Configuration& c, const std::string& bridge) {
  if (dice.one_in(6)) return datapath_packet(dice, bridge);
  const GeneratedFlow* flow = dice.one_in(5) ? nullptr : flow_to_meet(dice, c, bridge);
  const Protocol& protocol = flow != nullptr && !(flow->match.protocol->fields.empty() && dice.one_in(2)) ? *flow->match.protocol
                                                                                                          : *dice.of(c.protocols);
  Packet packet(dice, protocol, c.tlv_map);
  if (dice.one_in(5)) packet.make_tunneled();
  if (flow != nullptr) packet.suit(flow->match);
  packet.fill();
  return packet.text();
}

}  // namespace egt::testing
