// Ports where lflow-list alone is there: those that logical flows name.
#pragma once

#include <vector>

#include "egtrace/ovn/ovn.h"

namespace egt::parsers::ovn_lang {

// In the order of their names, those of a router and of the switch beside it as peers where one MAC address shows it: the
// router admits frames to it from the one port, the switch sends them to the other. Types are unknown but for such.
std::vector<ovn::LogicalPort> ports_of_flows(const ovn::RowList<ovn::LogicalFlow>& flows);

}  // namespace egt::parsers::ovn_lang
