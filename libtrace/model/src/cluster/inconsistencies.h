// The parts of notice_contradictions(): each looks at one kind of facts.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

void add_inconsistency(Node& node, Inconsistency c);  // unless it is there
// `names`: what the conflict names, the bridge included.
void add_bridge_conflict(Node& node, const openflow::Bridge& bridge, Conflict conflict, std::vector<std::string> names);

bool is_tunnel(const openflow::Interface& port);
bool holds_pods(const openflow::Bridge& bridge);  // ports of pods or tunnels

void look_at_ports(Node& node);  // of bridges, their devices, and the ends of tunnels
void look_at_datapath_types(Node& node);
void look_at_switch_routes(Node& node);  // beside those of the host: one dump lost lines, or is of another node or moment
void look_at_pods(const Objects& objects, Node& node);
void look_at_flows(const Cluster& cluster, Node& node);
void look_at_copies(const Cluster& cluster, const DumpsBySize& dumps, Node& node);  // that one node alone can have printed
void look_at_rules(const Cluster& cluster, const DumpsBySize& dumps, Node& node);   // of netfilter

}  // namespace egt::cluster
