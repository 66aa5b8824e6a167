// Lines of dumps and logical flows that have the address that is asked for.
#pragma once

#include "lookup/match_list.h"
#include "lookup/term.h"

namespace egt::explain {

class DumpLines {
 public:
  DumpLines(const cluster::Cluster& cluster, const LookupTerm& term, MatchList& matches)
      : cluster_(cluster), term_(term), matches_(matches) {}

  void find(const cluster::DumpInfo& dump);  // rules, routes, connections: whatever decides by addresses
  void find_logical_flows(const cluster::Node& node);

 private:
  const cluster::Cluster& cluster_;
  const LookupTerm& term_;
  MatchList& matches_;
};

}  // namespace egt::explain
