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
  const bool fragment = is_fragment(packet_.flow) && bridge().fragments != Fragments::nx_match;
  if (!fragment && get(packet_.flow, F::in_port) == in_port) return packet_.flow;
  changed = packet_.flow;
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
    if (report_.observer()) report_.observer()->looked_up(lookup);
    gap(Input::flows, {b.name});
    return miss(may_packet_in);
  }
  if (is_fragment(packet_.flow) && b.fragments == Fragments::drop) {
    lookup.drops_fragment = true;
    if (report_.observer()) report_.observer()->looked_up(lookup);
    Rule dropped = miss(may_packet_in);
    dropped.kind = TableLine::Rule::frags_dropped;
    return dropped;
  }
  lookup.in = &tables_.lookups.in(*b.flows);
  Lookup hit = lookup.in->lookup(table, key);
  if (options_.megaflow) tables_.wildcards_of(b, table, version()).add(key, *packet_.wc);
  if (b.flows_partial) gap(Input::all_flows, {b.name, std::uint64_t{table}});
  const bool found = hit.hit != kNoFlow;
  lookup.hit = &hit;
  lookup.learned = policy_.learned(b, table, key, found ? std::optional(b.flows->flow(hit.hit).priority) : std::nullopt);
  if (found && !lookup.learned) lookup.used = hit.ties.empty() ? hit.hit : policy_.flow(b, table, hit);
  if (report_.observer()) report_.observer()->looked_up(lookup);
  if (lookup.learned) return learned_rule(*lookup.learned);
  return found ? dumped_rule(lookup.used, std::move(hit)) : miss(may_packet_in);
}

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

void Xlate::table_action(std::uint32_t in_port, std::uint8_t table, bool may_packet_in, bool with_ct_orig, bool is_last,
                         bool as_clone) {
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
  const Rule rule = look_up(table_, in_port, may_packet_in);
  if (with_ct_orig) {
    swap_tuple(packet_.flow, v4);
    swap_tuple(*packet_.wc, v4);
  }
  const auto level = report_.level();
  report_table(rule, table);
  recursively(rule, table <= old_table, is_last, as_clone);
  report_.set_level(level);
  table_ = old_table;
}

void Xlate::resubmit(const Resubmit& a, bool is_last) {
  constexpr std::uint8_t kCurrent = 255;
  auto in_port = static_cast<std::uint32_t>(get(packet_.flow, F::in_port));
  if (a.in_port) {
    const auto number = bridge_->number_of(*a.in_port);
    if (number && *number != port::in_port) in_port = *number;
  }
  std::uint8_t table = a.table.value_or(kCurrent);
  if (table == kCurrent) table = table_;
  table_action(in_port, table, false, a.with_ct, is_last, false);
}

void Xlate::report_table(const Rule& rule, std::uint8_t table) {
  TableLine line{table, rule.kind, 0, rule.bridge, rule.flow};
  // The switch knows the hidden rules by those of the bridge where the trace began; others it shows as they are.
  if (rule.kind != TableLine::Rule::flow && rule.bridge != origin_->bridge) {
    line.internal = rule.kind == TableLine::Rule::packet_in ? 1 : rule.kind == TableLine::Rule::no_match ? 2 : 3;
    line.rule = TableLine::Rule::internal;
  }
  report_.enter(NodeKind::table, line);
  constexpr OvsVersion kConjunctions{3, 3, 0};
  if (!report_.observer() || !fixed_in(kConjunctions)) return;
  for (const openflow::FlowIndex i : rule.conjunction) {
    Note n;
    n.what = Remark::conjunction_member;
    n.bridge = rule.bridge;
    n.flow = i;
    report_.line(NodeKind::detail, std::move(n));
  }
}

}  // namespace egt::engine::ofproto
