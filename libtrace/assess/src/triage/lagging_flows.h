// What flows that do not follow from the logical flows do to connections.
#pragma once

#include <algorithm>

#include "triage/check.h"

namespace egt::assess {

// Counts what flows of the node's integration bridge drop as explained: what is missing makes another flow match, most often one
// that drops. Whether they drop any.
inline bool explain_flow_drops(const cluster::Node& node, Findings& out) {
  const std::string bridge = node.integration_bridge()->name;
  return out.explain_all([&](const explain::StopReport& stop) {
    const auto& about = stop.place.about;
    return stop.node == node.name &&
           (stop.reason == engine::Reason::flow_drops || stop.reason == engine::Reason::no_flow_matches) &&
           std::find(about.begin(), about.end(), engine::Detail{bridge}) != about.end() && stop.rows.empty();
  });
}

}  // namespace egt::assess
