// One packet on one path: what its steps read and change, and what they leave behind.
#pragma once

#include "egtrace/engine/ovs.h"
#include "path_log.h"
#include "position.h"
#include "topology.h"

namespace egt::engine {

// What became of the sender's ARP or neighbour discovery, if that is lost: where the path ends unless it ends without it.
struct LostDiscovery {
  Arrival end;
  Record record;
};

// Who sent the packet that was asked about.
struct Sender {
  Endpoint from;
  std::optional<LostDiscovery> lost_discovery;
  std::optional<Client> client;  // as of Start
  FlowKey sent;                  // as it left the sender's stack
};

struct Walk {
  Walk(const cluster::Cluster& in_cluster, const Topology& in_topology, SwitchSessions& with_sessions,
       const JourneyOptions& with_options, NetworkState& with_state, Record& into, Chooser& by_chooser)
      : cluster(in_cluster),
        topology(in_topology),
        sessions(with_sessions),
        options(with_options),
        network_state(with_state),
        record(into),
        chooser(by_chooser),
        packet(with_options.packet_length),
        log(in_cluster, into, packet) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  const cluster::Cluster& cluster;
  const Topology& topology;
  SwitchSessions& sessions;
  const JourneyOptions& options;
  NetworkState& network_state;
  Record& record;
  Chooser& chooser;
  Sender sender;
  PacketUnderWay packet;
  PathLog log;
};

HostOptions host_options(const Walk& walk);
// The host's stack, which is presumed where the node is.
HostEngine host_of(Walk& walk, const cluster::Node& node);
// Whether it is the first packet of its connection, as far as it shows.
bool may_open(const Walk& walk, const FlowKey& packet);

}  // namespace egt::engine
