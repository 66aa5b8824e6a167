// Flows that a user typed: what ovs-ofctl refuses beyond a flow's grammar.
#pragma once

#include <optional>
#include <string>

#include "egtrace/openflow/action.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers::ofctl {

// Whether the line is a flow as a user types it rather than as a switch shows it: neither indented nor with statistics.
// What a switch shows, it has accepted.
bool is_typed(const FlowLine& flow);

// Why ovs-ofctl refuses such a flow although it can be read; none where it takes it. Where names of ports and tables
// would decide, it is taken.
std::optional<std::string> why_refused(const FlowLine& flow, const openflow::ActionList& actions);

}  // namespace egt::parsers::ofctl
