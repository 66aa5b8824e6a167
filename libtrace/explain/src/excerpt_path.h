// The report for a snapshot of a few lines: what they prove of the packet, line by line, and what is missing.
#pragma once

#include "egtrace/explain/explanation.h"
#include "phrases/words.h"

namespace egt::explain {

PathReport excerpt_path(const cluster::Cluster& cluster, const Names& names, const Words& words, const FlowKey& packet,
                        const std::string& from);

}  // namespace egt::explain
