// One packet through the bridges of one node: what ofproto/ofproto-dpif-xlate.c does, with the conntrack and the
// controller that it relies on.
//
// Work is a queue of jobs. The first is the packet itself; ct(table=N) adds one that resumes in table N, and an answer
// of ovn-controller adds one that executes the answer's actions. Each job runs to its end before the next one starts.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/ovs.h"
#include "field_actions.h"

namespace egt::engine {

class Translation {
 public:
  Translation(const cluster::Node& node, openflow::LookupSession& lookups, World& world, Record& record,
              Chooser& chooser, const OvsOptions& options);

  OvsResult enter(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);
  OvsResult resume(const openflow::Bridge& bridge, std::uint8_t table, const FlowKey& packet);

 private:
  using Bridge = openflow::Bridge;
  using Interface = openflow::Interface;

  // What a packet other than the traced one is, when ovn-controller made it.
  struct Answer {
    std::string reject_with;
  };
  struct Job {
    PipelineState state;
    std::optional<std::uint8_t> table;  // otherwise `actions`
    openflow::ActionList actions;
    std::optional<Answer> answer;
    std::vector<Provenance> evidence;  // of `actions`
  };
  struct Found {  // what a table look-up decided
    const openflow::ActionList* actions = nullptr;
    Provenance from;
  };
  // Which list an action stands in, for the record.
  struct Place {
    std::uint8_t depth = 0;  // of nested resubmits
    bool last = false;       // nothing follows in this list
    std::uint8_t nested() const { return last || depth == 255 ? depth : static_cast<std::uint8_t>(depth + 1); }
  };

  // --- jobs (translation.cpp)
  OvsResult drain();
  void run_job();
  struct Ending {
    Stop stop;
    const openflow::Bridge* missed_in = nullptr;  // none of its flows matched; null: it ended otherwise
  };
  Stop end_of_main_line() const;
  void doubt_a_miss(const Ending& ending);
  void finish();
  void push(Job job) { jobs_.push_back(std::move(job)); }

  // --- tables and lists (translation.cpp)
  void run_table(std::uint8_t table, std::uint32_t in_port, std::uint8_t depth, bool swap_tuple = false);
  Found look_up(std::uint8_t table, const FlowKey& key, std::uint8_t depth);
  std::vector<openflow::FlowIndex> beaten_by(openflow::FlowIndex winner, std::uint8_t table, const FlowKey& key) const;
  std::optional<openflow::FlowIndex> choose_among_ties(const openflow::Lookup& hit, std::uint8_t table);
  const LearnedFlow* best_learned(std::uint8_t table, const FlowKey& key, std::optional<std::uint16_t> above) const;
  void note_missing_flows(std::uint8_t table);
  bool within_limits();
  void run_list(const openflow::ActionList& list, std::uint8_t depth);
  bool run_action(const openflow::Action& action, Place place);  // false: the rest of the list is not executed
  bool run_field_action(const openflow::Action& action);
  void run_action_set(std::uint8_t depth);
  void isolated(const std::function<void()>& body);  // on a copy of the packet and its state

  void resubmit(const openflow::Resubmit& a, Place place);
  bool check_length(const openflow::CheckPktLarger& a);
  void run_both_lengths(const openflow::ActionList& list, std::size_t at, std::uint8_t depth);
  void write_field(const Subfield& dest, U128 value);
  void multipath(const openflow::Multipath& a);
  void not_understood(const std::string& what);

  // --- outputs (output.cpp)
  void output(const openflow::Port& port, Place place);
  void output_number(std::uint32_t number, Place place);
  void output_to(const Interface& port, Place place);
  void unknown_port(std::uint32_t number, const std::string& name);
  void flood(bool all, Place place);
  void cross_patch(const Interface& port, Place place);
  void tunnel(const Interface& port);
  void emit(OvsEmission::Kind kind, const Interface* port, const FlowKey& key);
  void bundle(const openflow::Bundle& a, Place place);
  bool is_live(const openflow::Port& port) const;
  std::optional<std::uint32_t> number_of(const openflow::Port& port) const;

