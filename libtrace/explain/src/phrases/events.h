// Events of tracers of the kernel.
#pragma once

#include <string>

#include "egtrace/capture/kernel_event.h"

namespace egt::explain {

// What the event shows besides its function: the step of Open vSwitch, the rule of nftables, the state of the connection.
std::string event_words(const capture::EventFacts& facts);

}  // namespace egt::explain
