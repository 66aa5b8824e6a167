// The text of one node of a logical trace.
#pragma once

#include "egtrace/render/logical_trace.h"

namespace egt::render {

// Names of ports inside quotes as traces show them.
std::string with_friendly_names(std::string_view text, const engine::LogicalNetwork& network, bool friendly);
std::string node_text(const engine::logical::Node& node, const engine::LogicalNetwork& network, bool friendly);

}  // namespace egt::render
