// The pods behind Open vSwitch interfaces.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {

// Whether an OVS interface is the host end of a pod's (or VM's) interface rather than a NIC of the node.
bool is_workload(const openflow::Interface& port);
// Whether any interface has an iface-id: where none does, nothing shows which of them are pods.
bool shows_pods_of_interfaces(const cluster::Node& node);
// Its network, from its iface-id, the logical ports and the Kubernetes objects. Goes through all of them: for many
// interfaces see Workloads.
PodNetwork workload_network(const cluster::Cluster& cluster, const cluster::Node& node, const openflow::Interface& port);

// A pod's object on one of its networks; `on` is null on the default one.
struct PodSide {
  const cluster::Pod* pod = nullptr;
  const cluster::PodAttachment* on = nullptr;
  const std::vector<Prefix>& addresses() const;
  const std::optional<MacAddr>& mac() const;
  std::string port_name() const;  // its iface-id
};

// A workload's interface with its network.
struct Workload {
  const cluster::Node* node = nullptr;
  const openflow::Bridge* bridge = nullptr;
  const openflow::Interface* port = nullptr;
  PodNetwork network;
};

// All workloads of a cluster, found by name and address without going through them, and without reading nodes that have
// none of that name or address. The cluster must outlive it and not change.
class Workloads {
 public:
  explicit Workloads(const cluster::Cluster& cluster);

  const std::vector<Workload>& all() const;  // in order of node, bridge and interface
  const std::vector<Workload>& of(const cluster::Node& node) const;
  const Workload* at(const openflow::Interface& port) const;  // null: it is no workload's
  // The first one with this iface-id, or this address; of `node` alone where it is not empty, and of `network` (as of PodNetwork)
  // where that is not null: networks may use the same addresses. Null: there is none.
  const Workload* with_id(const std::string& id, std::string_view node) const;
  const Workload* with_address(const IpAddr& address, std::string_view node, const std::string* network = nullptr) const;

  // As OVN-Kubernetes writes it into iface-ids ("shop.blue"): a network besides the default one on which this pod has a port;
  // empty: none.
  std::string other_network_of(const Workload& pod) const;

  // Kubernetes objects that have this address, in their order.
  const std::vector<PodSide>& objects_with(const IpAddr& address) const;

 private:
  struct HashOfAddress {
    std::size_t operator()(const IpAddr& a) const {
      return std::hash<std::uint64_t>()(low64(a.value) ^ high64(a.value) * 0x9e3779b97f4a7c15ULL);
    }
  };
  // Those of some nodes, in order.
  struct Index {
    std::vector<Workload> all;
    std::unordered_map<const openflow::Interface*, std::size_t> by_port;
    std::unordered_map<std::string, std::vector<std::size_t>> by_id;
    std::unordered_map<std::string, std::string> other_networks;  // by the iface-id on the default network
    std::unordered_map<IpAddr, std::vector<std::size_t>, HashOfAddress> by_address;
    const Workload* first_of(const std::vector<std::size_t>& some, std::string_view node, const std::string* network) const;
  };
  void add_ports(const cluster::Node& node, Index& to) const;
  Index index_all() const;
  const Index& index_of(const cluster::Node& node) const;
  // Nodes that may have a port with one of these iface-ids or addresses.
  const std::vector<const cluster::NodeHandle*>& may_have(const std::vector<std::string>& shown) const;
  // The first that `find` finds in the indexes of nodes, where not all are read.
  template <class Find>
  const Workload* first_where(const std::vector<std::string>& shown, std::string_view node, Find find) const;

  const cluster::Cluster& cluster_;
  MadeOnce<Index> whole_;
  cluster::PerNode<Index> per_node_;
  Memo<std::vector<std::string>, std::vector<const cluster::NodeHandle*>> may_have_;
  std::unordered_map<std::string, std::vector<PodSide>> objects_;  // as logical ports are named
  std::unordered_map<IpAddr, std::vector<PodSide>, HashOfAddress> objects_by_address_;
};

}  // namespace egt::engine
