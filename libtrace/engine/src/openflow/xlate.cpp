#include "xlate.h"

#include <algorithm>
#include <utility>

namespace egt::engine::ofproto {
namespace {

constexpr std::size_t kMaxAttribute = 65535;  // a netlink attribute is no longer

// A clone at the end needs no copy (xlate_optimize_odp_actions).
dp::Actions optimized(dp::Actions actions) {
  if (actions.empty()) return actions;
  if (auto* last = std::get_if<dp::Clone>(&actions.back().kind)) {
    dp::Actions nested = std::move(last->actions);
    actions.pop_back();
    for (dp::Action& a : nested) actions.push_back(std::move(a));
  }
  return actions;
}

}  // namespace

bool Xlate::fixed_in(OvsVersion a) const {
  // `a` names the oldest branch that got the fix and the patch level there; it came to newer branches at the same time.
  const OvsVersion& v = version();
  if (v.major != a.major) return v.major > a.major;
  return v.minor > a.minor || (v.minor == a.minor && v.patch >= a.patch);
}

Translation Xlate::run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out) {
  origin_ = bridge_ = &bridge;
  arrived_ = packet_.flow = packet;
  packet_.flow.set(F::actset_output, openflow::port::unset);
  Translation t;
  t.initial = packet;
  if (report_.observer()) report_.observer()->begin(packet_.flow);
  start(frozen);
  if (packet_.error == XlateError::ok && execute_all(packet_out)) packet_.finish_wildcards(arrived_);
  if (packet_.error == XlateError::ok)
    t.actions = optimized(out_.take());
  else
    packet_.slow = false;
  if (packet_.error == XlateError::congestion_drop || packet_.error == XlateError::forwarding_disabled)
    packet_.error = XlateError::ok;
  t.final_flow = packet_.flow;
  t.megaflow_mask = packet_.mask;
  t.error = packet_.error;
  t.slow = packet_.slow;
  return t;
}

void Xlate::start(const FrozenState* frozen) {
  packet_.base = packet_.flow;
  clear_tunnel(packet_.base);
  original_tunnel_destination_ =
      packet_.flow.get(F::tun_dst) != 0 ? (U128{0xffff} << 32 | packet_.flow.get(F::tun_dst)) : packet_.flow.get(F::tun_ipv6_dst);
  original_skb_priority_ = static_cast<std::uint32_t>(get(packet_.flow, F::skb_priority));
  constexpr OvsVersion kKeyOnly{3, 5, 4};
  packet_.begin_wildcards(fixed_in(kKeyOnly));
  report_.enter(NodeKind::bridge, BridgeLine{bridge().name});
  frozen_ = frozen;
  if (frozen) {
    thaw(*frozen);
  } else if (get(packet_.flow, F::recirc_id) != 0) {
    report_.note(NodeKind::error, Remark::unknown_recirculation, get(packet_.flow, F::recirc_id));
    packet_.error = XlateError::no_recirculation_context;
    return;
  }
  if (!frozen && get(packet_.flow, F::ct_state) & ct_state::trk) conntracked_ = true;
  if (SwitchPort* in = origin_->port(static_cast<std::uint32_t>(get(packet_.base, F::in_port))); in && !in->is_patch)
    first_port_ = in->number;
}

void Xlate::thaw(const FrozenState& frozen) {
  const auto level = report_.level();
  Note thawed;
  thawed.bridge = frozen.bridge->bridge;
  report_.enter(NodeKind::thaw, std::move(thawed));
  bridge_ = frozen.bridge;
  table_ = frozen.table;
  report_.note(NodeKind::thaw, Remark::resuming_from_table, table_);
  conntracked_ = frozen.conntracked;
  if (!conntracked_) clear_conntrack();
  copy_tunnel(frozen.metadata, packet_.flow);
  copy_registers(frozen.metadata, packet_.flow);
  packet_.flow.set(F::metadata, frozen.metadata.get(F::metadata));
  packet_.flow.set(F::in_port, frozen.metadata.get(F::in_port));
  stack_ = frozen.stack;
  mirrored_ = frozen.mirrored;
  if (!frozen.action_set.empty()) {
    report_.actions(NodeKind::thaw, Remark::restoring_action_set, frozen.action_set);
    packet_.flow.set(F::actset_output, openflow::port::unset);
    write_actions(frozen.action_set);
  }
  if (!frozen.actions.empty()) report_.actions(NodeKind::thaw, Remark::restoring_actions, frozen.actions);
  report_.set_level(level);
}

// False: actions failed, and what was looked at is left as it is. (A failing action set is not that.)
bool Xlate::execute_all(const Ofpacts* packet_out) {
  SwitchPort* in = origin_->port(static_cast<std::uint32_t>(get(packet_.base, F::in_port)));
  const Ofpacts* list = frozen_ && !frozen_->actions.empty() ? &frozen_->actions : packet_out;
  std::uint64_t cookie = cookie_;
  if (!list) {
    const Rule rule = rules().look_up(table_, static_cast<std::uint32_t>(get(packet_.flow, F::in_port)));
    report_rule(report_, rule, table_, *origin_->bridge, fixed_in(kConjunctions));
    list = rule.actions;
    cookie = rule.cookie;
    rule_is_table_miss_ = rule.table_miss;
  }
  if (bridge_->mirrors_unknown && report_.observer()) report_.observer()->mirrors_unknown(*bridge_);
  if (in && in->mirrors_out != 0) {
    report_mirror_port(report_, NodeKind::error, Remark::received_by_port_of_mirror, *in);
    return true;
  }
  // tnl_process_ecn: a congested tunnel whose packet knows nothing of congestion notification.
  if (has_tunnel_destination(packet_.flow) && is_ip_any(packet_.flow) && (get(packet_.flow, F::tun_tos) & kEcn) == kEcn) {
    if (get(packet_.flow, F::nw_ecn) == 0) {
      packet_.error = XlateError::congestion_drop;
      return true;
    }
    packet_.flow.set(F::nw_ecn, kEcn);
  }
  if (in && in->no_receive(is_stp(packet_.flow))) {
    if (report_.observer()) report_.observer()->not_received(*in);
    return true;
  }
  if (in && !tree_forwards(*in)) return true;
  cookie_ = cookie;
  mirror_input();
  do_actions(*list, true, false);
  if (packet_.error != XlateError::ok) return false;
  end_pipeline();
  if (out_.bytes() > kMaxAttribute - 4) packet_.slow = true;
  return true;
}

// xport_stp_forward_state, xport_rstp_forward_state
bool Xlate::tree_forwards(const SwitchPort& port) {
  const TreeState state = port.tree_state();
  if (state != TreeState::forwards && report_.observer()) report_.observer()->in_spanning_tree(port);
  return state != TreeState::blocks;
}

void Xlate::gap(Input input, Details about) { policy_.missing({input, std::move(about)}); }

}  // namespace egt::engine::ofproto
