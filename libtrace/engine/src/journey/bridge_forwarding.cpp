#include "bridge_forwarding.h"

#include <algorithm>

#include "bridge_vlans.h"
#include "device_stack.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::engine {
namespace {

using cluster::Node;

Arrival open_forwarding(Walk& walk, const Node& node, const std::string& device, Statement<Input> missing, Cause why,
                        std::vector<Provenance> evidence) {
  walk.record.gap({node.name, missing.kind, std::move(missing.about)});
  return walk.log.stop(Verdict::inconclusive,
                       {node.name, layer_of(node), {PlaceKind::device, {device}}, std::move(why), std::move(evidence)});
}

}  // namespace

std::optional<Arrival> filter_vlan(Walk& walk, const Node& node, const host::Link& bridge, const host::Link& from,
                                   const host::Link* to, FlowKey& packet) {
  if (!bridge.filters_vlans) return std::nullopt;
  BridgedFrame carried = carry_in_vlan(node.host, bridge, from, to, packet);
  carried.evidence.push_back(bridge.from);
  switch (carried.fate) {
    case BridgedFrame::Fate::open:
      walk.record.assume(
          {Supposition::bridge_passes_vlan, {bridge.name, carried.where, node.name}, {}, std::move(carried.evidence)});
      return std::nullopt;
    case BridgedFrame::Fate::dropped:
      return walk.log.stop(Verdict::dropped,
                           stop_at_device(node, carried.where, std::move(carried.why), std::move(carried.evidence)));
    case BridgedFrame::Fate::carried: break;
  }
  if (to != nullptr)
    walk.record.add(node.name, layer_of(node),
                    Remark{Notice::bridged_vlan, {bridge.name, std::uint64_t{carried.vlan}, from.name, to->name}},
                    std::move(carried.evidence));
  packet = std::move(carried.frame);
  return std::nullopt;
}

// What EVPN routes goes to the MAC of the VTEP (RFC 9135), of which the
// kernel has a neighbour entry from FRR.
Arrival enter_host_tunnel(Walk& walk, const AtDevice& at, const host::Link& device, const std::string& leaves_by) {
  if (!is_of_evpn(device.name))
    return walk.log.gap(*at.node, Layer::host, {Input::tunnel_device, {device.name}}, Reason::host_tunnel);
  Cause why{Reason::evpn_not_followed, {leaves_by}};
  std::vector<Provenance> evidence{device.from};
  const auto& entries = at.node->host.neighbours.value;
  const auto vtep = std::find_if(entries.begin(), entries.end(), [&](const host::Neighbour& n) {
    return n.device == leaves_by && n.mac == dst_mac(at.packet) && ovnk::is_evpn_device(ovnk::kEvpnRouted, leaves_by);
  });
  if (vtep != entries.end()) {
    why.about.emplace_back(vtep->address);
    evidence.push_back(vtep->from);
  }
  return open_forwarding(walk, *at.node, device.name, {Input::vxlan_forwarding, {leaves_by}}, std::move(why),
                         std::move(evidence));
}

// A Linux bridge hands frames to the host's own stack only where one of its devices has the MAC (br_handle_frame_finish() of net/bridge);
// the others it forwards.
Arrival forward_by_bridge(Walk& walk, const AtHost& at, const host::Link& bridge) {
  if (sends_into_tunnel(at.node->host, bridge) || is_of_evpn(bridge.name))
    return enter_host_tunnel(walk, {at.node, bridge.name, at.packet}, bridge, at.by_port.empty() ? at.device : at.by_port);
  return open_forwarding(walk, *at.node, bridge.name, {Input::bridge_forwarding, {bridge.name}},
                         {Reason::bridge_forwards, {dst_mac(at.packet), bridge.name}}, {bridge.from});
}

}  // namespace egt::engine
