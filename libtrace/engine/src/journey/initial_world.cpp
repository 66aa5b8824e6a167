#include "datapath/dumped_connections.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {

World initial_world(const cluster::Cluster& cluster, bool use_conntrack) {
  World world;
  if (use_conntrack) world.conntrack = ConntrackTables(std::make_shared<const DumpedConnections>(cluster));
  return world;
}

}  // namespace egt::engine
