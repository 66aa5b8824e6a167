// egtrace trace SNAPSHOT --node N --bridge B FLOW: what `ovs-appctl ofproto/trace B FLOW` would print.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "command.h"
#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "egtrace/engine/openflow/ingress.h"
#include "egtrace/explain/phrases.h"
#include "egtrace/openflow/datapath_chain.h"
#include "egtrace/parsers/datapath_flow.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "egtrace/render/ofproto_trace.h"
#include "refused_lines.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

namespace ofproto = engine::ofproto;

constexpr const char* kTraceFooter =
    "FLOW as for ofproto/trace: in_port=5,tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_dst=80; ports by number or "
    "name; or a flow of the datapath, as ovs-appctl dpctl/dump-flows prints it: "
    "in_port(5),eth(),eth_type(0x0800),ipv4(frag=no).\n"
    "\n"
    "Examples:\n"
    "  egtrace trace ./dumps --node worker-1 br-int in_port=5,icmp,nw_src=10.128.2.7,nw_dst=10.128.0.4\n"
    "  egtrace trace ./dumps --node worker-1 --bridge br-int --ct-next trk,est --ct-next trk,est in_port=5,tcp,tp_dst=80\n"
    "  egtrace trace ./dumps --node worker-1 br-int --batch packets.txt --verdict-only\n";

struct TraceOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string node, bridge, flow, version, batch;
  std::vector<std::string> words;  // [BRIDGE] [FLOW] behind the snapshot
  std::vector<std::string> ct_next;
  bool names = false, verdict_only = false;
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
    throw CommandError(
        fmt::format("the snapshot has no node {}; {}", o.node, did_you_mean(o.node, names, "`egtrace inspect` lists them")));
  }
  const cluster::Node* only = nullptr;
  for (const auto& n : c.nodes) {
    if (o.bridge.empty() ? n->bridges.empty() : !n->bridge(o.bridge)) continue;
    if (only)
      throw CommandError(
          fmt::format("several nodes have a bridge{}{}; name one with --node", o.bridge.empty() ? "" : " ", o.bridge));
    only = n.get();
  }
  if (!only) throw CommandError(o.bridge.empty() ? "no node has a bridge" : fmt::format("{}: unknown bridge", o.bridge));
  return *only;
}

