#include "rule_lookup.h"

#include <utility>

#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

const Ofpacts kNoActions;

bool is_fragment(const FlowKey& k) { return (get(k, F::ip_frag) & ip_frag::any) != 0; }

}  // namespace

TableWildcards& Tables::wildcards_of(const openflow::Bridge& b, std::uint8_t table, OvsVersion version) {
  constexpr OvsVersion kIpv6Tries{3, 5, 0};
  const std::size_t tries = version >= kIpv6Tries ? openflow::kAddressFields : 2;
  auto& w = wildcards[{&b, table, tries}];
  if (!w) w = std::make_unique<TableWildcards>(*b.flows, lookups.in(*b.flows), table, tries);
  return *w;
}

Rule RuleLookup::miss() const {
  Rule r;
  r.kind = TableLine::Rule::no_match;
  r.bridge = &bridge();
  r.actions = &kNoActions;
  return r;
}

// The packet as tables see it, put together in `changed` where that is not the packet itself.
const FlowKey& RuleLookup::key_of_lookup(std::uint32_t in_port, std::optional<FlowKey>& changed) const {
  const bool fragment = is_fragment(packet_.flow) && bridge().fragments != Fragments::nx_match;
  if (!fragment && get(packet_.flow, F::in_port) == in_port) return packet_.flow;
  changed = packet_.flow;
  changed->set(F::in_port, in_port);
  if (fragment) {
    changed->set(F::tp_src, 0);
    changed->set(F::tp_dst, 0);
  }
  return *changed;
}

Rule RuleLookup::learned_rule(const LearnedRule& learned) const {
  Rule r;
  r.kind = TableLine::Rule::flow;
  r.bridge = &bridge();
  r.cookie = learned.cookie;
  r.priority = learned.priority;
  r.actions = &learned.actions;
  return r;
}

Rule RuleLookup::dumped_rule(FlowIndex flow, Lookup hit) const {
  const Bridge& b = bridge();
  const FlowTables& flows = *b.flows;
  const FlowEntry& f = flows.flow(flow);
  Rule r;
  r.kind = TableLine::Rule::flow;
  r.bridge = &b;
  r.flow = flow;
  r.cookie = f.cookie;
  r.priority = f.priority;
  r.table_miss = f.priority == 0 && openflow::match_of(f).empty();
  r.conjunction = std::move(hit.conjunction);
  r.actions = &tables_.actions->of(flows.actions(f), b);
  return r;
}

Rule RuleLookup::look_up(std::uint8_t table, std::uint32_t in_port) {
  const Bridge& b = bridge();
  std::optional<FlowKey> changed;
  const FlowKey& key = key_of_lookup(in_port, changed);
  TableLookup lookup{b, table, key};
  if (!b.flows) {
    if (report_.observer()) report_.observer()->looked_up(lookup);
    policy_.missing({Input::flows, {b.name}});
    return miss();
  }
  if (is_fragment(packet_.flow) && b.fragments == Fragments::drop) {
    lookup.drops_fragment = true;
    if (report_.observer()) report_.observer()->looked_up(lookup);
    Rule dropped = miss();
    dropped.kind = TableLine::Rule::frags_dropped;
    return dropped;
  }
  lookup.in = &tables_.lookups.in(*b.flows);
  Lookup hit = lookup.in->lookup(table, key);
  if (options_.megaflow) tables_.wildcards_of(b, table, options_.version).add(key, *packet_.wc);
  if (b.flows_partial) policy_.missing({Input::all_flows, {b.name, std::uint64_t{table}}});
  const bool found = hit.hit != kNoFlow;
  lookup.hit = &hit;
  lookup.learned = policy_.learned(b, table, key, found ? std::optional(b.flows->flow(hit.hit).priority) : std::nullopt);
  if (found && !lookup.learned) lookup.used = hit.ties.empty() ? hit.hit : policy_.flow(b, table, hit);
  if (report_.observer()) report_.observer()->looked_up(lookup);
  if (lookup.learned) return learned_rule(*lookup.learned);
  return found ? dumped_rule(lookup.used, std::move(hit)) : miss();
}

void report_rule(XlateReport& report, const Rule& rule, std::uint8_t table, const openflow::Bridge& origin,
                 bool shows_conjunctions) {
  TableLine line{table, rule.kind, 0, rule.bridge, rule.flow};
  // The switch knows the hidden rules by those of the bridge where the trace began; others it shows as they are.
  if (rule.kind != TableLine::Rule::flow && rule.bridge != &origin) {
    line.internal = rule.kind == TableLine::Rule::packet_in ? 1 : rule.kind == TableLine::Rule::no_match ? 2 : 3;
    line.rule = TableLine::Rule::internal;
  }
  report.enter(NodeKind::table, line);
  if (!report.observer() || !shows_conjunctions) return;
  for (const openflow::FlowIndex i : rule.conjunction) {
    Note n;
    n.what = Remark::conjunction_member;
    n.bridge = rule.bridge;
    n.flow = i;
    report.line(NodeKind::detail, std::move(n));
  }
}

}  // namespace egt::engine::ofproto
