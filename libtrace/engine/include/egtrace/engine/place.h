// Where in a node, or between nodes, a packet ends.
#pragma once

#include <cstdint>

#include "egtrace/engine/detail.h"

namespace egt::engine {

// What a place names is its name, unless noted otherwise.
enum class PlaceKind : std::uint8_t {
  none,   // nowhere in particular
  table,  // bridge, table
  stage,  // of logical flows: datapath, stage
  bridge,
  device,
  pod,  // pod or logical port
  node,
  chain,  // front end, table, chain
  routing_table,
  policy_routing,
  input_route,
  output_route,
  gateway_route,  // of a copy
  source_selection,
  connect,  // the system call
  forwarding,
  source_check,
  rp_filter,
  fragments,  // reassembly
  conntrack,
  postrouting,  // of netfilter
  ipsec,
  neighbour,    // address, device
  tunnel_to,    // remote address
  tunnel_from,  // type, remote address
  outside,      // destination
  input,        // where an input is missing: Input and what it is about
  loop,
  copies,
  copy,
  this_host,
};

using Place = Statement<PlaceKind>;

}  // namespace egt::engine
