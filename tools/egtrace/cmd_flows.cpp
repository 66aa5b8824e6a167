// egtrace flows SNAPSHOT: lists flows, filtered as ovs-flowviz(8) does, with what OVN made them for.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "command.h"
#include "egtrace/explain/suggest.h"
#include "egtrace/parsers/flows.h"
#include "egtrace/render/flows.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kFlowsFooter =
    "EXPR: [!|not] KEY[.SUBKEY] [= | != | < | > | ~= VALUE], joined by and (&&), or (||) and brackets; KEY is a field of the match, an "
    "action or a statistic. `~=` holds where VALUE lies within what the flow matches.\n"
    "\n"
    "Examples:\n"
    "  egtrace flows ./dumps --bridge br-int --filter 'nw_src~=10.133.0.9 and n_packets>0'\n"
    "  egtrace flows ./dumps --filter 'drop and n_packets>0' --sort n_packets --top 20\n"
    "  egtrace flows ./dumps --filter 'output.port=3 or ct.zone=64000' --format csv -o flows.csv\n"
    "  egtrace flows ./dumps --by object --top 10\n"
    "\n"
    "Exit status: 0 found, 2 the call or an input is unusable, 3 no flow is one of these.\n";

using explain::FlowSumKey;

const std::vector<std::pair<std::string, FlowSumKey>> kSumKeys = {{"table", FlowSumKey::table},   {"cookie", FlowSumKey::cookie},
                                                                  {"lflow", FlowSumKey::logical_flow}, {"datapath", FlowSumKey::datapath},
                                                                  {"object", FlowSumKey::object}, {"acl", FlowSumKey::acl}};

struct FlowsOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  explain::FlowQuery query;
  std::string filter, highlight, table, by;
  std::size_t top = 0;
};

std::optional<openflow::FlowFilter> filter_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto filter = parsers::parse_flow_filter(text);
  if (!filter) throw CommandError(filter.error().message);
  return *std::move(filter);
}

void refuse_unknown_node(const cluster::Cluster& cluster, const std::string& node) {
  if (node.empty() || cluster.handle(node) != nullptr) return;
  std::vector<std::string> known;
  for (const auto& one : cluster.nodes) known.push_back(one.name());
  throw CommandError(fmt::format("the snapshot has no node {}{}", node, explain::did_you_mean(node, known)));
}

void refuse_unknown_bridge(const cluster::Cluster& cluster, const explain::FlowQuery& query) {
  if (query.bridge.empty()) return;
  std::vector<std::string> known;
  for (const auto& node : cluster.nodes) {
    if (!query.node.empty() && node.name() != query.node) continue;
    for (const openflow::Bridge& bridge : node->bridges) {
      if (bridge.name == query.bridge) return;
      known.push_back(bridge.name);
    }
  }
  throw CommandError(fmt::format("the snapshot has no bridge {}{}", query.bridge, explain::did_you_mean(query.bridge, known)));
}

ExitStatus run_flows(const FlowsOptions& o) {
  explain::FlowQuery query = o.query;
  query.filter = filter_of(o.filter);
  query.highlight = filter_of(o.highlight);
  if (!o.table.empty()) query.table = o.table;
  if (o.top > 0) query.top = o.top;
  for (const auto& [name, key] : kSumKeys)
    if (name == o.by) query.by = key;
  const parsers::Snapshot& snapshot = open_collection(o.snapshot, o.common);
  refuse_unknown_node(snapshot.cluster, query.node);
  if (!query.datapath) refuse_unknown_bridge(snapshot.cluster, query);
  const explain::FlowReader reader{&parsers::read_flow_words, &parsers::read_word_list};
  const explain::FlowListing listing = explain::list_flows(snapshot.cluster, query, reader);
  if (o.common.format == "json")
    write_output(o.common, render::flows_json(listing, snapshot.cluster, reader));
  else if (o.common.format == "csv")
    write_output(o.common, render::flows_csv(listing, reader));
  else
    write_output(o.common, render::flows_text(listing, text_options(o.common)));
  return listing.groups.empty() ? ExitStatus::inconclusive : ExitStatus::done;
}

}  // namespace

void add_flows(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<FlowsOptions>();
  CLI::App* verb = app.add_subcommand("flows", "list, filter and sum flows, with the logical flow and object behind each");
  add_snapshot_options(*verb, o->snapshot);
  verb->add_option("--filter", o->filter, "flows of which this is true (EXPR)");
  verb->add_option("--highlight", o->highlight, "flows to be shown in another colour (EXPR)");
  verb->add_option("--node", o->query.node, "flows of this node alone");
  verb->add_option("--bridge", o->query.bridge, "flows of this bridge alone");
  verb->add_option("--table", o->table, "flows of this table alone");
  verb->add_option("--sort", o->query.sort, "descending by a number that flows have, such as n_packets, n_bytes, duration or priority");
  verb->add_flag("--ascending", o->query.ascending, "with --sort: the smallest first");
  verb->add_option("--top", o->top, "at most so many flows of each bridge, or sums")->check(CLI::PositiveNumber);
  std::vector<std::string> keys;
  for (const auto& [name, key] : kSumKeys) keys.push_back(name);
  verb->add_option("--by", o->by, "sum packets, bytes and flows by this")->check(CLI::IsMember(keys));
  verb->add_flag("--datapath", o->query.datapath, "flows of the datapath (dpctl/dump-flows) instead of OpenFlow");
  add_common_options(*verb, o->common, {"text", "json", "csv"});
  verb->footer(kFlowsFooter);
  verb->callback([o, &status] { status = run_flows(*o); });
}

}  // namespace egt::cli
