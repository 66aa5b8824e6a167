// Where the translation stops and the datapath sends the packet back: conntrack, hashes, headers below a popped label (freezing and
// frozen_actions of struct xlate_ctx in ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <optional>

#include "buckets.h"
#include "ofpacts.h"
#include "recirculations.h"
#include "xlate_context.h"

namespace egt::engine::ofproto {

// The packet's own state, to go on in that table.
FrozenState frozen_state(const XlateContext& c, std::uint8_t table);

// What is kept for the packet to come back with.
class Freezing {
 public:
  bool is_active() const { return is_active_; }
  void activate() { is_active_ = true; }
  void pause_for(const openflow::Controller& a) { pause_ = &a; }
  // That the datapath computes before.
  void want(const HashWanted& hash) { hash_ = hash; }
  bool wants_hash() const { return hash_.has_value(); }

  // Where something ended a list with no freezing at hand, what it left out is kept too, and gets into the next state that is frozen
  // after that end was taken back (ctx_first_frozen_action() does not ask for freezing either).
  bool is_first_action() const { return actions_.empty(); }
  // freeze_unroll_actions()
  void keep(const Ofpacts& list, std::size_t from, const PipelinePlace& at, OfpactCache& cache);
  // finish_freezing__(): the identifier with which the packet comes back to the table; 0: it does not.
  std::uint32_t finish(XlateContext& c, std::uint8_t table, const Ofpacts& action_set);

 private:
  bool is_active_ = false;
  std::optional<HashWanted> hash_;
  Ofpacts actions_;
  std::optional<std::size_t> unroll_;  // in `actions_`: the last that has table and cookie
  const openflow::Controller* pause_ = nullptr;
};

}  // namespace egt::engine::ofproto
