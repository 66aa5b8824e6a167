// The translation of one packet into datapath actions: what xlate_actions() of ofproto/ofproto-dpif-xlate.c does.
//
// Names follow that file, so that the two can be read side by side. Xlate goes through tables and actions; the packet
// (xlate_packet.h), what is put for the datapath (datapath_output.h, commit.h) and what is reported of it (xlate_report.h) are
// parts of their own, as are NORMAL (normal.h), the choice of buckets (buckets.h), headers (headers.h) and what comes back
// (recirculations.h). Who listens (observer.h) and who answers what the dumps leave open (policy.h) is the caller's choice.
#pragma once

#include <optional>
#include <vector>

#include "buckets.h"
#include "datapath_output.h"
#include "egtrace/engine/openflow/trace.h"
#include "field_stack.h"
#include "normal.h"
#include "observer.h"
#include "ofpacts.h"
#include "packet_fields.h"
#include "policy.h"
#include "recirculations.h"
#include "rule_lookup.h"
#include "switch.h"
#include "tunnels.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// Why a packet goes to a controller (enum ofp_packet_in_reason).
namespace reason {
constexpr std::uint16_t action = 1, invalid_ttl = 2, action_set = 3, group = 4, explicit_miss = 6;
}
std::uint16_t reason_of(const openflow::Controller& a);

// What is kept for the packet to come back with (freezing and frozen_actions of struct xlate_ctx).
struct Freezing {
  bool active = false;
  std::optional<HashWanted> hash;  // that the datapath computes before
  Ofpacts actions;
  std::optional<std::size_t> unroll;  // in `actions`: the last that has table and cookie
  const openflow::Controller* pause = nullptr;

  void cancel() {
    if (active) *this = {};
  }
};

