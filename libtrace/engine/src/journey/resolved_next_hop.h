// For which next hop OVN or a host gave a frame its destination MAC.
#pragma once

#include <optional>

#include "egtrace/engine/record.h"

namespace egt::engine {

struct ResolvedNextHop {
  IpAddr address;
  Provenance flow;  // that writes the MAC; of a host the neighbour entry
};

// By the flow that wrote it: those of MAC_Binding and Static_MAC_Binding ask for the next hop in reg0 or xxreg0
// (consider_neighbor_flow() of OVN's controller/lflow.c), as those of lr_in_arp_resolve do; else by the
// neighbour table of the host that sends last. None: another wrote it.
std::optional<ResolvedNextHop> resolved_next_hop(const Record& record, const MacAddr& mac);

}  // namespace egt::engine
