// What is plugged into what: which node takes a frame off the wire, who answers ARP, what a pod's network looks like.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/journey.h"
#include "egtrace/engine/workload.h"

namespace egt::engine {

class LogicalNode;
struct LinkQuestion;

// What flows of Open vSwitch answer to ARP or neighbour discovery.
struct FlowAnswer {
  MacAddr mac;
  std::vector<Provenance> evidence;
};

// A device of a node, as one end of a wire.
struct WireEnd {
  const cluster::Node* node = nullptr;
  std::string device;
  friend bool operator==(const WireEnd&, const WireEnd&) = default;
};

// A router's port, and the logical switch behind it; empty: none, or no dump shows.
struct RouterPort {
  const ovn::LogicalPort* port = nullptr;
  std::string_view logical_switch;
};

class Topology : public NeighbourOracle {
 public:
  explicit Topology(const cluster::Cluster& cluster);
  ~Topology() override;

  // Devices on other nodes that would take a frame to `mac`, in order of node and device.
  std::vector<WireEnd> takers(const cluster::Node& sender, const MacAddr& mac) const;
  // A device of another node that has this MAC and is down.
  WireEnd dead_end(const cluster::Node& sender, const MacAddr& mac) const;
  // The real device of `node` behind this MAC, or empty.
  std::string device_with(const cluster::Node& node, const MacAddr& mac) const;
  // Who would answer ARP (or ND) for `address` on the link of `device`.
  std::optional<Answer> resolve(const cluster::Node& node, std::string_view device, const IpAddr& address,
                                const std::optional<IpAddr>& asker) const override;
  Exchange exchange(const cluster::Node& node, std::string_view device, const IpAddr& address,
                    const std::optional<IpAddr>& asker) const override;
  // The only node with this address; null where none or several have it.
  const cluster::Node* owner(const IpAddr& address) const;
  // A node with this address that has a leg in a network of `node`; null: there is none.
  const cluster::Node* neighbour_with(const cluster::Node& node, const IpAddr& address) const;
  bool is_shared(const IpAddr& address) const;  // several have it
  // The MAC of the only node with this address; null: none has it, or several.
  std::optional<MacAddr> mac_of_owner(const IpAddr& address) const;
  // Who has the address that the tables of `sender` (neighbours, also of the switch, MAC bindings of OVN) give this MAC,
  // where it is not his. None where they give it to an address of nobody in the snapshot as well: it may be that node's.
  // Entries of the packet's family count, and of link-local addresses those of gateways: every node has one.
  struct Owner {
    IpAddr address;
    const cluster::Node* node = nullptr;
    MacAddr mac;
    Provenance entry;
  };
  // The only owner of `address`, where that is another node whose MAC is not `mac`.
  std::optional<Owner> owner_with_other_mac(const cluster::Node& sender, const IpAddr& address, const MacAddr& mac,
                                            const Provenance& entry) const;
  std::optional<Owner> owner_behind(const cluster::Node& sender, const MacAddr& mac, Family family) const;
  const Workloads& workloads() const { return workloads_; }
  // The pod with both of these; null: there is none.
  const Workload* workload_with(const MacAddr& mac, const IpAddr& address) const;
  // Whether the device sends into the physical network of a pod's switch: below the bridge that a localnet port of the same switch
  // leads to, or by an address of its own there.
  bool is_on_network_of(const cluster::Node& node, const std::string& device, const Workload& pod) const;
  // Of a node that has Ovn::program.
  const LogicalNode& logical(const cluster::Node& node) const;

  // The MAC that a pod's stack would send to for `destination`: a neighbour on its subnet, or its gateway.
  struct PodNextHop {
    std::optional<MacAddr> mac;
    IpAddr address;
    bool by_convention = false;
  };
  PodNextHop pod_next_hop(const cluster::Node& node, const PodNetwork& pod, const IpAddr& destination) const;
  // Of whoever has the address on the network of the pod; none: no dump shows who has it.
  std::optional<MacAddr> mac_on_network(const cluster::Node& node, const PodNetwork& pod, const IpAddr& address) const;

 private:
  bool is_physical(const cluster::Node& node, const PodNetwork& pod) const;
  bool is_on_network(const PodSide& side, const PodNetwork& network) const;
  const std::optional<FlowAnswer>& answer_by_flows(const cluster::Node& node, std::string_view device,
                                                   const LinkQuestion& question) const;
  const std::optional<FlowAnswer>& egress_node_answer(const cluster::Node& node, std::string_view device,
                                                      const LinkQuestion& question) const;
  std::optional<MacAddr> pod_answer(const cluster::Node& node, std::string_view device, const IpAddr& address) const;

  Memo<const cluster::Node*, std::shared_ptr<const LogicalNode>> logical_;
  Memo<std::tuple<const cluster::Node*, std::string, IpAddr, std::optional<IpAddr>>, Exchange> exchanges_;
  Memo<std::tuple<const cluster::Node*, std::string, IpAddr, std::optional<IpAddr>>, std::optional<FlowAnswer>> answers_by_flows_,
      answers_to_wire_;
  struct LinkWalks;
  std::unique_ptr<LinkWalks> link_walks_;  // of all threads that ask
  // A device of a node that need not be read for it.
  struct Device {
    const cluster::NodeHandle* node = nullptr;
    std::string name;
    bool of_bond = false;  // a bond answers with its own MAC, which its members share only while they are enslaved
    WireEnd end() const { return {node->get(), name}; }
  };
  using Devices = std::vector<Device>;
  std::vector<Device> link_of(const cluster::Node& node, std::string_view device) const;
  // Ends of wires that have this MAC, and devices that are down.
  std::vector<WireEnd> ends_with(const MacAddr& mac) const;

  const cluster::Cluster& cluster_;
  Workloads workloads_;
  cluster::PerNode<std::vector<RouterPort>> router_ports_;
  using Bindings = std::map<MacAddr, std::vector<std::pair<IpAddr, Provenance>>>;
  static Bindings bindings_by_mac(const cluster::Node& node);
  cluster::PerNode<Bindings> mac_bindings_;             // OVN's, by MAC
  std::map<IpAddr, Devices> owners_, loopback_owners_;  // loopback_: of addresses of lo that are no 127.0.0.1
  std::map<Prefix, Devices> subnets_;                   // devices with an address of it
  std::map<MacAddr, Devices> with_mac_;
};

}  // namespace egt::engine
