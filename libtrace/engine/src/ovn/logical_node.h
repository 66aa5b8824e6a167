// The logical network as one chassis sees it: which ports it has itself, and where the others are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/logical_network.h"

namespace egt::engine {

class LogicalNode {
 public:
  // The node must have Ovn::program, and outlive it.
  explicit LogicalNode(const cluster::Node& node);

  const LogicalNetwork& network() const { return network_; }
  // The chassis that has the port; null where none is named.
  const ovn::Chassis* chassis_of(const NetworkPort& port) const;
  bool is_own(const ovn::Chassis& chassis) const { return &chassis == own_; }
  // What Static_MAC_Binding has for an address at a router's port.
  struct StaticBinding {
    std::string port;
    IpAddr address;
    MacAddr mac;
    bool overrides = false;
  };
  const StaticBinding* static_binding(const NetworkPort& port, const IpAddr& address) const;
  // The connection tracking zone of a port, or of a datapath with "_dnat" or "_snat" behind its name: the one that
  // ovn-controller is known to have given out, else one that no other has. 0 where there is no such thing.
  std::uint16_t zone(const std::string& name) const;
  // Whether the port is one of this chassis: is_chassis_resident() of ovn-sb(5).
  bool resides(std::string_view port) const;

 private:
  const ovn::Chassis* chassis(std::string_view name) const;
  void give_out_zones();
  void read_static_bindings();

  const cluster::Node& node_;
  std::unordered_map<std::string_view, const ovn::LogicalPort*> ports_;
  const ovn::Chassis* own_ = nullptr;
  LogicalNetwork network_;
  std::unordered_map<std::string, std::uint16_t> zones_;
  std::vector<StaticBinding> static_bindings_;  // a few for each gateway router
};

}  // namespace egt::engine
