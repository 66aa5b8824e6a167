#include "xlate.h"

#include <utility>

#include "egtrace/engine/openflow/trace.h"
#include "normal.h"
#include "packet_fields.h"

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

Translation Xlate::run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out) {
  XlatePacket& p = context_.packet;
  context_.arrival = {&bridge, &packet, frozen, bridge.port(static_cast<std::uint32_t>(get(packet, F::in_port)))};
  context_.at.bridge = &bridge;
  p.flow = packet;
  p.flow.set(F::actset_output, openflow::port::unset);
  Translation t;
  t.initial = packet;
  if (Observer* observer = context_.report.observer()) observer->begin(p.flow);
  start();
  if (p.error == XlateError::ok && execute_all(packet_out)) p.finish_wildcards(packet);
  if (p.error == XlateError::ok)
    t.actions = optimized(context_.out.take());
  else
    p.slow = false;
  if (p.error == XlateError::congestion_drop || p.error == XlateError::forwarding_disabled) p.error = XlateError::ok;
  t.final_flow = p.flow;
  t.megaflow_mask = p.mask;
  t.error = p.error;
  t.slow = p.slow;
  return t;
}

void Xlate::start() {
  XlatePacket& packet = context_.packet;
  packet.base = packet.flow;
  clear_tunnel(packet.base);
  constexpr OvsVersion kKeyOnly{3, 5, 4};
  packet.begin_wildcards(context_.fixed_in(kKeyOnly));
  context_.report.enter(NodeKind::bridge, BridgeLine{context_.bridge().name});
  if (const FrozenState* frozen = context_.arrival.frozen) {
    thaw(*frozen);
  } else if (get(packet.flow, F::recirc_id) != 0) {
    context_.report.note(NodeKind::error, Remark::unknown_recirculation, get(packet.flow, F::recirc_id));
    packet.error = XlateError::no_recirculation_context;
  } else if (get(packet.flow, F::ct_state) & ct_state::trk) {
    packet.conntracked = true;
  }
}

void Xlate::thaw(const FrozenState& frozen) {
  XlateReport& report = context_.report;
  XlatePacket& packet = context_.packet;
  const auto level = report.level();
  Note thawed;
  thawed.bridge = frozen.bridge->bridge;
  report.enter(NodeKind::thaw, std::move(thawed));
  context_.at.bridge = frozen.bridge;
  context_.at.table = frozen.table;
  report.note(NodeKind::thaw, Remark::resuming_from_table, frozen.table);
  packet.conntracked = frozen.conntracked;
  if (!packet.conntracked) packet.clear_conntrack();
  copy_tunnel(frozen.metadata, packet.flow);
  copy_registers(frozen.metadata, packet.flow);
  packet.flow.set(F::metadata, frozen.metadata.get(F::metadata));
  packet.flow.set(F::in_port, frozen.metadata.get(F::in_port));
  packet.stack = frozen.stack;
  packet.mirrored = frozen.mirrored;
  if (!frozen.action_set.empty()) {
    report.actions(NodeKind::thaw, Remark::restoring_action_set, frozen.action_set);
    packet.flow.set(F::actset_output, openflow::port::unset);
    pipeline_.write_actions(frozen.action_set);
  }
  if (!frozen.actions.empty()) report.actions(NodeKind::thaw, Remark::restoring_actions, frozen.actions);
  report.set_level(level);
}

// False: actions failed, and what was looked at is left as it is. (A failing action set is not that.)
bool Xlate::execute_all(const Ofpacts* packet_out) {
  const FrozenState* frozen = context_.arrival.frozen;
  XlatePacket& packet = context_.packet;
  const Ofpacts* list = frozen && !frozen->actions.empty() ? &frozen->actions : packet_out;
  std::uint64_t cookie = context_.at.cookie;
  if (!list) {
    const Rule rule = pipeline_.first_rule();
    list = rule.actions;
    cookie = rule.cookie;
    context_.at.is_table_miss = rule.table_miss;
  }
  SwitchBridge& bridge = *context_.at.bridge;
  if (bridge.mirrors_unknown && context_.report.observer()) context_.report.observer()->mirrors_unknown(bridge);
  const SwitchPort* in = context_.arrival.port;
  if (in && in->mirrors_out != 0) {
    report_mirror_port(context_.report, NodeKind::error, Remark::received_by_port_of_mirror, *in);
    return true;
  }
  // tnl_process_ecn: a congested tunnel whose packet knows nothing of congestion notification.
  if (has_tunnel_destination(packet.flow) && is_ip_any(packet.flow) && (get(packet.flow, F::tun_tos) & kEcn) == kEcn) {
    if (get(packet.flow, F::nw_ecn) == 0) {
      packet.error = XlateError::congestion_drop;
      return true;
    }
    packet.flow.set(F::nw_ecn, kEcn);
  }
  if (in && !lets_in(*in, context_)) return true;
  context_.at.cookie = cookie;
  if (!pipeline_.execute(*list)) return false;
  if (context_.out.bytes() > kMaxAttribute - 4) packet.slow = true;
  return true;
}

}  // namespace egt::engine::ofproto