  // --- the learning switch (normal.cpp)
  void normal(Place place);
  void output_normal(const Interface& port, std::uint16_t vlan, Place place);
  std::optional<std::uint32_t> learned_port(MacAddr mac, std::uint16_t vlan, Provenance* from) const;

  // --- groups (groups.cpp)
  bool group(std::uint32_t id, Place place);
  void run_bucket(const openflow::Group& g, std::size_t index, Place place);
  bool is_live(const openflow::Bucket& b, int nesting = 0) const;
  std::optional<std::size_t> pick_bucket(const openflow::Group& g);

  // --- connection tracking (ct_action.cpp)
  struct CtPassage;  // one packet on its way through a ct action
  void ct(const openflow::Ct& a);
  void ct_forced(CtPassage& p);
  void ct_track(CtPassage& p);
  ConntrackTables::Hit ct_find(CtPassage& p);
  void ct_existing(CtPassage& p, const ConntrackTables::Hit& hit);
  void ct_new(CtPassage& p);
  Tuple ct_mapping(const CtPassage& p);
  void ct_execute(CtPassage& p, std::uint32_t mark, U128 label);
  void ct_record(const CtPassage& p);

  // --- the controller (controller.cpp)
  bool controller(const openflow::Controller& a);
  void refuse(std::uint32_t opcode, const openflow::ActionList& nested);
  void pause(std::uint32_t opcode, const openflow::ActionList& nested);

  // --- learn (learn.cpp)
  void learn(const openflow::Learn& a);

  // --- the record (translation.cpp)
  template <class Kind>
  void add(Kind kind, std::vector<Provenance> evidence = {}) {
    record_.add(node_.name, layer(), std::move(kind), std::move(evidence));
  }
  void remark(std::string text, std::vector<Provenance> evidence = {});
  void gap(std::string what, std::string command);
  // `written`: the words that may differ from `before`.
  void note_changes(const FlowKey& before, WordRun written, std::optional<FieldId> as_one = std::nullopt);
  Layer layer() const;
  // A reason why the packet may not leave; the last one counts. Those of nested tables (which often miss or drop by
  // design) count only when nothing follows in the main line.
  void reason(std::string why, std::uint8_t depth, std::vector<Provenance> evidence = {},
              const openflow::Bridge* missed_in = nullptr);
  std::string where() const;
  std::vector<Provenance> here() const;  // the flow being executed

  FlowKey& key() { return state_.key; }
  const FlowKey& key() const { return state_.key; }
  const Bridge& bridge() const { return *state_.bridge; }

  const cluster::Node& node_;
  openflow::LookupSession& lookups_;
  World& world_;
  Record& record_;
  Chooser& chooser_;
  const OvsOptions& options_;

  std::deque<Job> jobs_;
  OvsResult result_;
  PipelineState state_;
  std::optional<Answer> answer_;  // of the current job
  std::vector<Provenance> job_evidence_;
  std::optional<std::size_t> step_;  // of the flow or bucket being executed
  std::optional<Ending> ending_, weak_;
  std::optional<std::size_t> main_line_;  // the step of its last flow
  IpAddr arrived_at_;              // tunnel destination of the packet as it came in
  std::size_t forced_states_ = 0;  // of options_.ct_next
  unsigned jobs_run_ = 0;
  unsigned look_ups_ = 0;               // of all jobs
  unsigned resubmits_ = 0, depth_ = 0;  // of the current job, counted as Open vSwitch does
  unsigned nesting_ = 0;                // of our own calls
  bool exit_ = false;                   // `exit` was executed
  bool aborted_ = false;                // a limit was hit: the translation fails and drops the packet
  std::vector<std::string> partial_noted_;
};

}  // namespace egt::engine
