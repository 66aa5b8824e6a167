// Which hop of the predicted path an event of a tracer is at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/capture/kernel_event.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/drop_reason.h"
#include "forecast.h"
#include "remark.h"

namespace egt::explain::capture_study {

// An event, as far as its place on a path depends on it.
struct EventPlace {
  std::string node, device;       // device: empty where it is none of the node's own, or not shown
  std::string device_name;        // as the tracer has it
  std::uint32_t other_netns = 0;  // 0: the node's own, or not shown
  const capture::EventFacts* facts = nullptr;
  const std::vector<std::string>* openflow_flows = nullptr;  // of the datapath flow
};

struct Aligned {
  std::size_t hop = kNoRow;
  FlowStatement unexplained;  // where there is no hop
  std::optional<bool> drop_predicted;
};

// `from`, `to`: the nodes whose pods are the ends; empty where these are no pods. `before`: the hop of the same
// packet's event before, behind which this one must be; kNoRow: none is known.
Aligned align(const EventPlace& event, const WalkedPath& walked, const std::string& from, const std::string& to,
              const cluster::Cluster& cluster, std::size_t before);

}  // namespace egt::explain::capture_study
