// What lies on a path: nodes, devices, tables and stages, chains and policy rules, as expectations name them.
#pragma once

#include <set>
#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::assess {

// "node:worker-1", "device:br-ex", "device:worker-1/br-ex", "stage:lr_in_policy", "table:br-int 25",
// "chain:OVN-KUBE-ETP", "rule:6000".
using PathItems = std::set<std::string>;

PathItems path_items(const explain::PathReport& path);
// `wanted` with its kind before it, or a bare name that any kind may have. * and ? match.
bool on_path(const PathItems& path, const std::string& wanted);

}  // namespace egt::assess
