#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ofctl {

void load_groups(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report);

}  // namespace egt::parsers::ofctl
