// How packets came to a recirculation of the datapath.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egtrace/openflow/datapath.h"

namespace egt::openflow {

// The flows that lead to a recirculation, the first of them for packets as they arrive; nothing where the dump does not
// show one. Of several chains the first: an identifier stands for one state of the packet, whichever flows led to it.
std::optional<std::vector<const DatapathFlow*>> chain_to(const Datapath& datapath, std::uint32_t recirc_id);

}  // namespace egt::openflow
