// What the dumps, or the system itself, leave open, and what may be the case.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/engine/detail.h"

namespace egt::engine {

// What splits a path. Behind each: what it names.
enum class Branch : std::uint8_t {
  equal_priority,  // bridge, table
  group,           // number
  bundle,
  multipath,
  backend,
  logical_member,  // datapath
  frame_taker,     // MAC
  ecmp_route,      // destination, whether the packet is routed anew
  udp_connected,
  udp_bound,    // address
  transparent,  // address
  icmpv6_source,
  masquerade,   // source; its device, device of the packet
  chain_order,  // twice front end, table, chain

  // of rules: front end, table, chain, then
  test,       // Property and its name
  statement,  // text
  queue,
  proxy,
  address_of_range,  // first and last address
};

// A possible answer to a question.
enum class Alternative : std::uint8_t {
  name,  // anything that has a name
  yes,
  no,
  matches,
  does_not_match,
  has_no_effect,
  applies,
  accepts,
  drops,
  connected,
  not_connected,
  snat,
  masquerade,
  cookie,
  bucket,
  backend,  // address, port
  port,
  link,
  device_of_node,  // node, device
  device,
  next_hop,  // address, device
  address,
  address_of_device,
  address_by_route,
  chain,  // front end, table, chain
  number,
  element,  // which, of how many
  catch_all,
  no_element,
};

// What a rule asks of a packet, its connection or its host, and no dump shows.
enum class Property : std::uint8_t {
  none,        // it is known
  as_written,  // the rule's own words

  // of the packet
  packet_part,
  tcp_flags,
  fragment_offset,
  translated_port,

  // of devices and sockets
  device_kind,
  device_type,
  device_group,
  bridge_port,
  socket_user,
  socket_group,
  socket_cgroup,
  socket_mark,
  transparent_socket,
  random_number,
  outside_packet,

  // of connections
  connection_expiration,
  connection_helper,

  // of routes
  address_type,
  route_device,
  chosen_next_hop,
  device_on_lo,
  route_realm,
  route_next_hop,

  // generators
  numgen_random,
  numgen_inc,
  jhash,
  symhash,

  // of expressions, sets and maps
  unknown_key,
  nested_expression,
  map_in_test,
  constant_range,
  empty_expression,
  set,
  set_contents,
  anonymous_set_contents,
  map,
  verdict_map,
  ipset_members,

  // of statements
  mark,
  connection_mark,
  header_field,
  conntrack_zone,
  nat_address,
  nat_port,
};

struct Unknown {
  Property property = Property::none;
  std::string name = {};  // of the set that it is about, or the words of the rule
};

}  // namespace egt::engine
