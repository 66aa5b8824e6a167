// Datapath flows in the order of their tree by recirculation, for whatever form it is shown in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/explain/flows.h"

namespace egt::render {

struct FlowTreeLine {
  enum class Kind : std::uint8_t {
    flow,       // `index` of FlowGroup::flows
    block,      // what follows one deeper stands behind a recirculation, `index` of FlowGroup::blocks
    above,      // the flows of that block stand further above, or behind another flow of its id
    deep,       // they stand further below: too many recirculations one behind the other
    not_asked,  // none of its flows was asked for
    missing,    // the dump has no flow of its id
  };
  Kind kind = Kind::flow;
  std::size_t depth = 0, index = 0;
};

// Each flow once, behind the first one that leads to it; those as which packets arrive first.
std::vector<FlowTreeLine> flow_tree(const explain::FlowGroup& group);
// "recirc(0x11): 2 flows", or why none stands below. Of lines that are no flows.
std::string recirculation_words(const explain::RecirculationBlock& block, FlowTreeLine::Kind kind);

// Why a flow that stands behind a recirculation stands at depth 0; empty of those as which packets arrive.
std::string root_words(const explain::ListedFlow& flow);

}  // namespace egt::render
