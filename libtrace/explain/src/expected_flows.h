// How many OpenFlow flows a node must have of its logical flows, at the least.
//
// ovn-controller makes a flow of each match that a logical flow's match becomes (consider_logical_flow__() and
// add_matches_to_flow_table() of controller/lflow.c). It leaves out those of logical switches that match ports which are neither
// bound here nor lead to routers, and those of ports that their datapath lacks. Where two logical flows of one stage and priority
// ask for the same match, one of them has it. Clauses of several address sets are a conjunctive match, or, where addresses came to
// a set one by one, multiplied out (consider_lflow_for_added_as_ips__()).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/language.h"
#include "egtrace/ovn/normal_form.h"
#include "egtrace/ovn/ovn.h"

namespace egt::explain {

class ExpectedFlows {
 public:
  // `datapaths`: those that the node has flows of, by name. All must outlive it.
  ExpectedFlows(const cluster::Node& node, const ovn::FlowReader& reader, const std::set<std::string_view>& datapaths);

  // Where each logical flow is that lacks some; `installed` tells how many OpenFlow flows have its cookie.
  std::vector<Provenance> missing(const std::unordered_map<std::uint64_t, std::size_t>& installed);

 private:
  using Flows = std::vector<const ovn::LogicalFlow*>;
  // How many there have to be: one of both, which are the same as a rule.
  struct Number {
    std::size_t least = 0, most = 0;
    bool lacks_some(std::size_t present, std::size_t shared = 0) const {
      return present + shared < least || (present > least && present + shared < most);
    }
  };

  // Of match and actions; nothing where it depends on what no dump tells.
  std::optional<ovn::NormalForm> form_of(const ovn::LogicalFlow& flow, std::string_view datapath) const;
  bool is_here(std::string_view port, std::string_view datapath) const;
  std::vector<ovn::FlowMatch> matches_in(const ovn::NormalForm& form, std::string_view datapath) const;
  Number number_in(const ovn::NormalForm& form, std::string_view datapath, bool has_sets) const;
  std::vector<std::string_view> places_of(const ovn::LogicalFlow& flow) const;
  Number number(const ovn::LogicalFlow& flow);
  // Of flows of one stage and priority, how many matches of each cookie another has as well.
  std::unordered_map<std::uint64_t, std::size_t> shared(const Flows& flows) const;

  const cluster::Node& node_;
  const ovn::FlowReader& reader_;
  const std::set<std::string_view>& datapaths_;
  std::unordered_map<std::string_view, std::uint32_t> keys_;       // of datapaths
  std::unordered_map<std::string_view, std::string_view> ports_;   // the datapaths of those that are here
  std::unordered_map<std::string_view, bool> resident_;            // of ports whose chassis is known
  // Of flows that name no ports, in any datapath; by match and actions.
  std::map<std::pair<std::string_view, std::string_view>, Number> numbers_;
};

}  // namespace egt::explain
