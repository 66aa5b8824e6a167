// What happens to a packet at one place of its path; one source a place.
#pragma once

#include "device_stack.h"
#include "walk.h"

namespace egt::engine {

Next step(Walk& walk, AtPort at);
Next step(Walk& walk, AtHost at);
Next step(Walk& walk, AtProcess at);
Next step(Walk& walk, AtDevice at);
Next step(Walk& walk, OnWire at);
Next step(Walk& walk, AtPod at);

// A frame comes to the node by a wire.
Next receive(Walk& walk, const cluster::Node& node, Foot wire, FlowKey packet);

}  // namespace egt::engine
