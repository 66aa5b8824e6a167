// Packets that the datapath hands to ovs-vswitchd, and their translation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datapath/packet.h"
#include "datapath/switch_session.h"
#include "egtrace/engine/choice.h"
#include "egtrace/engine/network_state.h"
#include "openflow/path_observer.h"
#include "openflow/path_policy.h"
#include "openflow/recirculations.h"

namespace egt::engine {

struct Upcall {
  DatapathPacket packet;
  std::optional<std::uint32_t> recirculation;
  const openflow::ActionList* packet_out = nullptr;  // actions of a packet that ovn-controller sends
  const openflow::Bridge* bridge = nullptr;          // of `packet_out`
  std::string reject_with;                           // not empty: the packet is ovn-controller's refusal
  std::optional<std::size_t> step;                   // of the record: the flow that asked for it
};

// Translates the upcalls of one packet, and records the steps.
class UpcallTranslator {
 public:
  UpcallTranslator(SwitchSessions::Session& session, NetworkState& network_state, PathRecorder& recorder, Chooser& chooser)
      : session_(session),
        recorder_(recorder),
        at_(recorder),
        observer_(at_),
        policy_(network_state, at_, chooser),
        how_{session.version, false} {}

  // Where the packet comes in.
  void set_origin(const openflow::Bridge& bridge) { origin_ = session_.tables.sw.bridge(bridge); }
  const openflow::Bridge& origin() const { return *origin_->bridge; }
  bool in_userspace() const { return origin().datapath_type == "netdev"; }
  PathPosition& position() { return at_; }

  ofproto::Translation translate(const Upcall& upcall);
  const ofproto::FrozenState& state(std::uint32_t recirculation) const { return recirculations_.state(recirculation); }
  // The packet behind those nested actions that stand before the first one that sends it anywhere.
  FlowKey after_field_actions(const FlowKey& key, const openflow::ActionList& nested, const openflow::Bridge& bridge);

 private:
  void look_behind_tags(const FlowKey& key);

  SwitchSessions::Session& session_;
  PathRecorder& recorder_;
  PathPosition at_;
  PathObserver observer_;
  PathPolicy policy_;
  ofproto::XlateOptions how_;
  ofproto::Recirculations recirculations_;
  ofproto::SwitchBridge* origin_ = nullptr;
  bool has_too_many_tags_ = false;
};

}  // namespace egt::engine
