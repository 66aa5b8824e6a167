#include "rivals.h"

#include <algorithm>
#include <iterator>

#include "egtrace/openflow/action_effect.h"

namespace egt::engine {

std::vector<openflow::FlowIndex> rivals_of(const openflow::FlowTables& flows, const openflow::Lookup& found) {
  std::vector<openflow::FlowIndex> rivals;
  if (found.ties.empty()) return rivals;
  const openflow::FlowEntry& used = flows.flow(found.hit);
  std::copy_if(found.ties.begin(), found.ties.end(), std::back_inserter(rivals), [&](openflow::FlowIndex i) {
    const openflow::FlowEntry& other = flows.flow(i);
    return openflow::actions_text(other) != openflow::actions_text(used) &&
           !openflow::have_equal_effects(flows.actions(other), flows.actions(used));
  });
  return rivals;
}

}  // namespace egt::engine
