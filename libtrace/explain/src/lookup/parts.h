// What single parts of a snapshot have of what is asked for.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "lookup/asked.h"
#include "lookup/match_list.h"

namespace egt::explain {

class FlowOrigins;

// Kubernetes objects about networks of pods.
void find_networks(const cluster::Objects& objects, const LookupTerm& term, MatchList& matches);
// The host itself, its devices and neighbours.
void find_on_host(const cluster::Node& node, const Asked& asked, MatchList& matches);
// Those that have an address of the object.
void find_devices(const cluster::Node& node, const AskedObject& object, MatchList& matches);
// Logical datapaths and ports, chassis, zones.
void find_logical(const cluster::Node& node, const Asked& asked, MatchList& matches);
// Of that number, with its buckets and the flows that lead to it.
void find_group(const cluster::Node& node, const openflow::Bridge& bridge, const LookupTerm& term, FlowOrigins& origins,
                MatchList& matches);
// With what follows behind their recirculations.
void find_datapath_flows(const cluster::Node& node, const LookupTerm& term, MatchList& matches);

}  // namespace egt::explain