class Xlate {
 public:
  Xlate(Tables& tables, Recirculations& recirculations, Policy& policy, Observer* observer, const XlateOptions& options)
      : tables_(tables), recirculations_(recirculations), policy_(policy), options_(options), report_(observer) {}
  // `frozen`: resume there; else the packet enters `bridge`, whose table 0 decides, or `packet_out`, a list of actions.
  Translation run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out = nullptr);

 private:
  // What clone, check_pkt_larger and patch ports put back.
  struct Retained {
    FlowKey flow;
    FieldStack stack;
    Ofpacts action_set;
  };

  // --- the run (xlate.cpp)
  void start(const FrozenState* frozen);
  void thaw(const FrozenState& frozen);
  bool execute_all(const Ofpacts* packet_out);
  bool tree_forwards(const SwitchPort& port);
  void gap(Input input, Details about = {});

  // --- tables (tables.cpp)
  RuleLookup rules() { return {tables_, bridge(), packet_, report_, policy_, options_}; }
  void table_action(std::uint32_t in_port, std::uint8_t table, bool with_ct_orig, bool is_last, bool as_clone);
  bool resources_left();
  void recursively(const Rule& rule, bool deepens, bool is_last, bool as_clone);
  void resubmit(const openflow::Resubmit& a, bool is_last);

  // --- actions (actions.cpp)
  friend struct Executor;
  void do_actions(const Ofpacts& list, bool is_last, bool group_bucket);
  void execute(const Ofpact& o, bool is_last, bool group_bucket);
  void write_actions(const Ofpacts& list);
  void run_action_set();
  void clone(const Ofpacts& list, bool is_last);
  void check_length(const openflow::Action& action, const Ofpacts& rest);
  void learn(const openflow::Learn& a);
  void freeze_unroll(const Ofpacts& list, std::size_t from);
  void recirculate_for_mpls(const Ofpact& o);
  const Ofpacts& ofpacts(const openflow::ActionList& list) { return tables_.actions->plain(list); }

  // --- freezing (freeze.cpp)
  void trigger_freeze();
  // Where something ended a list with no freezing at hand, what it left out is kept too, and gets into the next state that
  // is frozen after `exit_` was taken back (ctx_first_frozen_action() does not ask for freezing either).
  bool first_frozen_action() const { return freezing_.actions.empty(); }
  FrozenState frozen_state(std::uint8_t table) const;
  std::uint32_t finish_freezing(std::uint8_t table);
  void finish_freezing_here();
  void end_pipeline();  // the action set, and what is frozen by then
  void conntrack(const openflow::Ct& a, bool is_last);
  void ct_clear();
  void clear_conntrack();
  void to_controller(std::uint32_t max_len, std::uint16_t reason, std::uint16_t controller_id, std::optional<std::uint32_t> meter,
                     const openflow::Controller* action);
  void put_controller_action(const openflow::Controller* action, bool continuation, std::uint32_t recirc_id,
                             std::uint32_t max_len, std::uint16_t reason, std::uint16_t controller_id);

  // --- outputs (output.cpp)
  void output(std::uint32_t port, std::uint32_t max_len, bool is_last, bool truncate, bool group_bucket);
  void normal();
  void output_with_tags(const NormalOutput& output);
  void output_truncated(const openflow::OutputTruncated& a, bool is_last, bool group_bucket);
  void output_to(std::uint32_t port, bool is_last, bool truncate);
  void output_to_unknown(SwitchPort& port);
  void no_such_port(const openflow::Port& port);
  void cross_patch(SwitchPort& from, SwitchPort& to, bool is_last);
  void enter_peer(SwitchPort& to, bool is_last);
  void flood(bool all, bool is_last);
  void bundle(const openflow::Bundle& a, bool is_last, bool group_bucket);
  void mirror(const SwitchPort& port, MirrorMask selecting);
  void copy_for(const Mirror& mirror, Vlans tags);
  void mirror_input();
  Tunnels tunnels() { return {tables_.sw, bridge(), packet_, out_, report_, policy_, version()}; }
  void native_tunnel(SwitchPort& port, bool truncate, bool is_last);
  void put_meter(std::uint32_t id) { out_.put({dp::Meter{recirculations_.meter_of(bridge(), id)}}); }

  // --- groups (groups.cpp)
  bool group(std::uint32_t id, bool is_last);
  void run_bucket(const openflow::Group& g, std::size_t index, bool is_last);

  // --- times to live (ttl.cpp)
  bool dec_ttl(const openflow::DecTtl& a);
  bool dec_header_ttl(FieldId field, bool present, Remark exception);
  bool dec_mpls_ttl();
  bool dec_nsh_ttl();

  const openflow::Bridge& bridge() const { return *bridge_->bridge; }
  OvsVersion version() const { return options_.version; }
  static constexpr OvsVersion kConjunctions{3, 3, 0};  // a trace shows the members of a conjunctive match
  bool fixed_in(OvsVersion a) const;  // whether a fix that was made in `a` of its branch, and all later, is there

  Tables& tables_;
  Recirculations& recirculations_;
  Policy& policy_;
  const XlateOptions& options_;
  XlateReport report_;
  DatapathOutput out_{report_};
  XlatePacket packet_;
  FlowKey arrived_;  // the packet as it came (upcall_flow)

  SwitchBridge* origin_ = nullptr;  // where the trace was asked for
  SwitchBridge* bridge_ = nullptr;
  const FrozenState* frozen_ = nullptr;
  std::optional<std::uint32_t> first_port_;
  U128 original_tunnel_destination_ = 0;
  std::uint32_t original_skb_priority_ = 0;

  FieldStack stack_;
  Ofpacts action_set_;
  bool action_set_has_group_ = false, in_action_set_ = false;
  bool rule_is_table_miss_ = false;  // of the rule whose actions are executed
  std::uint8_t table_ = 0;
  std::uint64_t cookie_ = ~std::uint64_t{0};
  unsigned depth_ = 0, resubmits_ = 0;
  unsigned nesting_ = 0;  // of our own calls
  bool exit_ = false;
  // Behind a native tunnel, where a trace has side effects: packets go to controllers, flows are learned.
  bool encapsulated_ = false;
  Freezing freezing_;
  bool conntracked_ = false;
  MirrorMask mirrored_ = 0;           // that have a copy of the packet as it is
  std::uint16_t mirror_snaplen_ = 0;  // of the copy under way; 0: it is whole, or none is
  const openflow::Nat* ct_nat_ = nullptr;
};

}  // namespace egt::engine::ofproto
