#include "datapath/unprinted_meters.h"

#include <algorithm>
#include <set>
#include <variant>

namespace egt::engine {
namespace {

// By the flows' own actions; one that only a nested list names counts as not named.
std::set<std::uint32_t> meters_named(const openflow::FlowTables& flows) {
  std::set<std::uint32_t> named;
  std::set<const openflow::ActionList*> seen;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const openflow::ActionList& actions = flows.actions(flows.flow(i));
    if (!seen.insert(&actions).second) continue;
    for (const openflow::Action& a : actions) {
      if (const auto* meter = std::get_if<openflow::Meter>(&a.kind)) named.insert(meter->id);
      if (const auto* to = std::get_if<openflow::Controller>(&a.kind); to != nullptr && to->meter_id) named.insert(*to->meter_id);
    }
  }
  return named;
}

}  // namespace

const openflow::BridgeMeter* unprinted_meter(const openflow::Bridge& bridge) {
  if (bridge.meters.empty() || bridge.flows_show_meters || !bridge.flows) return nullptr;
  const std::set<std::uint32_t> named = meters_named(*bridge.flows);
  const auto found = std::find_if(bridge.meters.begin(), bridge.meters.end(),
                                  [&](const openflow::BridgeMeter& m) { return !named.contains(m.id); });
  return found == bridge.meters.end() ? nullptr : &*found;
}

// Only stages of QoS meter the traffic itself (build_qos() of northd.c): "ls_in_qos_meter", "ls_out_qos". Very old lists name no stage.
const ovn::LogicalFlow* metering_flow(const ovn::Ovn& ovn, std::uint64_t cookie) {
  for (const ovn::PrefixIndex::PrefixedRow& at : ovn.logical_flows.with(cookie)) {
    const ovn::LogicalFlow& f = ovn.logical_flows[at.row];
    const bool may_meter = f.stage.empty() || f.stage.find("qos") != std::string_view::npos;
    if (may_meter && f.actions.find("set_meter(") != std::string_view::npos) return &f;
  }
  return nullptr;
}

}  // namespace egt::engine
