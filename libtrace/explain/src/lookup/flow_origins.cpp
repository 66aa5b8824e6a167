#include "lookup/flow_origins.h"

#include <vector>

#include "in_pieces.h"
#include "phrases/lookups.h"

namespace egt::explain {

const FlowOrigins::Cookies& FlowOrigins::conjunctions_of(const openflow::Bridge& bridge) {
  const auto [known, fresh] = conjunctions_.try_emplace(&bridge);
  if (!fresh) return known->second;
  const std::vector<bool> of_clauses = shapes_that_look_at(*bridge.flows, FieldId::conj_id);
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i)
    if (of_clauses[bridge.flows->shape_of(i)]) {
      const openflow::FlowEntry& flow = bridge.flows->flow(i);
      const auto id = static_cast<std::uint32_t>(openflow::value_of(openflow::match_of(flow), FieldId::conj_id));
      if (flow.cookie != 0) known->second.emplace(std::pair(flow.table, id), flow.cookie);
    }
  return known->second;
}

std::set<std::uint64_t> FlowOrigins::cookies_behind(const openflow::Bridge& bridge, openflow::FlowIndex member) {
  std::set<std::uint64_t> cookies;
  if (!bridge.flows->is_conjunctive(member)) return cookies;
  const Cookies& known = conjunctions_of(bridge);
  std::vector<openflow::Conjunction> memberships;
  bridge.flows->memberships_of(member, memberships);
  for (const openflow::Conjunction& of : memberships)
    for (auto [one, end] = known.equal_range({bridge.flows->table_of(member), of.id}); one != end; ++one)
      cookies.insert(one->second);
  return cookies;
}

std::string FlowOrigins::words(const cluster::Node& node, const openflow::Bridge& bridge, openflow::FlowIndex i) {
  const openflow::FlowEntry& flow = bridge.flows->flow(i);
  std::string what = phrase(FoundFact::flow_of_table, {flow.table, flow.priority});
  if (flow.cookie == 0)
    for (const std::uint64_t cookie : cookies_behind(bridge, i))
      for (const ovn::LogicalFlow* behind : names_.logical_flows(node, cookie))
        what += phrase(FoundFact::of_conjunction, {behind->uuid, behind->stage});
  for (const ovn::LogicalFlow* behind : names_.logical_flows(node, flow.cookie))
    what += phrase(FoundFact::of_logical_flow, {behind->uuid, behind->stage});
  return what;
}

}  // namespace egt::explain
