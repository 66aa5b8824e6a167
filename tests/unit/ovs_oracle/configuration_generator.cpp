#include <fmt/format.h>

#include "generator.h"

namespace egt::testing {
namespace {

constexpr unsigned kTables = 8, kGroups = 8;

std::string priority_and_match(Dice& dice, unsigned table, const std::string& match) {
  const unsigned priority = dice.one_in(6) ? 32768 : dice.below(5) * 10;
  const std::string cookie = dice.one_in(2) ? fmt::format("cookie=0x{:x},", dice.between(1, 255)) : "";
  return fmt::format("{}table={},priority={}{}{}", cookie, table, priority, match.empty() ? "" : ",", match);
}

// What comes behind the list of actions, in the order of the specification.
void add_instructions(Dice& dice, GeneratedFlow& flow, unsigned table, unsigned kinds) {
  if (dice.one_in(8)) flow.actions.insert(flow.actions.begin(), "meter:1");
  if (dice.one_in(8)) flow.actions.emplace_back("clear_actions");
  if (dice.one_in(3)) {
    std::vector<std::string> set = {fmt::format("output:{}", dice.between(1, 4))};
    if (dice.one_in(2)) set.insert(set.begin(), kinds & kind::ip ? "dec_ttl" : "set_field:0a:00:00:00:00:0b->eth_src");
    if (dice.one_in(3)) set.emplace_back("push_vlan:0x8100");
    if (dice.one_in(3)) set.emplace_back(fmt::format("group:{}", dice.between(1, kGroups)));
    if (dice.one_in(3)) set.emplace_back("set_field:7->reg0");
    flow.actions.push_back(fmt::format("write_actions({})", fmt::join(set, ",")));
  }
  if (dice.one_in(4)) flow.actions.emplace_back(dice.one_in(2) ? "write_metadata:0x2" : "write_metadata:0x1/0x3");
  if (dice.one_in(2) && table + 1 < kTables)
    flow.actions.push_back(fmt::format("goto_table:{}", dice.between(table + 1, kTables - 1)));
}

GeneratedFlow random_flow(Dice& dice, const std::string& bridge, unsigned table, bool like_ovn, bool old_dialect) {
  const Protocol& protocol = random_protocol(dice, like_ovn);
  GeneratedFlow flow;
  flow.bridge = bridge;
  flow.match = priority_and_match(dice, table, random_match(dice, protocol, like_ovn));
  const unsigned tracked = flow.match.find("+trk") != std::string::npos ? kind::tracked : kind::any;
  flow.actions = random_actions(dice, {bridge, table, like_ovn, old_dialect, false}, protocol.kinds | tracked);
  if (!like_ovn && !old_dialect && dice.one_in(3)) add_instructions(dice, flow, table, protocol.kinds);
  return flow;
}

// Two dimensions of a conjunction, and what it leads to.
void add_conjunction(Dice& dice, Configuration& c, const std::string& bridge) {
  const unsigned table = dice.below(kTables), id = dice.between(1, 3), priority = dice.below(5) * 10 + 5;
  const std::string head = fmt::format("table={},priority={},", table, priority);
  const auto add = [&](const std::string& match, std::string action) {
    c.flows.push_back({bridge, head + match, {std::move(action)}});
  };
  for (const char* from : {"nw_src=10.0.0.1", "nw_src=10.0.0.0/24", "nw_src=10.1.0.1"})
    if (!dice.one_in(3)) add(fmt::format("ip,{}", from), fmt::format("conjunction({},1/2)", id));
  for (const char* to : {"nw_dst=10.0.0.1", "nw_dst=10.96.0.0/16", "nw_dst=10.0.0.3"})
    if (!dice.one_in(3)) add(fmt::format("ip,{}", to), fmt::format("conjunction({},2/2)", id));
  if (!dice.one_in(6))
    add(fmt::format("conj_id={},ip", id), dice.one_in(2) ? "resubmit(,7)" : fmt::format("output:{}", dice.between(1, 4)));
}

GeneratedGroup random_group(Dice& dice, const std::string& bridge, unsigned id, bool like_ovn) {
  static const char* const kTypes[] = {"all",
                                       "select,selection_method=dp_hash",
                                       "select,selection_method=hash,fields(ip_src,ip_dst)",
                                       "select,selection_method=hash,fields(eth_src,tcp_dst,udp_dst)",
                                       "select",
                                       "indirect",
                                       "ff"};
  const std::string type = dice.of(kTypes);
  GeneratedGroup group{bridge, fmt::format("group_id={},type={}", id, type), {}};
  const ActionPlace place{bridge, 4, like_ovn, false, true};
  const unsigned n = type == "indirect" ? 1 : dice.between(1, 4);
  for (unsigned i = 0; i < n; ++i) {
    std::string bucket;
    if (type.starts_with("select") && dice.one_in(2)) bucket = fmt::format("weight:{},", dice.between(0, 3));
    if (type == "ff") bucket = fmt::format("watch_port:{},", dice.between(1, 5));
    const auto actions = random_actions(dice, place, kind::ip | kind::ip4);
    bucket += fmt::format("actions={}", actions.empty() ? "drop" : fmt::format("{}", fmt::join(actions, ",")));
    group.buckets.push_back(bucket);
  }
  return group;
}

}  // namespace

std::string text_of(const GeneratedFlow& flow) {
  if (flow.actions.empty()) return flow.match + ",actions=drop";
  return fmt::format("{},actions={}", flow.match, fmt::join(flow.actions, ","));
}

std::string text_of(const GeneratedGroup& group) {
  std::string text = group.head;
  for (const std::string& b : group.buckets) text += ",bucket=" + b;
  return text;
}

Configuration random_configuration(Dice& dice) {
  Configuration c;
  const bool like_ovn = dice.one_in(2);
  c.old_dialect = dice.one_in(5);
  static const char* const kStates[] = {"trk,est", "trk,new", "trk,est,rpl", "trk,inv", "trk,rel"};
  for (unsigned i = dice.below(3); i > 0; --i) c.ct_next.emplace_back(dice.of(kStates));
  for (const char* bridge : {"br-int", "br-ex"}) {
    for (unsigned table = 0; table < kTables; ++table) {
      for (unsigned i = dice.between(1, 5); i > 0; --i)
        c.flows.push_back(random_flow(dice, bridge, table, like_ovn, c.old_dialect));
      // Something for what nothing else takes.
      if (dice.one_in(5)) continue;
      GeneratedFlow rest = random_flow(dice, bridge, table, like_ovn, c.old_dialect);
      rest.match = fmt::format("table={},priority=0", table);
      rest.actions = random_actions(dice, {c.flows.back().bridge, table, like_ovn, c.old_dialect, false}, kind::any);
      c.flows.push_back(rest);
    }
    if (dice.one_in(2)) add_conjunction(dice, c, bridge);
    for (unsigned id = 1; id <= kGroups; ++id)
      c.groups.push_back(random_group(dice, bridge, id, like_ovn));
  }
  return c;
}

}  // namespace egt::testing
