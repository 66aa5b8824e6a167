#include "field_actions.h"

#include <algorithm>
#include <vector>

#include "openflow/action_set.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint64_t kVlanPresent = 0x1000;
constexpr std::uint8_t kExplicitNull4 = 0, kExplicitNull6 = 2;

bool is_mpls_type(std::uint64_t type) { return type == ethertype::mpls || type == ethertype::mplsm; }
bool has_tag(const FlowKey& k) { return k.u64(F::vlan_tci) & kVlanPresent; }

bool is_proto(const FlowKey& k, std::uint8_t proto) { return is_ip(k) && k.u64(F::nw_proto) == proto; }

bool is_icmp6(const FlowKey& k, std::uint8_t type_low, std::uint8_t type_high) {
  const auto type = k.u64(F::icmpv6_type);
  return k.u64(F::eth_type) == ethertype::ipv6 && k.u64(F::nw_proto) == ip_proto::icmp6 && type >= type_low &&
         type <= type_high;
}

bool has_l4(const FlowKey& k) { return !(k.u32(F::ip_frag) & ip_frag::later); }

void write(FlowKey& k, F id, U128 value) {
  if (has_field(k, id)) k.set(id, value);
}

void set_field(const SetField& a, FlowKey& k) {
  if (!has_field(k, a.field)) return;
  const U128 mask = a.mask.value_or(~U128{0});
  // A masked write to vlan_vid and the like goes bit by bit; a whole one may have side effects ("tag present").
  k.set(a.field, a.mask ? (k.get(a.field) & ~mask) | (a.value & mask) : a.value);
}

void move(const Move& a, FlowKey& k) {
  if (!has_field(k, a.source.field) || !has_field(k, a.dest.field)) return;
  k.set(a.dest, k.get(a.source));
}

void pop_from_stack(const Pop& a, PipelineState& s) {
  if (s.stack.empty()) return;
  const U128 value = s.stack.back();
  s.stack.pop_back();
  if (has_field(s.key, a.dest.field)) s.key.set(a.dest, value);
}

FieldOutcome push_vlan(FlowKey& k) {
  const bool full = k.u64(F::vlan_tci1) & kVlanPresent;
  k.set(F::vlan_tci1, k.get(F::vlan_tci));
  k.set(F::vlan_tci, kVlanPresent);
  return full ? FieldOutcome::not_modelled : FieldOutcome::done;
}

FieldOutcome pop_vlan(FlowKey& k) {
  k.set(F::vlan_tci, k.get(F::vlan_tci1));
  k.set(F::vlan_tci1, 0);
  return FieldOutcome::done;
}

// mod_vlan_* pushes a tag where there is none, set_vlan_* does nothing then.
FieldOutcome set_vlan(FlowKey& k, F id, U128 value, const std::string& word) {
  if (!has_tag(k) && word.rfind("mod_", 0) != 0) return FieldOutcome::done;
  if (!has_tag(k)) push_vlan(k);
  k.set(id, value);
  return FieldOutcome::done;
}

FieldOutcome push_mpls(FlowKey& k, std::uint16_t type) {
  const auto inner = k.u64(F::eth_type);
  const bool again = is_mpls_type(inner);  // a second label: only the outer one has room in a FlowKey
  if (!again) {
    k.set(F::mpls_label, inner == ethertype::ipv6 ? kExplicitNull6 : kExplicitNull4);
    k.set(F::mpls_tc, is_ip(k) ? k.get(F::ip_dscp) : U128{0});
    k.set(F::mpls_ttl, is_ip(k) ? k.get(F::nw_ttl) : U128{64});
  }
  k.set(F::mpls_bos, again ? 0 : 1);
  k.set(F::eth_type, type);
  return again ? FieldOutcome::not_modelled : FieldOutcome::done;
}

FieldOutcome pop_mpls(FlowKey& k, std::uint16_t type) {
  const bool last_label = k.u64(F::mpls_bos) != 0;
  k.set(F::eth_type, type);
  for (const F id : {F::mpls_label, F::mpls_tc, F::mpls_bos, F::mpls_ttl}) k.set(id, 0);
  return last_label ? FieldOutcome::done : FieldOutcome::not_modelled;
}

FieldOutcome dec_ttl(FlowKey& k, F id, bool applies) {
  if (!applies) return FieldOutcome::done;
  const auto ttl = k.u64(id);
  if (ttl <= 1) return FieldOutcome::ttl_exceeded;
  k.set(id, ttl - 1);
  return FieldOutcome::done;
}

struct Applier {
  PipelineState& s;
  FlowKey& k = s.key;

