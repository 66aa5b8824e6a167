// Lists of flows: which of a snapshot's a query selects, what they mean, and their counters summed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/collection.h"
#include "egtrace/openflow/flow_filter.h"
#include "egtrace/openflow/flow_words.h"

namespace egt::explain {

// What takes lines of flows apart: explain knows no parser.
struct FlowReader {
  bool (*words)(std::string_view line, openflow::FlowWords& out) = nullptr;
  std::vector<openflow::FlowWord> (*list)(std::string_view list, openflow::FlowWord::Section section) = nullptr;
};

// Whether a flow is one that the filter asks for, as ovs-flowviz(8) decides it: a clause about a key that the flow lacks fails;
// "~=" holds where the value lies within what the flow matches. Other than there, names that ovs-fields(7) gives to one field
// are one key, and "false" is false.
bool passes(const openflow::FlowFilter& filter, const openflow::FlowWords& flow, const FlowReader& reader);

enum class FlowSumKey : std::uint8_t { none, table, cookie, logical_flow, datapath, object, acl };

// Of OpenFlow (ovs-ofctl dump-flows), of the datapath (dpctl/dump-flows), or OVN's logical flows, which are summed alone.
enum class FlowKind : std::uint8_t { openflow, datapath, logical };

// Dumps of flows with the times at which they were printed; null: nothing shows these.
struct FlowDumps {
  const cluster::Cluster* cluster = nullptr;
  const cluster::Collection* collection = nullptr;
  std::string name = {};  // of the snapshot; empty: the one that is listed
};

struct FlowQuery {
  std::string node, bridge;          // empty: all
  std::optional<std::string> table;  // number, or name as the dump has it
  std::optional<openflow::FlowFilter> filter, highlight;
  std::string sort;                // key of a number that flows have ("n_packets"), or kRateKey; empty: as dumped
  bool ascending = false;          // with `sort`
  std::optional<std::size_t> top;  // of each bridge, or of sums; of datapath flows: those as which packets arrive
  bool busiest = false;            // with `top` and without `sort`: those that counted most packets, as dumped
  FlowKind kind = FlowKind::openflow;
  FlowSumKey by = FlowSumKey::none;
  const cluster::Collection* collection = nullptr;  // when the dumps were printed; null: nothing shows it
  FlowDumps since;  // of another time, for rates; none: second dumps of the snapshot itself, where it has some
};

inline constexpr std::string_view kRateKey = "rate";  // packets a second

// What OVN made a flow for; empty where the snapshot does not show.
struct FlowMeaning {
  std::string datapath, stage, logical_flow, uuid;  // logical_flow: "MATCH => ACTIONS"
  std::vector<std::string> rows, objects;           // "ACL allow-web", "NetworkPolicy shop/allow-web"
};

// --- two dumps

struct FlowCounters {
  std::uint64_t packets = 0, bytes = 0;
};
struct FlowRate {
  double packets = 0, bytes = 0;
};  // a second

// What a dump of another time has of a flow: of its table, priority, match and cookie; of a datapath flow of its key.
enum class FlowChange : std::uint8_t {
  none,        // there is no other dump
  counted,     // its counters, from which the rate follows
  here_alone,  // nothing
  anew,        // a flow of another age: it was taken away and added in between
  backwards,   // counters that went down while the flow stayed
  ambiguous,   // several: it is not known which
  undecided,   // its counters; nothing shows how much time is between
};

enum class IntervalBasis : std::uint8_t { none, ages, times };  // of flows (`duration`), of dumps

struct GoneFlow {
  std::uint32_t line = 0;
  std::string_view text;
};

// A dump of another time beside one that is listed.
struct ComparedDump {
  std::string dump;    // its path, behind the name of another snapshot
  double seconds = 0;  // from it to the listed one; negative: it is the later one
  IntervalBasis basis = IntervalBasis::none;
  // Flows of the datapath have no age: one that was taken away and made anew in between counted more than its counters show.
  bool at_least = false;
  // Of flows that were asked for.
  std::size_t counted = 0, here_alone = 0, anew = 0, backwards = 0, ambiguous = 0, undecided = 0;
  std::vector<GoneFlow> there_alone;  // flows of the other one that are not in the listed one
};

// --- recirculation

// Flows that packets of an input port meet after recirc(ID).
struct RecirculationBlock {
  std::uint32_t id = 0;
  std::vector<std::size_t> flows;    // indices of FlowGroup::flows
  std::vector<std::size_t> parents;  // of flows that recirculate to it
  std::size_t all = 0;               // flows of the dump, asked for or not
};

// --- the listing

struct ListedFlow {
  Provenance from;
  std::string_view text;  // its line, which the snapshot owns
  bool highlighted = false;
  FlowMeaning meaning;
  FlowCounters counters;
  FlowChange change = FlowChange::none;
  std::optional<FlowRate> rate;
  std::optional<FlowCounters> other;  // in the other dump, at `other_line`
  std::uint32_t other_line = 0;
  std::uint32_t recirc_id = 0;               // of datapath flows
  bool is_reached = false;                   // some flow of the dump recirculates to it
  std::vector<std::size_t> recirculates_to;  // indices of FlowGroup::blocks
};

struct FlowSum {
  std::string key;
  std::uint64_t flows = 0, packets = 0, bytes = 0;
  FlowRate rate;            // of those flows that have one
  std::uint64_t rated = 0;  // how many these are
};

// Of a table: what was asked for, listed or not.
struct FlowTableCount {
  std::string table;
  std::size_t flows = 0;
  FlowCounters counters;
  FlowRate rate;
  std::size_t rated = 0;
};

// The flows of one dump.
struct FlowGroup {
  std::string node, bridge;            // bridge: empty of datapath flows
  std::string dump;                    // its path
  std::size_t all = 0, found = 0;      // flows of it, and those that were asked for
  std::vector<ListedFlow> flows;       // at most `top` of the latter
  std::vector<FlowTableCount> tables;  // in the order of the dump
  std::vector<RecirculationBlock> blocks;
  std::optional<ComparedDump> compared;
};

struct FlowListing {
  FlowKind kind = FlowKind::openflow;
  std::vector<FlowGroup> groups;  // in order of nodes and bridges; none where nothing was found
  std::vector<FlowSum> sums;      // most packets first; of logical flows the most of these first
  std::size_t dumps = 0;          // that were looked through
  bool busiest = false;           // FlowQuery::busiest
  bool has_rates = false;         // whether two dumps could be compared at all
};

FlowListing list_flows(const cluster::Cluster& cluster, const FlowQuery& query, const FlowReader& reader);

}  // namespace egt::explain
