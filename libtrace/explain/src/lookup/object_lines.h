// Policy rules, routes and rules of netfilter that nodes have because of the objects or the port that is asked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "lookup/asked.h"
#include "lookup/match_list.h"

namespace egt::explain {

// By what lines of dumps are theirs.
struct LineWords {
  std::set<IpAddr> addresses;
  std::set<std::uint16_t> ports;
  std::set<std::string> names;  // in comments
};

class ObjectLines {
 public:
  ObjectLines(const cluster::Cluster& cluster, const Asked& asked, MatchList& matches);

  // Routing tables of their own, to which policy rules lead: of all dumps, before the lines of any.
  void find_tables(const cluster::DumpInfo& dump);
  void find(const cluster::DumpInfo& dump);

 private:
  const cluster::Cluster& cluster_;
  MatchList& matches_;
  LineWords wanted_;                                          // of all objects
  std::set<std::uint16_t> port_;                              // that is asked for: at most one
  std::set<std::pair<std::string, std::string>> own_tables_;  // node, routing table
};

}  // namespace egt::explain
