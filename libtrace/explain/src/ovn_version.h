// Which OVN releases a flow table may come from, judged by its shape alone.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {

struct OvnVersion {
  std::vector<std::string> candidates;  // release series, oldest first; several until something decides
  std::string because;
};

OvnVersion infer_ovn_version(const cluster::Cluster& cluster);
// Of one node; none where nothing shows it.
std::vector<std::string> ovn_versions_of(const cluster::Node& node);

}  // namespace egt::explain
