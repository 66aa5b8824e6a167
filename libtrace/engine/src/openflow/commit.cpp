#include "commit.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

// The whole type-of-service byte, which a FlowKey holds as two fields.
U128 value_of(const FlowKey& k, F f) { return f == F::nw_tos ? k.get(f) | k.get(F::nw_ecn) : k.get(f); }
void set_value(FlowKey& k, F f, U128 value) {
  k.set(f, value);
  if (f == F::nw_tos) k.set(F::nw_ecn, value & kEcn);
}

bool is_tcp_like(std::uint64_t proto) { return proto == ip_proto::tcp || proto == ip_proto::udp || proto == ip_proto::sctp; }

// After a write the mask comes back from the datapath's form of the header, where a type or code of ICMP has 8 bits.
void narrow_type(FlowKey& wc) {
  for (const F f : {F::tp_src, F::tp_dst}) wc.set(f, wc.get(f) & 0xff);
}

// The same of the type of an option.
void narrow_option_type(FlowKey& wc) {
  const std::size_t word = field(F::nd_options_type).word;
  wc.set_word(word, wc.word(word) & ~openflow::beyond_field(F::nd_options_type));
}

// Fields of one header are written together, each with the bits that were looked at or written.
class Committer {
 public:
  Committer(XlatePacket& packet, DatapathOutput& out) : packet_(packet), out_(out) {}
  void commit();

 private:
  void commit_encap_decap();
  void commit_mpls(bool pending_encap);
  void commit_vlan();
  bool commit_set(dp::Attribute attribute, bool masked, std::initializer_list<std::pair<FieldId, U128>> fields);
  void commit_ethernet();
  void commit_network();
  void commit_nsh();
  void commit_ports();
  void commit_icmp();

  XlatePacket& packet_;
  DatapathOutput& out_;
};

// `fields`: with the bits that make the field whole. `masked`: only what differs is written, else the whole header.
bool Committer::commit_set(dp::Attribute attribute, bool masked, std::initializer_list<std::pair<FieldId, U128>> fields) {
  bool differs = false, exact = true;
  dp::Set set;
  set.attribute = attribute;
  for (const auto& [f, all] : fields) {
    const bool same = ((value_of(packet_.flow, f) ^ value_of(packet_.base, f)) & all) == 0;
    // commit_nsh() leaves out nothing of what was looked at.
    const U128 mask = same && attribute != dp::Attribute::nsh ? U128{0} : value_of(*packet_.wc, f) & all;
    differs = differs || !same;
    exact = exact && mask == all;
    set.fields.push_back({f, value_of(packet_.flow, f) & all, mask});
  }
  if (!differs) return false;
  set.whole = exact || !masked;
  for (dp::SetField& f : set.fields) {
    const U128 all = std::find_if(fields.begin(), fields.end(), [&](const auto& p) { return p.first == f.field; })->second;
    if (set.whole)
      f.mask = all;
    else
      f.value &= f.mask;
    set_value(packet_.base, f.field, value_of(packet_.flow, f.field));
    set_value(*packet_.wc, f.field, value_of(*packet_.wc, f.field) | f.mask);
  }
  out_.put({std::move(set)});
  return true;
}

void Committer::commit_ethernet() {
  if (get(packet_.flow, F::packet_type) != packet_type::ethernet || get(packet_.base, F::packet_type) != packet_type::ethernet)
    return;
  commit_set(dp::Attribute::ethernet, true, {{F::eth_src, ones(48)}, {F::eth_dst, ones(48)}});
}

