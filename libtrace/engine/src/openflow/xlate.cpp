#include "xlate.h"

#include <algorithm>
#include <utility>

namespace egt::engine::ofproto {
namespace {

constexpr std::size_t kMaxAttribute = 65535;  // a netlink attribute is no longer

}  // namespace

TableWildcards& Tables::wildcards_of(const openflow::Bridge& b, std::uint8_t table, OvsVersion version) {
  constexpr OvsVersion kIpv6Tries{3, 5, 0};
  const std::size_t tries = version >= kIpv6Tries ? openflow::kAddressFields : 2;
  auto& w = wildcards[{&b, table, tries}];
  if (!w) w = std::make_unique<TableWildcards>(*b.flows, lookups.in(*b.flows), table, tries);
  return *w;
}

std::uint32_t Recirculations::hold(const FrozenState& s) {
  std::uint32_t id = 0;
  for (const std::uint32_t i : live_)
    if (state(i) == s) id = i;
  if (id == 0) {
    states_.push_back({s, 0});
    id = static_cast<std::uint32_t>(states_.size());
    live_.push_back(id);
  }
  ++states_[id - 1].holders;
  of_pass_.push_back(id);
  return id;
}

void Recirculations::release(std::uint32_t id) {
  if (--states_[id - 1].holders == 0) std::erase(live_, id);
}

void Recirculations::end_pass() {
  for (const std::uint32_t id : std::exchange(of_pass_, {})) release(id);
}

void Recirculations::wait(Waiting w) {
  ++states_[w.id - 1].holders;
  queue.push_back(std::move(w));
}

std::uint32_t Recirculations::meter_of(const openflow::Bridge& b, std::uint32_t id) {
  const std::pair key(&b, id);
  if (const auto known = meters_.find(key); known != meters_.end()) return known->second;
  std::uint32_t number = id == 0 ? 0 : id - 1;
  const auto taken = [&] {
    return std::any_of(meters_.begin(), meters_.end(), [&](const auto& m) { return m.second == number; });
  };
  if (taken()) number = 0;
  while (taken()) ++number;
  meters_.emplace(key, number);
  return number;
}

bool Xlate::fixed_in(OvsVersion a) const {
  // `a` names the oldest branch that got the fix and the patch level there; it came to newer branches at the same time.
  const OvsVersion& v = version();
  if (v.major != a.major) return v.major > a.major;
  return v.minor > a.minor || (v.minor == a.minor && v.patch >= a.patch);
}

// --- the run -------------------------------------------------------------------------------------------------------

Translation Xlate::run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out) {
  origin_ = bridge_ = &bridge;
  packet_ = flow_ = packet;
  flow_.set(F::actset_output, openflow::port::unset);
  Translation t;
  t.initial = packet;
  if (observer_) observer_->begin(flow_);
  start(frozen);
  if (error_ == XlateError::ok && execute_all(packet_out)) finish_wildcards();
  if (error_ != XlateError::ok) {
    slow_ = false;
    actions_.clear();
  } else {
    optimize_datapath_actions();
  }
  if (error_ == XlateError::congestion_drop || error_ == XlateError::forwarding_disabled) error_ = XlateError::ok;
  t.final_flow = flow_;
  t.megaflow_mask = mask_;
  t.actions = std::move(actions_);
  t.error = error_;
  t.slow = slow_;
  return t;
}

void Xlate::start(const FrozenState* frozen) {
  base_ = flow_;
  clear_tunnel(base_);
  original_tunnel_destination_ =
      flow_.get(F::tun_dst) != 0 ? (U128{0xffff} << 32 | flow_.get(F::tun_dst)) : flow_.get(F::tun_ipv6_dst);
  original_skb_priority_ = static_cast<std::uint32_t>(get(flow_, F::skb_priority));
  init_wildcards();
  enter(NodeKind::bridge, BridgeLine{bridge().name});
  frozen_ = frozen;
  if (frozen) {
    thaw(*frozen);
  } else if (get(flow_, F::recirc_id) != 0) {
    report(NodeKind::error, Remark::unknown_recirculation, get(flow_, F::recirc_id));
    error_ = XlateError::no_recirculation_context;
    return;
  }
  if (!frozen && get(flow_, F::ct_state) & ct_state::trk) conntracked_ = true;
  if (SwitchPort* in = origin_->port(static_cast<std::uint32_t>(get(base_, F::in_port))); in && !in->is_patch)
    first_port_ = in->number;
}

