// What a reader should know of a path; it changes nothing.
#pragma once

#include <cstdint>

#include "egtrace/engine/detail.h"

namespace egt::engine {

// Behind each: what it names.
enum class Notice : std::uint8_t {
  // flows and ports
  resubmit_of_untracked,
  flow_stops_at_ttl,
  input_port_skipped,
  port_missing,       // port, bridge
  port_no_forward,    // port, bridge
  port_down,          // port
  port_without_link,  // port
  group_missing,      // group, bridge
  no_live_bucket,
  mac_learned,  // MAC, port
  flood,        // MAC, bridge
  own_tunnel_address,
  meter,           // number
  truncated,       // bytes
  mirrored,        // mirror, bridge
  not_understood,  // Input and what it is about
  vlan_limit,
  endless_recirculation,

  // devices
  one_of_legs,   // bond or team, its mode, leg, how many legs work
  bridged_vlan,  // bridge, VLAN, device that the bridge has the frame from, device that it goes to

  // IPsec
  ipsec_encrypts,  // source and destination of the packets, node, port of UDP or 0

  // ovn-controller
  answer_refused,
  answer_waits,
  not_answered,

  // conntrack
  later_fragment,
  quoted_packet_unknown,
  no_free_port,
};

}  // namespace egt::engine
