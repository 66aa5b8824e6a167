#include "field_actions.h"

#include <algorithm>
#include <vector>

#include "egtrace/openflow/prerequisites.h"
#include "openflow/action_set.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint64_t kVlanPresent = 0x1000;
constexpr std::uint8_t kExplicitNull4 = 0, kExplicitNull6 = 2;

bool has_tag(const FlowKey& k) { return k.u64(F::vlan_tci) & kVlanPresent; }

void write(FlowKey& k, F id, U128 value) {
  if (prerequisites_met(id, k)) k.set(id, value);
}

void set_field(const SetField& a, FlowKey& k) {
  if (!prerequisites_met(a.field, k)) return;
  const U128 mask = a.mask.value_or(~U128{0});
  // A masked write to vlan_vid and the like goes bit by bit; a whole one may have side effects ("tag present").
  k.set(a.field, a.mask ? (k.get(a.field) & ~mask) | (a.value & mask) : a.value);
}

void move(const Move& a, FlowKey& k) {
  if (!prerequisites_met(a.source.field, k) || !prerequisites_met(a.dest.field, k)) return;
  k.set(a.dest, k.get(a.source));
}

void pop_from_stack(const Pop& a, PipelineState& s) {
  if (s.stack.empty()) return;
  const U128 value = s.stack.back();
  s.stack.pop_back();
  if (prerequisites_met(a.dest.field, s.key)) s.key.set(a.dest, value);
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
  const bool again = is_mpls(inner);  // a second label: only the outer one has room in a FlowKey
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
    if (prerequisites_met(a.dest.field, k)) k.set(a.dest, a.value);
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
  FieldOutcome operator()(const DecMplsTtl&) const { return dec_ttl(k, F::mpls_ttl, is_mpls(k.u64(F::eth_type))); }
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
