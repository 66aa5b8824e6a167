// The networks of routers' ports, and whether ovn-northd finds next hops on them: of a row whose next hops it does not find it makes
// no logical flow (northd/northd.c, find_static_route_outport() and get_outport_for_routing_policy_nexthop()).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/ovn/ovn.h"

namespace egt::assess {

enum class Reach { reached, not_reached, unknown };

class RouterNetworks {
 public:
  explicit RouterNetworks(const ovn::Ovn& ovn);

  // Of a row of Logical_Router_Static_Route or Logical_Router_Policy. Unknown where not all ports of its router are, where releases
  // differ, of a router that is not enabled and of a jump to a chain.
  Reach reach_of(const ovn::Row& row) const;
  // Whether a dump shows routers at all.
  bool knows_routers() const { return knows_routers_; }

 private:
  struct Router {
    std::size_t ports = 0;
    std::set<std::string, std::less<>> names;  // of those that are known
    std::vector<Prefix> networks;
  };

  Reach reach(const Router& router, std::string_view next_hop) const;

  bool knows_routers_ = false;
  std::map<std::string, Router, std::less<>> routers_;  // those that are enabled, by name
};

// Those that a route or policy has; empty where it needs none.
std::vector<std::string> next_hops_of(const ovn::Row& row);

}  // namespace egt::assess
