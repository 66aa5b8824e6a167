// Packets that the datapath brings back (ofproto/ofproto-dpif-rid.c).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "egtrace/packet/flow_key.h"
#include "field_stack.h"
#include "ofpacts.h"
#include "switch.h"

namespace egt::engine::ofproto {

// What a recirculation needs to go on.
struct FrozenState {
  SwitchBridge* bridge = nullptr;
  std::uint8_t table = 0;
  FlowKey metadata;  // registers, metadata, in_port, tunnel
  FieldStack stack;
  bool conntracked = false, was_mpls = false;
  MirrorMask mirrored = 0;
  std::optional<std::uint32_t> first_port;
  Ofpacts actions, action_set;
  std::vector<std::uint8_t> userdata;  // of the controller action
  friend bool operator==(const FrozenState&, const FrozenState&) = default;
};

// The recirculations of one trace, and the numbers given to what no dump shows the numbers of.
struct Recirculations {
  struct Waiting {
    std::uint32_t id = 0;
    FlowKey flow;
    std::optional<openflow::Nat> nat;
  };
  std::deque<Waiting> queue;
  void wait(Waiting w);

  // The identifier of a state, held until the pass has ended, or longer where a packet waits with it. Equal states have
  // one identifier as long as it is held; after that the switch takes a new one (ofproto-dpif-rid.c).
  std::uint32_t hold(const FrozenState& s);
  const FrozenState& state(std::uint32_t id) const { return states_[id - 1].state; }
  void end_pass();
  void end_waiting(std::uint32_t id) { release(id); }

  // The datapath's number of a bridge's meter: counted from 0 there, in the order in which meters were made, which is
  // that of their identifiers where only one bridge has some.
  std::uint32_t meter_of(const openflow::Bridge& b, std::uint32_t id);

 private:
  struct State {
    FrozenState state;
    unsigned holders = 0;
  };
  void release(std::uint32_t id);

  std::deque<State> states_;            // the one with identifier N at N - 1; addresses stay
  std::vector<std::uint32_t> live_;     // those that are held
  std::vector<std::uint32_t> of_pass_;  // those that the pass holds, as often as it does
  std::map<std::pair<const openflow::Bridge*, std::uint32_t>, std::uint32_t> meters_;
};

}  // namespace egt::engine::ofproto