void Xlate::thaw(const FrozenState& frozen) {
  const auto level = level_;
  Note thawed;
  thawed.bridge = frozen.bridge->bridge;
  enter(NodeKind::thaw, std::move(thawed));
  bridge_ = frozen.bridge;
  table_ = frozen.table;
  report(NodeKind::thaw, Remark::resuming_from_table, table_);
  conntracked_ = frozen.conntracked;
  if (!conntracked_) clear_conntrack();
  copy_tunnel(frozen.metadata, flow_);
  copy_registers(frozen.metadata, flow_);
  flow_.set(F::metadata, frozen.metadata.get(F::metadata));
  flow_.set(F::in_port, frozen.metadata.get(F::in_port));
  stack_ = frozen.stack;
  if (!frozen.action_set.empty()) {
    report_actions(NodeKind::thaw, Remark::restoring_action_set, frozen.action_set);
    flow_.set(F::actset_output, openflow::port::unset);
    write_actions(frozen.action_set);
  }
  if (!frozen.actions.empty()) report_actions(NodeKind::thaw, Remark::restoring_actions, frozen.actions);
  level_ = level;
}

// False: actions failed, and what was looked at is left as it is. (A failing action set is not that.)
bool Xlate::execute_all(const Ofpacts* packet_out) {
  SwitchPort* in = origin_->port(static_cast<std::uint32_t>(get(base_, F::in_port)));
  const Ofpacts* list = frozen_ && !frozen_->actions.empty() ? &frozen_->actions : packet_out;
  std::uint64_t cookie = cookie_;
  if (!list) {
    const Rule rule = look_up(table_, static_cast<std::uint32_t>(get(flow_, F::in_port)), true);
    report_table(rule, table_);
    list = rule.actions;
    cookie = rule.cookie;
    rule_is_table_miss_ = rule.table_miss;
  }
  // tnl_process_ecn: a congested tunnel whose packet knows nothing of congestion notification.
  if (has_tunnel_destination(flow_) && is_ip_any(flow_) && (get(flow_, F::tun_tos) & kEcn) == kEcn) {
    if (get(flow_, F::nw_ecn) == 0) {
      error_ = XlateError::congestion_drop;
      return true;
    }
    flow_.set(F::nw_ecn, kEcn);
  }
  if (in && in->no_receive(is_stp(flow_))) {
    if (observer_) observer_->not_received(*in);
    return true;
  }
  cookie_ = cookie;
  do_actions(*list, true, false);
  if (error_ != XlateError::ok) return false;
  end_pipeline();
  if (out_bytes_ > kMaxAttribute - 4) slow_ = true;
  return true;
}

void Xlate::init_wildcards() {
  mask_ = FlowKey();
  mask_all(mask_, F::packet_type);
  mask_all(mask_, F::in_port);
  mask_all(mask_, F::eth_type);
  if (is_ip_any(flow_)) mask_all(mask_, F::ip_frag);
  mask_all(mask_, F::recirc_id);
  if (!has_tunnel_destination(flow_)) return;
  mask_all(mask_, F::tun_id);
  if (flow_.get(F::tun_dst) != 0) {
    mask_all(mask_, F::tun_src);
    mask_all(mask_, F::tun_dst);
  } else {
    mask_all(mask_, F::tun_ipv6_src);
    mask_all(mask_, F::tun_ipv6_dst);
  }
  constexpr OvsVersion kKeyOnly{3, 5, 4};
  set(mask_, X::tun_header_flags, fixed_in(kKeyOnly) ? tunnel_flag::key : tunnel_flag::df | tunnel_flag::csum | tunnel_flag::key);
  mask_all(mask_, F::tun_tos);
  if (is_ip_any(flow_) && (get(flow_, F::tun_tos) & kEcn) == kEcn) mask_bits(mask_, F::nw_ecn, kEcn);
}

