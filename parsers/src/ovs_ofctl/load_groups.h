#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ofctl {

// Format::read_ahead: what lines differ in beside numbers.
std::shared_ptr<void> read_groups_ahead(const Dump& dump);
void load_groups(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report);

}  // namespace egt::parsers::ofctl
