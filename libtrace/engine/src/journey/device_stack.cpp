#include "journey/device_stack.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "openflow/packet_fields.h"

namespace egt::engine {
namespace {

using host::Host;
using host::Link;

using ofproto::kVlanPresent;

bool is_ipvlan(const Link& l) { return l.kind == "ipvlan" || l.kind == "ipvtap"; }

// The device behind "@" of its name, where that is in the same namespace and not the other end of a veth.
const Link* parent_of(const Host& host, const Link& device) {
  if (device.peer.empty() || device.kind == "veth") return nullptr;
  const Link* parent = host.link(device.peer);
  return parent == nullptr || parent->peer == device.name ? nullptr : parent;
}

// "eth0.100": as ifupdown, NetworkManager and vconfig(8) name VLANs.
std::optional<std::uint16_t> id_in_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const auto id = dot == name.npos ? std::nullopt : parse_decimal(name.substr(dot + 1));
  return id && *id > 0 && *id < 4095 ? std::optional(static_cast<std::uint16_t>(*id)) : std::nullopt;
}

bool has_address(const Link& device, const IpAddr& address) {
  return std::any_of(device.addresses.begin(), device.addresses.end(),
                     [&](const host::Address& a) { return a.prefix.address == address; });
}

// Whether a device that shares another's takes a frame which that received (macvlan_handle_frame(), ipvlan_handle_frame()).
bool takes_share(const Link& device, const FlowKey& frame) {
  if (is_ipvlan(device)) return has_address(device, dst_ip(frame));
  return device.mode == "passthru" || device.mac == dst_mac(frame);
}

bool is_tunnel(const Link& device) {
  static constexpr std::string_view kKinds[] = {"geneve", "vxlan", "gre", "gretap", "ip6gretap", "wireguard"};
  return std::find(std::begin(kKinds), std::end(kKinds), device.kind) != std::end(kKinds) ||
         ovnk::is_evpn_device(ovnk::kEvpnVxlan4, device.name) || ovnk::is_evpn_device(ovnk::kEvpnVxlan6, device.name);
}

bool is_leg(const Link& member, const Link& of) { return member.master == of.name; }

}  // namespace

bool shares_device(const Link& l) {
  return l.kind == "macvlan" || l.kind == "macvtap" || l.kind == "ipvlan" || l.kind == "ipvtap";
}
bool joins_legs(const Link& l) { return l.kind == "bond" || l.kind == "team"; }

std::optional<VlanTag> vlan_of(const Host& host, const Link& device) {
  if (device.kind == "vlan" && device.vlan_id) return VlanTag{*device.vlan_id, device.vlan_protocol};
  if (!device.kind.empty() && device.kind != "vlan") return std::nullopt;
  const auto id = parent_of(host, device) != nullptr ? id_in_name(device.name) : std::nullopt;
  return id ? std::optional(VlanTag{*id, device.vlan_protocol, true}) : std::nullopt;
}

void push_tag(const VlanTag& tag, FlowKey& frame) {
  ofproto::push_vlan(frame, nullptr);
  frame.set(FieldId::vlan_tci, kVlanPresent | tag.id);
  ofproto::set(frame, ofproto::X::vlan_tpid, tag.protocol);
}

void pop_tag(FlowKey& frame) { ofproto::pop_vlan(frame, nullptr); }

bool pop_priority_tag(FlowKey& frame) {
  const std::vector<VlanTag> tags = tags_of(frame);
  if (tags.empty() || tags.front().id != 0) return false;
  pop_tag(frame);
  return true;
}

std::vector<VlanTag> tags_of(const FlowKey& frame) {
  std::vector<VlanTag> tags;
  FlowKey rest = frame;
  while (ofproto::vlan_count(rest) > 0) {
    const auto protocol = static_cast<std::uint16_t>(ofproto::get(rest, ofproto::X::vlan_tpid));
    tags.push_back({static_cast<std::uint16_t>(rest.u32(FieldId::vlan_tci) & ofproto::kVlanVid),
                    protocol != 0 ? protocol : ethertype::vlan});
    pop_tag(rest);
  }
  return tags;
}

