// Names that OVN-Kubernetes makes by convention: of routers, switches, ports, devices, VRFs and chains.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egt::explain {

// What a name is and what stands in it ("logical router", "gateway router of worker-1"); nothing for names of no known form. A
// convention names no network in full: of user-defined ones a prefix stands before the node's name.
std::vector<std::pair<std::string, std::string>> name_meanings(std::string_view name);

}  // namespace egt::explain
