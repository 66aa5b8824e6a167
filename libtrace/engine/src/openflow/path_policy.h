// How a walk answers what the dumps leave open: hashes are branches, flows that were learned on the path count, and so
// do MAC addresses.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "egtrace/engine/choice.h"
#include "egtrace/engine/network_state.h"
#include "frame_length.h"
#include "path_position.h"
#include "policy.h"

namespace egt::engine {

class PathPolicy : public ofproto::Policy {
 public:
  PathPolicy(NetworkState& network_state, PathPosition& at, Chooser& chooser)
      : node_(at.node()), network_state_(network_state), at_(at), chooser_(chooser) {}

  // Of the frame that is translated next.
  void set_frame_length(const ofproto::FrameLength& length) { length_ = length; }
  void missing(Statement<Input> input) override {
    if (untaken_ == 0) at_.missing(std::move(input));
  }
  openflow::FlowIndex flow(const openflow::Bridge& bridge, std::uint8_t table, const openflow::Lookup& hit) override;
  const ofproto::LearnedRule* learned(const openflow::Bridge& bridge, std::uint8_t table, const FlowKey& key,
                                      std::optional<std::uint16_t> above) override;
  bool learn(const openflow::Bridge& bridge, const openflow::Learn& learn, const FlowKey& flow) override;
  std::optional<bool> is_longer_than(std::uint16_t bytes, const FlowKey& flow, int added) override;
  void enter_untaken() override { ++untaken_; }
  void leave_untaken(bool failed) override;
  bool chooses() const override { return true; }
  std::size_t bucket(const openflow::Group& group, const std::vector<std::size_t>& live) override;
  std::size_t member(const openflow::Bundle& bundle, const std::vector<std::size_t>& live) override;
  std::size_t link(std::size_t links) override;
  std::optional<ofproto::LearnedMac> learned_mac(const openflow::Bridge& bridge, MacAddr mac, std::uint16_t vlan) override;
  std::optional<ofproto::LearnedMac> presumed_mac(const openflow::Bridge& bridge, MacAddr mac) override;
  void used_mac(const openflow::Bridge& bridge, const openflow::FdbEntry& entry) override;
  void saw_mac(const openflow::Bridge& bridge, MacAddr mac, std::uint16_t vlan, std::uint32_t port) override;
  bool sends_copies() const override { return false; }  // captures there show them; their further path is not walked
  bool has_controller() const override { return true; }
  bool hands_over_tunnels() const override { return true; }
  bool needs_datapath_ports() const override { return false; }

 private:
  ChoicePoint split(Branch what) const;
  // Of the options; the first where the packet does not come.
  std::size_t choose(const ChoicePoint& point);

  const cluster::Node& node_;
  NetworkState& network_state_;
  PathPosition& at_;
  Chooser& chooser_;
  ofproto::FrameLength length_;
  unsigned untaken_ = 0;  // continuations around what is translated that the packet does not take
  bool guessed_ = false;  // in one of them
  // Learned flows in the form in which they are executed; states that wait for a recirculation refer to them.
  struct UsedRule {
    std::shared_ptr<const LearnedFlow> flow;
    ofproto::LearnedRule rule;
  };
  std::deque<UsedRule> used_;
};

}  // namespace egt::engine
