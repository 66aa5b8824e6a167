#include "egtrace/engine/datapath/zone_limit.h"

#include "egtrace/base/text.h"

namespace egt::engine {
namespace {

using openflow::ConntrackLimits;

// What the database has counts where the datapath itself was not asked.
const ConntrackLimits& limits_of(const openflow::Datapath& datapath) {
  return datapath.conntrack.of_others || !datapath.conntrack.zones.empty() ? datapath.conntrack : datapath.configured;
}

std::optional<std::uint64_t> number_of(const host::SysctlValue* setting) {
  return setting != nullptr ? parse_u64(trim(setting->value)) : std::nullopt;
}

}  // namespace

std::optional<ConnectionLimit> limit_of_kernel(const cluster::Node& node) {
  const host::SysctlValue* have = node.host.sysctl_value("net.netfilter.nf_conntrack_count");
  const host::SysctlValue* most = node.host.sysctl_value("net.netfilter.nf_conntrack_max");
  if (most == nullptr) most = node.host.sysctl_value("net.nf_conntrack_max");
  const auto count = number_of(have), limit = number_of(most);
  if (!count || !limit || *limit == 0) return std::nullopt;  // 0: no limit
  return ConnectionLimit{*limit, count, true, {have->from, most->from}};
}

std::optional<ConnectionLimit> limit_of_zone(const cluster::Node& node, const ZoneKey& zone) {
  const ConntrackLimits& limits = limits_of(node.datapath);
  if (const auto* own = limits.zone(zone.zone); own != nullptr) {
    if (own->limit == 0 && zone.space == ConntrackSpace::kernel) return std::nullopt;
    return ConnectionLimit{own->limit, own->limit == 0 ? std::nullopt : own->count, false, {own->from}};
  }
  if (!limits.of_others || limits.of_others->value == 0) return std::nullopt;
  return ConnectionLimit{limits.of_others->value, {}, false, {limits.of_others->from}};
}

std::optional<ConnectionLimit> limit_of_all_zones(const cluster::Node& node) {
  const ConntrackLimits& limits = node.datapath.conntrack;
  if (!limits.of_all || !limits.connections) return std::nullopt;
  return ConnectionLimit{limits.of_all->value, limits.connections->value, true, {limits.connections->from, limits.of_all->from}};
}

}  // namespace egt::engine
