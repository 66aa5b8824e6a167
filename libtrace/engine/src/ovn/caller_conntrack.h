// Connection tracking as the caller of a trace shows it (--ct, --lb-dst and --select-id of ovn-trace(8)). What the caller leaves open is
// supposed as by ovn-trace, and counted.
#pragma once

#include <cstdint>
#include <optional>

#include "ovn/action_place.h"

namespace egt::engine::logical {

class CallerConntrack {
 public:
  explicit CallerConntrack(const Options& options) : options_(options) {}

  // What goes on behind the action is written to `tracked`, which is the packet before; what shows of it is returned, or nothing
  // where the packet does not go on.
  std::optional<Transformed> track(const ovn::CtNext& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet,
                                   FlowKey& tracked);
  std::optional<Transformed> track(const ovn::CtNat& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet,
                                   FlowKey& tracked);
  std::optional<Transformed> track(const ovn::CtCommitToZone& a, const ovn::Action& action, const ActionPlace& at,
                                   const FlowKey& packet, FlowKey& tracked);
  std::optional<Transformed> track(const ovn::CtLb& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet,
                                   FlowKey& tracked);
  Transformed select(const ovn::Select& a, const ovn::Action& action);

  const Supposed& supposed() const { return supposed_; }

 private:
  std::uint32_t next_state(bool& supposed);
  void suppose_tracked(FlowKey& tracked, Transformed& shown);
  void note_original(FlowKey& to, const FlowKey& from) const;
  const Options::Backend* choose_backend(const ovn::CtLb& a, Family family, const ActionPlace& at, Options::Backend& chosen);

  const Options& options_;
  std::size_t next_state_ = 0;
  bool backend_used_ = false;
  Supposed supposed_;
};

}  // namespace egt::engine::logical
