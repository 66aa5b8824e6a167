#include "egtrace/ovn/ovn.h"

#include <algorithm>

namespace egt::ovn {

bool Ovn::is_on(const LogicalFlow& flow, std::string_view datapath) const {
  if (flow.group >= datapath_groups.size()) return flow.datapath == datapath;
  const auto& all = datapath_groups[flow.group].datapaths;
  return std::find(all.begin(), all.end(), datapath) != all.end();
}

}  // namespace egt::ovn
