// Meters that a dump of flows cannot show: OpenFlow 1.0, in which ovs-ofctl prints by default, has no `meter:` (ovs-actions(7)).
#pragma once

#include "egtrace/openflow/bridge.h"
#include "egtrace/ovn/ovn.h"

namespace egt::engine {

// One of the bridge's meters that no flow names, where flows may have it all the same; null where there is none. controller(meter_id=…)
// is an extension that every version prints.
const openflow::BridgeMeter* unprinted_meter(const openflow::Bridge& bridge);

// The logical flow with set_meter(...) that a flow of this cookie comes from; null: none, or no dump shows it.
const ovn::LogicalFlow* metering_flow(const ovn::Ovn& ovn, std::uint64_t cookie);

}  // namespace egt::engine
