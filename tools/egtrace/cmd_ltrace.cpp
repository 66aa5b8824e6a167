// egtrace ltrace SNAPSHOT [DATAPATH] MICROFLOW: takes what ovn-trace takes and prints what it prints, from dumps.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "command.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/ovn_reader.h"
#include "egtrace/render/logical_trace.h"
#include "kept.h"
#include "refused_lines.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

namespace lang = parsers::ovn_lang;
namespace lt = engine::logical;

constexpr const char* kLtraceFooter =
    "MICROFLOW is a match that leaves one packet, in the form of ovn-trace(8); without DATAPATH its inport names the "
    "datapath.\n"
    "\n"
    "Examples:\n"
    "  egtrace ltrace ./dumps --node worker-1 'inport==\"shop_cart\" && eth.src==0a:58:0a:80:02:07 &&\n"
    "      eth.dst==0a:58:0a:80:02:01 && ip4.src==10.128.2.7 && ip4.dst==192.0.2.10 && ip.ttl==64 && tcp.dst==443'\n"
    "  egtrace ltrace ./dumps --node worker-1 --minimal --ct=new worker-1 'inport==\"shop_cart\" && …'\n"
    "  egtrace ltrace sb.db --batch microflows.txt --verdict-only\n";

struct LtraceOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string node;
  std::vector<std::string> arguments;  // [DATAPATH] MICROFLOW
  bool detailed = false, summary = false, minimal = false, all = false;
  bool friendly_names = true, no_friendly_names = false;
  bool openflow = false, verdict_only = false;
  std::vector<std::string> ct;
  std::string lb_dst, select_id, batch;
  std::string ignored;  // --db and its like: there is no server
};

