// Localnet ports: by them a logical switch reaches a physical network, through another bridge of its node. ovn-controller connects
// that bridge with the integration bridge by patch ports which it names after the localnet port (patch_port_name() of
// controller/patch.c); which bridge it is, ovn-bridge-mappings shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::engine {

struct Localnet {
  // not_mapped: the ports of the integration bridge are shown, and no patch port for this one. not_shown: no dump decides it.
  enum class Mapping : std::uint8_t { not_shown, not_mapped, mapped };

  const ovn::LogicalPort* port = nullptr;
  Mapping mapping = Mapping::not_shown;
  bool lacks_all_patch_ports = false;        // the integration bridge shows none: not_mapped holds if its dumps list all ports
  const openflow::Bridge* bridge = nullptr;  // that the switch leads to, where one is mapped
  std::vector<std::string> uplinks;          // ports of the bridge that lead out of the node
};

// Of the logical switch on this node; `port` is null where it has no localnet port.
Localnet localnet_of(const cluster::Node& node, std::string_view logical_switch);

}  // namespace egt::engine