void Committer::commit_network() {
  if (get(packet_.flow, F::nw_proto) == 0) return;
  const auto type = get(packet_.base, F::eth_type);
  if (type == ethertype::ipv4) {
    commit_set(dp::Attribute::ipv4, true,
               {{F::ip_src, ones(32)}, {F::ip_dst, ones(32)}, {F::nw_proto, 0}, {F::nw_tos, 0xff}, {F::nw_ttl, 0xff}});
  } else if (type == ethertype::ipv6) {
    commit_set(dp::Attribute::ipv6, true,
               {{F::ipv6_src, ones(128)},
                {F::ipv6_dst, ones(128)},
                {F::ipv6_label, ones(20)},
                {F::nw_proto, 0},
                {F::nw_tos, 0xff},
                {F::nw_ttl, 0xff}});
    if (get(packet_.base, F::nw_proto) != ip_proto::icmp6) return;
    if (commit_set(dp::Attribute::nd_extensions, true, {{F::nd_reserved, ones(32)}, {F::nd_options_type, 0xff}})) {
      packet_.slow = true;
      narrow_option_type(*packet_.wc);
    }
    packet_.slow |=
        commit_set(dp::Attribute::nd, true, {{F::nd_target, ones(128)}, {F::nd_sll, ones(48)}, {F::nd_tll, ones(48)}});
  } else if (type == ethertype::arp) {
    packet_.slow |= commit_set(
        dp::Attribute::arp, true,
        {{F::ip_src, ones(32)}, {F::ip_dst, ones(32)}, {F::nw_proto, 0xff}, {F::arp_sha, ones(48)}, {F::arp_tha, ones(48)}});
  }
}

void Committer::commit_ports() {
  const auto proto = get(packet_.flow, F::nw_proto);
  if (!is_tcp_like(proto) || !is_ip_any(packet_.base)) return;
  const auto attribute = proto == ip_proto::tcp   ? dp::Attribute::tcp
                         : proto == ip_proto::udp ? dp::Attribute::udp
                                                  : dp::Attribute::sctp;
  commit_set(attribute, true, {{F::tp_src, 0xffff}, {F::tp_dst, 0xffff}});
}

void Committer::commit_icmp() {
  const bool v4 = is_icmpv4(packet_.flow, nullptr);
  if (!v4 && !is_icmpv6(packet_.flow, nullptr)) return;
  if (!commit_set(v4 ? dp::Attribute::icmp : dp::Attribute::icmpv6, false, {{F::tp_src, 0xff}, {F::tp_dst, 0xff}})) return;
  packet_.slow = true;
  narrow_type(*packet_.wc);
}

void Committer::commit_nsh() {
  if (get(packet_.flow, F::eth_type) != ethertype::nsh) return;
  const U128 context = has_fixed_context(packet_.flow) ? ones(32) : U128{0};
  const bool written = commit_set(dp::Attribute::nsh, true,
                                  {{F::nsh_flags, 0xff},
                                   {F::nsh_ttl, 0xff},
                                   {F::nsh_mdtype, 0},
                                   {F::nsh_np, 0},
                                   {F::nsh_spi, ones(24)},
                                   {F::nsh_si, 0xff},
                                   {F::nsh_c1, context},
                                   {F::nsh_c2, context},
                                   {F::nsh_c3, context},
                                   {F::nsh_c4, context}});
  if (!written || context != 0) return;
  // The action has none of them then, which is shown as if it wrote zeros.
  for (dp::SetField& f : std::get<dp::Set>(out_.last().kind).fields)
    if (f.field >= F::nsh_c1 && f.field <= F::nsh_c4) f.mask = ones(32);
}

void Committer::commit_vlan() {
  const F tci[] = {F::vlan_tci, F::vlan_tci1};
  const X tpid[] = {X::vlan_tpid, X::vlan_tpid1};
  const auto same = [&](int b, int f) {
    return packet_.base.get(tci[b]) == packet_.flow.get(tci[f]) && get(packet_.base, tpid[b]) == get(packet_.flow, tpid[f]);
  };
  int base_n = static_cast<int>(vlan_count(packet_.base)) - 1, flow_n = static_cast<int>(vlan_count(packet_.flow)) - 1;
  for (; base_n >= 0 && flow_n >= 0 && same(base_n, flow_n); --base_n, --flow_n) {
  }
  for (; base_n >= 0; --base_n) {
    out_.put({dp::PopVlan{}});
    mask_all(*packet_.wc, tci[base_n]);
    mask_all(*packet_.wc, tpid[base_n]);
  }
  for (; flow_n >= 0; --flow_n)
    out_.put({dp::PushVlan{static_cast<std::uint16_t>(get(packet_.flow, tpid[flow_n])),
                           static_cast<std::uint16_t>(get(packet_.flow, tci[flow_n]))}});
  copy_vlans(packet_.flow, packet_.base);
}

