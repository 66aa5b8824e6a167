// ovs-ofctl dump-flows in all its dialects, and ovs-appctl bridge/dump-flows.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/reply.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {
namespace {

constexpr int kLinesLookedAt = 40;

bool is_flow_reply(const ReplyHeader& h) { return h.message == "NXST_FLOW" || h.message == "OFPST_FLOW"; }

// "actions=" behind a term that a flow begins with. A logical flow says "action=(" and a group "bucket=".
bool looks_like_flow(std::string_view line) {
  std::string_view s = trim_left(line);
  if (s.starts_with("group_id=") || s.find("bucket=") != std::string_view::npos) return false;
  const std::size_t at = s.find("actions=");
  if (at == std::string_view::npos) return false;
  if (at == 0) return true;
  if (s[at - 1] != ' ' && s[at - 1] != ',') return false;
  const std::size_t end = s.find_first_of("=, ");
  return key_info(s.substr(0, end)).kind != KeyInfo::Kind::unknown;
}

std::string bridge_by_command(const Dump& dump) {
  std::string name = bridge_of(dump, "dump-flows");
  return name.empty() ? bridge_of(dump, "bridge/dump-flows") : name;
}

bool tells_no_header(const Dump& dump) {
  return command_has(dump, "--names") || command_has(dump, "--no-stats") || command_has(dump, "--sort") ||
         command_has(dump, "--rsort") || command_has(dump, "bridge/dump-flows");
}

int quality_of(const ReplyHeader& h) {
  // OpenFlow 1.0 cannot tell write_actions and goto_table; later versions tell more and more of a flow.
  constexpr int kNxst = 30;
  return kNxst + static_cast<int>(std::min(h.minor, 9u));
}

Recognition recognise_flows(const Dump& dump) {
  Recognition r;
  LineReader lines(dump);
  Line line;
  std::string buffer;
  int flows = 0, others = 0;
  for (int i = 0; i < kLinesLookedAt && r.confidence == 0 && lines.next(line); ++i) {
    const std::string_view text = without_colour(line.text, buffer);
    ReplyHeader h;
    if (read_reply_header(text, h) && is_flow_reply(h)) {
      r.confidence = 100;
      r.quality = quality_of(h);
    } else if (looks_like_flow(text)) {
      ++flows;
    } else if (!is_filler(text)) {
      ++others;
    }
  }
  if (r.confidence == 0 && flows > 0) {
    r.confidence = others > flows ? 55 : 90;
    r.quality = tells_no_header(dump) ? 10 : 5;
  }
  if (r.confidence == 0 && (command_has(dump, "ovs-ofctl dump-flows") || command_has(dump, "bridge/dump-flows")))
    r.confidence = 30;
  if (dump.partial) r.quality -= 50;
  if (r.confidence > 0) r.topic = "flows " + bridge_by_command(dump);
  return r;
}

// What a line of the dump is.
enum class LineKind : std::uint8_t { header, filler, flow };

LineKind kind_of(std::string_view text, ReplyHeader& h) {
  if (!text.empty() && text.front() != ' ') {
    if (read_reply_header(text, h)) return LineKind::header;
    if (is_filler(text)) return LineKind::filler;
  } else if (text.size() < 2 && is_filler(text)) {
    return LineKind::filler;
  }
  return text.find_first_not_of(" \t") == std::string_view::npos ? LineKind::filler : LineKind::flow;
}

std::uint32_t first_difference(std::string_view a, std::string_view b) {
  const auto at =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::uint32_t>(at.first - a.begin()) + 1;
}

// A flow as somebody typed it rather than as a switch told it: neither indented nor with statistics.
bool is_typed(const FlowLine& flow) {
  const auto told_by_switch = [](const FlowStat& s) {
    return s.kind == FlowStat::Kind::duration || s.kind == FlowStat::Kind::n_packets;
  };
  return flow.indent == 0 && std::none_of(flow.stats.begin(), flow.stats.end(), told_by_switch);
}

// Prints flow lines from their trees.
class FlowPrinter {
 public:
  FlowPrinter(std::string& out, LineReport& report) : out_(out), report_(report) {}

