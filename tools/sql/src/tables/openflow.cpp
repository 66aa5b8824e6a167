// Flows, groups, ports and the flows of the datapath.
#include "catalogue.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/flows.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::FlowWord;
using openflow::FlowWords;

struct FlowRow {
  const Node* node;
  const Bridge* bridge;
  std::string_view line;
  Provenance from;
};

// The columns of one row are read one after the other.
const FlowWords& words_of(std::string_view line) {
  thread_local FlowWords words;
  thread_local std::string copy;  // a line of another snapshot may lie at the same place
  if (copy != line) {
    copy = line;
    if (!parsers::read_flow_words(copy, words)) words = {};
  }
  return words;
}

std::string_view info_of(const FlowRow& row, std::string_view key) {
  const FlowWord* word = words_of(row.line).find(FlowWord::Section::info, key);
  return word != nullptr ? word->value : std::string_view();
}
Value number_in(const FlowRow& row, std::string_view key) { return number(parse_u64(info_of(row, key))); }
std::string_view match_of(const FlowRow& row, std::string_view key) {
  const FlowWord* word = words_of(row.line).find(FlowWord::Section::match, key);
  return word != nullptr ? word->value : std::string_view();
}
// The cookie of a flow that has none is 0, its table 0 and its priority 32768.
std::uint64_t number_or(std::string_view text, std::uint64_t otherwise) { return parse_u64(text).value_or(otherwise); }

Value priority_of(const FlowRow& row) {
  const std::string_view before = info_of(row, "priority");
  return number(number_or(before.empty() ? match_of(row, "priority") : before, 32768));
}

Value seconds(std::string_view printed) {
  if (printed.ends_with('s')) printed.remove_suffix(1);
  if (printed.empty() || printed.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  return std::strtod(std::string(printed).c_str(), nullptr);
}

void add_flows(const Context& context, const Node& node, const Bridge& bridge, std::vector<FlowRow>& out) {
  const Source& source = context.cluster().sources->at(bridge.flows_source);
  std::string_view rest = source.text;
  FlowWords words;
  for (std::uint32_t line = source.first_line; !rest.empty(); ++line) {
    const std::string_view text = next_line(rest);
    if (parsers::read_flow_words(text, words)) out.push_back({&node, &bridge, text, {bridge.flows_source, line}});
  }
}

void flow_rows(const Context& context, std::vector<FlowRow>& out) {
  for (const auto& node : context.cluster().nodes)
    for (const Bridge& bridge : node->bridges)
      if (bridge.flows_source != kNoSource && !bridge.presumed) add_flows(context, *node, bridge, out);
}

Lack lack_of_flows(const Node& node) {
  if (!is_cluster_node(node)) return Lack::nothing;
  Lack lack = node.bridges.empty() ? Lack::all : Lack::nothing;
  for (const Bridge& bridge : node.bridges) {
    if (bridge.flows_source == kNoSource) return Lack::all;
    if (bridge.flows_partial) lack = Lack::rest;
  }
  return lack;
}

std::vector<Gap> flow_gaps(const Context& context) {
  return gaps_of_nodes(context, "OpenFlow flows of a bridge", "ovs-ofctl dump-flows BRIDGE", lack_of_flows);
}

Definition<FlowRow> flows() {
  using R = const FlowRow&;
  using C = const Context&;
  return {"flows",
          "flows of bridges (ovs-ofctl dump-flows)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"bridge", "TEXT", "bridge", [](C, R r) { return text(r.bridge->name); }},
           {"table_id", "INTEGER", "table; NULL where the dump has its name alone",
            [](C, R r) {
              const std::string_view table = info_of(r, "table");
              return table.empty() ? number(0) : number(parse_u64(table));
            }},
           {"priority", "INTEGER", "priority", [](C, R r) { return priority_of(r); }},
           {"cookie", "TEXT", "cookie, as 0x...; that of `logical_flows` made it",
            [](C, R r) { return hexadecimal(number_or(info_of(r, "cookie"), 0)); }},
           {"n_packets", "INTEGER", "packets; NULL: dumped without statistics", [](C, R r) { return number_in(r, "n_packets"); }},
           {"n_bytes", "INTEGER", "bytes", [](C, R r) { return number_in(r, "n_bytes"); }},
           {"duration", "REAL", "seconds since it was made", [](C, R r) { return seconds(info_of(r, "duration")); }},
           {"idle_age", "INTEGER", "seconds since its last packet", [](C, R r) { return number_in(r, "idle_age"); }},
           {"nw_src", "TEXT", "source that it matches, as dumped",
            [](C, R r) {
              const std::string_view v4 = match_of(r, "nw_src");
              return text(v4.empty() ? match_of(r, "ipv6_src") : v4);
            }},
           {"nw_dst", "TEXT", "destination that it matches, as dumped",
            [](C, R r) {
              const std::string_view v4 = match_of(r, "nw_dst");
              return text(v4.empty() ? match_of(r, "ipv6_dst") : v4);
            }},
           {"match", "TEXT", "the whole match with its priority, as dumped", [](C, R r) { return text(words_of(r.line).match); }},
           {"actions", "TEXT", "actions", [](C, R r) { return text(words_of(r.line).actions); }},
           {"flow", "TEXT", "the line, for match() and may_match()", [](C, R r) { return text(trim(r.line)); }}},
          flow_rows,
          [](C, R r) { return r.from; },
          flow_gaps};
}

