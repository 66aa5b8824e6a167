// What packets leave behind for those that follow: connections and learned flows. A value: a reply is walked on a copy.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/engine/conntrack.h"
#include "egtrace/openflow/bridge.h"

namespace egt::engine {

struct LearnedFlow {
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::uint64_t cookie = 0;
  openflow::Match match;
  std::string actions;               // as ovs-ofctl would print them
  openflow::ActionList action_list;
  Provenance from;                   // the flow whose learn action made it
};

struct World {
  ConntrackTables conntrack;
  std::map<std::pair<std::string, std::string>, std::vector<LearnedFlow>> learned;   // (node, bridge)
  std::map<std::pair<std::string, std::string>, std::vector<openflow::FdbEntry>> fdb;
};

}  // namespace egt::engine
