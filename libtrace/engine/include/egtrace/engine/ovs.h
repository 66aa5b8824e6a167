// Runs one packet through the bridges of one node as Open vSwitch does: the datapath hands it to the translation
// (ofproto/ofproto-dpif-xlate.c), executes the datapath actions that come out, tracks and translates connections, and hands
// back what recirculates. See ovs-actions(7).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/choice.h"
#include "egtrace/engine/network_state.h"
#include "egtrace/engine/record.h"
#include "egtrace/openflow/flow_lookup.h"

namespace egt::engine {

// What is built of the bridges of nodes while packets cross them, kept so that the next packet is quicker. The nodes must
// outlive it. For one thread. `as_intended`: of nodes whose logical flows are ready (Ovn::program) these are walked, also where
// OpenFlow flows are dumped.
class SwitchSessions {
 public:
  explicit SwitchSessions(bool as_intended = false);
  ~SwitchSessions();
  SwitchSessions(SwitchSessions&&) noexcept;

  struct Session;
  Session& of(const cluster::Node& node);
  // As those of datapath/unprinted_meters.h, found out once.
  const openflow::BridgeMeter* unprinted_meter(const cluster::Node& node, const openflow::Bridge& bridge);
  const ovn::LogicalFlow* metering_flow(const cluster::Node& node, std::uint64_t cookie);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class NeighbourOracle;

struct OvsOptions {
  // Bytes with Ethernet header and tags, for check_pkt_larger; none: the rest is run for both outcomes, as ofproto/trace does.
  std::optional<std::uint32_t> packet_length = 74;
  std::vector<std::uint32_t> ct_next;  // ct_state of the next recirculations; empty: conntrack decides
  // The packet is an ICMP error that quotes a packet of this tuple, as it stood where the error was made.
  std::optional<Tuple> quoted;
  const NeighbourOracle* neighbours = nullptr;  // which device answers when OVN asks for an address; null: none
};

// A packet that leaves the bridges of the node.
struct OvsEmission {
  enum class Kind { port, tunnel, rejected, controller };
  Kind kind = Kind::port;
  const openflow::Bridge* bridge = nullptr;
  const openflow::Interface* port = nullptr;  // port, tunnel
  // The packet as it leaves: for a tunnel the inner one with tun_id, tun_src, tun_dst and tun_metadata set; for
  // `rejected` the answer (TCP reset or ICMP error) of ovn-controller, which has been through the pipeline already and
  // leaves by `port` (of whatever type: a tunnel's port has the tun_* fields set).
  FlowKey packet;
  std::string reject_with;               // rejected: "tcp-reset", "icmp-port-unreachable", "sctp-abort", …
  std::optional<Tuple> quoted;           // of an ICMP error: the tuple of the packet that it quotes
  std::optional<Stop> cut;               // only its first bytes leave (max_len), which no receiver takes: where and why it ends
  std::optional<SizeLimit> whole_up_to;  // of larger IP packets only the first bytes would leave
};

struct OvsResult {
  std::vector<OvsEmission> emissions;  // in the order of the actions; copies made by floods included
  std::optional<Stop> stop;            // set when the packet itself does not leave: where and why
  std::string reject_with;             // not empty: ovn-controller refused the packet, and how
  bool undecided = false;              // a part was missing or not understood: the result must not be called proven
};

class OvsEngine {
 public:
  OvsEngine(SwitchSessions& sessions, const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
            OvsOptions options = {});

  // The packet enters `bridge` by OpenFlow port `in_port`; its metadata and registers start at zero unless set.
  OvsResult run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);

 private:
  SwitchSessions::Session& session_;
  const cluster::Node& node_;
  NetworkState& network_state_;
  Record& record_;
  Chooser& chooser_;
  OvsOptions options_;
};

}  // namespace egt::engine
