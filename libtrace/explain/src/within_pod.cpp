#include "within_pod.h"

#include <algorithm>

#include "egtrace/engine/pod_sides.h"
#include "line_remark.h"

namespace egt::explain {
namespace {

using engine::Endpoint;

bool has_own_namespace(const Resolved& from) {
  return from.kind == "pod" && !from.is_unknown_pod && (!from.place || from.place->kind != Endpoint::Kind::process);
}

bool is_own_address(const Resolved& from, const IpAddr& address) {
  if (address.is_loopback() || std::find(from.addresses.begin(), from.addresses.end(), address) != from.addresses.end())
    return true;
  return from.place && std::any_of(from.place->pod.addresses.begin(), from.place->pod.addresses.end(),
                                   [&](const Prefix& p) { return p.address == address; });
}

}  // namespace

std::optional<PathReport> path_within_pod(const Resolved& from, const Asked& asked, const Words& words) {
  if (!has_own_namespace(from)) return std::nullopt;
  const host::Address* shown =
      from.place && from.place->node != nullptr ? engine::address_in_pod(*from.place->node, from.place->pod, asked.dst) : nullptr;
  if (shown == nullptr && !is_own_address(from, asked.dst)) return std::nullopt;
  const std::string stays = phrase(LineStatement{LineRemark::stays_in_pod, {from.name, asked.dst}});
  const Tuple ends = tuple_of(asked.packet);
  PathReport path;
  path.verdict = Verdict::delivered;
  path.confidence = Confidence::assumed;
  const LineRemark ground = shown == nullptr ? LineRemark::namespace_not_shown : LineRemark::only_addresses_shown;
  path.assumptions.push_back({stays, phrase(LineStatement{ground}), {}});
  if (shown != nullptr) path.assumptions.back().evidence = words.evidence({shown->from});
  // Of loopback addresses the kernel takes one as the source, too.
  path.source_seen = SeenAddress{(asked.dst.is_loopback() ? asked.dst : asked.src).to_string(), std::nullopt};
  path.destination_seen = SeenAddress{asked.dst.to_string(), std::nullopt};
  path.listener = has_ports(asked.packet) ? Listener::unknown : Listener::known;
  if (has_ports(asked.packet)) {
    path.source_seen->port = ends.sport;
    path.destination_seen->port = ends.dport;
  }
  path.end_name = from.name;
  path.summary = stays;
  return path;
}

}  // namespace egt::explain
