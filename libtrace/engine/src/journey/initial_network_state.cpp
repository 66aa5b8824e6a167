#include "datapath/dumped_connections.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {

NetworkState initial_network_state(const cluster::Cluster& cluster, bool use_conntrack) {
  NetworkState network_state;
  if (use_conntrack) network_state.conntrack = ConntrackTables(std::make_shared<const DumpedConnections>(cluster));
  return network_state;
}

}  // namespace egt::engine
