#include <algorithm>

#include "datapath/dumped_connections.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {
namespace {

bool has_userspace_datapath(const cluster::Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const openflow::Bridge& b) { return b.datapath_type == "netdev"; });
}

void add_connections(const cluster::Node& node, DumpedConnections& to) {
  const bool userspace = has_userspace_datapath(node);
  const auto& of_switch = node.host.ovs_conntrack;
  to.add(node.name, userspace ? ConntrackSpace::userspace : ConntrackSpace::kernel, of_switch.value);
  // The kernel datapath's table is the kernel's own: what both dumps hold is taken from the one that knows labels.
  const bool same_table = of_switch.present && !userspace;
  if (!same_table) to.add(node.name, ConntrackSpace::kernel, node.host.conntrack.value);
}

}  // namespace

World initial_world(const cluster::Cluster& cluster, bool use_conntrack) {
  World world;
  if (!use_conntrack) return world;
  const auto dumped = std::make_shared<DumpedConnections>();
  for (const auto& node : cluster.nodes) add_connections(*node, *dumped);
  world.conntrack = ConntrackTables(dumped);
  return world;
}

}  // namespace egt::engine
