// The walk behind logical::trace(): from table to table and from pipeline to pipeline. What actions do that send the packet nowhere
// stands in files of their own (field_actions.h, binding_actions.h, hairpin.h).
#pragma once

#include "egtrace/engine/logical_trace.h"
#include "ovn/action_place.h"
#include "ovn/caller_conntrack.h"
#include "ovn/environment.h"
#include "ovn/field_actions.h"
#include "ovn/southbound_lookups.h"

namespace egt::engine::logical {

class Walker {
 public:
  // Without an environment it walks as ovn-trace does.
  Walker(const LogicalNetwork& network, const Options& options, Environment* environment = nullptr)
      : options_(options), environment_(environment), southbound_(network), conntrack_(options) {}
  // The packet enters a datapath by the port that reg14 names.
  Trace run(const LogicalDatapath& datapath, FlowKey packet);
  // It comes from another chassis, which has chosen the port that reg15 names.
  Trace run_behind_tunnel(const LogicalDatapath& datapath, FlowKey packet);

 private:
  void enter_table(const LogicalDatapath& datapath, FlowKey& packet, std::uint32_t table, ovn::Pipeline pipeline, Nodes& nodes);
  // The node of a pipeline with what happens in it from a table on.
  Node enter_pipeline(Entered entered, std::uint32_t table, FlowKey& packet);
  void execute_all(const ovn::ActionList& actions, const ActionPlace& at, FlowKey& packet);
  void execute(const ovn::Action& action, const ActionPlace& at, FlowKey& packet, Stack& stack);
  void next_table(const ovn::NextTable& a, const ActionPlace& at, FlowKey& packet);
  void result(const ovn::ResultAction& a, const ActionPlace& at, FlowKey& packet);
  bool at_limit(Nodes& nodes);
  Trace trace_of(Node root);

  // Packets made from this one, which go on in its stead or beside it.
  void go_on(Transformed shown, std::uint32_t table, const ActionPlace& at, FlowKey& packet);
  void track(const Tracking& how, std::uint32_t table, const ActionPlace& at, const FlowKey& packet);
  void commit(const Tracking& how, const ActionPlace& at, FlowKey& packet);
  template <class Ct>
  void recirculate(const Ct& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet);
  void ct_lb(const ovn::CtLb& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet);
  void select(const ovn::Select& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet);
  void nested(const ovn::Nested& a, const ActionPlace& at, const FlowKey& packet);
  void refuse(const ovn::Nested& a, const ActionPlace& at, const FlowKey& packet);
  void run_block(const ovn::Nested& a, Transformed::Kind kind, const ActionPlace& at, FlowKey& packet);

  // walker_output.cpp
  void output(const ActionPlace& at, FlowKey& packet);
  void output_egress(const ActionPlace& at, const FlowKey& packet, const NetworkPort* port, std::string name);
  void output_group(const ActionPlace& at, const FlowKey& packet, const NetworkGroup& group, FlowKey out);
  void mirror(const ovn::Mirror& mirror, const ActionPlace& at, const FlowKey& packet);

  const Options& options_;
  Environment* environment_;
  SouthboundLookups southbound_;
  CallerConntrack conntrack_;
  unsigned depth_ = 0;
  unsigned long tables_ = 0;
  bool cut_ = false;
};

}  // namespace egt::engine::logical
