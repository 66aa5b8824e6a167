// Whose pods a snapshot can mention.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::assess {

struct Coverage {
  std::vector<std::string> absent_nodes;  // that objects name and of which there are no dumps, by name
  std::size_t absent_pods = 0;            // that run on them, those of the host's network not counted
  std::size_t nodes = 0;                  // of which there are dumps
  bool is_whole() const { return absent_nodes.empty(); }
};
Coverage coverage_of(const cluster::Cluster& cluster);

}  // namespace egt::assess
