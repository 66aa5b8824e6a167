// egtrace trace SNAPSHOT --node N --bridge B FLOW: what `ovs-appctl ofproto/trace B FLOW` would print.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

#include "command.h"
#include "egtrace/parsers/datapath.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "egtrace/render/ofproto_trace.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

namespace ofproto = engine::ofproto;

constexpr const char* kTraceFooter =
    "FLOW is what ofproto/trace takes: in_port=5,tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_dst=80; ports by number or "
    "name.\n"
    "\n"
    "Examples:\n"
    "  egtrace trace ./dumps --node worker-1 --bridge br-int in_port=5,icmp,nw_src=10.128.2.7,nw_dst=10.128.0.4\n"
    "  egtrace trace ./dumps --bridge br-int --ct-next trk,est --ct-next trk,est in_port=5,tcp,tp_dst=80\n"
    "  egtrace trace ./dumps --bridge br-int --batch packets.txt --verdict-only\n";

struct TraceOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string node, bridge, flow, version, batch;
  std::vector<std::string> ct_next;
  bool names = false, all_buckets = false, verdict_only = false;
};

std::uint32_t ct_state_of(const std::string& text) {
  constexpr std::string_view kNames[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
  using namespace ct_state;
  std::uint32_t state = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(", |", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    std::uint32_t bit = 0;
    for (std::size_t i = 0; i < std::size(kNames); ++i)
      if (word == kNames[i]) bit = 1u << i;
    if (bit == 0) throw CommandError(fmt::format("--ct-next: {}: unknown connection tracking state flag", word));
    state |= bit;
  }
  if (state & ~trk && !(state & trk))
    throw CommandError("--ct-next: invalid connection state: If \"trk\" is unset, no other flags are set");
  if (state & inv && state & ~(trk | inv))
    throw CommandError("--ct-next: invalid connection state: when \"inv\" is set, only \"trk\" may also be set");
  if (state & new_ && state & est)
    throw CommandError("--ct-next: invalid connection state: \"new\" and \"est\" are mutually exclusive");
  if (state & new_ && state & rpl)
    throw CommandError("--ct-next: invalid connection state: \"new\" and \"rpl\" are mutually exclusive");
  return state;
}

const cluster::Node& node_of(const cluster::Cluster& c, const TraceOptions& o) {
  if (!o.node.empty()) {
    if (const cluster::Node* n = c.node(o.node)) return *n;
    std::vector<std::string> names;
    for (const auto& n : c.nodes) names.push_back(n->name);
    throw CommandError(fmt::format("there is no node {} in the snapshot; {}", o.node,
                                   did_you_mean(o.node, names, "`egtrace inspect` lists them")));
  }
  const cluster::Node* only = nullptr;
  for (const auto& n : c.nodes) {
    if (!n->bridge(o.bridge)) continue;
    if (only) throw CommandError(fmt::format("several nodes have a bridge {}; name one with --node", o.bridge));
    only = n.get();
  }
  if (!only) throw CommandError(fmt::format("{}: unknown bridge", o.bridge));
  return *only;
}

const openflow::Bridge& bridge_of(const cluster::Node& n, const TraceOptions& o) {
  if (const openflow::Bridge* b = n.bridge(o.bridge)) return *b;
  std::vector<std::string> names;
  for (const openflow::Bridge& b : n.bridges) names.push_back(b.name);
  throw CommandError(fmt::format("{}: unknown bridge; {}", o.bridge,
                                 did_you_mean(o.bridge, names, "`egtrace inspect` lists what there is")));
}

ofproto::OvsVersion version_of(const cluster::Node& n, const TraceOptions& o) {
  if (!o.version.empty()) {
    if (const auto v = ofproto::parse_ovs_version(o.version)) return *v;
    throw CommandError(fmt::format("--ovs-version: {} is no version; say for example 3.5.4", o.version));
  }
  if (n.ovs_version)
    if (const auto v = ofproto::parse_ovs_version(*n.ovs_version)) return *v;
  return {};
}

const render::OpenFlowText& openflow_text() {
  static const render::OpenFlowText text = {parsers::format_match, parsers::format_action, parsers::format_actions,
                                            parsers::format_subfield, parsers::format_port};
  return text;
}

class Traces {
 public:
  Traces(const cluster::Cluster& c, const TraceOptions& o)
      : o_(o),
        node_(node_of(c, o)),
        bridge_(bridge_of(node_, o)),
        tracer_(node_, parsers::read_datapath(c, node_)),
        cluster_(c) {
    for (const std::string& s : o.ct_next) options_.ct_next.push_back(ct_state_of(s));
    options_.version = version_of(node_, o);
    options_.all_buckets = o.all_buckets;
    options_.record = !o.verdict_only;   // of what is recorded a verdict shows nothing
  }

  std::string answer(const std::string& flow, const std::string& where) {
    const auto ports = [this](std::string_view name) -> std::optional<std::uint32_t> {
      const openflow::Interface* i = bridge_.by_name(name);
      return i ? i->ofport : std::nullopt;
    };
    const auto key = parsers::parse_flow_key(flow, ports);
    if (!key) throw CommandError(fmt::format("{}Bad openflow flow syntax: {}", where, key.error().message));
    const ofproto::Trace trace = tracer_.trace(bridge_, *key, options_);
    warn(trace);
    if (o_.verdict_only) return render::ofproto_trace_verdict(trace) + "\n";
    std::string out = render::ofproto_trace_text(trace, bridge_, openflow_text(), {o_.names, options_.version});
    if (!out.ends_with('\n')) out += '\n';
    return out;
  }

  bool incomplete() const { return incomplete_; }

 private:
  std::string line_of(Provenance p) const { return fmt::format("{}:{}", cluster_.sources->at(p.source).path, p.line); }

  void warn(const ofproto::Trace& trace) {
    incomplete_ = incomplete_ || !trace.gaps.empty();
    if (o_.common.quiet) return;
    for (const Gap& g : trace.gaps)
      if (told_.insert(g.what).second)
        fmt::print(stderr, "egtrace: {}: not in the snapshot: {}{}\n", g.node, g.what,
                   g.command.empty() ? "" : "; `" + g.command + "` tells it");
    for (const ofproto::Overlap& o : trace.overlaps)
      for (const openflow::FlowIndex i : o.others) {
        const auto& used = o.bridge->flows->flow(o.used);
        const auto& other = o.bridge->flows->flow(i);
        const std::string text =
            fmt::format("{}: overlaps {} at priority {}: OpenFlow does not define which of {} and {} is executed",
                        line_of(used.from), line_of(other.from), used.priority, o.bridge->flows->actions_text(used),
                        o.bridge->flows->actions_text(other));
        if (told_.insert(text).second) fmt::print(stderr, "egtrace: {}\n", text);
      }
  }

  const TraceOptions& o_;
  const cluster::Node& node_;
  const openflow::Bridge& bridge_;
  ofproto::Tracer tracer_;
  const cluster::Cluster& cluster_;
  ofproto::TraceOptions options_;
  std::set<std::string> told_;
  bool incomplete_ = false;
};

std::string read_all(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CommandError(fmt::format("{}: cannot be read", path));
  return {std::istreambuf_iterator<char>(in), {}};
}

ExitStatus run_trace(const TraceOptions& o) {
  if (o.flow.empty() == o.batch.empty()) throw CommandError("give one FLOW, or --batch FILE");
  const cluster::Cluster cluster = open_snapshot(o.snapshot, o.common);
  Traces traces(cluster, o);
  std::string out;
  if (o.batch.empty()) {
    out = traces.answer(o.flow, "");
  } else {
    std::istringstream lines(read_all(o.batch));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.empty() || line.front() == '#') continue;
      if (!out.empty() && !o.verdict_only) out += '\n';
      out += traces.answer(line, fmt::format("{}:{}: ", o.batch == "-" ? "standard input" : o.batch, number));
    }
  }
  write_output(o.common, out);
  return traces.incomplete() ? ExitStatus::inconclusive : ExitStatus::done;
}

}  // namespace

