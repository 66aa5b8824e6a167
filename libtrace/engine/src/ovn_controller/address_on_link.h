// Which device answers when ovn-controller asks for an address.
#pragma once

#include <optional>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/assumption.h"

namespace egt::engine {

class NeighbourOracle;

// The MAC of a logical router's address, or of one on one of the node's own links, where ovn-controller asks through the
// external bridge: that of the host's neighbour table, or of the device that would answer. Nothing where neither is known.
struct AnsweredAddress {
  MacAddr mac;
  Assumption assumption;  // on which it rests
};
std::optional<AnsweredAddress> address_on_link(const cluster::Node& node, const NeighbourOracle& neighbours,
                                               const IpAddr& address);

// The port of a logical switch, towards the router that asks, where no port has the address: all ports of that switch are
// those of routers with other addresses, or have addresses and not this one. Null where a device may answer.
const ovn::LogicalPort* port_without_answer(const cluster::Node& node, const IpAddr& address);

}  // namespace egt::engine
