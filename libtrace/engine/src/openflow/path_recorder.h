// The steps of a path: what a translation looks up, changes and outputs, as a Record. Where a packet ends in the
// bridges it knows why.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/engine/record.h"
#include "observer.h"

namespace egt::engine {

class PathRecorder : public ofproto::Observer {
 public:
  PathRecorder(const cluster::Node& node, Record& record) : node_(node), record_(record) {}

  // A translation follows: on `bridge` in `table`, asked for by a step of the record.
  void expect(const openflow::Bridge& bridge, std::uint8_t table, std::optional<std::size_t> step);
  // The packet is one that ovn-controller sends: where it ends says nothing of the packet that was asked about.
  void follow_reply(bool is_reply) { is_reply_ = is_reply; }

  // The translation has ended.
  void translated() { flow_ = nullptr; }

  void begin(const FlowKey& flow) override;
  void line(ofproto::TraceNode&& node) override;
  void looked_up(const ofproto::TableLookup& lookup) override;
  void before(const openflow::Action& action) override;
  void after(const openflow::Action& action) override;
  void crosses(const ofproto::SwitchPort& from, const ofproto::SwitchPort& to) override;
  void lacks_peer(const ofproto::SwitchPort& port, const ofproto::SwitchPort& named) override;
  void no_live_member(const openflow::Bundle& bundle) override;
  void not_received(const ofproto::SwitchPort& port) override;
  void in_spanning_tree(const ofproto::SwitchPort& port) override;
  void mirrored(const ofproto::Mirror& mirror) override;
  void mirrors_unknown(const ofproto::SwitchBridge& bridge) override;
  std::size_t origin_of(const ofproto::dp::Action& action) override;

  void gap(Input input, Details about);
  void missing(Statement<Input> input);
  void remark(Remark remark, std::vector<Provenance> evidence);
  void assume(Assumption assumption) { record_.assume(std::move(assumption)); }
  // The flow that is executed asks whether the packet is longer than that; in bytes, without Ethernet header and tags.
  void limit(std::uint32_t packet);
  template <class Kind>
  void add(Kind&& kind, std::vector<Provenance> evidence) {
    record_.add(node_.name, layer(), std::forward<Kind>(kind), std::move(evidence));
  }
  // Why the packet may not leave; the last reason counts. Those of nested tables (which often miss or drop by design)
  // count only when nothing follows in the main line.
  struct Missed {
    const openflow::Bridge* in = nullptr;      // null: it ends otherwise
    std::uint64_t datapath = 0, out_port = 0;  // tunnel keys, of the integration bridge's packets
  };
  void end(Cause why, std::uint8_t depth, std::vector<Provenance> evidence) {
    end(std::move(why), depth, std::move(evidence), {});
  }
  void end(Cause why, std::uint8_t depth, std::vector<Provenance> evidence, const Missed& missed);
  // Of packets that the datapath executes when the translation has ended: said of the step that origin_of() named.
  void end_at(std::size_t step, Cause why);
  void remark_at(std::size_t step, Notice notice);
  void tracked(std::size_t step, std::uint32_t state, const Tuple& before, const Tuple& after, Provenance entry);
  void refused(std::size_t step, const std::string& with);
  const std::string& controller_of(std::size_t step) const;  // of a ToController step
  // Of a step that origin_of() named, or of the flow or bucket being executed.
  std::vector<Provenance> evidence_of(std::size_t step) const;
  std::vector<Provenance> here() const;
  const cluster::Node& node() const { return node_; }
  const openflow::Bridge& bridge() const { return *frames_.back().bridge; }

  bool is_undecided() const { return undecided_; }
  void set_undecided() { undecided_ = true; }
  bool has_end() const { return ending_ || weak_; }
  Stop take_stop();
  // Removes the steps of ct actions that no datapath executed.
  void drop_unexecuted();

 private:
  // A list of actions under execution.
  struct Frame {
    std::uint32_t level = 1;          // of its actions' lines
    std::optional<std::size_t> step;  // the flow or bucket that has the list
    std::uint8_t depth = 0;           // of nested resubmits
    bool last = true;                 // nothing follows the current action in the list
    bool missed = false;              // no flow: there are no actions
    const openflow::Bridge* bridge = nullptr;
    std::uint8_t table = 0;
  };
  struct Ending {
    Stop stop;
    Missed missed;
  };

  void note(const ofproto::Note& note);
  void note_output(const ofproto::Note& note);
  void note_normal(const ofproto::Note& note);
  void end_at_mirror(const ofproto::Note& note);
  void note_tunnel(const ofproto::Note& note);
  void enter_bucket(const ofproto::BucketLine& bucket, std::uint32_t level);
  void record_match(const ofproto::TableLookup& lookup, std::uint8_t depth);
  void record_changes(const openflow::Action& action);
  void record_change(std::size_t step, FieldId field, U128 before, U128 after);
  std::size_t output_step(const ofproto::dp::Output& output);
  std::size_t ct_step(const ofproto::dp::Conntrack& ct);
  std::size_t controller_step(const ofproto::dp::ToController& c);
  std::uint8_t nested_depth() const;
  Stop end_of_main_line() const;
  Layer layer() const;
  Place where() const;

  const cluster::Node& node_;
  Record& record_;
  const FlowKey* flow_ = nullptr;  // of the translation under way
  FlowKey before_;                 // the words that the current action may change
  std::vector<FieldId> changed_;   // room for the fields that it changed
  std::vector<Frame> frames_;
  Frame next_;                        // of the table whose line comes next
  const openflow::Ct* ct_ = nullptr;  // the ct action under execution
  const ofproto::Mirror* copied_by_ = nullptr;
  std::optional<Ending> ending_, weak_;
  std::optional<std::size_t> main_line_;  // the step of its last flow
  std::vector<std::size_t> ct_steps_, executed_;
  std::unordered_map<std::size_t, Place> places_;  // of steps at which a packet may end when they are executed
  bool is_reply_ = false, undecided_ = false;
};

}  // namespace egt::engine
