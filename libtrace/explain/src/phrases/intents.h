// What objects ask for and what the dumps do instead: values, of which phrases make the words of an IntentViolation.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/base/term.h"

namespace egt::explain {

enum class Wanted : std::uint8_t {
  pods_leave,     // by a node, and perhaps as an address
  pod_leaves_as,  // an address of a node
  pod_leaves_by_gateway,
  firewall_denies,  // by a rule
  firewall_allows,
  firewall_has_no_rule,
  admin_rule,
  network_rule,  // of a NetworkPolicy, that lets the packet through
  no_network_rule,
  endpoints,
};

enum class Actual : std::uint8_t {
  leaves_as,
  is_delivered,
  packet_is_delivered,
  next_hop,       // another one than a gateway
  frame_goes_to,  // likewise, a MAC
  own_acl_stops,  // one that was made for the object
  other_acl_stops,
  no_load_balancer,
  other_backends,  // those that are not sent to, and those that are and should not be
};

template <class Kind>
struct Clause {
  Kind kind{};
  Terms about = {};
};

std::string phrase(const Clause<Wanted>& asked);
std::string phrase(const Clause<Actual>& done);

}  // namespace egt::explain
