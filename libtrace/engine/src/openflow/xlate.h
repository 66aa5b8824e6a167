// The translation of one packet into datapath actions: what xlate_actions() of ofproto/ofproto-dpif-xlate.c does.
//
// Names follow that file, so that the two can be read side by side. `flow_` is the packet as the pipeline sees it,
// `base_` the packet as the datapath holds it: commit() emits the difference. `wc_` collects the bits that decided. Who
// listens (observer.h) and who answers what the dumps leave open (policy.h) is the caller's choice.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/openflow/flow_lookup.h"
#include "field_stack.h"
#include "observer.h"
#include "ofpacts.h"
#include "packet_fields.h"
#include "policy.h"
#include "switch.h"
#include "wildcards.h"

namespace egt::engine::ofproto {

// Why a packet goes to a controller (enum ofp_packet_in_reason).
namespace reason {
constexpr std::uint16_t action = 1, invalid_ttl = 2, action_set = 3, group = 4, explicit_miss = 6;
}
std::uint16_t reason_of(const openflow::Controller& a);

// What a recirculation needs to go on.
struct FrozenState {
  SwitchBridge* bridge = nullptr;
  std::uint8_t table = 0;
  FlowKey metadata;  // registers, metadata, in_port, tunnel
  FieldStack stack;
  bool conntracked = false, was_mpls = false;
  std::optional<std::uint32_t> first_port;
  Ofpacts actions, action_set;
  std::vector<std::uint8_t> userdata;  // of the controller action
  friend bool operator==(const FrozenState&, const FrozenState&) = default;
};

// What outlives one packet: the switch, its actions in the switch's form, its tables' wildcards. For one thread.
struct Tables {
  // `logical`: as for Switch.
  Tables(const cluster::Node& node, openflow::Datapath datapath, const openflow::Bridge* logical = nullptr)
      : sw(node, std::move(datapath), logical) {}
  Switch sw;
  openflow::LookupSession lookups;
  std::shared_ptr<OfpactCache> actions = std::make_shared<OfpactCache>();
  std::map<std::tuple<const openflow::Bridge*, std::uint8_t, std::size_t>, std::unique_ptr<TableWildcards>> wildcards;

  TableWildcards& wildcards_of(const openflow::Bridge& b, std::uint8_t table, OvsVersion version);
};

// The recirculations of one trace, and the numbers given to what no dump shows the numbers of.
struct Recirculations {
  struct Waiting {
    std::uint32_t id = 0;
    FlowKey flow;
    std::optional<openflow::Nat> nat;
  };
  std::deque<Waiting> queue;
  void wait(Waiting w);

  // The identifier of a state, held until the pass has ended, or longer where a packet waits with it. Equal states have
  // one identifier as long as somebody holds it; after that the switch takes a new one (ofproto-dpif-rid.c).
  std::uint32_t hold(const FrozenState& s);
  const FrozenState& state(std::uint32_t id) const { return states_[id - 1].state; }
  void end_pass();
  void end_waiting(std::uint32_t id) { release(id); }

  // The datapath's number of a bridge's meter: counted from 0 there, in the order in which meters were made, which is
  // that of their identifiers where only one bridge has some.
  std::uint32_t meter_of(const openflow::Bridge& b, std::uint32_t id);

 private:
  struct State {
    FrozenState state;
    unsigned holders = 0;
  };
  void release(std::uint32_t id);

  std::deque<State> states_;            // the one with identifier N at N - 1; addresses stay
  std::vector<std::uint32_t> live_;     // those that somebody holds
  std::vector<std::uint32_t> of_pass_;  // those that the pass holds, as often as it does
  std::map<std::pair<const openflow::Bridge*, std::uint32_t>, std::uint32_t> meters_;
};

struct XlateOptions {
  OvsVersion version;
  bool megaflow = true;  // collect the bits that decided
};

class Xlate {
 public:
  Xlate(Tables& tables, Recirculations& recirculations, Policy& policy, Observer* observer, const XlateOptions& options)
      : tables_(tables), recirculations_(recirculations), policy_(policy), observer_(observer), options_(options) {}
  // `frozen`: resume there; else the packet enters `bridge`, whose table 0 decides, or `packet_out`, a list of actions.
  Translation run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out = nullptr);

