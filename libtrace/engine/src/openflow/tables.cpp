// Lookups in flow tables and what follows from them.
#include <algorithm>

#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr unsigned kMaxDepth = 64, kMaxResubmits = 4096;
constexpr std::size_t kMaxActions = 65535, kMaxStack = 65536;
// Of our own calls, far beyond what a pipeline needs: resubmits to ever higher tables are not counted as deeper.
constexpr unsigned kMaxNesting = 1200;

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

bool Xlate::resources_left() {
  if (depth_ >= kMaxDepth) {
    report_.error(Remark::too_deep, kMaxDepth);
    packet_.error = XlateError::recursion_too_deep;
  } else if (resubmits_ >= kMaxResubmits) {
    report_.error(Remark::too_many_resubmits, kMaxResubmits);
    packet_.error = XlateError::too_many_resubmits;
  } else if (out_.bytes() > kMaxActions) {
    report_.error(Remark::too_many_actions);
    exit_ = true;
  } else if (stack_.size() >= kMaxStack) {
    report_.error(Remark::stack_too_big);
    packet_.error = XlateError::stack_too_deep;
  } else if (nesting_ >= kMaxNesting) {
    gap(Input::shallow_pipeline);
    packet_.error = XlateError::recursion_too_deep;
  } else {
    return true;
  }
  return false;
}

void Xlate::recursively(const Rule& rule, bool deepens, bool is_last, bool as_clone) {
  const auto old_cookie = cookie_;
  const bool was_table_miss = rule_is_table_miss_;
  ++resubmits_;
  ++nesting_;
  depth_ += deepens;
  rule_is_table_miss_ = rule.table_miss;
  cookie_ = rule.cookie;
  if (as_clone) {
    clone(*rule.actions, is_last);
  } else {
    do_actions(*rule.actions, is_last, false);
  }
  cookie_ = old_cookie;
  rule_is_table_miss_ = was_table_miss;
  depth_ -= deepens;
  --nesting_;
}

void Xlate::table_action(std::uint32_t in_port, std::uint8_t table, bool with_ct_orig, bool is_last, bool as_clone) {
  if (packet_.was_mpls) return trigger_freeze();
  if (!resources_left()) return;
  const std::uint8_t old_table = table_;
  table_ = table;
  const bool v4 = get(packet_.flow, F::eth_type) == ethertype::ipv4;
  if (with_ct_orig) {
    if (get(packet_.flow, F::ct_nw_proto) == 0 || !is_ip_any(packet_.flow)) {
      report_.error(Remark::resubmit_not_tracked);
      table_ = old_table;
      return;
    }
    swap_tuple(packet_.flow, v4);
    swap_tuple(*packet_.wc, v4);
  }
  const Rule rule = rules().look_up(table_, in_port);
  if (with_ct_orig) {
    swap_tuple(packet_.flow, v4);
    swap_tuple(*packet_.wc, v4);
  }
  const auto level = report_.level();
  report_rule(report_, rule, table, *origin_->bridge, fixed_in(kConjunctions));
  recursively(rule, table <= old_table, is_last, as_clone);
  report_.set_level(level);
  table_ = old_table;
}

void Xlate::resubmit(const Resubmit& a, bool is_last) {
  constexpr std::uint8_t kCurrent = 255;
  if (!a.table_name.empty()) return gap(Input::table_number, {a.table_name, bridge().name});
  auto in_port = static_cast<std::uint32_t>(get(packet_.flow, F::in_port));
  if (a.in_port) {
    const auto number = bridge_->number_of(*a.in_port);
    if (number && *number != port::in_port) in_port = *number;
  }
  std::uint8_t table = a.table.value_or(kCurrent);
  if (table == kCurrent) table = table_;
  table_action(in_port, table, a.with_ct, is_last, false);
}

}  // namespace egt::engine::ofproto