  FieldOutcome operator()(const Load& a) const {
    if (has_field(k, a.dest.field)) k.set(a.dest, a.value);
    return FieldOutcome::done;
  }
  FieldOutcome operator()(const SetField& a) const { return set_field(a, k), FieldOutcome::done; }
  FieldOutcome operator()(const Move& a) const { return move(a, k), FieldOutcome::done; }
  FieldOutcome operator()(const Push& a) const { return s.stack.push_back(k.get(a.source)), FieldOutcome::done; }
  FieldOutcome operator()(const Pop& a) const { return pop_from_stack(a, s), FieldOutcome::done; }
  FieldOutcome operator()(const DecTtl&) const { return dec_ttl(k, F::nw_ttl, is_ip(k)); }
  FieldOutcome operator()(const PushVlan&) const { return push_vlan(k); }
  FieldOutcome operator()(const PopVlan&) const { return pop_vlan(k); }
  FieldOutcome operator()(const SetVlanVid& a) const { return set_vlan(k, F::dl_vlan, a.vid, a.word); }
  FieldOutcome operator()(const SetVlanPcp& a) const { return set_vlan(k, F::dl_vlan_pcp, a.pcp, a.word); }
  FieldOutcome operator()(const PushMpls& a) const { return push_mpls(k, a.ethertype); }
  FieldOutcome operator()(const PopMpls& a) const { return pop_mpls(k, a.ethertype); }
  FieldOutcome operator()(const SetMpls& a) const {
    if (a.what == "set_mpls_label")
      write(k, F::mpls_label, a.value);
    else if (a.what == "set_mpls_tc")
      write(k, F::mpls_tc, a.value);
    else if (a.what == "set_mpls_ttl")
      write(k, F::mpls_ttl, a.value);
    else
      return FieldOutcome::not_modelled;
    return FieldOutcome::done;
  }
  FieldOutcome operator()(const DecMplsTtl&) const { return dec_ttl(k, F::mpls_ttl, is_mpls_type(k.u64(F::eth_type))); }
  FieldOutcome operator()(const DecNshTtl&) const {
    return dec_ttl(k, F::nsh_ttl, k.u64(F::eth_type) == ethertype::nsh);
  }
  FieldOutcome operator()(const DeleteField& a) const { return k.set(a.field, 0), FieldOutcome::done; }
  FieldOutcome operator()(const CtClear&) const { return clear_conntrack(k), FieldOutcome::done; }
  FieldOutcome operator()(const WriteMetadata& a) const {
    const std::uint64_t mask = a.mask.value_or(~std::uint64_t{0});
    k.set(F::metadata, (k.u64(F::metadata) & ~mask) | (a.value & mask));
    return FieldOutcome::done;
  }
  FieldOutcome operator()(const Encap&) const { return FieldOutcome::not_modelled; }
  FieldOutcome operator()(const Decap&) const { return FieldOutcome::not_modelled; }
  // Queues, notes, timeouts, samples and conjunction members do not change where a packet goes.
  FieldOutcome operator()(const SetQueue&) const { return FieldOutcome::done; }
  FieldOutcome operator()(const PopQueue&) const { return FieldOutcome::done; }
  FieldOutcome operator()(const FinTimeout&) const { return FieldOutcome::done; }
  FieldOutcome operator()(const Note&) const { return FieldOutcome::done; }
  FieldOutcome operator()(const Sample&) const { return FieldOutcome::done; }
  FieldOutcome operator()(const Conjunction&) const { return FieldOutcome::done; }
  template <class Other>
  FieldOutcome operator()(const Other&) const {
    return FieldOutcome::not_mine;
  }
};

}  // namespace

bool has_field(const FlowKey& k, FieldId id) {
  const auto type = k.u64(F::eth_type);
  switch (id) {
    case F::ip_src:
    case F::ip_dst:
      return type == ethertype::ipv4;
    case F::ipv6_src:
    case F::ipv6_dst:
    case F::ipv6_label:
      return type == ethertype::ipv6;
    case F::nw_proto:
    case F::nw_tos:
    case F::ip_dscp:
    case F::nw_ecn:
    case F::nw_ttl:
    case F::ip_frag:
      return is_ip(k);
    case F::arp_op:
    case F::arp_spa:
    case F::arp_tpa:
    case F::arp_sha:
    case F::arp_tha:
      return type == ethertype::arp || type == ethertype::rarp;
    case F::tcp_src:
    case F::tcp_dst:
    case F::tcp_flags:
      return is_proto(k, ip_proto::tcp) && has_l4(k);
    case F::udp_src:
    case F::udp_dst:
      return is_proto(k, ip_proto::udp) && has_l4(k);
    case F::sctp_src:
    case F::sctp_dst:
      return is_proto(k, ip_proto::sctp) && has_l4(k);
    case F::tp_src:
    case F::tp_dst:
      return is_ip(k) && has_l4(k);
    case F::icmp_type:
    case F::icmp_code:
      return type == ethertype::ipv4 && is_proto(k, ip_proto::icmp) && has_l4(k);
    case F::icmpv6_type:
    case F::icmpv6_code:
      return is_icmp6(k, 0, 255) && has_l4(k);
    case F::nd_target:
    case F::nd_reserved:
    case F::nd_options_type:
      return is_icmp6(k, 135, 136);
    case F::nd_sll:
      return is_icmp6(k, 135, 135);
    case F::nd_tll:
      return is_icmp6(k, 136, 136);
    case F::vlan_pcp:
      return has_tag(k);
    case F::mpls_label:
    case F::mpls_tc:
    case F::mpls_bos:
    case F::mpls_ttl:
      return is_mpls_type(type);
    case F::ct_nw_proto:
    case F::ct_tp_src:
    case F::ct_tp_dst:
      return is_ip(k);
    case F::ct_nw_src:
    case F::ct_nw_dst:
      return type == ethertype::ipv4;
    case F::ct_ipv6_src:
    case F::ct_ipv6_dst:
      return type == ethertype::ipv6;
    default:
      return id < F::nsh_flags || id > F::nsh_ttl || type == ethertype::nsh;
  }
}

FieldOutcome apply_field_action(const Action& action, PipelineState& state) {
  return std::visit(Applier{state}, action.kind);
}

ActionList as_action_set(const ActionList& set) {
  std::vector<const Action*> actions;
  for (const Action& a : set) actions.push_back(&a);
  ActionList list;
  for (const std::size_t i : in_action_set_order(actions)) list.push_back(set[i]);
  return list;
}

}  // namespace egt::engine
