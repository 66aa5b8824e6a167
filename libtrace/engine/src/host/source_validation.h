// Whether a host takes a packet from that sender on that device: fib_validate_source() of net/ipv4/fib_frontend.c.
// IPv4 only; IPv6 has no such check.
#pragma once

#include <string>
#include <vector>

#include "egtrace/engine/reason.h"
#include "egtrace/engine/routing.h"

namespace egt::engine {

struct ValidationQuery {
  RouteQuery packet;       // as after PREROUTING, with in_device
  std::string out_device;  // where it would leave; empty: for this host itself
};

struct Validation {
  bool accepted = true;
  Cause why;                         // refused
  bool martian = false;              // an own, broadcast or multicast address as source
  std::vector<Provenance> evidence;  // settings and the reverse route
  RouteAnswer reverse;               // empty kind no_route when no lookup was needed
  bool looked_up = false;
  std::vector<Assumption> assumptions;  // settings that matter and are not dumped
};

Validation validate_source(const host::Host& host, const ValidationQuery& query);

}  // namespace egt::engine
