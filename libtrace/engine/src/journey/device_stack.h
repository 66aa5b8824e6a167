// Devices that stand on others, as the kernel hands frames down and up through them: VLANs (net/8021q/vlan_core.c), bonds and
// teams, macvlan and ipvlan devices (drivers/net/), Linux bridges (net/bridge).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/host.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

constexpr int kMostStacked = 8;  // as MAX_NEST_DEV of the kernel

// The tag that a VLAN device puts on frames. Without ip -d the name alone shows it ("eth0.100").
struct VlanTag {
  std::uint16_t id = 0, protocol = 0x8100;  // protocol: EtherType
  bool by_name = false;
  friend bool operator==(const VlanTag& a, const VlanTag& b) { return a.id == b.id && a.protocol == b.protocol; }
};
std::optional<VlanTag> vlan_of(const host::Host& host, const host::Link& device);

// Puts a tag around those that the frame has; takes the outermost away.
void push_tag(const VlanTag& tag, FlowKey& frame);
void pop_tag(FlowKey& frame);
// One with a priority alone (VLAN 0), which a stack ignores (check_vlan_id of __netif_receive_skb_core() in net/core/dev.c); whether
// there was one.
bool pop_priority_tag(FlowKey& frame);
std::vector<VlanTag> tags_of(const FlowKey& frame);                // the outermost first
void push_tags(const std::vector<VlanTag>& tags, FlowKey& frame);  // as tags_of() gives them
std::uint32_t tag_bytes(const FlowKey& frame);                     // of all its tags

// Legs of a bond or team that carry frames, in order of `ip link`: only the active one where the others are backups.
std::vector<const host::Link*> working_legs(const host::Host& host, const host::Link& bond);
bool has_legs(const host::Host& host, const host::Link& device);  // is a bond or a team, with legs that are shown
bool joins_legs(const host::Link& device);                        // is a bond or a team
bool shares_device(const host::Link& device);                     // is a macvlan or ipvlan device

// Through what `device` sends; null where it stands on nothing that is shown. Of several legs the first.
const host::Link* below(const host::Host& host, const host::Link& device);

// The port by which a Linux bridge sends out of the node: its only one, or the only one that is no veth or tap. Null where
// that does not show one. `alone`: it has no other.
struct Uplink {
  const host::Link* port = nullptr;
  bool alone = false;
};
Uplink uplink_of(const host::Host& host, const host::Link& bridge);

// Whether the device puts frames into tunnels of the kernel's own (ip-link(8)), or the bridge has such a port.
bool sends_into_tunnel(const host::Host& host, const host::Link& device);
// Whether the device is one of those by which EVPN of OVN-Kubernetes sends: routed, switched, or of its bridge.
bool is_of_evpn(std::string_view device);

// Whose receive handler takes a frame that `device` received; null: of none, or of a bridge of Open vSwitch. A VLAN's takes it
// without its tag. `uncertain`: a device stands on it of which no dump shows the kind.
struct Above {
  const host::Link* device = nullptr;
  bool untagged = false;  // the outermost tag ends here
  const host::Link* uncertain = nullptr;
};
Above above(const host::Host& host, const host::Link& device, const FlowKey& frame);

// The end of the wire below `device`, and the tags that its frames have there, the outermost first.
struct Foot {
  std::string device;
  std::vector<VlanTag> tags;
};
Foot foot_of(const host::Host& host, std::string_view device);

}  // namespace egt::engine
