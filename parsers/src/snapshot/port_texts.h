// Dumps that list the ports of a switch (ovs-vsctl(8), databases of Open vSwitch), looked at as texts: whether a node need be read to
// find a port by its name or an address.
#pragma once

#include <string_view>
#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

bool lists_ports(const Candidate& c);

// Ports of pods without the addresses that OVN-Kubernetes writes beside their names.
bool lists_pods_without_address(std::string_view text);

// Whether the text has this name or address, and not as a part of a longer one. The remote ends of tunnels are no addresses of ports.
bool names_port(std::string_view text, std::string_view shown);

// The text without those remote ends.
std::vector<std::string_view> pieces_about_ports(std::string_view text);

}  // namespace egt::parsers