void Committer::commit_mpls(bool pending_encap) {
  unsigned base_n = mpls_count(packet_.base, nullptr);
  const unsigned flow_n = mpls_count(packet_.flow, nullptr);
  // flow_count_common_mpls_labels: labels that agree from the bottom of the stack on.
  unsigned common = 0;
  while (common < std::min(base_n, flow_n) &&
         mpls_lse(packet_.base, base_n - 1 - common) == mpls_lse(packet_.flow, flow_n - 1 - common))
    ++common;
  while (base_n > common) {
    if (base_n - 1 == common && flow_n > common) {
      const std::uint32_t lse = mpls_lse(packet_.flow, flow_n - base_n);
      dp::Set set{dp::Attribute::mpls, true, {{F::mpls_label, lse, ones(32)}}};
      out_.put({std::move(set)});
      set_mpls_lse(packet_.base, 0, lse);
      ++common;
    } else {
      const auto type = static_cast<std::uint16_t>(
          !is_mpls(get(packet_.flow, F::eth_type)) && base_n > 1 ? ethertype::mpls : get(packet_.flow, F::eth_type));
      out_.put({dp::PopMpls{type}});
      pop_mpls(packet_.base, base_n, static_cast<std::uint16_t>(get(packet_.flow, F::eth_type)), nullptr);
      --base_n;
    }
  }
  while (base_n < flow_n) {
    const std::uint32_t lse = mpls_lse(packet_.flow, flow_n - base_n - 1);
    const auto type = static_cast<std::uint16_t>(get(packet_.flow, F::eth_type));
    out_.put({dp::PushMpls{lse, type, pending_encap}});
    push_mpls(packet_.base, base_n, type, nullptr, false);
    set_mpls_lse(packet_.base, 0, lse);
    ++base_n;
  }
}

void Committer::commit_encap_decap() {
  const auto type = static_cast<std::uint32_t>(get(packet_.flow, F::packet_type)),
             base_type = static_cast<std::uint32_t>(get(packet_.base, F::packet_type));
  if (packet_.pending.encap) {
    if (type == packet_type::ethernet) {
      out_.put({dp::PushEthernet{{get(packet_.flow, F::eth_src)}, {get(packet_.flow, F::eth_dst)}}});
      for (const F f : {F::packet_type, F::eth_src, F::eth_dst}) packet_.base.set(f, packet_.flow.get(f));
    } else if (type == packet_type::nsh) {
      dp::PushNsh push{packet_.flow, packet_.pending.encap_data};
      push.nsh.set(F::nsh_flags, packet_.flow.get(F::nsh_flags) & 0x3);  // as many bits as the header has
      push.nsh.set(F::nsh_ttl, packet_.flow.get(F::nsh_ttl) & 0x3f);
      out_.put({std::move(push)});
      packet_.base.set(F::packet_type, type);
      copy_headers(packet_.flow, packet_.base);
    } else {
      commit_mpls(true);
    }
  } else if (packet_.pending.decap || type != base_type) {
    if (type >> 16 == 1 && base_type == packet_type::ethernet) {
      out_.put({dp::PopEthernet{}});
      packet_.base.set(F::packet_type, type);
      packet_.base.set(F::eth_src, 0);
      packet_.base.set(F::eth_dst, 0);
    } else if (base_type == packet_type::nsh) {
      out_.put({dp::PopNsh{has_fixed_context(packet_.base)}});
    } else if (base_type == packet_type::mpls || base_type == packet_type::mplsm) {
      commit_mpls(false);
    }
  }
  mask_all(*packet_.wc, F::packet_type);
}

void Committer::commit() {
  commit_encap_decap();
  commit_ethernet();
  const bool pops_last_label = is_mpls(get(packet_.base, F::eth_type)) && !is_mpls(get(packet_.flow, F::eth_type));
  if (pops_last_label) commit_mpls(false);
  commit_nsh();
  commit_network();
  commit_ports();
  commit_icmp();
  if (!pops_last_label) commit_mpls(false);
  commit_vlan();
  commit_set(dp::Attribute::skb_priority, true, {{F::skb_priority, ones(32)}});
  commit_set(dp::Attribute::skb_mark, true, {{F::pkt_mark, ones(32)}});
  packet_.pending.encap = packet_.pending.decap = false;
  packet_.pending.encap_data.clear();
}

}  // namespace

void commit(XlatePacket& packet, DatapathOutput& out) { Committer(packet, out).commit(); }

}  // namespace egt::engine::ofproto
