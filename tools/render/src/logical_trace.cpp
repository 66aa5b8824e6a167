// The three forms of ovn-trace's output (ovntrace_node_print_* in utilities/ovn-trace.c of OVN).
#include "egtrace/render/logical_trace.h"

#include <fmt/format.h>

#include <span>

#include "flow_text.h"
#include "logical_trace_words.h"

namespace egt::render {
namespace {

namespace lt = engine::logical;
using lt::Node;
using Type = lt::NodeType;

// A node with its text, and the nodes below it as one form shows them.
struct TraceLine {
  Type type;
  bool always_indent;
  std::string text;
  std::vector<TraceLine> below;
};

class Printer {
 public:
  Printer(NodeTexts& texts, const LogicalTraceOptions& options, std::string& out) : texts_(texts), options_(options), out_(out) {}

  TraceLine line_of(const Node& node) const;
  void print_details(std::span<const Node> nodes, unsigned level);
  void print_summary(const std::vector<TraceLine>& lines, unsigned level);
  void put(std::string_view text) { out_ += text; }

 private:
  void indent(unsigned level) { out_.append(std::size_t{level} * 4, ' '); }
  std::vector<TraceLine> openflow_of(const Node& node) const;

  NodeTexts& texts_;
  const LogicalTraceOptions& options_;
  std::string& out_;
};

bool ends_branch(Type type) {
  return type == Type::output || type == Type::modify || type == Type::action || type == Type::error;
}

std::vector<TraceLine> Printer::openflow_of(const Node& node) const {
  std::vector<TraceLine> below;
  const auto* stage = std::get_if<lt::Stage>(&node.what);
  if (!options_.openflow || stage == nullptr || stage->flow == nullptr) return below;
  const auto flows = options_.openflow(stage->flow->row->uuid.prefix());
  for (const std::string& flow : flows) below.push_back({Type::action, false, flow, {}});
  if (flows.empty()) below.push_back({Type::error, false, "*** no OpenFlow flows", {}});
  return below;
}

TraceLine Printer::line_of(const Node& node) const {
  TraceLine line{node.type, node.always_indent, texts_.of(node), openflow_of(node)};
  for (const Node& child : node.children) line.below.push_back(line_of(child));
  return line;
}

void Printer::print_details(std::span<const Node> nodes, unsigned level) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.type == Type::modify) continue;
    const bool more = i + 1 < nodes.size() || node.always_indent || ends_branch(node.type);
    const bool title = node.type == Type::pipeline || node.type == Type::transformation;
    if (title) out_ += '\n';
    indent(level + more);
    const std::string& text = texts_.of(node);
    out_ += text;
    out_ += '\n';
    if (title) {
      indent(level + more);
      out_.append(text.size(), '-');
      out_ += '\n';
    }
    const unsigned below = level + more + more;
    for (const TraceLine& flow : openflow_of(node)) {
      indent(below + 1);
      put(flow.text);
      out_ += '\n';
    }
    print_details(node.children, below);
  }
}

void Printer::print_summary(const std::vector<TraceLine>& lines, unsigned level) {
  for (const TraceLine& line : lines) {
    if (line.type == Type::action && line.text.starts_with("next(")) continue;
    indent(level);
    out_ += line.text;
    if (!line.below.empty()) {
      out_ += " {\n";
      print_summary(line.below, level + 1);
      indent(level);
      out_ += '}';
    }
    if (line.type != Type::action) out_ += ';';
    out_ += '\n';
  }
}

// Leaves out the lines of some types and puts what was below them in their place.
template <class Drop>
std::vector<TraceLine> pruned(const std::vector<TraceLine>& lines, Drop drop) {
  std::vector<TraceLine> kept;
  for (const TraceLine& line : lines) {
    std::vector<TraceLine> below = pruned(line.below, drop);
    if (drop(line.type)) {
      std::move(below.begin(), below.end(), std::back_inserter(kept));
    } else {
      kept.push_back({line.type, line.always_indent, line.text, std::move(below)});
    }
  }
  return kept;
}

void collect_ends(const Node& node, std::vector<std::string>& ends) {
  if (const auto* delivered = std::get_if<lt::Delivered>(&node.what)) {
    ends.push_back(fmt::format("output to \"{}\"", delivered->port));
  } else if (const auto* stage = std::get_if<lt::Stage>(&node.what)) {
    const bool no_flow = stage->flow == nullptr;
    if (no_flow || stage->flow->actions->empty())
      ends.push_back(fmt::format("dropped in table {} ({}) of \"{}\"{}", stage->table,
                                 no_flow ? stage->name : stage->flow->row->stage, stage->datapath->friendly,
                                 no_flow ? ": no flow matches" : ""));
  } else if (const auto* remark = std::get_if<lt::Remark>(&node.what)) {
    using K = lt::Remark::Kind;
    if (remark->kind == K::null_port) ends.push_back("dropped: output to no port");
    if (remark->kind == K::omitted_loopback) ends.push_back("dropped: it would leave by the port by which it came");
    if (remark->kind == K::unknown_port) ends.push_back("dropped: output to an unknown port");
    if (remark->kind == K::no_distributed_port) ends.push_back("dropped: the gateway port has no distributed port");
    if (remark->kind == K::limit) ends.push_back("undecided: it passes too many tables");
    if (remark->kind == K::flood_remote) ends.push_back("output to all remote chassis");
  }
  for (const Node& child : node.children) collect_ends(child, ends);
}

}  // namespace

LogicalTracePrinter::LogicalTracePrinter(const engine::LogicalNetwork& network, LogicalTraceOptions options)
    : options_(std::move(options)), texts_(std::make_unique<NodeTexts>(network, options_.friendly_names)) {}

LogicalTracePrinter::~LogicalTracePrinter() = default;

void LogicalTracePrinter::print(const lt::Trace& trace, const FlowKey& packet, std::string& out) {
  Printer printer(*texts_, options_, out);
  printer.put(fmt::format("# {}\n", flow_text(packet)));
  const bool several = options_.detailed + options_.summary + options_.minimal > 1;
  if (options_.detailed) {
    if (several) printer.put("# Detailed trace.\n");
    printer.print_details({&trace.root, 1}, 0);
  }
  if (!options_.summary && !options_.minimal) return;
  const std::vector<TraceLine> lines = {printer.line_of(trace.root)};
  if (options_.summary) {
    if (several) printer.put("# Summary trace.\n");
    printer.print_summary(pruned(lines, [](Type t) { return t == Type::modify || t == Type::table; }), 0);
  }
  if (options_.minimal) {
    if (several) printer.put("# Minimal trace.\n");
    const auto drop = [](Type t) { return t == Type::action || t == Type::pipeline || t == Type::table || t == Type::output; };
    printer.print_summary(pruned(lines, drop), 0);
  }
}

std::string logical_trace_text(const lt::Trace& trace, const engine::LogicalNetwork& network, const FlowKey& packet,
                               const LogicalTraceOptions& options) {
  std::string out;
  LogicalTracePrinter(network, options).print(trace, packet, out);
  return out;
}

std::string logical_verdict_text(const lt::Trace& trace) {
  std::vector<std::string> ends;
  collect_ends(trace.root, ends);
  std::string out = ends.empty() ? "consumed" : fmt::format("{}", fmt::join(ends, "; "));
  for (const lt::Unanswered& q : trace.unanswered)
    out += fmt::format("; not decided: {} of {}", q.table, q.ip ? q.ip->to_string() : q.mac ? q.mac->to_string() : q.name);
  return out;
}

}  // namespace egt::render
