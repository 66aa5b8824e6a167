// The external bridge drops what comes out of OVN with a pod's own address, and has done so: something that was to
// translate it did not.
#include <algorithm>
#include <bit>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace bridge_drops_pods {

// The source network that the flow drops, if it asks for one and for nothing else but the port and the protocol.
std::optional<Prefix> dropped_source(const openflow::FlowEntry& flow) {
  if (openflow::actions_text(flow) != "drop") return std::nullopt;
  const openflow::MatchView match = openflow::match_of(flow);
  const auto mask = static_cast<std::uint32_t>(openflow::mask_of(match, FieldId::ip_src));
  if (mask == 0 || openflow::mask_of(match, FieldId::ip_dst) != 0) return std::nullopt;
  const auto value = static_cast<std::uint32_t>(openflow::value_of(match, FieldId::ip_src));
  return Prefix{IpAddr::v4(value), static_cast<std::uint8_t>(std::popcount(mask))};
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes)
    for (const openflow::Bridge& bridge : node->bridges) {
      if (&bridge == node->integration_bridge() || !bridge.flows || !is_cluster_node(*node)) continue;
      for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
        const openflow::FlowEntry& flow = bridge.flows->flow(i);
        const std::uint64_t packets = flow.use.n_packets.value_or(0);
        if (packets == 0) continue;
        const auto source = dropped_source(flow);
        if (!source || source->is_host() || std::none_of(f.pods.begin(), f.pods.end(), [&](const KnownPod& pod) {
              const IpAddr* a = pod.host_network ? nullptr : pod.address(Family::v4);
              return a != nullptr && source->contains(*a);
            }))
          continue;
        // Which egress IP may be meant: one of OVN's networks whose packets leave here.
        std::string object;
        for (const EgressPlace& place : f.places)
          if (place.node == node->name && place.network == EgressNetwork::ovn && object.empty()) object = place.name();
        if (!object.empty() && out.has_cause(object)) continue;
        out.add(Claim::bridge_drops_pods, node->name, object, {bridge.name, packets, *source}, {flow.from});
      }
    }
}

}  // namespace bridge_drops_pods

// A note: the counter does not show when, and what dropped them may be repaired by now.
const Check kBridgeDropsPods{"bridge-drops-pods", Severity::note, always, bridge_drops_pods::run, Check::Finds::consequence};

}  // namespace egt::assess
