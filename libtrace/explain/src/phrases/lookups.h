// What a lookup finds, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/base/term.h"

namespace egt::explain {

// Behind each: what it names.
enum class Found : std::uint8_t {
  lines,  // of this kind, which concern what is asked for
  logical_flows,
  flows_matching,  // of OpenFlow, on an address
  flows_matching_prefix,
  flows_matching_mark,  // of what is asked for
  flows_naming,         // in their actions
  mac_entry,
  admin_network_policy,
  baseline_admin_network_policy,
};

enum class FoundFact : std::uint8_t {
  flow,             // bridge, table, priority
  flow_of_table,    // table, priority
  of_conjunction,   // logical flow, stage
  of_logical_flow,  // likewise
  endpoint_ready,
  endpoint_ending_serves,
  endpoint_ending,
  endpoint_not_ready,
  assigned_to_none,
  no_namespaces,
  no_pods,
  isolates_both,
  load_balancer_ips,
  traffic_policy,
  source_ip_by,
};

std::string phrase(Found found, const Terms& about = {});
std::string phrase(FoundFact fact, const Terms& about = {});
// What the lines of a dump of this kind are called: "routes" of "ip route"; empty: nothing is decided by them.
std::string_view lines_of(std::string_view dump_kind);

}  // namespace egt::explain
