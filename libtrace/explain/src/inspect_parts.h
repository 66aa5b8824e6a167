// The chapters of an inspection.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/inspect.h"

namespace egt::explain {

// Flows by purpose, ACLs and the busiest logical flows.
void report_flows(const cluster::Cluster& cluster, Inspection& out);
// Address ranges of pods, services, the underlay and OVN itself.
std::vector<NetworkReport> report_networks(const cluster::Cluster& cluster);
// Whether pods leave their node through the host's stack ("local") or through the gateway router ("shared").
void report_gateway_mode(const cluster::Cluster& cluster, const cluster::Node& node, NodeReport& out);
// What the dumps' times show: how far apart they are, and dumps of one thing that differ.
std::vector<std::string> report_times(const cluster::Cluster& cluster, const cluster::Collection& collection);
// "2026-03-01T12:00:00Z"; empty for 0.
std::string utc(std::int64_t seconds);

}  // namespace egt::explain
