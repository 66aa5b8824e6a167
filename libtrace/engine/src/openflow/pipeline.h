// Tables and actions, one after another: do_xlate_actions() and what it calls in ofproto/ofproto-dpif-xlate.c.
#pragma once

#include <cstdint>

#include "field_stack.h"
#include "freezing.h"
#include "port_output.h"
#include "rule_lookup.h"
#include "xlate_action_set.h"
#include "xlate_context.h"
#include "xlate_limits.h"

namespace egt::engine::ofproto {

class Pipeline {
 public:
  explicit Pipeline(XlateContext& c) : c_(c), ports_(c, *this) {}

  // Of the table that the packet enters first.
  Rule first_rule();
  // The actions with which the packet begins, up to the action set and what is frozen by then. False: one of them failed.
  bool execute(const Ofpacts& list);
  void write_actions(const Ofpacts& list) { action_set_.write(list, *c_.at.bridge, c_.packet.flow); }
  // xlate_table_action(), which looks up a table and executes what it finds. `as_clone`: on a copy of the packet.
  void enter_table(std::uint32_t in_port, std::uint8_t table, bool with_ct_orig, bool is_last, bool as_clone);
  // patch_port_output(): the packet goes on in the other bridge, on a copy of everything.
  void enter_peer(SwitchPort& to, bool is_last);

 private:
  struct Executor;
  // What clone, check_pkt_larger and patch ports put back.
  struct Retained {
    FlowKey flow;
    FieldStack stack;
    Ofpacts action_set;
  };

  // --- tables (tables.cpp)
  RuleLookup rules() { return {c_.tables, c_.bridge(), c_.packet, c_.report, c_.policy, c_.options}; }
  void report_table(const Rule& rule, std::uint8_t table);
  void execute_rule(const Rule& rule, bool deepens, bool is_last, bool as_clone);
  void resubmit(const openflow::Resubmit& a, bool is_last);

  // --- actions (actions.cpp)
  void do_actions(const Ofpacts& list, bool is_last, bool group_bucket);
  void trigger_freeze();
  void recirculate_for_mpls(const Ofpact& o);
  void finish_freezing_here();
  void run_action_set();
  void end_pipeline();  // the action set, and what is frozen by then

  // --- actions with others inside (nested_actions.cpp)
  Retained retain() const { return {c_.packet.flow, c_.packet.stack, action_set_.actions()}; }
  void begin_empty();
  void restore(Retained old);
  void clone(const Ofpacts& list, bool is_last);
  void check_length(const openflow::Action& action, const Ofpacts& rest);
  void conntrack(const openflow::Ct& a, bool is_last);

  // --- groups (groups.cpp)
  bool group(std::uint32_t id, bool is_last);
  void run_bucket(const openflow::Group& g, std::size_t index, bool is_last);

  XlateContext& c_;
  PortOutput ports_;
  XlateLimits limits_;
  ActionSet action_set_;
  Freezing freezing_;
  bool exit_ = false;
  const openflow::Nat* ct_nat_ = nullptr;
};

}  // namespace egt::engine::ofproto