  void print(const Line& line, std::string_view text) {
    TextError error;
    const bool good = read_flow_line(text, flow_, error);
    errors_.clear();
    const openflow::ActionList actions =
        flow_.has_actions ? parse_actions(flow_.actions, errors_) : openflow::ActionList{};
    if (!good) return keep(line, text, error.column, error.message);
    const std::size_t from = out_.size();
    write_flow_head(flow_, out_);
    write_actions(actions, out_);
    if (!errors_.empty()) {
      const std::uint32_t column =
          static_cast<std::uint32_t>(flow_.actions.data() - text.data()) + errors_.front().column;
      out_.resize(from);
      return keep(line, text, column, errors_.front().message);
    }
    const std::string_view printed = std::string_view(out_).substr(from);
    // Between colours Open vSwitch does not find the comma that it takes back: "ct(commit,exec(…),)".
    const bool coloured = text.data() != line.text.data();
    if (printed == text || coloured) return report_.understood();
    if (is_typed(flow_)) {
      out_.resize(from);
      out_ += normal_flow_line(flow_);
      return report_.understood();
    }
    const std::uint32_t column = first_difference(text, printed);
    out_.resize(from);
    keep(line, text, column, "not in the form in which Open vSwitch prints flows");
  }

 private:
  void keep(const Line& line, std::string_view text, std::uint32_t column, const std::string& why) {
    out_ += text;
    report_.not_understood(line, column, why);
  }

  std::string& out_;
  LineReport& report_;
  FlowLine flow_;
  std::vector<TextError> errors_;
};

void reprint_flows(const Dump& dump, std::string& out, Report& report) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  FlowPrinter printer(out, lines_report);
  Line line;
  std::string buffer;
  ReplyHeader h;
  out.reserve(out.size() + dump.text.size() + 64);
  while (lines.next(line)) {
    const std::string_view text = without_colour(line.text, buffer);
    switch (kind_of(text, h)) {
      case LineKind::header:
        write_reply_header(h, out);
        lines_report.ignored();
        break;
      case LineKind::filler:
        out += text;
        lines_report.ignored();
        break;
      case LineKind::flow:
        printer.print(line, text);
        break;
    }
    out += line.end;
  }
}

void flows_to_json(const Dump& dump, std::string& out, Report& report) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  std::string buffer, flows, replies, not_understood;
  ReplyHeader h;
  FlowLine flow;
  TextError error;
  std::vector<TextError> errors;
  const auto append = [](std::string& to, const Json& j) { (to += to.empty() ? "\n    " : ",\n    ") += compact(j); };
  while (lines.next(line)) {
    const std::string_view text = without_colour(line.text, buffer);
    const LineKind kind = kind_of(text, h);
    if (kind == LineKind::header) append(replies, json_of(h));
    if (kind != LineKind::flow) {
      lines_report.ignored();
      continue;
    }
    errors.clear();
    if (read_flow_line(text, flow, error)) {
      parse_actions(flow.actions, errors);
      if (!errors.empty()) {
        const auto at = static_cast<std::uint32_t>(flow.actions.data() - text.data());
        error = {errors.front().message, at + errors.front().column};
      }
      Json j = json_of(flow);
      j["line"] = line.number;
      append(flows, j);
      if (errors.empty())
        lines_report.understood();
      else
        lines_report.not_understood(line, error.column, error.message);
    } else {
      lines_report.not_understood(line, error.column, error.message);
      append(not_understood, Json{{"line", line.number}, {"text", text}});
    }
  }
  const std::string bridge = bridge_by_command(dump);
  out += "{\n  \"bridge\": " + (bridge.empty() ? "null" : compact(Json(bridge)));
  out += ",\n  \"replies\": [" + replies + (replies.empty() ? "]" : "\n  ]");
  out += ",\n  \"flows\": [" + flows + (flows.empty() ? "]" : "\n  ]");
  out += ",\n  \"not_understood\": [" + not_understood + (not_understood.empty() ? "]" : "\n  ]") + "\n}\n";
}