struct GroupRow {
  const Node* node;
  const Bridge* bridge;
  const openflow::Group* group;
  std::size_t bucket;
};

template <bool each_bucket>
void group_rows(const Context& context, std::vector<GroupRow>& out) {
  for (const auto& node : context.cluster().nodes)
    for (const Bridge& bridge : node->bridges)
      for (const openflow::Group* group : bridge.groups.all())
        for (std::size_t i = 0; i < (each_bucket ? group->buckets.size() : 1); ++i) out.push_back({&*node, &bridge, group, i});
}

std::vector<Gap> group_gaps(const Context& context) {
  return gaps_of_nodes(
      context, "OpenFlow groups of a bridge", "ovs-ofctl -O OpenFlow15 dump-groups BRIDGE", [](const Node& node) {
        const bool all = std::all_of(node.bridges.begin(), node.bridges.end(), [](const Bridge& b) { return b.has_groups; });
        return is_cluster_node(node) && (node.bridges.empty() || !all) ? Lack::all : Lack::nothing;
      });
}

std::string_view name_of(openflow::Group::Type type) {
  constexpr std::string_view kNames[] = {"all", "select", "indirect", "ff"};
  return kNames[static_cast<std::size_t>(type)];
}

Definition<GroupRow> groups() {
  using R = const GroupRow&;
  using C = const Context&;
  return {"groups",
          "groups of bridges (ovs-ofctl dump-groups)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"bridge", "TEXT", "bridge", [](C, R r) { return text(r.bridge->name); }},
           {"group_id", "INTEGER", "number", [](C, R r) { return number(r.group->id); }},
           {"type", "TEXT", "all, select, indirect, ff", [](C, R r) { return text(name_of(r.group->type)); }},
           {"selection_method", "TEXT", "hash, dp_hash", [](C, R r) { return text(r.group->selection_method); }},
           {"buckets", "INTEGER", "how many", [](C, R r) { return number(r.group->buckets.size()); }}},
          group_rows<false>,
          [](C, R r) { return r.group->from; },
          group_gaps};
}

Definition<GroupRow> buckets() {
  using R = const GroupRow&;
  using C = const Context&;
  return {"buckets",
          "buckets of groups, in their order",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"bridge", "TEXT", "bridge", [](C, R r) { return text(r.bridge->name); }},
           {"group_id", "INTEGER", "number of the group", [](C, R r) { return number(r.group->id); }},
           {"position", "INTEGER", "from 0", [](C, R r) { return number(r.bucket); }},
           {"bucket_id", "INTEGER", "as dumped", [](C, R r) { return number(r.group->buckets[r.bucket].id); }},
           {"weight", "INTEGER", "weight", [](C, R r) { return number(r.group->buckets[r.bucket].weight); }},
           {"actions", "TEXT", "actions", [](C, R r) { return text(r.group->buckets[r.bucket].actions_text); }}},
          group_rows<true>,
          [](C, R r) { return r.group->from; },
          group_gaps};
}

