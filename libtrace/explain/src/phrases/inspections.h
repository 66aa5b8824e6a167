// The words of an inspection: what lacks, what flows are for, what no walk asks, how far apart dumps are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/term.h"
#include "egtrace/evidence/evidence.h"

namespace egt::explain {

// Dumps that an answer may need.
enum class NeededDump : std::uint8_t {
  devices,
  policy_rules,
  routes,
  neighbours,
  iptables,
  nft,
  sysctls,
  flows,
  whole_flows,
  groups,
  logical_flows,
  logical_ports,
};

// What OpenFlow flows are for.
enum class Purpose : std::uint8_t {
  policies,
  routing_policies,
  services,
  nat,
  routing,
  neighbour_discovery,
  qos,
  dhcp_and_dns,
  admission,
  other_stages,
  no_logical_flow,
  all_flows,  // no logical flows are dumped
};

// What dumps hold and no walk asks.
enum class Feature : std::uint8_t {
  meters,
  counters,
  queues,
  sampling,
  flow_timeouts,
  removal_messages,
  persistent_nat,
  multicast_snooping,
  mirror_filters,
  bridge_tables,
  netflow,
  forwarding_detection,
  connectivity_faults,
  policing,
  bonds,
  element_timeouts,
  set_updates,
};

// Of the moments at which dumps were printed, and of what shows the release and the gateway mode.
enum class Observation : std::uint8_t {
  moments_of_node,
  node_changes_between,
  nodes_apart,
  copies_differ,
  supposed,
  no_stage_names,
  annotated_mode,
  next_hop_of_pods,
};

Gap gap_of(const std::string& node, NeededDump dump, const Terms& about = {});
std::string_view words_of(Purpose purpose);
std::string_view words_of(Feature feature);
std::string phrase(Observation observation, const Terms& about);
// Where the pipelines of a node begin, as far as dumps show it: the first table of the egress pipeline, the stages lr_in_policy and
// ls_out_pre_lb, and the highest table in use.
std::string phrase_of_pipeline(const std::string& node, const Terms& seen);

}  // namespace egt::explain