std::uint32_t parse_ct_state(const std::string& text) {
  static constexpr std::string_view kNames[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
  std::uint32_t state = ct_state::trk;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(", |+"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    const auto* known = std::find(std::begin(kNames), std::end(kNames), word);
    if (known == std::end(kNames))
      throw CommandError(
          fmt::format("--ct: {}: unknown connection tracking state flag; use new, est, rel, rpl, inv, trk, snat, dnat", word));
    state |= 1u << (known - std::begin(kNames));
  }
  return state;
}

lt::Options::Backend parse_backend(const std::string& text) {
  const auto refuse = [&] { return CommandError(fmt::format("--lb-dst: {}: bad address; give IP[:PORT] or [IPV6]:PORT", text)); };
  std::string_view host = text;
  std::uint64_t port = 0;
  if (auto whole = IpAddr::parse(text)) return {*whole, 0};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && text.back() != ']') {
    const auto number = parse_decimal(host.substr(colon + 1));
    if (!number || *number > 0xffff) throw refuse();
    port = *number;
    host = host.substr(0, colon);
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const auto ip = IpAddr::parse(host);
  if (!ip) throw refuse();
  return {*ip, static_cast<std::uint16_t>(port)};
}

lt::Options trace_options(const LtraceOptions& o) {
  lt::Options options;
  for (const std::string& text : o.ct) options.ct_states.push_back(parse_ct_state(text));
  if (!o.lb_dst.empty()) options.backend = parse_backend(o.lb_dst);
  if (!o.select_id.empty()) {
    const auto id = parse_decimal(o.select_id);
    if (!id || *id == 0 || *id > 0xffff)
      throw CommandError(fmt::format("--select-id: {}: bad select-id; give 1 to 65535", o.select_id));
    options.select_id = static_cast<std::uint16_t>(*id);
  }
  return options;
}

// The logical network of one node, with all that it points into.
struct Loaded {
  const cluster::Node* node = nullptr;
  std::shared_ptr<const ovn::Southbound> southbound;
  std::vector<std::string> lacks;
  std::unique_ptr<lang::DatabaseReader> reader;
  std::unique_ptr<engine::LogicalNetwork> network;
};

bool shows_flows(const cluster::Node& node) {
  return !node.ovn.logical_flows.empty() || (node.ovn.southbound && !node.ovn.southbound->logical_flows.get().empty());
}

Loaded load(const cluster::Node& node, bool friendly_names) {
  Loaded loaded;
  loaded.node = &node;
  const openflow::Bridge* bridge = node.integration_bridge();
  loaded.southbound =
      lang::complete_southbound(node.ovn, loaded.lacks, bridge != nullptr && bridge->flows ? &*bridge->flows : nullptr);
  loaded.reader = std::make_unique<lang::DatabaseReader>(*loaded.southbound);
  loaded.network = std::make_unique<engine::LogicalNetwork>(*loaded.southbound, *loaded.reader, friendly_names);
  return loaded;
}

// A question as one line of a batch or as the command line has it.
struct Question {
  std::string datapath, microflow;
  std::size_t line = 0;  // of the file of --batch
};

// Why it cannot be answered, as ovn-trace prints it, or the datapath and packet.
struct Understood {
  std::string problem;
  std::string unknown_datapath, unknown_port;  // the name that the problem is about
  const engine::LogicalDatapath* datapath = nullptr;
  FlowKey packet;
};

Understood understand(const Loaded& at, const Question& question) {
  Understood result;
  const auto parse_problem = [](const std::string& message) { return fmt::format("error parsing flow: {}\n", message); };
  if (!question.datapath.empty()) {
    result.datapath = at.network->datapaths().find(question.datapath).datapath;
    if (result.datapath == nullptr) {
      result.problem = fmt::format("unknown datapath \"{}\"\n", question.datapath);
      result.unknown_datapath = question.datapath;
    }
  } else {
    const auto inport = at.reader->inport_of(question.microflow);
    const engine::NetworkPort* port = inport ? at.network->ports().find(*inport) : nullptr;
    if (!inport)
      result.problem = parse_problem(inport.error().message);
    else if (port == nullptr)
      result.problem = fmt::format("unknown port \"{}\"\n", *inport), result.unknown_port = *inport;
    else
      result.datapath = port->datapath;
  }
  if (result.datapath == nullptr) return result;
  const auto packet = at.reader->read_microflow(
      question.microflow, [&](std::string_view name) { return at.network->port_key(*result.datapath, name); });
  if (!packet)
    result.problem = parse_problem(packet.error().message);
  else if (packet->u32(FieldId::reg14) == 0)
    result.problem = "microflow does not specify ingress port";
  else
    result.packet = *packet;
  return result;
}

// What is wrong with the only question, in one line.
std::string complaint(const Loaded& at, const Understood& understood) {
  std::vector<std::string> known;
  if (!understood.unknown_datapath.empty())
    for (const ovn::sb::DatapathBinding& d : at.southbound->datapaths)
      if (const auto name = d.external_ids.find("name"); name != d.external_ids.end()) known.push_back(name->second);
  if (!understood.unknown_port.empty())
    for (const ovn::sb::PortBinding& p : at.southbound->ports) known.push_back(p.logical_port);
  const std::string& name = understood.unknown_datapath.empty() ? understood.unknown_port : understood.unknown_datapath;
  return fmt::format("{}; {}", trim(understood.problem), did_you_mean(name, known, "see `egtrace ltrace --help`"));
}

// The node that is meant: the named one, the only one with logical flows, or the only one that knows the names of a
// question. Questions of a batch that cannot be parsed show nothing.
Loaded choose_node(const cluster::Cluster& cluster, const LtraceOptions& o, const std::vector<Question>& questions) {
  if (!o.node.empty()) {
    const cluster::Node* node = cluster.node(o.node);
    if (node == nullptr) {
      std::vector<std::string> names;
      for (const auto& n : cluster.nodes) names.push_back(n->name);
      throw CommandError(
          fmt::format("the snapshot has no node {}; {}", o.node, did_you_mean(o.node, names, "`egtrace inspect` lists them")));
    }
    if (!shows_flows(*node))
      throw CommandError(fmt::format(
          "{}: no logical flows of this node; add its southbound database or `ovn-sbctl --uuid lflow-list`", node->name));
    return load(*node, !o.no_friendly_names);
  }
  std::vector<Loaded> fitting;
  std::string names;
  unsigned with_flows = 0;
  for (const auto& node : cluster.nodes) {
    if (!shows_flows(*node)) continue;
    ++with_flows;
    Loaded loaded = load(*node, !o.no_friendly_names);
    const bool fits = std::any_of(questions.begin(), questions.end(),
                                  [&](const Question& question) { return understand(loaded, question).problem.empty(); });
    if (!fits && with_flows > 1) continue;
    if (fits) names += fmt::format("{}{}", names.empty() ? "" : ", ", node->name);
    fitting.insert(fits ? fitting.begin() : fitting.end(), std::move(loaded));
  }
  if (with_flows == 0)
    throw CommandError("the snapshot has no logical flows; add a southbound database or `ovn-sbctl --uuid lflow-list`");
  if (names.find(',') != std::string::npos)
    throw CommandError(fmt::format("several nodes have these names; use --node, one of {}", names));
  return std::move(fitting.front());
}

std::vector<std::string> openflow_of(const Loaded& at, const cluster::Cluster& cluster, std::uint32_t cookie) {
  std::vector<std::string> lines;
  const openflow::Bridge* bridge = at.node->integration_bridge();
  if (bridge == nullptr || !bridge->flows) return lines;
  for (openflow::FlowIndex i = 0; i < bridge->flows->size(); ++i) {
    const openflow::FlowEntry& f = bridge->flows->flow(i);
    if (f.cookie == cookie) lines.emplace_back(trim(cluster.sources->line_text(f.from)));
  }
  return lines;
}

std::vector<Question> questions_of(const LtraceOptions& o) {
  const std::string datapath = o.arguments.size() > (o.batch.empty() ? 1u : 0u) ? o.arguments.front() : std::string();
  if (o.batch.empty()) {
    if (o.arguments.empty() || o.arguments.size() > 2)
      throw CommandError("one or two arguments are required: [DATAPATH] MICROFLOW; see `egtrace ltrace --help`");
    return {{datapath, o.arguments.back(), 0}};
  }
  if (o.arguments.size() > 1) throw CommandError("with --batch the microflows come from the file; give a DATAPATH at most");
  std::ifstream file;
  if (o.batch != "-") {
    file.open(o.batch);
    if (!file) throw CommandError(fmt::format("{}: cannot be read; give a file of microflows or -", o.batch));
  }
  std::istream& in = o.batch == "-" ? std::cin : file;
  std::vector<Question> questions;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view text = trim(line);
    if (text.empty() || text.front() == '#') continue;
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos)
      questions.push_back({datapath, std::string(text), number});
    else
      questions.push_back({std::string(text.substr(0, tab)), std::string(trim(text.substr(tab))), number});
  }
  return questions;
}