struct PortRow {
  const Node* node;
  const Bridge* bridge;
  const openflow::Interface* port;
};

void port_rows(const Context& context, std::vector<PortRow>& out) {
  for (const auto& node : context.cluster().nodes)
    for (const Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) out.push_back({&*node, &bridge, &port});
}

Value entry_of(const std::map<std::string, std::string>& all, const char* key) {
  const auto found = all.find(key);
  return found == all.end() ? Value() : text(found->second);
}

Definition<PortRow> ports() {
  using R = const PortRow&;
  using C = const Context&;
  return {"ports",
          "ports of bridges (ovs-ofctl show, ovs-vsctl)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"bridge", "TEXT", "bridge", [](C, R r) { return text(r.bridge->name); }},
           {"name", "TEXT", "name", [](C, R r) { return text(r.port->name); }},
           {"ofport", "INTEGER", "OpenFlow number", [](C, R r) { return number(r.port->ofport); }},
           {"type", "TEXT", "patch, geneve, internal, ...", [](C, R r) { return text(r.port->type); }},
           {"mac", "TEXT", "MAC", [](C, R r) { return mac(r.port->mac); }},
           {"mtu", "INTEGER", "MTU", [](C, R r) { return number(r.port->mtu); }},
           {"tag", "INTEGER", "access VLAN", [](C, R r) { return number(r.port->tag); }},
           {"iface_id", "TEXT", "logical port (external_ids:iface-id)",
            [](C, R r) { return entry_of(r.port->external_ids, "iface-id"); }},
           {"peer", "TEXT", "of a patch port", [](C, R r) { return text(openflow::patch_peer(*r.port)); }},
           {"remote_ip", "TEXT", "of a tunnel", [](C, R r) { return entry_of(r.port->options, "remote_ip"); }},
           {"port_down", "INTEGER", "1: taken down (PORT_DOWN)", [](C, R r) { return flag(r.port->port_down); }},
           {"link_down", "INTEGER", "1: without carrier (LINK_DOWN)", [](C, R r) { return flag(r.port->link_down); }}},
          port_rows,
          [](C, R r) { return r.port->from; },
          [](C context) {
            return gaps_of_nodes(
                context, "ports of bridges", "ovs-ofctl show BRIDGE; ovs-vsctl list Interface",
                [](const Node& node) { return is_cluster_node(node) && node.bridges.empty() ? Lack::all : Lack::nothing; });
          }};
}

struct DatapathRow {
  const Node* node;
  const openflow::DatapathFlow* flow;
};

Definition<DatapathRow> datapath_flows() {
  using R = const DatapathRow&;
  using C = const Context&;
  return {"datapath_flows",
          "flows of the datapath (ovs-appctl dpctl/dump-flows)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"recirc_id", "INTEGER", "0: as packets arrive", [](C, R r) { return number(r.flow->recirc_id); }},
           {"packets", "INTEGER", "packets", [](C, R r) { return number(r.flow->packets); }},
           {"bytes", "INTEGER", "bytes", [](C, R r) { return number(r.flow->bytes); }},
           {"match", "TEXT", "match", [](C, R r) { return text(r.flow->match); }},
           {"actions", "TEXT", "actions", [](C, R r) { return text(r.flow->actions); }}},
          [](C context, std::vector<DatapathRow>& out) {
            for (const auto& node : context.cluster().nodes)
              for (const openflow::DatapathFlow& flow : node->datapath.flows) out.push_back({&*node, &flow});
          },
          [](C, R r) { return r.flow->from; },
          [](C context) {
            return gaps_of_nodes(context, "flows of the datapath", "ovs-appctl dpctl/dump-flows", [](const Node& node) {
              return is_cluster_node(node) && node.datapath.flows.empty() ? Lack::all : Lack::nothing;
            });
          }};
}

}  // namespace

void add_openflow_tables(Tables& all) {
  all.push_back(make_table(flows()));
  all.push_back(make_table(groups()));
  all.push_back(make_table(buckets()));
  all.push_back(make_table(ports()));
  all.push_back(make_table(datapath_flows()));
}

}  // namespace egt::sql
