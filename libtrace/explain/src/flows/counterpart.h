// Which dump of another time there is beside one of flows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "egtrace/explain/flows.h"

namespace egt::explain {

inline constexpr std::string_view kOpenFlowDump = "ovs-ofctl dump-flows", kDatapathDump = "ovs-appctl dpctl/dump-flows";

struct Counterpart {
  Source source;
  std::string name;  // its path, behind the name of its snapshot where that is another one
  std::pair<std::int64_t, std::int64_t>
      times;  // when it and the listed one were printed, seconds since 1970; 0: nothing shows it
};

// Of the same node and bridge: in FlowQuery::since, where there is such a snapshot, else in the snapshot itself.
std::optional<Counterpart> find_counterpart(const cluster::Cluster& cluster, const FlowQuery& query, const cluster::Node& node,
                                            const std::string& bridge, SourceId listed);

}  // namespace egt::explain
