// A zone of Open vSwitch, or the table of a node, has as many connections as it may have: no further one is opened there.
#include <map>
#include <set>

#include "egtrace/engine/datapath/zone_limit.h"
#include "triage/checks.h"

namespace egt::assess {
namespace conntrack_full {

using engine::ConnectionLimit, engine::ConntrackSpace, engine::ZoneKey;
using Counts = std::map<std::uint16_t, std::uint64_t>;

Counts dumped_connections(const cluster::Node& node) {
  Counts counts;
  for (const host::ConntrackEntry& e : node.host.ovs_conntrack.value) ++counts[e.zone];
  return counts;
}

bool has_limits(const openflow::ConntrackLimits& limits) {
  return !limits.zones.empty() || (limits.of_others && limits.of_others->value != 0);
}

// The logical port or router of OVN that has the zone.
Term owner_of(const cluster::Node& node, std::uint16_t zone) {
  for (const auto& [name, number] : node.ovn.ct_zones)
    if (number == zone) return name;
  return {};
}

void judge_zones(const cluster::Node& node, Findings& out) {
  const openflow::Datapath& datapath = node.datapath;
  if (!has_limits(datapath.conntrack) && !has_limits(datapath.configured)) return;
  const Counts counts = dumped_connections(node);
  std::set<std::uint16_t> zones;
  for (const auto* limits : {&datapath.conntrack, &datapath.configured})
    for (const auto& zone : limits->zones) zones.insert(zone.zone);
  for (const auto& [zone, count] : counts) zones.insert(zone);
  const auto space = node.has_userspace_datapath() ? ConntrackSpace::userspace : ConntrackSpace::kernel;
  for (const std::uint16_t zone : zones) {
    auto limit = engine::limit_of_zone(node, ZoneKey{node.name, space, zone});
    if (!limit || limit->is_doubtful()) continue;
    if (const auto counted = counts.find(zone); !limit->count && counted != counts.end()) limit->count = counted->second;
    if (limit->is_reached())
      out.add(Claim::zone_of_connections_full, node.name, "",
              {std::uint64_t{zone}, owner_of(node, zone), *limit->count, limit->most}, limit->evidence);
  }
}

void judge_tables(const cluster::Node& node, Findings& out) {
  if (const auto limit = engine::limit_of_all_zones(node); limit && limit->is_reached())
    out.add(Claim::table_of_connections_full, node.name, "", {std::uint64_t{0}, *limit->count, limit->most}, limit->evidence);
  if (const auto limit = engine::limit_of_kernel(node); limit && limit->is_reached())
    out.add(Claim::table_of_connections_full, node.name, "", {std::uint64_t{1}, *limit->count, limit->most}, limit->evidence);
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    judge_zones(*node, out);
    judge_tables(*node, out);
  }
}

}  // namespace conntrack_full

const Check kConntrackFull{"conntrack-full", Severity::error, always, conntrack_full::run};

}  // namespace egt::assess
