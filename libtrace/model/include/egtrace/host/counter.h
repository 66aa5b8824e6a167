// What the kernel or a device has counted since it booted or was made. Evidence, never proof: a counter shows that packets met
// this, not which.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/evidence/evidence.h"

namespace egt::host {

struct Counter {
  std::string name;    // as nstat(8) has it ("TcpExtListenDrops"), as ethtool(8) or ip(8) has it of a device ("rx_dropped")
  std::string device;  // empty: of the node
  std::uint64_t value = 0;
  Provenance from;
};

}  // namespace egt::host