void add_trace(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand("trace", "OpenFlow only: print what ovs-appctl ofproto/trace prints");
  add_snapshot_options(*verb, options->snapshot);
  verb->add_option("flow", options->flow, "the packet, as ofproto/trace takes it")->type_name("FLOW");
  verb->add_option("--node", options->node, "the machine (default: the one that has the bridge)")->type_name("NODE");
  verb->add_option("--bridge", options->bridge, "the bridge")->type_name("BRIDGE")->required();
  verb->add_option("--ct-next", options->ct_next, "ct_state of the next resumption of conntrack, repeatable")
      ->type_name("FLAGS")
      ->allow_extra_args(false);
  verb->add_flag("--names,!--no-names", options->names, "ports by name");
  verb->add_flag("--all-buckets", options->all_buckets, "go on behind a select group by dp_hash, with every bucket");
  verb->add_option("--ovs-version", options->version, "print as this release of Open vSwitch (default: the snapshot's)")
      ->type_name("VERSION");
  verb->add_option("--batch", options->batch, "one packet a line; - is standard input")->type_name("FILE");
  verb->add_flag("--verdict-only", options->verdict_only, "one line a packet: what becomes of it");
  add_common_options(*verb, options->common, {"text"});
  verb->footer(kTraceFooter);
  verb->callback([options, &status] { status = run_trace(*options); });
}

}  // namespace egt::cli
