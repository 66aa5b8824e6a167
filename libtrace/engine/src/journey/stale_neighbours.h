// Entries of neighbour tables that give an address another MAC than its owner's.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "device_index.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/workload.h"

namespace egt::engine {

// Has a MAC, and is not one that got no answer.
bool is_usable(const host::Neighbour& n);

class StaleNeighbours {
 public:
  StaleNeighbours(const cluster::Cluster& cluster, const Workloads& workloads, const DeviceIndex& devices)
      : workloads_(workloads), devices_(devices), mac_bindings_(cluster) {}

  struct Owner {
    IpAddr address;
    const cluster::Node* node = nullptr;
    MacAddr mac;
    Provenance entry;
  };
  // The only owner of `address`, where that is another node whose MAC is not `mac`.
  std::optional<Owner> owner_with_other_mac(const cluster::Node& sender, const IpAddr& address, const MacAddr& mac,
                                            const Provenance& entry) const;
  // Who has the address that the tables of `sender` (neighbours, also of the switch, MAC bindings of OVN) give this MAC,
  // where it is not its own. None where they give it to an address outside the snapshot as well: it may be that node's.
  // Entries of the packet's family count, and of link-local addresses those of gateways: every node has one.
  std::optional<Owner> owner_behind(const cluster::Node& sender, const MacAddr& mac, Family family) const;

 private:
  using Bindings = std::map<MacAddr, std::vector<std::pair<IpAddr, Provenance>>>;
  static Bindings bindings_by_mac(const cluster::Node& node);

  const Workloads& workloads_;
  const DeviceIndex& devices_;
  cluster::PerNode<Bindings> mac_bindings_;  // OVN's
};

}  // namespace egt::engine
