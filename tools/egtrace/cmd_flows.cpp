// egtrace flows SNAPSHOT: lists flows, filtered as ovs-flowviz(8) does, with what OVN made them for.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "command.h"
#include "egtrace/explain/suggest.h"
#include "egtrace/parsers/flows.h"
#include "egtrace/render/flows.h"
#include "page.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kFlowsFooter =
    "EXPR: [!|not] KEY[.SUBKEY] [= | != | < | > | ~= VALUE], joined by and (&&), or (||) and brackets; KEY is a field of the "
    "match, an "
    "action or a statistic. `~=` holds where VALUE lies within what the flow matches.\n"
    "\n"
    "Examples:\n"
    "  egtrace flows ./dumps --bridge br-int --filter 'nw_src~=10.133.0.9 and n_packets>0'\n"
    "  egtrace flows ./dumps --filter 'drop and n_packets>0' --sort n_packets --top 20\n"
    "  egtrace flows ./dumps --filter 'output.port=3 or ct.zone=64000' --format csv -o flows.csv\n"
    "  egtrace flows ./dumps --by object --top 10\n"
    "  egtrace flows ./dumps --logical --by object --top 10\n"
    "  egtrace flows ./after --since ./before --sort rate --top 20\n"
    "  egtrace flows ./dumps --datapath --filter 'ipv4.dst~=10.133.0.9'\n"
    "  egtrace flows ./dumps --filter 'n_packets>0' --format html -o flows.html\n"
    "\n"
    "Exit status: 0 found, 2 the call or an input is unusable, 3 no flow is one of these.\n";

using explain::FlowSumKey;

const std::vector<std::pair<std::string, FlowSumKey>> kSumKeys = {
    {"table", FlowSumKey::table},       {"cookie", FlowSumKey::cookie}, {"lflow", FlowSumKey::logical_flow},
    {"datapath", FlowSumKey::datapath}, {"object", FlowSumKey::object}, {"acl", FlowSumKey::acl}};

struct FlowsOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  explain::FlowQuery query;
  std::string filter, highlight, table, by, since;
  std::size_t top = 0;
  bool datapath = false, logical = false;
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

explain::FlowQuery query_of(const FlowsOptions& o) {
  explain::FlowQuery query = o.query;
  query.filter = filter_of(o.filter);
  query.highlight = filter_of(o.highlight);
  if (!o.table.empty()) query.table = o.table;
  if (o.top > 0) query.top = o.top;
  for (const auto& [name, key] : kSumKeys)
    if (name == o.by) query.by = key;
  if (o.datapath) query.kind = explain::FlowKind::datapath;
  if (o.logical) query.kind = explain::FlowKind::logical;
  return query;
}

// What flows of the datapath and logical flows do not have.
void refuse_what_does_not_apply(const FlowsOptions& o) {
  if (o.datapath && o.logical) throw CommandError("--datapath and --logical are flows of two kinds; choose one");
  if (o.datapath && !o.by.empty())
    throw CommandError("--by: flows of the datapath have neither table nor cookie; leave --datapath out");
  if (o.datapath && !(o.table.empty() && o.query.bridge.empty()))
    throw CommandError("--table, --bridge: flows of the datapath have none; leave --datapath out");
  if (!o.logical) return;
  if (o.by.empty() || o.by == "cookie" || o.by == "lflow")
    throw CommandError("--logical counts logical flows: say by what with --by object, acl, datapath or table");
  if (!(o.filter.empty() && o.highlight.empty() && o.table.empty() && o.query.bridge.empty() && o.query.sort.empty() &&
        o.since.empty()))
    throw CommandError("--logical goes with --by, --node and --top alone: the other options are about flows of switches");
}

