// Remarks about a captured flow, or predicted and observed at a place: values that explain/src/phrases words.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/engine/detail.h"

namespace egt::explain::capture_study {

// Behind each: what it names. A place is a node and its device; a summary is that of a predicted walk.
enum class FlowRemark : std::uint8_t {
  // of a flow as a whole
  only_a_reset,
  only_a_late_syn_ack,
  late_syn_ack_refused,  // address that refuses it
  only_the_other_direction,
  one_direction_only,  // place
  only_the_reply,
  nothing_that_opens,

  // of its prediction
  answered_unpredicted,   // FlowRemark
  answered_nevertheless,  // why it is not answered by the dumps
  no_process_listens,     // address and port
  path_not_computed,
  path_not_shown,
  several_paths_fit,    // how many, summary, summaries
  ends_as_predicted,    // verdict, place, why
  seen_by_receiver_as,  // receiver, address and port
  sender_not_captured,  // node that forwarded it
  predicted,            // summary

  // of packets that came back, or did not
  comes_back,               // what, place
  comes_back_from,          // what, address, place
  reply_lost_as_predicted,  // summary
  reply_lost_between,       // two places
  reply_should_get_through,
  no_reply_predicted,        // place, FlowRemark
  no_reply_unplaced,         // place
  last_seen_without_path,    // place
  last_seen_off_path,        // place
  lost_before_next,          // two places
  no_reply_at,               // place
  nothing_captured_behind,   // place
  arrives_without_reply,     // two places
  seen_without_reply,        // two places
  refusal_not_at_sender,     // what
  refusal_ends_nothing,      // what
  reset_belongs_to_nothing,  // addresses and ports
  reset_not_at_sender,       // addresses and ports, place

  // of what tracers saw
  dropped_as_predicted,    // reason, place, meaning, summary
  dropped_unpredicted,     // reason, place, meaning
  dropped_there,           // reason, place, meaning
  dropped_without_path,    // reason, place, meaning
  events_show_no_absence,  // place
  only_events,             // place

  // of an event that is at no hop
  path_unknown,
  node_not_on_path,  // node
  reply_not_predicted,
  device_not_on_path,      // device
  device_other_direction,  // device
  behind_packet,
  switch_not_on_path,  // node
  stack_not_on_path,   // node
  zone_not_on_path,    // number
  flows_not_on_path,   // how many
  rule_not_on_path,    // table, chain, handle, its line
  rule_not_dumped,     // table, chain, handle
  chain_not_on_path,   // table, chain
  other_namespace,     // inode
  place_unknown,
  symbol_unknown,  // function

  // of a place
  not_seen,
  goes_on,
  nothing_of_flow,
  unknown_place,
};

using FlowStatement = engine::Statement<FlowRemark>;
std::string phrase(const FlowStatement& remark);

}  // namespace egt::explain::capture_study