// Tells actions that cannot be read without parsing all of a large dump's: texts that differ in digits only are
// understood or not alike.
class ActionChecker {
 public:
  // Empty when all is well.
  const std::vector<TextError>& check(std::string_view actions) {
    errors_.clear();
    if (!seen_good_.contains(shape(actions))) {
      parse_actions(actions, errors_);
      if (errors_.empty()) seen_good_.insert(shape(actions));
    }
    return errors_;
  }

 private:
  static std::uint64_t shape(std::string_view s) {
    std::uint64_t h = 1469598103934665603u;
    bool in_number = false;
    for (const char c : s) {
      const bool number = is_hex_digit(c) || c == '.';
      if (number && in_number) continue;
      in_number = number;
      h = (h ^ static_cast<unsigned char>(number ? '0' : c)) * 1099511628211u;
    }
    return h;
  }

  std::unordered_set<std::uint64_t> seen_good_;
  std::vector<TextError> errors_;
};

// Registers, logical datapaths and the like: only ovn-controller writes such flows.
bool uses_ovn_fields(const Dump& dump) {
  constexpr int kEnough = 3;
  LineReader lines(dump);
  Line line;
  int hits = 0;
  for (int i = 0; i < 400 && lines.next(line); ++i) {
    const std::string_view s = line.text;
    hits += s.find("metadata=") != std::string_view::npos || s.find("OXM_OF_METADATA[]") != std::string_view::npos ||
            s.find("->metadata") != std::string_view::npos;
    if (hits >= kEnough) return true;
  }
  return hits > 0;
}

// The bridge that the flows belong to, with a note when it had to be assumed; empty when there is no telling.
std::string bridge_of_flows(const Dump& dump, const cluster::Node& node, Report& report) {
  std::string name = bridge_by_command(dump);
  if (!name.empty()) return name;
  Diagnostic d{Diagnostic::Severity::note, {dump.source, dump.first_line}, 0, {}, {}};
  if (uses_ovn_fields(dump)) {
    name = kIntegrationBridge;
  } else {
    const openflow::Bridge* other = nullptr;
    int others = 0;
    for (const openflow::Bridge& b : node.bridges)
      if (b.name != kIntegrationBridge) other = &b, ++others;
    if (others == 1) name = other->name;
  }
  if (name.empty()) {
    d.severity = Diagnostic::Severity::warning;
    d.message = "nothing tells the bridge of these flows; they are left out";
    d.hint = "put the command that printed them before them, or name the file after it";
  } else {
    d.message = "nothing tells the bridge of these flows; they are taken for those of " + name;
  }
  report.diagnostics.push_back(std::move(d));
  return name;
}

// Names in dumps of OpenFlow 1.0 to 1.4 are cut to 15 characters.
std::optional<std::uint32_t> port_of(const openflow::Bridge& bridge, std::string_view name) {
  constexpr std::size_t kShortName = 15;
  if (const openflow::Interface* i = bridge.by_name(name)) return i->ofport;
  if (name.size() != kShortName) return std::nullopt;
  std::optional<std::uint32_t> found;
  for (const openflow::Interface& i : bridge.interfaces) {
    if (!i.name.starts_with(name)) continue;
    if (found) return std::nullopt;
    found = i.ofport;
  }
  return found;
}

class FlowLoader {
 public:
  FlowLoader(const Dump& dump, openflow::FlowTables& tables, PortResolver ports, Report& report)
      : dump_(dump), tables_(tables), ports_(std::move(ports)), report_(dump, report) {}

