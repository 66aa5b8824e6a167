// The ct action of the datapath: connection tracking and NAT of one packet (net/openvswitch/conntrack.c,
// lib/conntrack.c).
#pragma once

#include <cstdint>
#include <optional>

#include "datapath/packet.h"
#include "datapath/tracker.h"
#include "egtrace/engine/network_state.h"
#include "egtrace/engine/openflow/datapath_actions.h"
#include "openflow/path_recorder.h"

namespace egt::engine {

struct ConnectionLimit;

// What conntrack made of a packet.
struct CtResult {
  std::uint32_t state = 0;  // ct_state bits
  Tuple before, after;      // differ where NAT changed the packet
  Provenance entry;         // of the connection, where a dump shows it
};

class CtAction {
 public:
  // `step`: the record's step of this action.
  CtAction(const ZoneKey& zone, const ofproto::dp::Conntrack& action, const ConntrackSettings& settings,
           NetworkState& network_state, PathRecorder& recorder, std::size_t step)
      : zone_(zone), action_(action), settings_(settings), network_state_(network_state), recorder_(recorder), step_(step) {}

  CtResult execute(DatapathPacket& packet);
  // As ofproto/trace does with --ct-next: the state is given, NAT takes the first address, no connection is looked at.
  CtResult execute_with(std::uint32_t state, DatapathPacket& packet);

 private:
  void track(DatapathPacket& packet);
  void reassemble(FlowKey& key);
  Tracked look_up(const DatapathPacket& packet);
  void existing(DatapathPacket& packet, const Tracked& tracked);
  bool translates(const Tracked& tracked) const;
  void opened(DatapathPacket& packet, Connection c);
  bool is_refused(DatapathPacket& packet);
  void refuse(DatapathPacket& packet, const ConnectionLimit& limit);
  std::optional<std::uint64_t> count_in_zone() const;
  struct PortChoice {
    std::optional<std::uint16_t> port;  // none: the packet's own
    bool is_open = false;               // it stands for whichever conntrack takes
  };
  bool translates_ports(const Tuple& t) const;
  PortChoice choose_port(std::uint16_t own) const;
  bool map(Connection& c);
  bool resolve_clash(Connection& c);
  void take_free_port(Connection& c);
  void note_one_state_of_two(const FlowKey& key);
  void note_later_segments(const FlowKey& key);
  static void forget_exec(FlowKey& key);
  void invalid(FlowKey& key);
  void write_mark_and_label(FlowKey& key, std::uint32_t mark, U128 label) const;
  void undecided(Notice why);

  const ZoneKey& zone_;
  const ofproto::dp::Conntrack& action_;
  ConntrackSettings settings_;
  NetworkState& network_state_;
  PathRecorder& recorder_;
  std::size_t step_;
  CtResult result_;
};

}  // namespace egt::engine