void Xlate::finish_wildcards() {
  clear_registers(mask_);
  for (const F f : {F::metadata, F::actset_output, F::conj_id}) mask_.set(f, 0);
  if (get(packet_, F::packet_type) != packet_type::ethernet) {
    mask_.set(F::eth_src, 0);
    mask_.set(F::eth_dst, 0);
  }
  if (is_icmpv4(flow_, nullptr) || is_icmpv6(flow_, nullptr)) {
    mask_.set(F::tp_src, mask_.get(F::tp_src) & 0xff);
    mask_.set(F::tp_dst, mask_.get(F::tp_dst) & 0xff);
  }
  if (mask_.get(F::vlan_tci) != 0) mask_bits(mask_, F::vlan_tci, kVlanPresent);
  if (mask_.get(F::vlan_tci1) != 0) mask_bits(mask_, F::vlan_tci1, kVlanPresent);
  if (get(flow_, F::ip_frag) & ip_frag::later) {
    mask_.set(F::tp_src, 0);
    mask_.set(F::tp_dst, 0);
  }
  if (!is_mpls(get(packet_, F::eth_type)))
    for (unsigned i = 0; i < kMaxMplsLabels; ++i) set_mpls_lse(mask_, i, 0);
  if (!is_vlan_type(get(packet_, X::vlan_tpid))) mask_.set(F::vlan_tci, 0), set(mask_, X::vlan_tpid, 0);
  if (!is_vlan_type(get(packet_, X::vlan_tpid1))) mask_.set(F::vlan_tci1, 0), set(mask_, X::vlan_tpid1, 0);
  if (!has_tunnel_destination(packet_)) clear_tunnel(mask_);
}

// A clone at the end needs no copy.
void Xlate::optimize_datapath_actions() {
  if (actions_.empty()) return;
  if (auto* last = std::get_if<dp::Clone>(&actions_.back().kind)) {
    dp::Actions nested = std::move(last->actions);
    actions_.pop_back();
    for (dp::Action& a : nested) actions_.push_back(std::move(a));
  }
}

// --- the record ----------------------------------------------------------------------------------------------------

void Xlate::report(NodeKind kind, Note note) {
  if (recording()) observer_->line({kind, level_, std::move(note)});
}

void Xlate::report(NodeKind kind, Remark what, std::uint64_t a, std::uint64_t b, std::string text, std::string more) {
  if (!recording()) return;
  Note n;
  n.what = what;
  n.a = a;
  n.b = b;
  n.text = std::move(text);
  n.more = std::move(more);
  observer_->line({kind, level_, std::move(n)});
}

void Xlate::report_actions(NodeKind kind, Remark what, const Ofpacts& list) {
  if (!recording()) return;
  Note n;
  n.what = what;
  n.list = list;
  observer_->line({kind, level_, std::move(n)});
}

void Xlate::report_action_set(Remark what) {
  if (recording()) report_actions(NodeKind::detail, what, in_action_set_order(action_set_));
}

void Xlate::report_field(const Subfield& f) {
  if (!recording()) return;
  Note n;
  n.what = Remark::field_is_now;
  n.field = f;
  n.value = read(flow_, f);
  if (f == whole(F::vlan_vid)) n.value |= flow_.get(F::vlan_tci) & kVlanPresent;          // as set_field takes it
  if (f == whole(F::nsh_spi) && n.value == exact_mask(F::nsh_spi)) n.value = 0xffffffff;  // as a mask is read
  n.bridge = &bridge();
  observer_->line({NodeKind::detail, level_, std::move(n)});
}

void Xlate::enter(NodeKind kind, decltype(TraceNode::line) line) {
  if (recording()) observer_->line({kind, level_, std::move(line)});
  ++level_;
}

void Xlate::report_table(const Rule& rule, std::uint8_t table) {
  TableLine line{table, rule.kind, 0, rule.bridge, rule.flow};
  // The switch knows the hidden rules by those of the bridge where the trace began; others it shows as they are.
  if (rule.kind != TableLine::Rule::flow && rule.bridge != origin_->bridge) {
    line.internal = rule.kind == TableLine::Rule::packet_in ? 1 : rule.kind == TableLine::Rule::no_match ? 2 : 3;
    line.rule = TableLine::Rule::internal;
  }
  enter(NodeKind::table, line);
  constexpr OvsVersion kConjunctions{3, 3, 0};
  if (!recording() || !fixed_in(kConjunctions)) return;
  for (const openflow::FlowIndex i : rule.conjunction) {
    Note n;
    n.what = Remark::conjunction_member;
    n.bridge = rule.bridge;
    n.flow = i;
    report(NodeKind::detail, std::move(n));
  }
}

void Xlate::gap(Input input, Details about) { policy_.missing({input, std::move(about)}); }

}  // namespace egt::engine::ofproto
