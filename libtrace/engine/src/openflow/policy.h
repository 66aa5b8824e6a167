// Decides what the dumps leave open, or what depends on more than the packet. The defaults are what ofproto/trace
// does: flows in the order of the table, hashes as the switch computes them, no side effects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/openflow/flow_lookup.h"

namespace egt::engine::ofproto {

// A flow that a learn action made during the walk.
struct LearnedRule {
  std::uint16_t priority = 0;
  std::uint64_t cookie = 0;
  Ofpacts actions;
  Provenance from;  // the flow whose learn action made it
};

// An entry of a bridge's MAC table.
struct LearnedMac {
  std::uint32_t port = 0;
  Provenance from;
};

class Policy {
 public:
  virtual ~Policy() = default;

  // The snapshot lacks it. The translation goes on as if that part were empty.
  virtual void missing(Statement<Input> input) = 0;

  // Which of the flows of equal priority is used.
  virtual openflow::FlowIndex flow(const openflow::Bridge& /*bridge*/, std::uint8_t /*table*/, const openflow::Lookup& hit) {
    return hit.hit;
  }
  // A learned flow that matches, of a priority above the one given.
  virtual const LearnedRule* learned(const openflow::Bridge& /*bridge*/, std::uint8_t /*table*/, const FlowKey& /*key*/,
                                     std::optional<std::uint16_t> /*above*/) {
    return nullptr;
  }
  // False: the flow is not learned.
  virtual bool learn(const openflow::Bridge& /*bridge*/, const openflow::Learn& /*learn*/, const FlowKey& /*flow*/) {
    return false;
  }

  // Whether the frame, which is `flow` by now and `added` bytes longer than when the translation began, is longer than
  // that; none: both continuations are translated.
  virtual std::optional<bool> is_longer_than(std::uint16_t /*bytes*/, const FlowKey& /*flow*/, int /*added*/) {
    return std::nullopt;
  }
  // Around the continuation that the packet does not take. The switch translates that one, too, with what is learned in
  // it; nothing is to be asked or recorded there. They nest.
  virtual void enter_untaken() {}
  virtual void leave_untaken(bool /*failed*/) {}
  // Whether hashes of the packet are left open. An index into `live` is then asked for: the buckets of a select group
  // that may be used, the members of a bundle; or one of the links of a multipath action. Otherwise the switch's hash
  // decides.
  virtual bool chooses() const { return false; }
  virtual std::size_t bucket(const openflow::Group& /*group*/, const std::vector<std::size_t>& /*live*/) { return 0; }
  virtual std::size_t member(const openflow::Bundle& /*bundle*/, const std::vector<std::size_t>& /*live*/) { return 0; }
  virtual std::size_t link(std::size_t /*links*/) { return 0; }

  // NORMAL: where the destination was learned, before the MAC table of the dump is asked; where it is to be sent
  // although no MAC table has it; that the dump's entry was used; and that a source was seen.
  virtual std::optional<LearnedMac> learned_mac(const openflow::Bridge& /*bridge*/, MacAddr /*mac*/, std::uint16_t /*vlan*/) {
    return std::nullopt;
  }
  virtual std::optional<LearnedMac> presumed_mac(const openflow::Bridge& /*bridge*/, MacAddr /*mac*/) { return std::nullopt; }
  virtual void used_mac(const openflow::Bridge& /*bridge*/, const openflow::FdbEntry& /*entry*/) {}
  virtual void saw_mac(const openflow::Bridge& /*bridge*/, MacAddr /*mac*/, std::uint16_t /*vlan*/, std::uint32_t /*port*/) {}

  // Whether the copies that mirrors take are sent.
  virtual bool sends_copies() const { return true; }
  // Whether packets that pause for a controller are handed to it.
  virtual bool has_controller() const { return false; }
  // Whether the datapath's numbers of ports are of interest.
  virtual bool needs_datapath_ports() const { return true; }
  // Whether tunnel headers are the caller's business even where the datapath would push them.
  virtual bool hands_over_tunnels() const { return false; }
};

}  // namespace egt::engine::ofproto
