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

const Ofpacts kNoActions;

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

bool is_fragment(const FlowKey& k) { return (get(k, F::ip_frag) & ip_frag::any) != 0; }

}  // namespace

Xlate::Rule Xlate::miss(bool may_packet_in) {
  static_cast<void>(may_packet_in);  // only a controller of OpenFlow 1.2 or older hears of misses
  Rule r;
  r.kind = TableLine::Rule::no_match;
  r.bridge = &bridge();
  r.actions = &kNoActions;
  return r;
}

// The packet as tables see it, put together in `changed` where that is not the packet itself.
const FlowKey& Xlate::key_of_lookup(std::uint32_t in_port, FlowKey& changed) const {
  const bool fragment = is_fragment(flow_) && bridge().fragments != Fragments::nx_match;
  if (!fragment && get(flow_, F::in_port) == in_port) return flow_;
  changed = flow_;
  changed.set(F::in_port, in_port);
  if (fragment) {
    changed.set(F::tp_src, 0);
    changed.set(F::tp_dst, 0);
  }
  return changed;
}

Xlate::Rule Xlate::learned_rule(const LearnedRule& learned) {
  Rule r;
  r.kind = TableLine::Rule::flow;
  r.bridge = &bridge();
  r.cookie = learned.cookie;
  r.priority = learned.priority;
  r.actions = &learned.actions;
  return r;
}

Xlate::Rule Xlate::dumped_rule(FlowIndex flow, Lookup hit) {
  const Bridge& b = bridge();
  const FlowTables& flows = *b.flows;
  const FlowEntry& f = flows.flow(flow);
  Rule r;
  r.kind = TableLine::Rule::flow;
  r.bridge = &b;
  r.flow = flow;
  r.cookie = f.cookie;
  r.priority = f.priority;
  r.table_miss = f.priority == 0 && flows.match(f).empty();
  r.conjunction = std::move(hit.conjunction);
  r.actions = &tables_.actions->of(flows.actions(f), b);
  return r;
}

Xlate::Rule Xlate::look_up(std::uint8_t& table, std::uint32_t in_port, bool may_packet_in) {
  const Bridge& b = bridge();
  FlowKey changed;
  const FlowKey& key = key_of_lookup(in_port, changed);
  TableLookup lookup{b, table, key};
  if (!b.flows) {
    if (observer_) observer_->looked_up(lookup);
    gap(Input::flows, {b.name});
    return miss(may_packet_in);
  }
  if (is_fragment(flow_) && b.fragments == Fragments::drop) {
    lookup.drops_fragment = true;
    if (observer_) observer_->looked_up(lookup);
    Rule dropped = miss(may_packet_in);
    dropped.kind = TableLine::Rule::frags_dropped;
    return dropped;
  }
  lookup.in = &tables_.lookups.in(*b.flows);
  Lookup hit = lookup.in->lookup(table, key);
  if (options_.megaflow) tables_.wildcards_of(b, table, version()).add(key, wc());
  if (b.flows_partial) gap(Input::all_flows, {b.name, std::uint64_t{table}});
  const bool found = hit.hit != kNoFlow;
  lookup.hit = &hit;
  lookup.learned = policy_.learned(b, table, key, found ? std::optional(b.flows->flow(hit.hit).priority) : std::nullopt);
  if (found && !lookup.learned) lookup.used = hit.ties.empty() ? hit.hit : policy_.flow(b, table, hit);
  if (observer_) observer_->looked_up(lookup);
  if (lookup.learned) return learned_rule(*lookup.learned);
  return found ? dumped_rule(lookup.used, std::move(hit)) : miss(may_packet_in);
}

bool Xlate::resources_left() {
  if (depth_ >= kMaxDepth) {
    error_report(Remark::too_deep, kMaxDepth);
    error_ = XlateError::recursion_too_deep;
  } else if (resubmits_ >= kMaxResubmits) {
    error_report(Remark::too_many_resubmits, kMaxResubmits);
    error_ = XlateError::too_many_resubmits;
  } else if (out_bytes_ > kMaxActions) {
    error_report(Remark::too_many_actions);
    exit_ = true;
  } else if (stack_.size() >= kMaxStack) {
    error_report(Remark::stack_too_big);
    error_ = XlateError::stack_too_deep;
  } else if (nesting_ >= kMaxNesting) {
    gap(Input::shallow_pipeline);
    error_ = XlateError::recursion_too_deep;
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

void Xlate::table_action(std::uint32_t in_port, std::uint8_t table, bool may_packet_in, bool with_ct_orig, bool is_last,
                         bool as_clone) {
  if (was_mpls_) return trigger_freeze();
  if (!resources_left()) return;
  const std::uint8_t old_table = table_;
  table_ = table;
  const bool v4 = get(flow_, F::eth_type) == ethertype::ipv4;
  if (with_ct_orig) {
    if (get(flow_, F::ct_nw_proto) == 0 || !is_ip_any(flow_)) {
      error_report(Remark::resubmit_not_tracked);
      table_ = old_table;
      return;
    }
    swap_tuple(flow_, v4);
    swap_tuple(wc(), v4);
  }
  const Rule rule = look_up(table_, in_port, may_packet_in);
  if (with_ct_orig) {
    swap_tuple(flow_, v4);
    swap_tuple(wc(), v4);
  }
  const auto level = level_;
  report_table(rule, table);
  recursively(rule, table <= old_table, is_last, as_clone);
  level_ = level;
  table_ = old_table;
}

void Xlate::resubmit(const Resubmit& a, bool is_last) {
  constexpr std::uint8_t kCurrent = 255;
  auto in_port = static_cast<std::uint32_t>(get(flow_, F::in_port));
  if (a.in_port) {
    const auto number = port_number(*a.in_port);
    if (number && *number != port::in_port) in_port = *number;
  }
  std::uint8_t table = a.table.value_or(kCurrent);
  if (table == kCurrent) table = table_;
  table_action(in_port, table, false, a.with_ct, is_last, false);
}

}  // namespace egt::engine::ofproto
