// What OVN made flows for.
#pragma once

#include "egtrace/explain/flows.h"
#include "links.h"
#include "names.h"

namespace egt::explain {

class FlowMeanings {
 public:
  explicit FlowMeanings(const cluster::Cluster& cluster) : names_(cluster), links_(cluster) {}
  FlowMeaning of(const cluster::Node& node, const openflow::FlowWords& flow) const;
  FlowMeaning of(const cluster::Node& node, const ovn::LogicalFlow& flow) const;
  // Rows of the ACL table among those that it was made for.
  std::vector<std::string> acls(const cluster::Node& node, const openflow::FlowWords& flow) const;
  std::vector<std::string> acls(const cluster::Node& node, const ovn::LogicalFlow& flow) const;

 private:
  const ovn::LogicalFlow* logical_flow(const cluster::Node& node, const openflow::FlowWords& flow) const;
  void add_rows(const std::vector<const ovn::Row*>& rows, FlowMeaning& meaning) const;
  Names names_;
  Links links_;
};

// A number of a flow that is written as its value: n_packets, cookie; none where it has none, or a mask.
std::optional<std::uint64_t> number_of(const openflow::FlowWords& flow, openflow::FlowWord::Section section,
                                       std::string_view key);

}  // namespace egt::explain