std::uint32_t tag_bytes(const FlowKey& frame) { return ofproto::kTagBytes * ofproto::vlan_count(frame); }

// The innermost goes on first.
void push_tags(const std::vector<VlanTag>& tags, FlowKey& frame) {
  for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) push_tag(*tag, frame);
}

bool has_legs(const Host& host, const Link& device) {
  const auto& links = host.links.value;
  return joins_legs(device) && std::any_of(links.begin(), links.end(), [&](const Link& l) { return is_leg(l, device); });
}

std::vector<const Link*> working_legs(const Host& host, const Link& bond) {
  std::vector<const Link*> legs;
  for (const Link& leg : host.links.value)
    if (is_leg(leg, bond) && leg.is_up() && leg.has_carrier() && leg.leg_state != host::LegState::backup &&
        (bond.active_leg.empty() || bond.active_leg == leg.name))
      legs.push_back(&leg);
  return legs;
}

const Link* below(const Host& host, const Link& device) {
  if (joins_legs(device)) {
    const auto legs = working_legs(host, device);
    return legs.empty() ? nullptr : legs.front();
  }
  const bool stands = device.kind == "vlan" || shares_device(device) || device.kind.empty();
  return stands ? parent_of(host, device) : nullptr;
}

Uplink uplink_of(const Host& host, const Link& bridge) {
  std::vector<const Link*> ports, outward;
  for (const Link& port : host.links.value) {
    if (port.master != bridge.name || !port.has_carrier()) continue;
    ports.push_back(&port);
    if (port.kind.empty() || port.kind == "vlan" || joins_legs(port)) outward.push_back(&port);
  }
  if (ports.size() == 1) return {ports.front(), true};
  return {outward.size() == 1 ? outward.front() : nullptr, false};
}

bool is_of_evpn(std::string_view device) {
  static constexpr ovnk::Text kPrefixes[] = {ovnk::kEvpnBridge, ovnk::kEvpnVxlan4,   ovnk::kEvpnVxlan6,
                                             ovnk::kEvpnRouted, ovnk::kEvpnSwitched, ovnk::kEvpnPort};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](ovnk::Text prefix) { return ovnk::is_evpn_device(prefix, device); });
}

bool sends_into_tunnel(const Host& host, const Link& device) {
  const auto& links = host.links.value;
  return is_tunnel(device) ||
         std::any_of(links.begin(), links.end(), [&](const Link& l) { return l.master == device.name && is_tunnel(l); });
}

Above above(const Host& host, const Link& device, const FlowKey& frame) {
  Above up;
  const std::vector<VlanTag> tags = tags_of(frame);
  for (const Link& upper : host.links.value) {
    if (parent_of(host, upper) != &device || !upper.is_up()) continue;
    if (const auto tag = vlan_of(host, upper)) {
      if (!tags.empty() && *tag == tags.front()) return {&upper, true, tag->by_name ? &upper : nullptr};
    } else if (shares_device(upper)) {
      if (takes_share(upper, frame)) up.device = &upper;
    } else if (upper.kind.empty()) {
      up.uncertain = &upper;
    }
  }
  if (up.device != nullptr || device.master.empty()) return up;
  const Link* master = host.link(device.master);
  if (master != nullptr && (joins_legs(*master) || master->kind == "bridge")) up.device = master;
  return up;
}

Foot foot_of(const Host& host, std::string_view device) {
  Foot foot{std::string(device), {}};
  for (int depth = 0; depth < kMostStacked; ++depth) {
    const Link* link = host.link(foot.device);
    const Link* lower = link != nullptr ? below(host, *link) : nullptr;
    if (lower == nullptr) return foot;
    if (const auto tag = vlan_of(host, *link)) foot.tags.insert(foot.tags.begin(), *tag);
    foot.device = lower->name;
  }
  return foot;
}

}  // namespace egt::engine
