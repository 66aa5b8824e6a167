#include "ovn/logical_node.h"

#include <algorithm>

#include "egtrace/ovn/rows/sb.h"

namespace egt::engine {
namespace {

constexpr std::uint16_t kLastZone = 63999;  // from 64000 on they are those of OVN-Kubernetes on the external bridge

}  // namespace

LogicalNode::LogicalNode(const cluster::Node& node)
    : node_(node),
      own_(ovn::own_chassis(node.ovn, node.name)),
      network_(*node.ovn.program->southbound, *node.ovn.program->reader, true,
               [this](std::string_view port) { return resides(port); }) {
  for (const ovn::LogicalPort& port : node.ovn.ports) ports_.emplace(port.name, &port);
  give_out_zones();
  read_static_bindings();
}

void LogicalNode::read_static_bindings() {
  for (const auto row : rows_of<rows::sb::StaticMacBinding>(node_.ovn.rows)) {
    const auto address = IpAddr::parse(row.ip());
    const auto mac = MacAddr::parse(row.mac());
    if (address && mac)
      static_bindings_.push_back({row.logical_port(), *address, *mac, row.override_dynamic_mac().value_or(false)});
  }
}

const LogicalNode::StaticBinding* LogicalNode::static_binding(const NetworkPort& port, const IpAddr& address) const {
  for (const StaticBinding& b : static_bindings_)
    if (b.port == port.row->logical_port && b.address == address) return &b;
  return nullptr;
}

void LogicalNode::give_out_zones() {
  std::uint16_t last = 0;
  for (const auto& [name, number] : node_.ovn.ct_zones) {
    zones_.emplace(name, number);
    last = std::max(last, number);
  }
  const auto add = [&](std::string name) {
    if (last < kLastZone && zones_.emplace(std::move(name), static_cast<std::uint16_t>(last + 1)).second) ++last;
  };
  for (const ovn::sb::PortBinding& port : network_.southbound().ports) add(port.logical_port);
  for (const ovn::sb::DatapathBinding& row : network_.southbound().datapaths)
    if (const LogicalDatapath* datapath = network_.datapaths().with_key(row.tunnel_key))
      for (const char* use : {"_dnat", "_snat"}) add(datapath->name + use);
}

std::uint16_t LogicalNode::zone(const std::string& name) const {
  const auto found = zones_.find(name);
  return found == zones_.end() ? std::uint16_t{0} : found->second;
}

const ovn::Chassis* LogicalNode::chassis(std::string_view name) const {
  for (const ovn::Chassis& c : node_.ovn.chassis)
    if (c.name == name) return &c;
  return nullptr;
}

const ovn::Chassis* LogicalNode::chassis_of(const NetworkPort& port) const {
  const auto found = ports_.find(port.row->logical_port);
  return found == ports_.end() ? nullptr : chassis(found->second->chassis);
}

bool LogicalNode::resides(std::string_view port) const {
  const auto found = ports_.find(port);
  if (found == ports_.end()) return network_.ports().find(port) != nullptr;
  const ovn::Chassis* at = chassis(found->second->chassis);
  return at == nullptr || own_ == nullptr || at == own_;
}

}  // namespace egt::engine
