#include "egtrace/ovn/southbound.h"

#include "egtrace/ovn/ovn.h"

namespace egt::ovn {

std::vector<std::string_view> datapaths_of(const Ovn& ovn, const LogicalFlow& flow) {
  if (!flow.origin || !ovn.southbound || flow.origin->group >= ovn.southbound->named_groups.size()) return {flow.datapath};
  const auto& all = ovn.southbound->named_groups[flow.origin->group].datapaths;
  return {all.begin(), all.end()};
}

bool has_flow_database(const Ovn& ovn) { return ovn.southbound && ovn.southbound->flow_database.known(); }

}  // namespace egt::ovn
