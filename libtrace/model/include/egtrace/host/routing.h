// Policy rules and routes of a Linux host (ip-rule(8), ip-route(8)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/base/boxed.h"
#include "egtrace/base/ip.h"
#include "egtrace/base/name.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

enum class RouteType : std::uint8_t {
  unicast,
  local,
  broadcast,
  multicast,
  anycast,
  throw_,
  unreachable,
  prohibit,
  blackhole,
  nat
};

struct NextHop {
  std::optional<IpAddr> via;
  Name device;
  std::uint32_t weight = 1;
  bool onlink = false, linkdown = false, dead = false;
};

// A host has up to a million: members in an order that leaves no gaps.
struct Route {
  Family family = Family::v4;
  RouteType type = RouteType::unicast;
  std::optional<std::uint8_t> tos;
  std::uint32_t metric = 0;
  Name table = "main";  // name or number as resolved by number where rt_tables is known
  Prefix to;
  std::optional<IpAddr> source_hint;  // "src"
  std::vector<NextHop> next_hops;     // one unless multipath
  Name protocol, scope;
  std::uint32_t mtu = 0, nexthop_id = 0;  // 0: none
  // Words of the line that change what the route does and have no member here ("encap mpls 100"), or
  // were not understood: a packet that takes the route has no proof.
  std::vector<std::string> not_modelled;
  Provenance from;
  Boxed<Prefix> sources = {};                     // of IPv6: "from fd00::/64", the sources that it is for; none: all
  Boxed<std::vector<Provenance>> hops_from = {};  // the objects that its next hops are of, where its own line shows none
};
inline std::optional<Prefix> sources_of(const Route& route) {
  return route.sources ? std::optional(*route.sources) : std::nullopt;
}

// An object of ip-nexthop(8) that routes name by its number ("nhid 10").
struct NextHopObject {
  std::uint32_t id = 0;
  NextHop hop;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> group;  // of other objects, with their weights; empty: it is none
  bool blackhole = false;
  bool for_bridges = false;               // "fdb": no route may name it
  std::vector<std::string> not_modelled;  // as of a route
  Provenance from;
};

// What path MTU discovery found out about one destination (ip-route(8), "show cache").
struct PathMtu {
  IpAddr to;
  std::string device;
  std::uint32_t mtu = 0;
  Provenance from;
};

enum class RuleAction : std::uint8_t { lookup, goto_, blackhole, unreachable, prohibit, nop };

// first to last; with a mask, the ports that equal `first` under it.
struct PortRange {
  std::uint16_t first = 0, last = 0;
  std::uint16_t mask = 0xffff;
  bool contains(std::uint16_t port) const {
    return mask == 0xffff ? first <= port && port <= last : ((port ^ first) & mask) == 0;
  }
};

struct PolicyRule {
  Family family = Family::v4;
  std::uint32_t priority = 0;
  bool negate = false;
  Prefix from_prefix, to_prefix;  // length 0: any
  bool has_from = false, has_to = false;
  std::optional<std::uint32_t> fwmark;
  std::uint32_t fwmask = 0xffffffff;
  Name iif, oif;
  bool iif_detached = false, oif_detached = false;
  std::optional<std::uint8_t> tos;
  std::optional<std::uint8_t> dscp;  // six bits, of which `dscp_mask` count
  std::uint8_t dscp_mask = 0x3f;
  std::optional<std::uint8_t> ip_proto;
  std::optional<PortRange> sport, dport;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> uid_range;
  bool l3mdev = false;
  RuleAction action = RuleAction::lookup;
  Name table;
  std::optional<std::uint32_t> goto_priority;
  std::optional<int> suppress_prefix_length;
  Name suppress_group;  // of devices, as printed; empty: none
  // Conditions of the line that have no member here ("tun_id 5") or were not understood: whether the rule matches is open.
  std::vector<std::string> not_modelled;
  Provenance from;
};

// What a routing daemon (FRR) shows of a node's routes.
enum class BgpPeer : std::uint8_t { none, external, internal };
struct DaemonRoute {
  Route route;                  // next hops of BGP and of most static routes have no device yet
  std::uint32_t distance = 0;   // administrative; of several routes to one prefix the lowest goes into the kernel
  BgpPeer bgp = BgpPeer::none;  // of BGP: which kind of peer sent it; the daemon's settings have its distance
  std::string vrf;              // name, or "#7" by the number of its device; empty: the default one
};
struct RoutingDaemon {
  // What its routing table (`show ip route`) shows as selected and in the FIB; `whole`: all of a family's main table,
  // not the routes of one protocol alone.
  std::vector<DaemonRoute> table;
  bool whole_v4 = false, whole_v6 = false;
  // What protocols offer to that table: the best paths and multipaths of BGP, static routes of the configuration.
  std::vector<DaemonRoute> offers;
  std::uint32_t bgp_external_distance = 20, bgp_internal_distance = 200;  // "distance bgp"
};

// Who shown a host's routes: the kernel (ip-route(8)), the daemon's own table, or only what protocols offer to it, out of
// which the daemon chooses by distance.
enum class RouteSource : std::uint8_t { kernel, daemon, offers };

// "main", "254" and the like: the canonical name (local, main, default, or the number as text).
std::string canonical_table(std::string_view name);

}  // namespace egt::host
