// An error that is a dump: ovn-appctl did not reach ovn-controller.
#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ovn_text {

// Whether the error of a failed connection-status is itself what the dump shows.
bool is_controller_out_of_reach(const Dump& dump);

}  // namespace egt::parsers::ovn_text
