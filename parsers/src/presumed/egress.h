// What leaves the cluster through a node's host rather than by its gateway router: packets for which an EgressIP on another device
// than the external bridge, or an EgressService, is there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presumed/facts.h"

namespace egt::parsers::presumed {

struct HostEgress {
  std::string object;            // "EgressIP NAME", "EgressService NS/NAME"
  IpAddr address;                // source of packets that leave
  std::optional<Prefix> device;  // the address of the device by which they leave; none: the routes decide
  std::vector<IpAddr> pods;
};

struct Egress {
  std::vector<HostEgress> known;
  std::vector<cluster::OpenEgress> open;  // no object explains them
};

// Objects show what OVN-Kubernetes would set up; the policies of the node's northbound database, which pods it is set up for
// (a must-gather has no pods of most namespaces).
Egress egress_of(const cluster::Node& node, const NodeFacts& facts, const cluster::Objects& objects);

}  // namespace egt::parsers::presumed