std::string question_text(const lt::Unanswered& q, const cluster::Cluster& cluster) {
  if (q.table == "Logical_Flow") return fmt::format("the list of logical flows ends before the stage of \"{}\"", q.name);
  if (q.flow != nullptr)
    return fmt::format("whether a port exists of which {}:{} asks: match=({})",
                       q.flow->from.known() ? cluster.sources->path_of(q.flow->from.source) : "?", q.flow->from.line,
                       q.flow->match);
  std::string text = q.ip ? q.ip->to_string() : q.mac ? q.mac->to_string() : fmt::format("\"{}\"", q.name);
  if ((q.ip || q.mac) && !q.name.empty()) text += fmt::format(" at {}", q.name);
  return text;
}

void print_assumptions(const Loaded& at, const lt::Trace& trace, const cluster::Cluster& cluster) {
  if (trace.supposed.backends > 0) fmt::print(stderr, "egtrace: a backend was taken out of several; --lb-dst says which\n");
  for (const lt::Unanswered& q : trace.unanswered)
    print_error(fmt::format("egtrace: undecided: {}: run `ovn-sbctl {}'\n", question_text(q, cluster),
                            q.table == "Logical_Flow" ? "--uuid lflow-list" : fmt::format("list {}", q.table)));
  if (trace.cut) fmt::print(stderr, "egtrace: the packet passes too many tables; the trace is cut\n");
  if (at.network->unread().empty()) return;
  const ovn::sb::LogicalFlow& first = *at.network->unread().front();
  print_error(fmt::format("egtrace: {} logical flow(s) on the path were not understood, the first in {}:{}: match=({})\n",
                          at.network->unread().size(), first.from.known() ? cluster.sources->path_of(first.from.source) : "?",
                          first.from.line, first.match));
}

