// How many OpenFlow flows a node must have of its logical flows, at the least.
//
// ovn-controller makes a flow of each match that a logical flow's match becomes (consider_logical_flow__() and
// add_matches_to_flow_table() of controller/lflow.c). It leaves out those of logical switches that match ports which are neither
// bound here nor lead to routers, and those of ports that their datapath lacks. Where two logical flows of one stage and priority
// ask for the same match, one of them has it. Of a conjunctive match only the flow that matches its conj_id has the logical flow's
// cookie. Clauses of several address sets are a conjunctive match, or, where a set had a single address or none when the logical
// flow was read, multiplied out.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/language.h"
#include "egtrace/ovn/normal_form.h"
#include "egtrace/ovn/ovn.h"
#include "expected_number.h"
#include "flow_forms.h"
#include "installed_flows.h"

namespace egt::explain {

class ExpectedFlows {
 public:
  // `datapaths`: those that the node has flows of, by name. All must outlive it.
  ExpectedFlows(const cluster::Node& node, const ovn::FlowReader& reader, const std::set<std::string_view>& datapaths,
                const ovn::Expansion& expansion);

  // Where each logical flow is that lacks some.
  std::vector<Provenance> missing(const InstalledFlows& installed) const;

 private:
  using Flows = std::vector<const ovn::LogicalFlow*>;
  struct Expected {
    ExpectedNumber number;
    const ovn::LogicalFlow* flow = nullptr;  // the first of its cookie; null: none can be counted
  };
  struct Port {
    std::string_view datapath;
    bool is_here = false;  // the flows that match it are
  };

  // Of match and actions; nothing where it depends on what no dump shows.
  std::optional<ovn::NormalForm> normal_form_of(const ovn::LogicalFlow& flow, std::string_view datapath) const;
  bool has_port(std::string_view port, std::string_view datapath) const;
  bool is_here(std::string_view port, std::string_view datapath) const;
  bool is_here(const ovn::Comparison& c, std::string_view datapath) const;
  std::vector<ovn::FlowMatch> matches_in(const ovn::NormalForm& form, std::string_view datapath) const;  // that are here
  std::optional<ConjunctiveFlows> conjunctive(const ovn::Conjunct& conjunct, std::string_view datapath) const;
  ExpectedNumber number_in(const ovn::NormalForm& form, std::string_view datapath, bool has_sets) const;
  std::vector<std::string_view> places_of(const ovn::LogicalFlow& flow) const;
  std::optional<ExpectedNumber> number(const FlowForms::Placed& placed) const;
  FlowForms forms() const;
  std::vector<std::optional<ExpectedNumber>> numbers(const FlowForms& forms) const;  // of each form
  // Though `shared` plain ones are another logical flow's.
  static bool lacks_some(const InstalledFlows& installed, const Expected& expected, std::size_t shared);
  std::vector<Expected> lacking(const InstalledFlows& installed) const;  // by their cookies
  // Of flows of one stage and priority, how many matches of each cookie another has as well.
  std::unordered_map<std::uint64_t, std::size_t> shared(const Flows& flows) const;
  // The same of all flows that may share some with those.
  std::unordered_map<std::uint64_t, std::size_t> had_as_well(const Flows& lacking) const;

  const cluster::Node& node_;
  const ovn::FlowReader& reader_;
  const std::set<std::string_view>& datapaths_;
  ovn::Expansion expansion_;
  std::unordered_map<std::string_view, std::uint32_t> keys_;  // of datapaths
  std::unordered_map<std::string_view, Port> ports_;
  std::unordered_map<std::string_view, bool> resident_;  // of ports whose chassis is known
};

}  // namespace egt::explain
