// What packets leave behind for those that follow: connections, learned flows, hops that were taken. A value: a reply is walked on a copy.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/engine/datapath/conntrack.h"
#include "egtrace/openflow/bridge.h"

namespace egt::engine {

struct LearnedFlow {
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::uint64_t cookie = 0;
  openflow::Match match;
  // What `match` asks for, in the order in which the learn action names it.
  std::vector<std::pair<Subfield, U128>> conditions;
  openflow::ActionList actions;
  std::uint16_t idle_timeout = 0, hard_timeout = 0;
  bool send_flow_rem = false;
  Provenance from;  // the flow whose learn action made it
};

// A port that stands for whatever the kernel picks: all that is known of it is that no other connection has it.
struct OpenPort {
  IpAddr address;
  std::uint16_t port = 0;
  friend bool operator==(const OpenPort&, const OpenPort&) = default;
};

// The next hop that packets of these addresses and ports take where several share the load: a hash, which stays the same.
struct SharedHop {
  std::string node;
  Provenance route;
  Tuple packet;
  bool again = false;  // chosen when the packet was routed anew, for which the hash has another input
  std::size_t hop = 0;
  bool in_pieces = false;  // chosen for fragments, of which the hash does not see the ports
};

struct NetworkState {
  ConntrackTables conntrack;
  std::map<std::pair<std::string, std::string>, std::vector<std::shared_ptr<const LearnedFlow>>> learned;  // (node, bridge)
  std::map<std::pair<std::string, std::string>, std::vector<openflow::FdbEntry>> fdb;
  std::vector<OpenPort> open_ports;
  std::vector<SharedHop> hops;

  // Of the packet's source or destination.
  void leave_port_open(const Tuple& t, bool source) {
    open_ports.push_back({source ? t.src : t.dst, source ? t.sport : t.dport});
  }
  bool is_port_open(const Tuple& t, bool source) const {
    const OpenPort wanted{source ? t.src : t.dst, source ? t.sport : t.dport};
    return std::find(open_ports.begin(), open_ports.end(), wanted) != open_ports.end();
  }
};

}  // namespace egt::engine
