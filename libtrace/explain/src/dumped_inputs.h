// Inputs that a walk lacks although the snapshot has the dump in which they would stand: to take that dump again is no
// advice.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/assumption.h"

namespace egt::explain {

// As gap_of(); without the command where its dump is there as a whole, and with one that goes further where there is
// one.
Gap gap_besides_dumps(const engine::MissingInput& missing, const cluster::Cluster& cluster);

}  // namespace egt::explain