const openflow::Bridge& bridge_of(const cluster::Node& n, const TraceOptions& o) {
  if (const openflow::Bridge* b = n.bridge(o.bridge)) return *b;
  std::vector<std::string> names;
  for (const openflow::Bridge& b : n.bridges) names.push_back(b.name);
  throw CommandError(
      fmt::format("{}: unknown bridge; {}", o.bridge, did_you_mean(o.bridge, names, "`egtrace inspect` lists what there is")));
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

// Answers packets one after the other; each thread has its own.
class Lane {
 public:
  struct Answer {
    std::string text, error;
    std::vector<std::string> warnings;
    bool incomplete = false;
  };

  static constexpr std::size_t kMany = 16;  // packets for which an index is worth its while

  // `packets`: how many there are to be answered, by all together.
  Lane(const cluster::Cluster& c, const cluster::Node& node, const TraceOptions& o, std::size_t packets)
      : o_(o),
        sources_(*c.sources),
        node_(node),
        bridge_(o.bridge.empty() ? nullptr : node_.bridge(o.bridge)),
        tracer_(node_, node_.datapath),
        writer_(openflow_text(), {o.names, version_of(node, o)}) {
    for (const std::string& s : o.ct_next) options_.ct_next.push_back(ct_state_of(s));
    options_.version = version_of(node, o);
    options_.record = !o.verdict_only;  // of what is recorded a verdict shows nothing
    if (packets >= kMany) tracer_.expect_many_packets();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Answer answer(const std::string& flow) {
    Answer a;
    const auto start = start_of(flow);
    if (!start) {
      a.error = start.error().message;
      return a;
    }
    options_.recirculated = start->recirculated;
    const ofproto::Trace trace = tracer_.trace(*start->bridge, start->key, options_);
    if (trace.resumptions_differ) {
      a.error = "the flow tables resume the packet otherwise than the datapath's flows: the dumps are of two moments";
      return a;
    }
    a.incomplete = !trace.gaps.empty();
    if (!o_.common.quiet) a.warnings = warnings(trace);
    a.text = o_.verdict_only ? render::ofproto_trace_verdict(trace) : writer_.write(trace, *start->bridge);
    if (!a.text.ends_with('\n')) a.text += '\n';
    return a;
  }

 private:
  struct TraceStart {
    const openflow::Bridge* bridge = nullptr;
    FlowKey key;
    std::vector<ofproto::Recirculated> recirculated{};
  };

  Result<TraceStart> start_of(const std::string& flow) const {
    if (const auto of_datapath = parsers::parse_datapath_flow(flow, node_.vlan_limit))
      return datapath_start(*of_datapath);
    else if (bridge_ == nullptr)
      return Error{of_datapath.error().message + " (or the bridge name was omitted: --bridge)"};
    std::string unknown_port;
    const auto ports = [&](std::string_view name) -> std::optional<std::uint32_t> {
      const openflow::Interface* i = bridge_->by_name(name);
      if (i == nullptr) unknown_port = name;
      return i ? i->ofport : std::nullopt;
    };
    const auto key = parsers::parse_flow_key(flow, ports);
    if (key) return TraceStart{bridge_, *key};
    const std::string hint = unknown_port.empty() ? "" : did_you_mean(unknown_port, port_names(), "");
    return Error{"Bad openflow flow syntax: " + key.error().message + (hint.empty() ? "" : "; " + hint)};
  }

  std::vector<std::string> port_names() const {
    std::vector<std::string> names;
    for (const openflow::Interface& i : bridge_->interfaces) names.push_back(i.name);
    return names;
  }

  Result<TraceStart> datapath_start(const parsers::DatapathFlow& flow) const {
    if (flow.key.u32(FieldId::recirc_id) != 0) return recirculated_start(flow);
    const auto at = ofproto::ingress_of(node_, node_.datapath, flow.port, flow.port_name, flow.key);
    if (!at) return at.error();
    if (bridge_ != nullptr && at->bridge != bridge_)
      return Error{fmt::format("the datapath's port is one of {}, not of {}", at->bridge->name, bridge_->name)};
    TraceStart start{at->bridge, flow.key};
    start.key.set(FieldId::in_port, at->port);
    ofproto::set(start.key, ofproto::Extra::tun_header_flags, flow.tunnel_flags);
    ofproto::set(start.key, ofproto::Extra::vlan_tpid, flow.tag_types[0]);
    ofproto::set(start.key, ofproto::Extra::vlan_tpid1, flow.tag_types[1]);
    for (const parsers::TunnelOption& o : flow.options)
      if (!put_option(o, *at->bridge, start.key))
        return Error{
            "no dump shows where the tunnel's options are held: "
            "run `ovs-ofctl dump-tlv-map`"};
    return start;
  }

  // The packet as the first flow of the chain has it, and what becomes of it behind each recirculation.
  Result<TraceStart> recirculated_start(const parsers::DatapathFlow& flow) const {
    const std::uint32_t id = flow.key.u32(FieldId::recirc_id);
    const auto chain = openflow::chain_to(node_.datapath, id);
    if (!chain) return Error{fmt::format("no recirculation data for recirc_id 0x{:x}", id)};  // as ofproto/trace prints it
    const auto first = parsers::parse_datapath_flow(chain->front()->match, node_.vlan_limit);
    if (!first) return first.error();
    auto start = datapath_start(*first);
    for (std::size_t i = 0; start && i < chain->size(); ++i) {
      const auto next =
          i + 1 < chain->size() ? parsers::parse_datapath_flow((*chain)[i + 1]->match, node_.vlan_limit) : Result(flow);
      if (!next) return next.error();
      const std::vector<std::uint32_t>& ids = (*chain)[i]->recirculates_to;
      const auto which = std::find(ids.begin(), ids.end(), next->key.u32(FieldId::recirc_id));
      start->recirculated.push_back({static_cast<std::size_t>(which - ids.begin()), ids.size(), next->key});
    }
    return start;
  }

  // Into the tun_metadata field that holds it, from its upmost byte on.
  static bool put_option(const parsers::TunnelOption& o, const openflow::Bridge& b, FlowKey& key) {
    for (const openflow::TlvMapping& m : b.tlv_map) {
      if (m.option_class != o.option_class || m.type != o.type || o.data.size() > 16 || m.index > 7) continue;
      U128 value = 0;
      for (const std::uint8_t byte : o.data) value = value << 8 | byte;
      key.set(static_cast<FieldId>(static_cast<unsigned>(FieldId::tun_metadata0) + m.index), value);
      ofproto::set(key, ofproto::Extra::tun_present,
                   ofproto::get(key, ofproto::Extra::tun_present) | std::uint64_t{1} << m.index);
      return true;
    }
    return false;
  }

  std::string line_of(Provenance p) const { return fmt::format("{}:{}", sources_.at(p.source).path, p.line); }

  std::vector<std::string> warnings(const ofproto::Trace& trace) const {
    std::vector<std::string> all;
    for (const engine::MissingInput& m : trace.gaps) {
      const Gap g = explain::gap_of(m);
      all.push_back(
          fmt::format("{}: not in the snapshot: {}{}", g.node, g.what, g.command.empty() ? "" : ": run `" + g.command + "`"));
    }
    for (const ofproto::Overlap& o : trace.overlaps)
      for (const openflow::FlowIndex i : o.others) {
        const auto& used = o.bridge->flows->flow(o.used);
        const auto& other = o.bridge->flows->flow(i);
        all.push_back(fmt::format("{}: overlaps {} at priority {}: OpenFlow does not define which of {} and {} is executed",
                                  line_of(used.from), line_of(other.from), used.priority, openflow::actions_text(used),
                                  openflow::actions_text(other)));
      }
    return all;
  }

  const TraceOptions& o_;
  const SourceTable& sources_;
  const cluster::Node& node_;
  const openflow::Bridge* bridge_;  // null: flows of the datapath show theirs
  ofproto::Tracer tracer_;
  ofproto::TraceOptions options_;
  render::OfprotoTraceWriter writer_;
};

struct Packet {
  std::string flow;
  std::size_t line = 0;  // of the file of --batch
};

// Writes answers in the order of the packets, each warning once.
class Answers {
 public:
  explicit Answers(const TraceOptions& o) : o_(o), out_(o.common) {}

  // False: the output was closed. What is wrong with a line of a batch is the answer to it.
  bool take(const Lane::Answer& a, const Packet& packet) {
    for (const std::string& w : a.warnings)
      if (printed_.insert(w).second) print_error(fmt::format("egtrace: {}\n", w));
    incomplete_ = incomplete_ || a.incomplete;
    if (!a.error.empty() && o_.batch.empty()) throw CommandError(a.error);
    if (!a.error.empty()) refused_.push_back(packet.line);
    if (!first_ && !o_.verdict_only) piece_ += '\n';
    first_ = false;
    piece_ += a.error.empty() ? a.text : a.error + '\n';
    return piece_.size() < kPiece || flush();
  }
  void finish() {
    flush();
    out_.finish();
  }
  ExitStatus status() const {
    if (!refused_.empty()) return refuse_lines(o_.batch, refused_);
    return incomplete_ ? ExitStatus::inconclusive : ExitStatus::done;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  bool flush() {
    const bool read = out_.write(piece_);
    piece_.clear();
    return read;
  }

  const TraceOptions& o_;
  OutputStream out_;
  std::string piece_;
  std::set<std::string> printed_;
  std::vector<std::size_t> refused_;
  bool first_ = true, incomplete_ = false;
};

std::string read_all(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CommandError(fmt::format("{}: cannot be read", path));
  text << in.rdbuf();
  return std::move(text).str();
}

std::vector<Packet> packets_of(const TraceOptions& o) {
  if (o.batch.empty()) return {{o.flow, 0}};
  std::vector<Packet> packets;
  std::istringstream lines(read_all(o.batch));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view text = trim(line);
    if (!text.empty() && text.front() != '#') packets.push_back({std::string(text), number});
  }
  return packets;
}

// Rounds in which each thread answers some packets that follow one another, and some more, as long as there are any.
class Batch {
 public:
  Batch(const cluster::Cluster& c, const TraceOptions& o) : o_(o), node_(node_of(c, o)), packets_(packets_of(o)) {
    if (!o.bridge.empty()) bridge_of(node_, o);
    unsigned jobs = o.common.jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : o.common.jobs;
    jobs = static_cast<unsigned>(std::min<std::size_t>(jobs, packets_.size() / kEach + 1));
    if (packets_.size() >= Lane::kMany)
      for (const openflow::Bridge& b : node_.bridges)
        if (b.flows && (o.bridge.empty() || b.name == o.bridge)) b.flows->build_indexes(o.common.jobs);
    for (unsigned i = 0; i < jobs; ++i) lanes_.push_back(std::make_unique<Lane>(c, node_, o, packets_.size()));
  }

  ExitStatus run() {
    Answers answers(o_);
    bool read = true;
    for (std::size_t begin = 0; begin < packets_.size() && read; begin += round_.size()) {
      answer_round(begin);
      for (std::size_t i = 0; i < round_.size() && read; ++i) read = answers.take(round_[i], packets_[begin + i]);
    }
    answers.finish();
    return answers.status();
  }

 private:
  static constexpr std::size_t kEach = 8, kTimes = 64;  // packets at a time; about so often a round

  void answer_round(std::size_t begin) {
    round_.resize(std::min(packets_.size() - begin, lanes_.size() * kEach * kTimes));
    std::atomic<std::size_t> next{0};
    for_each_index(lanes_.size(), static_cast<unsigned>(lanes_.size()), 1, [&](std::size_t lane) {
      for (std::size_t i = next.fetch_add(kEach); i < round_.size(); i = next.fetch_add(kEach))
        for (std::size_t k = i; k < std::min(i + kEach, round_.size()); ++k)
          round_[k] = lanes_[lane]->answer(packets_[begin + k].flow);
    });
  }

  const TraceOptions& o_;
  const cluster::Node& node_;
  std::vector<Packet> packets_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane::Answer> round_;
};

// The bridge stands before the packet as for ofproto/trace, unless an option names it. Words that lack the snapshot are distinguished from
// those that have it by what names the snapshot otherwise.
void sort_words(TraceOptions& o) {
  if (o.batch.empty()) {
    if (o.words.empty())
      take_argument_for(o.flow, o.snapshot);
    else
      take_arguments_for(o.words, o.snapshot);
    if (!o.words.empty()) o.flow = std::exchange(o.words.back(), {}), o.words.pop_back();
  } else {
    take_arguments_for(o.words, o.snapshot);
  }
  if (o.words.empty()) return;
  if (!o.bridge.empty()) throw CommandError(fmt::format("{}: the bridge is named twice: --bridge {}", o.words.back(), o.bridge));
  if (o.words.size() > 1) throw CommandError(fmt::format("{}: give [SNAPSHOT] [BRIDGE] FLOW", o.words.front()));
  o.bridge = o.words.front();
}

ExitStatus run_trace(const TraceOptions& o) {
  if (o.flow.empty() == o.batch.empty()) throw CommandError("give one FLOW, or --batch FILE");
  SnapshotOptions snapshot = o.snapshot;
  snapshot.as_dumped = true;  // Open vSwitch executes its tables, whichever program wrote them
  const cluster::Cluster& cluster = open_collection(snapshot, o.common).cluster;
  return Batch(cluster, o).run();
}

}  // namespace

void add_trace(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand("trace", "OpenFlow only: print what ovs-appctl ofproto/trace prints");
  add_snapshot_options(*verb, options->snapshot);
  verb->add_option("flow", options->words,
                   "the bridge, unless --bridge or a datapath flow names it, and the packet, in the syntax of ofproto/trace")
      ->type_name("[BRIDGE] FLOW")
      ->expected(0, 2);
  verb->add_option("--node", options->node, "the node (default: the one that has the bridge)")->type_name("NODE");
  verb->add_option("--bridge", options->bridge, "the bridge; a datapath flow names it")->type_name("BRIDGE");
  verb->add_option("--ct-next", options->ct_next, "ct_state of the next resumption of conntrack, repeatable")
      ->type_name("FLAGS")
      ->allow_extra_args(false);
  verb->add_flag("--names,!--no-names", options->names, "ports by name");
  verb->add_option("--ovs-version", options->version, "print as this release of Open vSwitch (default: the snapshot's)")
      ->type_name("VERSION");
  verb->add_option("--batch", options->batch, "one packet a line; - is standard input")->type_name("FILE");
  verb->add_flag("--verdict-only", options->verdict_only, "one line per packet: what happens to it");
  add_common_options(*verb, options->common, {"text"});
  verb->footer(kTraceFooter);
  verb->callback([options, &status] {
    sort_words(*options);
    status = run_trace(*options);
  });
}

}  // namespace egt::cli
