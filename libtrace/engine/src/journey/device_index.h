// Devices of all nodes by what frames and packets name: MACs, addresses, subnets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::engine {

// A device of a node, as one end of a wire.
struct WireEnd {
  const cluster::Node* node = nullptr;
  std::string device;
  friend bool operator==(const WireEnd&, const WireEnd&) = default;
};

// Its MAC; none where it is down.
std::optional<MacAddr> mac_of(const WireEnd& end);

class DeviceIndex {
 public:
  // A device of a node that need not be read for it.
  struct Device {
    const cluster::NodeHandle* node = nullptr;
    std::string name;
    bool of_bond = false;  // a bond answers with its own MAC, which its members share only while they are enslaved
    WireEnd end() const { return {node->get(), name}; }
  };
  using Devices = std::vector<Device>;

  explicit DeviceIndex(const cluster::Cluster& cluster);

  // Devices on other nodes that would take a frame to `mac`, in order of node and device.
  std::vector<WireEnd> takers(const cluster::Node& sender, const MacAddr& mac) const;
  // A device of another node that has this MAC and is down.
  WireEnd dead_end(const cluster::Node& sender, const MacAddr& mac) const;
  // The real device of `node` behind this MAC, or empty.
  std::string device_with(const cluster::Node& node, const MacAddr& mac) const;

  // Devices with this address; of addresses of lo that are no 127.0.0.1 see loopbacks_with().
  const Devices& with_address(const IpAddr& address) const;
  const Devices& loopbacks_with(const IpAddr& address) const;
  // Null where none or several have it.
  const Device* only_with_address(const IpAddr& address) const;
  // The only node with this address; null where none or several have it.
  const cluster::Node* owner(const IpAddr& address) const;
  bool is_shared(const IpAddr& address) const;  // several have it
  // A node with this address that has a leg in a network of `node`; null: there is none.
  const cluster::Node* neighbour_with(const cluster::Node& node, const IpAddr& address) const;
  // Devices of other nodes that have an address of one of the subnets of `device`; once for each of these.
  Devices link_of(const cluster::Node& node, std::string_view device) const;

 private:
  void add(const cluster::NodeHandle& node, const host::Link& link);
  // Ends of wires that have this MAC, and devices that are down.
  std::vector<WireEnd> ends_with(const MacAddr& mac) const;

  std::map<IpAddr, Devices> owners_, loopback_owners_;
  std::map<Prefix, Devices> subnets_;
  std::map<MacAddr, Devices> with_mac_;
};

}  // namespace egt::engine
