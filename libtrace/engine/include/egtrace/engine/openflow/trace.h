// A packet through the translation of Open vSwitch, shown as `ovs-appctl ofproto/trace` shows it: what was looked up and
// executed in order, which bits of the packet decided (the megaflow), and the datapath actions that come out.
//
// Unlike OvsEngine this follows no connection and no controller: recirculations come back as ofproto-dpif-trace.c has
// them. Nothing here is text.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/assumption.h"
#include "egtrace/engine/openflow/datapath_actions.h"
#include "egtrace/openflow/datapath.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {
struct LearnedFlow;
}

namespace egt::engine::ofproto {

// Where behaviour or text of ofproto/trace differs from release to release.
struct OvsVersion {
  unsigned major = 3, minor = 1, patch = 0;
  friend auto operator<=>(const OvsVersion&, const OvsVersion&) = default;
};
std::optional<OvsVersion> parse_ovs_version(std::string_view text);  // "3.5.4", "2.17"

// An action as it is executed: one of a list, the nat of a ct action, or what a frozen list begins with.
struct Ofpact {
  const openflow::Action* action = nullptr;
  const openflow::Nat* nat = nullptr;  // action is null
  std::uint8_t table = 0;              // both null: go on as if in this table and flow
  std::uint64_t cookie = 0;
  friend bool operator==(const Ofpact&, const Ofpact&) = default;
};
using Ofpacts = std::vector<Ofpact>;

// What the trace prints in one line. `a`, `b` and `text` are the particulars of a Remark.
enum class Remark : std::uint8_t {
  thaw,
  resuming_from_table,
  restored_state,
  restoring_actions,
  restoring_action_set,
  executing_action_set,
  action_set_was,
  action_set_is,
  field_is_now,
  conjunction_member,
  no_such_port,
  no_forward,
  skipping_input_port,
  output_port_is,
  output_port_out_of_range,
  cannot_truncate_to_port,
  cannot_truncate_to_patch,
  truncate_patch,
  non_ethernet_to_ethernet_port,
  no_such_group,
  using_bucket,
  no_live_bucket,
  no_bucket_yet,  // the same line of releases that print it also before the packet comes back with its hash
  dp_hash,
  bucket_score,
  bucket_not_live,
  bucket_chain,
  resubmit_not_tracked,
  too_deep,
  too_many_resubmits,
  too_many_actions,
  stack_too_big,
  stack_underflow,
  forked,
  untracked,
  ttl_exception,
  mpls_ttl_exception,
  nsh_ttl_exception,
  unmet_prerequisites,
  queue_is,
  deletes_field,
  learn_suppressed,
  learns,
  conjunction_executed,
  unknown_input_port,
  no_input_bundle,
  partial_vlan,
  vlan_not_allowed,
  vlan_on_access_port,
  vlan_not_trunked,
  vlan_not_in_tunnel,
  protected_ports,
  tree_skips,                  // a: whether RSTP
  received_by_port_of_mirror,  // text: port, more: mirror; the same of the next two
  input_port_of_mirror,
  learned_port_of_mirror,
  reserved_mac,
  learned_port,
  learned_port_is_input,
  no_learned_mac,
  learned_mac,
  tunnel_decided_against,
  own_tunnel_address,
  native_tunnel,
  kernel_tunnel,
  no_route,
  no_route_known,
  tunneling_via,
  neighbour_miss,
  neighbour_unknown,
  tunneling,
  unknown_recirculation,
  encap_of_ethernet,
  encap_nsh_of_type,
  decap_vlan,
  decap_nsh_next,
  decap_of_type,
  unknown_bridge,
  not_understood,
};

enum class NodeKind : std::uint8_t { bridge, table, bucket, thaw, action, detail, warning, error };

struct TableLine {  // "12. ip,metadata=0x2, priority 100, cookie 0xf8bbd0b6"
  enum class Rule : std::uint8_t { flow, no_match, packet_in, frags_dropped, internal };
  std::uint8_t table = 0;
  Rule rule = Rule::no_match;
  std::uint32_t internal = 0;  // 1 to 3: the hidden rule of another bridge
  const openflow::Bridge* bridge = nullptr;
  openflow::FlowIndex flow = openflow::kNoFlow;
};
struct BridgeLine {
  std::string name;
};
struct BucketLine {
  std::uint32_t id = 0;
  const openflow::Group* group = nullptr;
  std::size_t index = 0;
};
struct ActionLine {
  Ofpact action;
  bool drop = false;
  bool last = false;
};  // last of its list
struct Note {
  Remark what = Remark::thaw;
  std::uint64_t a = 0, b = 0;
  std::string text, more;
  Ofpacts list;
  Subfield field;
  U128 value = 0;
  const openflow::Bridge* bridge = nullptr;
  openflow::FlowIndex flow = openflow::kNoFlow;
  Provenance from;  // of what was learned
  std::shared_ptr<const LearnedFlow> learned;
};

// Nodes of the trace in the order in which they are printed; `depth` makes the tree.
struct TraceNode {
  NodeKind kind = NodeKind::action;
  std::uint32_t depth = 0;
  std::variant<BridgeLine, TableLine, BucketLine, ActionLine, Note> line;
};

enum class XlateError : std::uint8_t {
  ok,
  bridge_not_found,
  recursion_too_deep,
  too_many_resubmits,
  stack_too_deep,
  no_recirculation_context,
  too_many_mpls_labels,
  unsupported_packet_type,
  forwarding_disabled,
  congestion_drop,
  invalid_tunnel_metadata,
};

// What one run of the translation comes to.
struct Translation {
  FlowKey initial, final_flow, megaflow_mask;
  dp::Actions actions;
  XlateError error = XlateError::ok;
  bool slow = false;  // needs the userspace slow path
};

// One run of the translation: the packet as it came, or one recirculation.
struct TracePass : Translation {
  struct Resumption {
    std::uint32_t recirc_id = 0;
    bool by_default = true;  // trk|new, because no state was given
    std::uint32_t ct_state = 0;
    std::optional<openflow::Nat> nat;
    FlowKey before, after;  // with `nat`
  };
  std::optional<Resumption> resumption;  // none: the packet as it came
  std::vector<TraceNode> nodes;
};

// A packet that has come back to the datapath: which of the resumptions, counted from 0, of how many that the flow before it in
// the datapath asks for, and the packet as its own flow has it (zero: whatever it was before).
struct Recirculated {
  std::size_t which = 0, of = 0;
  FlowKey packet;
};

struct TraceOptions {
  std::vector<std::uint32_t> ct_next;      // ct_state of the next resumptions of conntrack
  std::vector<Recirculated> recirculated;  // what is traced: the packet behind these, one behind the other
  OvsVersion version;
  bool record = true;  // keep nodes, megaflow and datapath actions; else only where the packet goes
};

// Flows, in table and line, that tie with the one that was used and do something else.
struct Overlap {
  const openflow::Bridge* bridge = nullptr;
  std::uint8_t table = 0;
  openflow::FlowIndex used = openflow::kNoFlow;
  std::vector<openflow::FlowIndex> others;
};

struct Trace {
  std::vector<TracePass> passes;
  bool resumptions_differ = false;  // from those of TraceOptions::recirculated: tables and datapath flows are of two moments
  bool limit_reached = false;       // more than 4,096 recirculations
  std::size_t not_processed = 0;    // … and how many were still waiting
  std::vector<Overlap> overlaps;
  std::vector<MissingInput> gaps;     // what would have been needed
  std::shared_ptr<const void> owned;  // keeps the actions alive that nodes point to
};

// Translates packets on the bridges of one node. Keeps what it builds of the tables, so that the next packet is quicker;
// each thread has its own.
class Tracer {
 public:
  // `datapath`: what dumps show of the datapath below the node's bridges; kept.
  Tracer(const cluster::Node& node, openflow::Datapath datapath);
  ~Tracer();
  Tracer(Tracer&&) noexcept;

  Trace trace(const openflow::Bridge& bridge, const FlowKey& packet, const TraceOptions& options);
  // Before the first of them: indexes of flow tables are then built at once.
  void expect_many_packets();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::engine::ofproto
