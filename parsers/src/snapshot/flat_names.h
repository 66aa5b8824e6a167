// Files of several nodes beside each other in one folder.
#pragma once

#include <cstddef>
#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// Gives each node a folder of its own where file names begin with nodes' names ("worker-0_ip_rule") and `hostname` of two
// nodes or more shows that it is so ("worker-0_hostname" is "worker-0"). Of the first `count` files, which stay in the order of
// their paths.
void give_nodes_folders(std::vector<FoundFile>& files, std::size_t count);

}  // namespace egt::parsers
