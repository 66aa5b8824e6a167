// Names and addresses of an expectation that the snapshot cannot hold: a mistake of the one who wrote it, not a result.
#pragma once

#include <optional>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/expect/expectation.h"

namespace egt::assess {

// The first node, device or address that cannot be meant, with the nearest names that the snapshot has.
std::optional<Error> find_mistake(const expect::Expectation& expectation, const cluster::Cluster& cluster);

}  // namespace egt::assess
