#include "egtrace/ovn/southbound.h"

#include "egtrace/ovn/ovn.h"

namespace egt::ovn {

const FlowOrigin* origin_of(const Ovn& ovn, const LogicalFlow& flow) {
  if (!ovn.southbound) return nullptr;
  const auto index = static_cast<std::size_t>(&flow - ovn.logical_flows.data());
  return index < ovn.southbound->origins.size() ? &ovn.southbound->origins[index] : nullptr;
}

std::vector<std::string_view> datapaths_of(const Ovn& ovn, const LogicalFlow& flow) {
  const FlowOrigin* origin = origin_of(ovn, flow);
  if (origin == nullptr || origin->group >= ovn.southbound->named_groups.size()) return {flow.datapath};
  const auto& all = ovn.southbound->named_groups[origin->group].datapaths;
  return {all.begin(), all.end()};
}

bool has_flow_database(const Ovn& ovn) { return ovn.southbound && ovn.southbound->flow_database.known(); }

}  // namespace egt::ovn
