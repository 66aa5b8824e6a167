// Names of the node and the device by which packets from outside are to enter, that the snapshot cannot hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {

struct UnknownEntry {
  enum class Key : std::uint8_t { arrive_at, in_dev } key = Key::arrive_at;
  std::string message;  // with the nearest names that there are
};

// Either may be empty: nothing is asked for. A device counts as unknown only where the dumps show all of them.
std::optional<UnknownEntry> unknown_entry(const cluster::Cluster& cluster, const std::string& arrive_at,
                                          const std::string& in_dev);

}  // namespace egt::explain