 private:
  struct Rule {
    TableLine::Rule kind = TableLine::Rule::no_match;
    const openflow::Bridge* bridge = nullptr;
    openflow::FlowIndex flow = openflow::kNoFlow;
    std::uint64_t cookie = 0;
    std::uint16_t priority = 0;
    bool table_miss = false;  // priority 0, matches everything
    std::vector<openflow::FlowIndex> conjunction;
    const Ofpacts* actions = nullptr;
  };
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
  void init_wildcards();
  void finish_wildcards();
  void optimize_datapath_actions();

  // --- the record (xlate.cpp)
  bool recording() const { return observer_ != nullptr; }
  void report(NodeKind kind, Note note);
  void report(NodeKind kind, Remark what, std::uint64_t a = 0, std::uint64_t b = 0, std::string text = {}, std::string more = {});
  void report_actions(NodeKind kind, Remark what, const Ofpacts& list);
  void report_action_set(Remark what);
  void report_field(const Subfield& f);
  void report_table(const Rule& rule, std::uint8_t table);
  void enter(NodeKind kind, decltype(TraceNode::line) line);  // a node whose children follow; leave() by depth_level_
  void error_report(Remark what, std::uint64_t a = 0) { report(NodeKind::error, what, a); }
  void gap(Input input, Details about = {});

  // --- tables (tables.cpp)
  const FlowKey& key_of_lookup(std::uint32_t in_port, FlowKey& changed) const;
  Rule learned_rule(const LearnedRule& learned);
  Rule dumped_rule(openflow::FlowIndex flow, openflow::Lookup hit);
  Rule look_up(std::uint8_t& table, std::uint32_t in_port, bool may_packet_in);
  Rule miss(bool may_packet_in);
  void table_action(std::uint32_t in_port, std::uint8_t table, bool may_packet_in, bool with_ct_orig, bool is_last,
                    bool as_clone);
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
  std::optional<std::uint32_t> port_number(const openflow::Port& p);
  const Ofpacts& ofpacts(const openflow::ActionList& list) { return tables_.actions->plain(list); }

  // --- freezing (freeze.cpp)
  void trigger_freeze();
  void cancel_freeze();
  // Where something ended a list with no freezing at hand, what it left out is kept too, and gets into the next state that
  // is frozen after `exit_` was taken back (ctx_first_frozen_action() does not ask for freezing either).
  bool first_frozen_action() const { return frozen_actions_.empty(); }
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
  void output(std::uint32_t port, std::uint32_t max_len, bool may_packet_in, bool is_last, bool truncate, bool group_bucket);
  void output_truncated(const openflow::OutputTruncated& a, bool is_last, bool group_bucket);
  void output_to(std::uint32_t port, bool is_last, bool truncate);
  void output_to_unknown(SwitchPort& port);
  void no_such_port(const openflow::Port& port);
  void cross_patch(SwitchPort& from, SwitchPort& to, bool is_last);
  void enter_peer(SwitchPort& to, bool is_last);
  void flood(bool all, bool is_last);
  void bundle(const openflow::Bundle& a, bool is_last, bool group_bucket);
  dp::Port datapath_port(const SwitchPort& p);
  void put(dp::Action a);
  // What `run` puts, as a list of its own; meanwhile bytes of the action around it count, too.
  template <class Run>
  dp::Actions nested(std::size_t header, Run run) {
    dp::Actions list;
    dp::Actions* const outer = std::exchange(out_, &list);
    out_bytes_ += header;
    run();
    out_bytes_ -= header;
    out_ = outer;
    return list;
  }
  void put_meter(std::uint32_t id) { put({dp::Meter{recirculations_.meter_of(bridge(), id)}}); }

  // --- the learning switch (normal.cpp)
  void normal();
  std::optional<LearnedMac> mac_port(std::uint16_t vlan);
  void report_learned(Remark what, const LearnedMac& learned);
  void output_normal(SwitchPort& port, const Vlans& vlans);
  bool vlan_admitted(const SwitchPort& port, const Vlans& v);
  bool is_reserved_destination() const;
  bool is_between_protected_ports(const SwitchPort& out) const;
  void flood_normal(const SwitchPort* in, const Vlans& vlans);
  bool is_gratuitous_arp();

