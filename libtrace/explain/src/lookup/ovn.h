// Rows of databases and logical flows, with what refers to them and the OpenFlow flows that have their cookies.
#pragma once

#include <vector>

#include "links.h"
#include "lookup/asked.h"
#include "lookup/match_list.h"

namespace egt::explain {

class CookieFlows;
struct RowUses;

class OvnLookup {
 public:
  OvnLookup(const cluster::Cluster& cluster, const Asked& asked, MatchList& matches)
      : asked_(asked), matches_(matches), links_(cluster) {}

  void find(const cluster::Node& node);

 private:
  void logical_flows(const cluster::Node& node, CookieFlows& flows);
  void logical_flow(const cluster::Node& node, const ovn::LogicalFlow& flow, CookieFlows& flows);
  void rows(const cluster::Node& node, CookieFlows& flows);
  void row(const cluster::Node& node, const ovn::Row& row, const RowUses& uses, CookieFlows& flows);
  bool is_row(const ovn::Row& row) const;
  bool is_made_for_asked(const ovn::Row& row) const;

  const Asked& asked_;
  MatchList& matches_;
  Links links_;
};

}  // namespace egt::explain
