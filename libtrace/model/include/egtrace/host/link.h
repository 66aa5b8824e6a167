// Network devices, addresses and neighbours of a Linux host (ip-link(8), ip-address(8), ip-neighbour(8)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/boxed.h"
#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/name.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

struct Address {
  Prefix prefix;  // the address itself; its length is the subnet's
  Boxed<IpAddr> peer{};
  Name scope;  // global, link, host
  bool secondary = false, deprecated = false, tentative = false, noprefixroute = false;
  Provenance from{};

  // What is reached without a gateway: of a point-to-point address the peer's (ifa_address of the kernel).
  Prefix subnet() const { return Prefix{peer ? *peer : prefix.address, prefix.length}.network(); }
};

// Whether a bond sends by this leg of it (ip-link(8), "bond_slave state"); unknown: no dump shows, or no leg.
enum class LegState : std::uint8_t { unknown, active, backup };

// UP, LOWER_UP, NO-CARRIER, NOARP, …
struct LinkFlags {
  Name list;  // with commas

  bool empty() const { return list.empty(); }
  bool has(std::string_view flag) const;
  friend bool operator==(const LinkFlags&, const LinkFlags&) = default;
};

struct Link {
  std::string name;
  std::uint32_t index = 0, mtu = 0;
  Name peer;  // behind "@": parent device, or "if7"
  LinkFlags flags;
  Name master;     // bridge, bond, VRF, or "ovs-system"
  Name state;      // UP, DOWN, UNKNOWN, …
  Name group;      // "default" or a number; empty where the dump does not show
  Name link_type;  // "ether", "loopback", …
  std::optional<MacAddr> mac;
  Name kind;              // of ip -d link: veth, bridge, bond, vlan, macvlan, vrf, geneve, openvswitch
  Name mode;              // of a macvlan or ipvlan device or of a bond, as ip(8) calls it
  Name port_state;        // as port of a Linux bridge: "forwarding", "blocking", "disabled", …; empty: no dump shows
  Name active_leg;        // of a bond that sends by one leg only; empty: none, or no dump shows
  Name queue;             // its queueing discipline (tc(8)); empty: no dump shows
  Name other_with_index;  // a device that another dump has at this index; empty: none
  std::vector<Address> addresses;
  std::uint32_t vrf_table = 0;  // 0: none, or no dump shows
  std::optional<std::uint16_t> vlan_id;
  std::uint16_t vlan_protocol = 0x8100;  // of a VLAN's tags, or of those that a bridge filters: 802.1Q, or 802.1ad (0x88a8)
  bool has_program = false;              // of XDP
  bool filters_vlans = false;            // of a bridge
  bool mac_disputed = false;             // dumps show different ones
  bool name_made_up = false;             // of a presumed host: no dump has its name
  bool mac_made_up = false;              // nor its MAC
  LegState leg_state = LegState::unknown;
  Provenance from;

  bool is_up() const;            // flag UP
  bool has_carrier() const;      // LOWER_UP, or flags that do not show it
  bool may_drop_queued() const;  // by a filter or at random, and not where the queue is full alone
};

// VLANs that a port of a Linux bridge carries, or the bridge's own device (bridge(8), "bridge vlan show").
struct BridgedVlans {
  std::string device;
  std::uint16_t first = 0, last = 0;  // both 0: it has none
  bool takes_untagged = false;        // PVID: of frames that come without a tag
  bool sends_untagged = false;
  bool forwards = true;  // false: spanning tree keeps these VLANs out
  Provenance from;
};

enum class NeighbourState : std::uint8_t { none, incomplete, reachable, stale, delay, probe, failed, noarp, permanent };

struct Neighbour {
  IpAddr address;
  std::string device;
  std::optional<MacAddr> mac;
  NeighbourState state = NeighbourState::none;
  bool proxy = false, router = false;
  Provenance from;
};

}  // namespace egt::host
