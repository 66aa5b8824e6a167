// How many connections the datapath lets a zone, or all of them, have: dpctl(8), ct-set-limits and ct-set-maxconns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/datapath/conntrack.h"

namespace egt::engine {

struct ConnectionLimit {
  std::uint64_t most = 0;
  std::optional<std::uint64_t> count;  // as the datapath counted when it was dumped; empty: not shown
  bool of_all = false;                 // of all zones together
  std::vector<Provenance> evidence;

  bool is_reached() const { return count && *count >= most; }
  // A limit of 0 is none, but up to release 3.1 the userspace datapath takes it by its word where a zone has it of its own.
  bool is_doubtful() const { return most == 0; }
};

// Empty: no dump shows a limit.
std::optional<ConnectionLimit> limit_of_zone(const cluster::Node& node, const ZoneKey& zone);
// Of the userspace datapath alone.
std::optional<ConnectionLimit> limit_of_all_zones(const cluster::Node& node);
// Of the kernel's own table, which its datapath shares (net.netfilter.nf_conntrack_max). Empty too where no dump shows both numbers.
std::optional<ConnectionLimit> limit_of_kernel(const cluster::Node& node);

}  // namespace egt::engine
