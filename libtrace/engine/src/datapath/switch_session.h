// What is kept of one node's switch from packet to packet.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "egtrace/engine/ovs.h"
#include "openflow/rule_lookup.h"
#include "ovn_controller/userdata.h"

namespace egt::engine {

// The tables of the switch, and what userdata of its flows says.
struct SwitchSessions::Session {
  Session(const cluster::Node& node, bool as_intended);

  // Null where there is no opcode.
  const Userdata* userdata_of(const openflow::Controller& action);
  const openflow::ActionList& resubmit_to(std::uint8_t table);  // resubmit(,TABLE)
  const openflow::BridgeMeter* unprinted_meter_of(const openflow::Bridge& bridge);
  const ovn::LogicalFlow* metering_flow_of(const ovn::Ovn& ovn, std::uint64_t cookie);

  ofproto::Tables tables;
  ofproto::OvsVersion version;
  unsigned recirculations = 0;  // within each other, as Open vSwitch is released
  std::map<const openflow::Bridge*, const openflow::BridgeMeter*> unprinted_meters;
  std::unordered_map<std::uint64_t, const ovn::LogicalFlow*> metering_flows;  // by cookie
  std::map<std::uint8_t, openflow::ActionList> resubmits;
  std::unordered_map<const openflow::Controller*, std::optional<Userdata>> userdata;
};

}  // namespace egt::engine
