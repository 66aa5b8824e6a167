// Lists of flows: which of a snapshot's somebody wants to see, what they mean, and their counters summed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
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

struct FlowQuery {
  std::string node, bridge;                 // empty: all
  std::optional<std::string> table;         // number, or name as the dump has it
  std::optional<openflow::FlowFilter> filter, highlight;
  std::string sort;                         // key of a number that flows have ("n_packets"); empty: as dumped
  bool ascending = false;                   // with `sort`
  std::optional<std::size_t> top;           // of each bridge, or of sums
  bool datapath = false;                    // dpctl/dump-flows instead of OpenFlow
  FlowSumKey by = FlowSumKey::none;
};

// What OVN made a flow for; empty where the snapshot does not tell.
struct FlowMeaning {
  std::string datapath, stage, logical_flow, uuid;   // logical_flow: "MATCH => ACTIONS"
  std::vector<std::string> rows, objects;            // "ACL allow-web", "NetworkPolicy shop/allow-web"
};

struct ListedFlow {
  Provenance from;
  std::string_view text;                    // its line, which the snapshot owns
  bool highlighted = false;
  FlowMeaning meaning;
};

struct FlowSum {
  std::string key;
  std::uint64_t flows = 0, packets = 0, bytes = 0;
};

// The flows of one dump.
struct FlowGroup {
  std::string node, bridge;                 // bridge: empty of datapath flows
  std::string dump;                         // its path
  std::size_t all = 0, found = 0;           // flows of it, and those that were asked for
  std::vector<ListedFlow> flows;            // at most `top` of the latter
};

struct FlowListing {
  std::vector<FlowGroup> groups;            // in order of nodes and bridges; none where nothing was found
  std::vector<FlowSum> sums;                // most packets first
  std::size_t dumps = 0;                    // that were looked through
};

FlowListing list_flows(const cluster::Cluster& cluster, const FlowQuery& query, const FlowReader& reader);

}  // namespace egt::explain
