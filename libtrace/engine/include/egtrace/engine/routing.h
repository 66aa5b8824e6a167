// Where a Linux host would send a packet: policy rules, tables, routes (ip-rule(8), ip-route(8), net/ipv4/fib_*.c,
// net/ipv6/route.c). A lookup only: nothing is recorded, nothing is chosen; several next hops are all in the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/engine/assumption.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/host/host.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct RouteQuery {
  IpAddr to;
  std::optional<IpAddr> from;  // absent: a socket that has no address yet; "from X" rules do not match
  std::uint32_t mark = 0;
  std::string in_device = "lo";  // "lo": the packet is made on this host
  std::string out_device;        // of a socket that is bound to a device; empty: any
  std::uint8_t tos = 0;          // as "tos" of rules and routes asks: of IPv4 the old bits alone
  std::uint8_t dscp = 0;
  std::uint8_t proto = 0;
  std::uint16_t sport = 0, dport = 0;

  bool is_local() const { return in_device == "lo"; }
};

// A query for a packet that arrived on `in_device`, or with "lo" leaves a socket with its source address set.
RouteQuery query_for(const FlowKey& packet, std::string in_device);

// One usable next hop: an index into its route's next_hops.
struct RouteHop {
  const host::Route* route = nullptr;
  std::size_t next_hop = 0;

  const host::NextHop& get() const { return route->next_hops[next_hop]; }
};

struct RouteAnswer {
  // blackhole, unreachable, prohibit: by a route, or (route null) by the rule's own action. no_route: nothing matched.
  // unknown: the dumps do not hold what decides; `assumptions` name what is missing.
  enum class Kind : std::uint8_t { unicast, local, broadcast, multicast, blackhole, unreachable, prohibit, no_route, unknown };
  Kind kind = Kind::no_route;
  const host::PolicyRule* rule = nullptr;  // that decided; null when the kernel's default rules are assumed
  const host::Route* route = nullptr;      // null where an address stands in for the local table
  const host::Address* address = nullptr;  // the own address that made it local, where the local table is not dumped
  std::vector<RouteHop> hops;              // unicast: at least one, but for a bound socket without a route
  std::string device;                      // local: the device that has the address; bound socket without a route
  std::vector<Assumption> assumptions;     // on which the answer rests

  bool is_for_me() const { return kind == Kind::local || kind == Kind::broadcast || kind == Kind::multicast; }
  std::vector<Provenance> evidence() const;  // rule, then route or address
};

RouteAnswer find_route(const host::Host& host, const RouteQuery& query);

// What a policy rule may ask for (ip-rule(8), SELECTOR).
enum class Selector : std::uint8_t {
  source,
  destination,
  tos,
  dscp,
  protocol,
  source_port,
  destination_port,
  in_device,
  out_device,
  mark,
  vrf
};

// A policy rule or route that a reader may expect to have decided, and why it did not.
struct RouteMiss {
  // Of a rule: the packet does not meet `selector` alone; its table has no route to the destination; `route` is one that
  // the rule suppresses, or of type throw. Of a route in the table that decided: `winner` has a longer prefix, the same
  // prefix and comes first, or `route` has no next hop that can be used.
  enum class Why : std::uint8_t { selector, no_route, suppressed, thrown, shorter, later, next_hop };
  Why why = Why::selector;
  Selector selector = Selector::source;
  const host::PolicyRule* rule = nullptr;
  const host::Route *route = nullptr, *winner = nullptr;
  RouteQuery query = {};
  std::string node = {};
  std::size_t before_step = 0;  // as in RuleMiss
};

// In the order in which they were skipped. On demand only: costs a second look at all rules and at one table.
std::vector<RouteMiss> near_misses(const host::Host& host, const RouteQuery& query, const RouteAnswer& answer);

// What a table alone decides, as `fib daddr type` and -m addrtype ask: local, broadcast, multicast or unicast. `device`
// not empty: an address counts only when it is on that device.
RouteAnswer::Kind local_type_of(const host::Host& host, const IpAddr& address, std::string_view device = {});

// The source address of an unbound socket for this answer (hop: which of the next hops is taken). Empty when the host
// has none or its addresses are not known.
std::optional<IpAddr> choose_source(const host::Host& host, const RouteAnswer& answer, std::size_t hop, const IpAddr& to);

// The route of an unbound socket to `to` with its first next hop: device and source. Empty when there is none.
struct LocalRoute {
  std::string device;
  std::optional<IpAddr> gateway;
  IpAddr source;
};
std::optional<LocalRoute> local_route(const host::Host& host, const IpAddr& to);

}  // namespace egt::engine
