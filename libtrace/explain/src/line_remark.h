// What single lines of an excerpt show of a packet, and what no line has to show: values that phrases words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/engine/detail.h"
#include "egtrace/evidence/evidence.h"

namespace egt::explain {

// Behind each: what it names.
enum class LineRemark : std::uint8_t {
  // of a flow: its priority first
  flow_differs,         // priority, fields, whether they are several
  flow_counts_binding,  // priority
  flow_does,            // priority, what it does
  flow_may_do,          // priority, what it does, fields that are open
  higher_comes_first,
  // what a flow does
  reroutes,  // next hop
  drops,
  picks_bucket,  // group
  sets_mark,     // mark
  passes_port_security,
  continues,
  // of a next hop
  in_transit_subnet,
  hop_of_register,  // value, address, name
  hop_named,        // address, name
  // of rules, routes and address sets
  translates,  // whether the source, to what
  leaves_by,   // device
  address_of_device,
  address_of_map,
  address_range,    // first, last
  rule_needs_mark,  // table, mark
  rule_has_source,  // table
  route_covers,
  route_does_not_cover,
  set_has_address,  // address, kind and name of its owner
  // of a pod's network namespace
  stays_in_pod,  // pod, address
  namespace_not_shown,
  only_addresses_shown,
  redirects_nothing,  // pod
  rules_not_shown,
  // of all lines
  nothing_mentioned,  // address
  not_whole_path,     // sender, next hop
  shows_translation,  // how it is joined, whether the source, to what
};

using LineStatement = engine::Statement<LineRemark>;
std::string phrase(const LineStatement& remark);

// What a whole path needs besides single lines.
std::vector<Gap> gaps_of_excerpt(bool has_logical_flows);

}  // namespace egt::explain
