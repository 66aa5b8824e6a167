// The MAC address to which a frame goes (ip-neighbour(8)): from the host's table, or of the device that would answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/host.h"

namespace egt::engine {

struct NeighbourAnswer {
  enum class Kind : std::uint8_t { mac, no_mac_needed, arp_off, silent, unknown };
  Kind kind = Kind::unknown;
  MacAddr mac;
  const host::Neighbour* entry = nullptr;
  bool from_dump = false;
  bool by_ovn = false;               // as in NeighbourOracle::Answer
  std::vector<Provenance> evidence;  // likewise
  // The host's own table has an entry without a reply, while a device of the snapshot would answer.
  bool conflicts_with_dump = false;
  bool may_be_lost = false;     // the exchange of neighbour discovery: rules on its path are not decided
  bool discovery_lost = false;  // silent: the exchange with the device that has the address does not pass
};

// `source`: of the packet that is to be sent. `by_switch`: by Open vSwitch, which does not use the host's table; that counts
// only where the snapshot does not show which device answers.
NeighbourAnswer find_neighbour(const cluster::Node& node, const std::string& device, const IpAddr& address, const IpAddr& source,
                               const NeighbourOracle& oracle, bool by_switch = false);

}  // namespace egt::engine