  void load() {
    LineReader lines(dump_);
    Line line;
    std::string buffer;
    ReplyHeader h;
    while (lines.next(line)) {
      const std::string_view text = without_colour(line.text, buffer);
      switch (kind_of(text, h)) {
        case LineKind::header:
          has_header = has_header || is_flow_reply(h);
          more_to_come = h.more;
          report_.ignored();
          break;
        case LineKind::filler:
          report_.ignored();
          break;
        case LineKind::flow:
          flow(line, text);
          break;
      }
    }
  }

  bool has_header = false;
  bool more_to_come = false;  // the last reply says that another part follows
  bool flow_lost = false;     // a line of which not even table and priority are known
  std::size_t added = 0;

 private:
  void flow(const Line& line, std::string_view text) {
    TextError error;
    const bool read = read_flow_line(text, flow_, error);
    const Collected collected = collect_words(flow_, words_, ports_);
    if (read && !collected.failed) {
      add(line, flow_.actions);
      const auto& errors = checker_.check(flow_.actions);
      if (errors.empty()) return report_.understood();
      const auto at = static_cast<std::uint32_t>(flow_.actions.data() - text.data());
      return report_.not_understood(line, at + errors.front().column, errors.front().message);
    }
    if (read)
      error = {why_not_collected(collected),
               static_cast<std::uint32_t>(collected.failed->name.data() - text.data()) + 1};
    report_.not_understood(line, error.column, error.message);
    const bool says_something = flow_.priority || !flow_.stats.empty() || !flow_.match.empty();
    if (!flow_.placed || !says_something) {
      flow_lost = true;
      return;
    }
    unread_ = kUnreadFlow;
    unread_ += trim(text);
    add(line, unread_);
  }

  void add(const Line& line, std::string_view actions) {
    tables_.add(flow_.table, flow_.priority.value_or(32768), flow_.cookie, flow_.n_packets, words_.view(), actions,
                report_.at(line));
    ++added;
  }

  const Dump& dump_;
  openflow::FlowTables& tables_;
  PortResolver ports_;
  LineReport report_;
  FlowLine flow_;
  WordSet words_;
  ActionChecker checker_;
  std::string unread_;
};

void load_flows(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string name = bridge_of_flows(dump, node, report);
  if (name.empty()) return;
  openflow::Bridge* known = node.bridge(name);
  // Excerpts of one bridge add up; a whole dump replaces what was there.
  const bool whole = confidence_by_header(dump, "FLOW") > 0 || tells_no_header(dump);
  const bool adds_up = !whole && known && known->flows && known->flows_partial;
  openflow::FlowTables tables = adds_up
                                    ? std::move(*known->flows)
                                    : openflow::FlowTables([](std::string_view text) { return parse_actions(text); });
  if (adds_up) known->flows.reset();
  FlowLoader loader(
      dump, tables, [known](std::string_view port) { return known ? port_of(*known, port) : std::nullopt; }, report);
  loader.load();
  if (adds_up) known->flows = std::move(tables);
  if (loader.added == 0 && !loader.has_header) {
    // An error message, or nothing at all: no proof that the bridge has no flows.
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "holds no flows of " + name,
                                  "ovs-ofctl dump-flows " + name});
    return;
  }
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  if (!adds_up) bridge.flows = std::move(tables);
  bridge.flows_source = dump.source;
  bridge.flows_partial =
      dump.partial || loader.more_to_come || loader.flow_lost || !whole || dump.command.find('|') != std::string::npos;
  if (loader.more_to_come)
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "the dump is cut: its last part says that more follows",
                                  "ovs-ofctl dump-flows " + name});
}

}  // namespace

const Format& dump_flows_format() {
  static const Format format{
      "ovs-ofctl dump-flows", "ovs-ofctl dump-flows br-int", recognise_flows, reprint_flows, flows_to_json, load_flows};
  return format;
}

}  // namespace egt::parsers::ofctl
