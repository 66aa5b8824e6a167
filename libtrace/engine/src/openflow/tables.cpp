// Lookups in flow tables and what follows from them.
#include <utility>

#include "packet_fields.h"
#include "pipeline.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// Exchanges the packet's own tuple with the original one of its connection.
void swap_tuple(FlowKey& k, bool v4) {
  const auto exchange = [&](F a, F b) {
    const U128 x = k.get(a);
    k.set(a, k.get(b));
    k.set(b, x);
  };
  exchange(F::nw_proto, F::ct_nw_proto);
  if (v4) {
    exchange(F::ip_src, F::ct_nw_src);
    exchange(F::ip_dst, F::ct_nw_dst);
  } else {
    exchange(F::ipv6_src, F::ct_ipv6_src);
    exchange(F::ipv6_dst, F::ct_ipv6_dst);
  }
  exchange(F::tp_src, F::ct_tp_src);
  exchange(F::tp_dst, F::ct_tp_dst);
}

}  // namespace

void Pipeline::report_table(const Rule& rule, std::uint8_t table) {
  constexpr OvsVersion kConjunctions{3, 3, 0};  // a trace shows the members of a conjunctive match
  report_rule(c_.report, rule, table, *c_.arrival.bridge->bridge, c_.fixed_in(kConjunctions));
}

Rule Pipeline::first_rule() {
  Rule rule = rules().look_up(c_.at.table, static_cast<std::uint32_t>(get(c_.packet.flow, F::in_port)));
  report_table(rule, c_.at.table);
  return rule;
}

void Pipeline::execute_rule(const Rule& rule, bool deepens, bool is_last, bool as_clone) {
  const auto old_cookie = c_.at.cookie;
  const bool was_table_miss = c_.at.is_table_miss;
  limits_.count_resubmit();
  limits_.enter(deepens);
  c_.at.is_table_miss = rule.table_miss;
  c_.at.cookie = rule.cookie;
  if (as_clone) {
    clone(*rule.actions, is_last);
  } else {
    do_actions(*rule.actions, is_last, false);
  }
  c_.at.cookie = old_cookie;
  c_.at.is_table_miss = was_table_miss;
  limits_.leave(deepens);
}

void Pipeline::enter_table(std::uint32_t in_port, std::uint8_t table, bool with_ct_orig, bool is_last, bool as_clone) {
  XlatePacket& packet = c_.packet;
  if (packet.was_mpls) return trigger_freeze();
  if (!limits_.resources_left(c_, exit_)) return;
  const std::uint8_t old_table = c_.at.table;
  c_.at.table = table;
  const bool v4 = get(packet.flow, F::eth_type) == ethertype::ipv4;
  if (with_ct_orig) {
    if (get(packet.flow, F::ct_nw_proto) == 0 || !is_ip_any(packet.flow)) {
      c_.report.error(Remark::resubmit_not_tracked);
      c_.at.table = old_table;
      return;
    }
    swap_tuple(packet.flow, v4);
    swap_tuple(*packet.wc, v4);
  }
  const Rule rule = rules().look_up(table, in_port);
  if (with_ct_orig) {
    swap_tuple(packet.flow, v4);
    swap_tuple(*packet.wc, v4);
  }
  const auto level = c_.report.level();
  report_table(rule, table);
  execute_rule(rule, table <= old_table, is_last, as_clone);
  c_.report.set_level(level);
  c_.at.table = old_table;
}

void Pipeline::resubmit(const Resubmit& a, bool is_last) {
  constexpr std::uint8_t kCurrent = 255;
  if (!a.table_name.empty()) return c_.gap(Input::table_number, {a.table_name, c_.bridge().name});
  auto in_port = static_cast<std::uint32_t>(get(c_.packet.flow, F::in_port));
  if (a.in_port) {
    const auto number = c_.at.bridge->number_of(*a.in_port);
    if (number && *number != port::in_port) in_port = *number;
  }
  std::uint8_t table = a.table.value_or(kCurrent);
  if (table == kCurrent) table = c_.at.table;
  enter_table(in_port, table, a.with_ct, is_last, false);
}

void Pipeline::enter_peer(SwitchPort& to, bool is_last) {
  XlatePacket& packet = c_.packet;
  Retained old = retain();
  const bool old_conntracked = packet.conntracked, old_was_mpls = packet.was_mpls;
  FlowKey old_tunnel_mask;
  copy_tunnel(*packet.wc, old_tunnel_mask);
  SwitchBridge* const old_bridge = c_.at.bridge;
  const MirrorMask old_mirrored = packet.mirrored;
  if (to.bridge != old_bridge) packet.mirrored = 0;
  const auto level = c_.report.level();
  packet.stack.clear();
  action_set_.clear();
  packet.flow.set(F::in_port, to.number);
  packet.flow.set(F::metadata, 0);
  clear_tunnel(packet.flow);
  clear_tunnel(*packet.wc);
  clear_registers(packet.flow);
  packet.flow.set(F::actset_output, port::unset);
  packet.clear_conntrack();
  c_.report.enter(NodeKind::bridge, BridgeLine{to.bridge->bridge->name});
  c_.at.bridge = to.bridge;
  if (lets_in(to, c_)) {
    enter_table(to.number, 0, false, is_last, true);
    end_pipeline();
  }
  c_.report.set_level(level);
  if (to.bridge != old_bridge) packet.mirrored = old_mirrored;
  c_.at.bridge = old_bridge;
  restore(std::move(old));
  copy_tunnel(old_tunnel_mask, *packet.wc);
  packet.was_mpls = old_was_mpls;
  packet.conntracked = old_conntracked;
  exit_ = false;
  packet.error = XlateError::ok;
}

}  // namespace egt::engine::ofproto