// A page is no place for a million flows: those that counted most packets.
void bound_page(const parsers::Snapshot& snapshot, const FlowsOptions& o, explain::FlowQuery& query) {
  if (query.by != explain::FlowSumKey::none) {
    query.top = std::min(query.top.value_or(render::kSumsOnPage), render::kSumsOnPage);
    return;
  }
  std::size_t dumps = 0;
  for (const auto& node : snapshot.cluster.nodes) {
    if (!query.node.empty() && node.name() != query.node) continue;
    if (o.datapath)
      ++dumps;
    else
      for (const openflow::Bridge& bridge : node->bridges) dumps += query.bridge.empty() || bridge.name == query.bridge ? 1 : 0;
  }
  const std::size_t share = std::max<std::size_t>(render::kFlowsOnPage / std::max<std::size_t>(dumps, 1), 20);
  query.top = o.top > 0 ? o.top : share;
  query.busiest = true;
}

// Without the folders in which it lies, which may be private.
std::string name_of_snapshot(const std::string& path) {
  const std::filesystem::path given = std::filesystem::path(path).lexically_normal();
  return (given.has_filename() ? given.filename() : given.parent_path().filename()).string();
}

ExitStatus run_flows(const FlowsOptions& o) {
  refuse_what_does_not_apply(o);
  explain::FlowQuery query = query_of(o);
  const parsers::Snapshot& snapshot = open_collection(o.snapshot, o.common);
  refuse_unknown_node(snapshot.cluster, query.node);
  if (query.kind == explain::FlowKind::openflow) refuse_unknown_bridge(snapshot.cluster, query);
  query.collection = &snapshot.collection;
  if (!o.since.empty()) {
    SnapshotOptions earlier;
    earlier.path = o.since;
    earlier.follow_links = o.snapshot.follow_links;
    const parsers::Snapshot& since = open_collection(earlier, o.common);
    query.since = {&since.cluster, &since.collection, name_of_snapshot(o.since)};
  }
  if (o.common.format == "html") bound_page(snapshot, o, query);
  const explain::FlowReader reader{&parsers::read_flow_words, &parsers::read_word_list};
  const explain::FlowListing listing = explain::list_flows(snapshot.cluster, query, reader);
  if (!listing.has_rates && (!o.since.empty() || query.sort == explain::kRateKey) && !listing.groups.empty())
    throw CommandError(o.since.empty()
                           ? "--sort rate needs a second dump of the same flows: name an earlier snapshot with --since"
                           : "--since: the other snapshot has no flows of the same node and bridge");
  if (o.common.format == "json")
    write_output(o.common, render::flows_json(listing, snapshot.cluster, reader));
  else if (o.common.format == "csv")
    write_output(o.common, render::flows_csv(listing, reader));
  else if (o.common.format == "html")
    write_page("flows", {.flows = &listing, .flow_reader = &reader}, snapshot, o.snapshot, o.common);
  else
    write_output(o.common, render::flows_text(listing, reader, text_options(o.common)));
  return listing.groups.empty() && listing.sums.empty() ? ExitStatus::inconclusive : ExitStatus::done;
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
  verb->add_option("--sort", o->query.sort,
                   "descending by a number that flows have, such as n_packets, n_bytes, duration or priority, or by `rate`");
  verb->add_flag("--ascending", o->query.ascending, "with --sort: the smallest first");
  verb->add_option("--top", o->top, "at most so many flows of each bridge, or sums; with --datapath so many trees")
      ->check(CLI::PositiveNumber);
  std::vector<std::string> keys;
  for (const auto& [name, key] : kSumKeys) keys.push_back(name);
  verb->add_option("--by", o->by, "sum packets, bytes and flows by this")->check(CLI::IsMember(keys));
  verb->add_flag("--datapath", o->datapath,
                 "flows of the datapath (dpctl/dump-flows) instead of OpenFlow, as trees by recirculation");
  verb->add_flag("--logical", o->logical, "with --by: count OVN's logical flows instead of OpenFlow");
  verb->add_option("--since", o->since, "packets and bytes a second since the dumps of this snapshot, an earlier one")
      ->type_name("SNAPSHOT");
  add_common_options(*verb, o->common, {"text", "json", "csv", "html"});
  verb->footer(kFlowsFooter);
  verb->callback([o, &status] { status = run_flows(*o); });
}

}  // namespace egt::cli