  // --- tunnels (tunnels.cpp)
  bool pushes_tunnels() const;
  bool prepare_tunnel(const SwitchPort& port);
  void kernel_tunnel(const SwitchPort& port);
  void native_tunnel(SwitchPort& port, bool truncate, bool is_last);
  bool terminates_tunnel(const SwitchPort& port, std::uint32_t* datapath_port);
  std::vector<dp::GeneveOption> geneve_options(const openflow::Bridge& b) const;

  // --- groups (groups.cpp)
  bool group(std::uint32_t id, bool is_last);
  void run_bucket(const openflow::Group& g, std::size_t index, bool is_last);
  std::uint32_t bucket_id(const openflow::Group& g, std::size_t index) const;
  bool bucket_alive(const openflow::Group& g, const openflow::Bucket& b, int depth);
  std::optional<std::size_t> first_live_bucket(const openflow::Group& g, int depth);
  std::optional<std::size_t> best_live_bucket(const openflow::Group& g, std::uint32_t basis);
  std::optional<std::size_t> choose_bucket(const openflow::Group& g);
  std::optional<std::size_t> pick_bucket(const openflow::Group& g);
  std::optional<std::size_t> pick_by_fields(const openflow::Group& g);
  std::optional<std::size_t> pick_by_dp_hash(const openflow::Group& g, const std::vector<std::size_t>& map);

  // --- headers (headers.cpp)
  void push_mpls_action(std::uint16_t type);
  void pop_mpls_action(std::uint16_t type);
  bool dec_ttl(const openflow::DecTtl& a);
  bool dec_header_ttl(FieldId field, bool present, Remark exception);
  bool dec_mpls_ttl();
  bool dec_nsh_ttl();
  void encap(const openflow::Encap& a);
  bool decap(const openflow::Decap& a);

  // --- the difference to the datapath's packet (commit.cpp)
  void commit();
  void commit_encap_decap();
  void commit_mpls(bool pending_encap);
  void commit_vlan();
  bool commit_set(dp::Attribute attribute, bool masked, std::initializer_list<std::pair<FieldId, U128>> fields);
  void commit_ethernet();
  void commit_network();
  void commit_nsh();
  void commit_ports();
  void commit_icmp();

  const openflow::Bridge& bridge() const { return *bridge_->bridge; }
  FlowKey& wc() { return *wc_; }
  OvsVersion version() const { return options_.version; }
  bool fixed_in(OvsVersion a) const;  // whether a fix that was made in `a` of its branch, and all later, is there

  Tables& tables_;
  Recirculations& recirculations_;
  Policy& policy_;
  Observer* observer_;
  const XlateOptions& options_;

  SwitchBridge* origin_ = nullptr;  // where the trace was asked for
  SwitchBridge* bridge_ = nullptr;
  FlowKey flow_, base_;
  FlowKey mask_;
  FlowKey* wc_ = &mask_;
  const FrozenState* frozen_ = nullptr;
  FlowKey packet_;  // as it came (upcall_flow)
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
  XlateError error_ = XlateError::ok;
  bool slow_ = false;
  // Behind a native tunnel, where a trace has side effects: packets go to controllers, flows are learned.
  bool encapsulated_ = false;

  bool freezing_ = false, recirculate_hash_ = false, hash_symmetric_l4_ = false;
  std::uint32_t hash_basis_ = 0;
  Ofpacts frozen_actions_;
  std::optional<std::size_t> unroll_;  // in frozen_actions_
  const openflow::Controller* pause_ = nullptr;
  bool was_mpls_ = false, conntracked_ = false;
  const openflow::Nat* ct_nat_ = nullptr;

  bool pending_encap_ = false, pending_decap_ = false;
  std::vector<std::uint8_t> encap_data_;

  dp::Actions actions_;
  dp::Actions* out_ = &actions_;
  std::size_t out_bytes_ = 0;  // as netlink attributes

  std::uint32_t level_ = 0;  // depth of the nodes that are added
};

// Bytes of a datapath action as a netlink attribute, without what is nested, and of attributes around what is.
constexpr std::size_t kCloneBytes = 4, kSampleBytes = 4 + 8 + 4, kGreaterBytes = 4 + 8 + 4, kNotGreaterBytes = kGreaterBytes + 4;
std::size_t netlink_size(const dp::Action& a);

}  // namespace egt::engine::ofproto
