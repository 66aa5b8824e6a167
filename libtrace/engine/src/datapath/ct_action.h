// The ct action of the datapath: connection tracking and NAT of one packet (net/openvswitch/conntrack.c, lib/conntrack.c).
#pragma once

#include <cstdint>
#include <optional>

#include "datapath/packet.h"
#include "egtrace/engine/openflow/datapath_actions.h"
#include "egtrace/engine/world.h"
#include "openflow/path_recorder.h"

namespace egt::engine {

// What conntrack made of a packet.
struct CtResult {
  std::uint32_t state = 0;         // ct_state bits
  Tuple before, after;             // differ where NAT changed the packet
  bool from_dump = false;          // the connection is one of a dump
};

class CtAction {
 public:
  // `step`: the record's step of this action.
  CtAction(const ZoneKey& zone, const ofproto::dp::Conntrack& action, World& world, PathRecorder& recorder,
           std::size_t step)
      : zone_(zone), action_(action), world_(world), recorder_(recorder), step_(step) {}

  CtResult execute(DatapathPacket& packet);
  // As ofproto/trace does with --ct-next: the state is given, NAT takes the first address, no connection is looked at.
  CtResult execute_with(std::uint32_t state, DatapathPacket& packet);

 private:
  void track(DatapathPacket& packet);
  void track_error(DatapathPacket& packet);
  void reassemble(FlowKey& key);
  ConntrackTables::Hit find(const FlowKey& key);
  void existing(DatapathPacket& packet, const ConntrackTables::Hit& hit);
  void opened(DatapathPacket& packet);
  void invalid(FlowKey& key);
  Tuple mapping();
  Tuple free_port(Tuple t);
  void write_mark_and_label(FlowKey& key, std::uint32_t mark, U128 label) const;
  void undecided(const char* why);

  const ZoneKey& zone_;
  const ofproto::dp::Conntrack& action_;
  World& world_;
  PathRecorder& recorder_;
  std::size_t step_;
  CtResult result_;
};

}  // namespace egt::engine