ExitStatus run_ltrace(LtraceOptions& o) {
  take_arguments_for(o.arguments, o.snapshot);
  const lt::Options base = trace_options(o);
  const std::vector<Question> questions = questions_of(o);
  if (questions.empty()) return ExitStatus::done;
  o.snapshot.logical_only = o.snapshot.as_dumped = true;
  const parsers::Snapshot& snapshot = open_collection(o.snapshot, o.common);
  const cluster::Cluster& cluster = snapshot.cluster;
  const Loaded& at = kept_to_the_end<Loaded>(choose_node(cluster, o, questions));
  warn_of_moment(snapshot, o.common, {at.node->name});
  lt::Options options = base;
  const auto release = lang::release_of(*at.southbound);
  options.keeps_original_tuple = release ? *release >= lang::Release{25, 9} : at.reader->dialect().answers_any_family;
  render::LogicalTraceOptions form;
  form.summary = o.summary || o.all;
  form.minimal = o.minimal || o.all;
  form.detailed = o.detailed || o.all || (!form.summary && !form.minimal);
  form.friendly_names = !o.no_friendly_names;
  if (o.openflow) form.openflow = [&](std::uint32_t cookie) { return openflow_of(at, cluster, cookie); };
  if (!at.lacks.empty() && !o.common.quiet)
    fmt::print(stderr, "egtrace: no southbound {} in the snapshot: what ovn-trace would read from there is missing\n",
               fmt::join(at.lacks, ", "));

  std::string out;
  render::LogicalTracePrinter printer(*at.network, form);
  ExitStatus status = ExitStatus::done;
  std::vector<std::size_t> refused;
  for (const Question& question : questions) {
    if (!out.empty() && !o.verdict_only) out += '\n';
    const Understood understood = understand(at, question);
    if (!understood.problem.empty()) {
      out += understood.problem;
      if (!out.ends_with('\n')) out += '\n';
      refused.push_back(question.line);
      continue;
    }
    const lt::Trace trace = lt::trace(*at.network, *understood.datapath, understood.packet, options);
    if (o.verdict_only)
      out += render::logical_verdict_text(trace) + '\n';
    else
      printer.print(trace, understood.packet, out);
    if (!o.common.quiet) print_assumptions(at, trace, cluster);
    if (trace.cut || !at.network->unread().empty() || !trace.unanswered.empty()) status = ExitStatus::inconclusive;
  }
  write_output(o.common, out);
  if (!refused.empty() && o.batch.empty()) throw CommandError(complaint(at, understand(at, questions.front())));
  return refused.empty() ? status : refuse_lines(o.batch, refused);
}

}  // namespace

void add_ltrace(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<LtraceOptions>();
  CLI::App* verb = app.add_subcommand("ltrace", "logical flows only: arguments and output of ovn-trace");
  add_snapshot_options(*verb, options->snapshot);
  add_at_option(*verb, options->snapshot);
  verb->add_option("arguments", options->arguments, "[DATAPATH] MICROFLOW");
  verb->add_option("--node", options->node, "the node whose southbound database is walked");
  verb->add_flag("--detailed", options->detailed, "table by table (default)");
  verb->add_flag("--summary", options->summary, "less detailed, without tables");
  verb->add_flag("--minimal", options->minimal, "only what can be seen from outside");
  verb->add_flag("--all", options->all, "all three forms");
  verb->add_option("--ct", options->ct, "what connection tracking finds, in order: new, est,rpl, …; repeatable")
      ->allow_extra_args(false);
  verb->add_option("--lb-dst", options->lb_dst, "the backend that a load balancer chooses: IP[:PORT]");
  verb->add_option("--select-id", options->select_id, "the member that a select chooses");
  verb->add_flag("--friendly-names", options->friendly_names, "names instead of UUIDs (default)");
  verb->add_flag("--no-friendly-names", options->no_friendly_names, "UUIDs as the database has them");
  verb->add_flag("--ovs", options->openflow, "show the OpenFlow flows of each logical flow, from the dump of br-int");
  for (const char* name : {"--db", "--unixctl"})
    verb->add_option(name, options->ignored, "taken and ignored: there is no server")->group("");
  verb->add_flag("--leader-only,--no-leader-only")->group("");
  verb->add_option("--batch", options->batch, "one microflow a line, or DATAPATH, a tab and MICROFLOW; - is standard input");
  verb->add_flag("--verdict-only", options->verdict_only, "one line per packet: what happens to it");
  add_common_options(*verb, options->common, {"text"});
  verb->footer(kLtraceFooter);
  verb->callback([options, &status] { status = run_ltrace(*options); });
}

}  // namespace egt::cli
