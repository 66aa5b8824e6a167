// From dumps of flows to flow tables.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "egtrace/base/text.h"
#include "egtrace/openflow/compiled_flows.h"
#include "ovs_ofctl/compiled_parts.h"
#include "ovs_ofctl/dump_flows.h"
#include "ovs_ofctl/flow_chunks.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/quick_terms.h"
#include "ovs_ofctl/reprinted_line.h"
#include "snapshot/compiled.h"
#include "support/binary.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::FlowRef;

constexpr std::string_view kFlowSection = "flows/2";

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

// The bridge that the flows belong to, with a note when it had to be assumed; empty when nothing shows it.
std::string bridge_of_flows(const Dump& dump, const cluster::Node& node, Report& report) {
  std::string name = bridge_by_command(dump);
  if (!name.empty()) return name;
  if (name = bridge_by_file_name(dump, node); !name.empty()) return name;
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
    d.message = "no bridge is named for these flows; they are ignored";
    d.hint = "put the command that printed them before them, or name the file after it";
  } else {
    d.message = "no bridge is named for these flows; they are assumed to be those of " + name;
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

// The collector stopped, or its disk was full: the last line breaks off, and whatever followed is lost.
bool breaks_off(std::string_view text) {
  text = trim_right(text);
  const std::string_view last = text.substr(text.find_last_of('\n') + 1);  // npos + 1: the first line
  ReplyHeader h;
  if (is_filler(last) || read_reply_header(last, h)) return false;
  const std::size_t actions = last.find("actions=");
  return actions == std::string_view::npos ||
         std::count(last.begin(), last.end(), '(') != std::count(last.begin(), last.end(), ')');
}

// As Open vSwitch prints them: "actions=conjunction(7,1/2),conjunction(9,2/3)".
bool read_memberships(std::string_view line, std::vector<openflow::Conjunction>& out) {
  constexpr std::string_view kActions = " actions=", kAction = "conjunction(";
  const std::size_t at = line.rfind(kActions);
  if (at == std::string_view::npos) return false;
  std::string_view rest = trim_right(line.substr(at + kActions.size()));
  const auto number = [&](auto& value, char behind) {
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (read.ec != std::errc() || read.ptr == rest.data() + rest.size() || *read.ptr != behind) return false;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()) + 1);
    return true;
  };
  while (rest.starts_with(kAction)) {
    rest.remove_prefix(kAction.size());
    openflow::Conjunction one;
    if (!number(one.id, ',') || !number(one.clause, '/') || !number(one.n_clauses, ')')) return false;
    out.push_back(one);
    if (rest.empty()) return true;
    if (rest.front() != ',') return false;
    rest.remove_prefix(1);
  }
  return false;
}

constexpr char kEscape = '\x1b';  // before colours
constexpr std::string_view kCookie = " cookie=0x";

std::optional<std::uint64_t> number_before_comma(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr != end && *read.ptr == ',' ? std::optional(value) : std::nullopt;
}

using PortNumbers = std::map<std::string, std::uint32_t, std::less<>>;

// What loading a dump found out beside its flows.
struct FlowFacts {
  bool has_header = false;
  bool more_to_come = false;  // the last reply says that another part follows
  bool flow_lost = false;     // a line of which not even table and priority are known
  PortNumbers ports;          // by the names that matches have
  Report report;
};

// Reads single lines of the dump again.
class DumpedFlows : public openflow::FlowText {
 public:
  DumpedFlows(const Dump& dump, FlowFacts known)
      : facts(std::move(known)), source_(dump.source), text_(dump.text), compiled_(dump.compiled) {}

  SourceId source() const override { return source_; }

  void read(const FlowRef& flow, openflow::FlowContent& out) const override {
    std::string buffer;
    const std::string_view text = reprinted_line(text_, flow.offset, compiled_.get(), buffer);
    FlowLine line;
    WordSet words;
    TextError error;
    const bool read = read_flow_line(text, line, error);
    const Collected collected = collect_words(line, words, [this](std::string_view name) -> std::optional<std::uint32_t> {
      const auto known = facts.ports.find(name);
      return known == facts.ports.end() ? std::nullopt : std::optional(known->second);
    });
    const bool understood = read && !collected.failed;
    if (understood == (flow.unread != 0) || line.table != flow.table || line.priority.value_or(32768) != flow.priority)
      throw std::runtime_error("a line of the dump is not the flow that it was");
    out.cookie = line.cookie;
    out.use = line.use;
    const openflow::MatchView match = words.view();
    out.match.assign(match.begin(), match.end());
    out.actions =
        understood ? std::string(line.actions) : std::string(kUnreadFlow) + std::string(trim(text).substr(0, kLongestShownFlow));
  }

  std::uint64_t cookie(const FlowRef& flow) const override {
    // Neither a line end nor a colour is among these characters.
    const std::string_view bytes = bytes_at(flow, kUpToCookie);
    if (bytes.starts_with(kCookie)) {
      const char* const end = bytes.data() + bytes.size();
      const QuickNumber cookie = quick_hex(bytes.data() + kCookie.size(), end);
      if (cookie.behind != nullptr && cookie.behind != end && *cookie.behind == ',') return cookie.value;
    }
    openflow::FlowContent content;  // printed otherwise
    this->read(flow, content);
    return content.cookie;
  }

  std::optional<std::uint64_t> packets(const FlowRef& flow) const override {
    constexpr std::string_view kPackets = " n_packets=";
    const std::string_view text = beginning(flow, kUpToCounts);
    const std::size_t at = text.find(kPackets);
    const bool before_actions = at != std::string_view::npos && text.substr(0, at).find("actions=") == std::string_view::npos;
    if (before_actions && text.starts_with(kCookie))
      if (const auto value = number_before_comma(text.substr(at + kPackets.size()))) return value;
    openflow::FlowContent content;  // printed otherwise
    this->read(flow, content);
    return content.use.n_packets;
  }

  std::string_view line(const FlowRef& flow, std::string& buffer) const override {
    return reprinted_line(text_, flow.offset, compiled_.get(), buffer);
  }

  std::string_view contiguous_lines(const FlowRef& first, const FlowRef& last) const override {
    if (last.offset >= text_.size() || first.offset > last.offset) return {};
    const std::string_view all = text_.substr(first.offset, text_.find('\n', last.offset) - first.offset);
    if (compiled_ != nullptr) compiled_->check(all.data(), all.size());
    return all.find(kEscape) == std::string_view::npos ? all : std::string_view();
  }

  void memberships(const FlowRef& flow, std::vector<openflow::Conjunction>& out) const override {
    std::string buffer;
    if (read_memberships(reprinted_line(text_, flow.offset, compiled_.get(), buffer), out)) return;
    out.clear();
    openflow::FlowContent content;  // printed otherwise
    std::vector<TextError> errors;
    read(flow, content);
    for (const openflow::Action& a : parse_actions(content.actions, errors))
      if (const auto* one = std::get_if<openflow::Conjunction>(&a.kind)) out.push_back(*one);
  }

  void match(const FlowRef& flow, std::vector<openflow::MatchWord>& out) const override {
    std::string buffer;
    const std::string_view text = reprinted_line(text_, flow.offset, compiled_.get(), buffer);
    thread_local FlowScanner scanner(ActionCheck::printed);
    const std::string_view whole = buffer.empty() ? text_ : text;
    const std::size_t begin = buffer.empty() ? flow.offset : 0;
    if (flow.unread == 0 && match_guarded(scanner, whole, begin, begin + text.size(), out)) return;
    openflow::FlowContent content;
    read(flow, content);
    out = std::move(content.match);
  }

  const FlowFacts facts;

 private:
  // Up to where the cookie and where the counts stand in a line of ovs-ofctl(8), in bytes.
  static constexpr std::size_t kUpToCookie = 32, kUpToCounts = 160;

  // Of the line, and of what follows it.
  std::string_view bytes_at(const FlowRef& flow, std::size_t most) const {
    if (flow.offset >= text_.size()) return {};
    const std::string_view bytes = text_.substr(flow.offset, most);
    if (compiled_ != nullptr) compiled_->check(bytes.data(), bytes.size());
    return bytes;
  }

  // So much of a line; empty where it has colours.
  std::string_view beginning(const FlowRef& flow, std::size_t most) const {
    const std::string_view bytes = bytes_at(flow, most);
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    return line.find(kEscape) == std::string_view::npos ? line : std::string_view();
  }

  SourceId source_;
  std::string_view text_;
  std::shared_ptr<const CompiledDump> compiled_;
};

class FlowLoader {
 public:
  FlowLoader(const Dump& dump, PortResolver ports, Report& report)
      : dump_(dump), ports_(std::move(ports)), report_(report), lines_(dump, report) {}

  openflow::FlowBatch load() {
    if (dump_.compiled) dump_.compiled->check(dump_.text.data(), dump_.text.size());
    const std::size_t before = report_.diagnostics.size();
    openflow::FlowBatch batch =
        scan_flows(dump_, report_, [this](const Line& line, std::uint64_t offset, FlowSink& sink) { other(line, offset, sink); });
    facts_.report = without_first(report_, before);
    batch.text = std::make_shared<DumpedFlows>(dump_, facts_);
    return batch;
  }
  const FlowFacts& facts() const { return facts_; }

 private:
  void other(const Line& line, std::uint64_t offset, FlowSink& sink) {
    const std::string_view text = without_colour(line.text, buffer_);
    ReplyHeader h;
    switch (kind_of(text, h)) {
      case LineKind::header:
        facts_.has_header = facts_.has_header || is_flow_reply(h);
        facts_.more_to_come = h.more;
        return lines_.ignored();
      case LineKind::filler: return lines_.ignored();
      case LineKind::flow: return flow(line, text, offset, sink);
    }
  }

  void flow(const Line& line, std::string_view text, std::uint64_t offset, FlowSink& sink) {
    TextError error;
    const bool read = read_flow_line(text, flow_, error);
    const Collected collected = collect_words(flow_, words_, [this](std::string_view name) { return number_of(name); });
    if (read && !collected.failed) {
      errors_.clear();
      const openflow::ActionList actions = parse_actions(flow_.actions, errors_);
      const bool conjunctive = std::any_of(actions.begin(), actions.end(), [](const openflow::Action& a) {
        return std::holds_alternative<openflow::Conjunction>(a.kind);
      });
      add(line, offset, sink, false, conjunctive);
      if (errors_.empty()) return lines_.understood();
      const auto at = static_cast<std::uint32_t>(flow_.actions.data() - text.data());
      return lines_.not_understood(line, at + errors_.front().column, errors_.front().message);
    }
    if (read) error = {why_not_collected(collected), static_cast<std::uint32_t>(collected.failed->name.data() - text.data()) + 1};
    lines_.not_understood(line, error.column, error.message);
    const bool says_something = flow_.priority || !flow_.stats.empty() || !flow_.match.empty();
    if (!flow_.placed || !says_something) {
      facts_.flow_lost = true;
      return;
    }
    add(line, offset, sink, true, false);
  }

  void add(const Line& line, std::uint64_t offset, FlowSink& sink, bool unread, bool conjunctive) {
    if (offset > openflow::kMaxFlowOffset) {
      facts_.flow_lost = true;
      return;
    }
    FlowRef flow;
    flow.offset = offset & openflow::kMaxFlowOffset;
    flow.line = line.number;
    flow.table = flow_.table;
    flow.priority = flow_.priority.value_or(32768);
    flow.unread = unread;
    flow.conjunctive = conjunctive;
    openflow::MatchHash hash;
    for (const openflow::MatchWord& w : words_.view()) {
      hash.add(w.value);
      if (w.word < openflow::kHeaderWords) flow.pipeline_hash = hash.get();
    }
    flow.hash = hash.get();
    flow.shape = sink.note(flow_.table, words_.view()) & (openflow::kMaxShapes - 1);
    sink.flows->push_back(flow);
  }

  // Lines are read again when the bridge may be elsewhere: what names stand for is kept.
  std::optional<std::uint32_t> number_of(std::string_view name) {
    const auto number = ports_ ? ports_(name) : std::nullopt;
    if (number) facts_.ports.emplace(name, *number);
    return number;
  }

  const Dump& dump_;
  PortResolver ports_;
  Report& report_;
  LineReport lines_;
  FlowFacts facts_;
  FlowLine flow_;
  WordSet words_;
  std::string buffer_;
  std::vector<TextError> errors_;
};

// So that the text of a line is found without going through all of the dump.
void mark_lines(const Dump& dump, const std::vector<FlowRef>& flows, SourceTable& sources) {
  constexpr std::uint32_t kEvery = 64;
  if (dump.source == kNoSource || dump.source > sources.size() || flows.size() < kEvery) return;
  std::vector<LineMark> marks{{dump.first_line, 0}};
  for (const FlowRef& f : flows)
    if (f.line >= marks.back().line + kEvery) marks.push_back({f.line, f.offset});
  sources.mark_lines(dump.source, std::move(marks));
}

// Flows with their index and what else is to be known of them, as compiled_flows() wrote them.
openflow::FlowTables open_flows(const Dump& dump, FlowFacts& facts, std::vector<LineMark>& marks) {
  BinaryReader in(dump.compiled->found());
  dump.compiled->check(dump.compiled->found().data(), std::min<std::size_t>(dump.compiled->found().size(), 64));
  if (in.text() != kFlowSection) throw std::runtime_error("not what was found in a dump of flows");
  const std::uint64_t small = in.number<std::uint64_t>();  // the arrays of flows and indexes lie behind
  if (small > dump.compiled->found().size()) throw std::runtime_error("the compiled snapshot is damaged");
  dump.compiled->check(dump.compiled->found().data(), small);
  facts.has_header = in.number<std::uint8_t>() != 0;
  facts.more_to_come = in.number<std::uint8_t>() != 0;
  facts.flow_lost = in.number<std::uint8_t>() != 0;
  for (std::uint64_t n = in.count(12); n > 0; --n) {
    const std::string_view name = in.text();
    facts.ports.emplace(name, in.number<std::uint32_t>());
  }
  read_report(in, dump.source, facts.report);
  const auto known_marks = in.array<LineMark>();
  marks.assign(known_marks.begin(), known_marks.end());
  openflow::CompiledFlows flows;
  read_shapes(in, flows.shapes);
  for (std::uint64_t n = in.count(8); n > 0; --n) {
    openflow::CompiledTable& t = flows.tables.emplace_back();
    t.table = in.number<std::uint8_t>();
    t.runs = in.array<openflow::FlowRun>();
  }
  // Lengths are read now, and so are checked now; the arrays are checked when they are read.
  const auto array = [&]<class T>(std::span<const T>& out) {
    dump.compiled->check(dump.compiled->found().data() + in.at(), sizeof(std::uint64_t));
    out = in.array<T>();
  };
  array(flows.flows);
  array(flows.prefixes.ipv4);
  array(flows.prefixes.ipv6);
  for (openflow::CompiledTable& t : flows.tables) {
    array(t.index.subtables);
    array(t.index.stages);
    array(t.index.partitions);
    array(t.index.members);
    array(t.index.slots);
    array(t.index.buckets);
  }
  flows.text = std::make_shared<DumpedFlows>(dump, facts);
  flows.check = [compiled = dump.compiled](const void* begin, std::size_t bytes) { compiled->check(begin, bytes); };
  return openflow::FlowTables([](std::string_view text) { return parse_actions(text); }, std::move(flows));
}

}  // namespace

LineKind kind_of(std::string_view text, ReplyHeader& h) {
  if (!text.empty() && text.front() != ' ') {
    if (read_reply_header(text, h)) return LineKind::header;
    if (is_filler(text)) return LineKind::filler;
  } else if (text.size() < 2 && is_filler(text)) {
    return LineKind::filler;
  }
  return text.find_first_not_of(" \t") == std::string_view::npos ? LineKind::filler : LineKind::flow;
}

std::string bridge_by_command(const Dump& dump) {
  std::string name = bridge_of(dump, "dump-flows");
  return name.empty() ? bridge_of(dump, "bridge/dump-flows") : name;
}

bool lacks_headers(const Dump& dump) {
  return command_has(dump, "--names") || command_has(dump, "--no-stats") || command_has(dump, "--sort") ||
         command_has(dump, "--rsort") || command_has(dump, "bridge/dump-flows");
}

namespace {

// The bytes between members are anything: the same marks are to be the same bytes.
std::vector<LineMark> without_gaps(const std::vector<LineMark>& marks) {
  std::vector<LineMark> all(marks.size());
  if (!all.empty()) std::memset(static_cast<void*>(all.data()), 0, all.size() * sizeof(LineMark));
  for (std::size_t i = 0; i < marks.size(); ++i) {
    all[i].line = marks[i].line;
    all[i].offset = marks[i].offset;
  }
  return all;
}

}  // namespace

CompiledPart compiled_flows(const openflow::FlowTables& tables, const SourceTable& sources) {
  const openflow::CompiledFlows flows = tables.compile();
  const auto* dumped = dynamic_cast<const DumpedFlows*>(flows.text.get());
  if (dumped == nullptr) return {};
  const FlowFacts& facts = dumped->facts;
  const std::vector<LineMark> marks = without_gaps(sources.line_marks(dumped->source()));
  const auto write = [&](std::uint64_t small) {
    BinaryWriter out;
    out.text(kFlowSection);
    out.number(small);
    for (const bool fact : {facts.has_header, facts.more_to_come, facts.flow_lost}) out.number<std::uint8_t>(fact);
    out.number<std::uint64_t>(facts.ports.size());
    for (const auto& [name, number] : facts.ports) {
      out.text(name);
      out.number<std::uint32_t>(number);
    }
    write_report(out, facts.report);
    out.array(std::span(marks));
    write_shapes(out, flows.shapes);
    out.number<std::uint64_t>(flows.tables.size());
    for (const openflow::CompiledTable& t : flows.tables) {
      out.number(t.table);
      out.array(t.runs);
    }
    return out;
  };
  BinaryWriter out = write(write(0).size());
  out.array(flows.flows);
  out.array(flows.prefixes.ipv4);
  out.array(flows.prefixes.ipv6);
  for (const openflow::CompiledTable& t : flows.tables) {
    out.array(t.index.subtables);
    out.array(t.index.stages);
    out.array(t.index.partitions);
    out.array(t.index.members);
    out.array(t.index.slots);
    out.array(t.index.buckets);
  }
  return {dumped->source(), out.take()};
}

// OpenFlow has meters since 1.3.
bool shows_meters(const Dump& dump) {
  LineReader lines(dump);
  Line line;
  ReplyHeader header;
  while (lines.next(line))
    if (!is_filler(line.text)) return read_reply_header(line.text, header) && header.minor >= 3;
  return false;
}

void load_flows(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
  const std::string name = bridge_of_flows(dump, node, report);
  if (name.empty()) return;
  openflow::Bridge* known = node.bridge(name);
  if (known != nullptr && known->flows && !known->flows_partial) {
    report.shown_by = known->flows_source;
    return;
  }
  // Excerpts of one bridge add up; a whole dump replaces what was there.
  const bool whole = confidence_by_header(dump, "FLOW") > 0 || lacks_headers(dump);
  const bool adds_up = !whole && known && known->flows && known->flows_partial;
  FlowFacts facts;
  std::optional<openflow::FlowTables> opened;
  openflow::FlowBatch batch;
  if (dump.compiled && !adds_up) {
    std::vector<LineMark> marks;
    opened = open_flows(dump, facts, marks);
    take_over(facts.report, report);
    if (dump.source != kNoSource && dump.source <= cluster.sources->size())
      cluster.sources->mark_lines(dump.source, std::move(marks));
  } else {
    if (known != nullptr) known->index_ports();
    FlowLoader loader(
        dump, [known](std::string_view port) { return known ? port_of(*known, port) : std::nullopt; }, report);
    batch = loader.load();
    facts = loader.facts();
    mark_lines(dump, batch.flows, *cluster.sources);
  }
  const std::size_t added = opened ? opened->size() : batch.flows.size();
  if (adds_up) known->flows->add(std::move(batch));
  if (added == 0 && !facts.has_header) {
    // An error message, or nothing at all: no proof that the bridge has no flows.
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "holds no flows of " + name,
                                  "ovs-ofctl dump-flows " + name});
    return;
  }
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  if (opened) {
    bridge.flows = std::move(opened);
  } else if (!adds_up) {
    bridge.flows.emplace([](std::string_view text) { return parse_actions(text); });
    bridge.flows->add(std::move(batch));
  }
  bridge.flows_source = dump.source;
  bridge.flows_show_meters = shows_meters(dump) && (!adds_up || bridge.flows_show_meters);
  bridge.flows_partial = dump.partial || facts.more_to_come || facts.flow_lost || breaks_off(dump.text) || !whole ||
                         dump.command.find('|') != std::string::npos;
  if (facts.more_to_come)
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "the dump is cut: its last part says that more follows",
                                  "ovs-ofctl dump-flows " + name});
}

}  // namespace egt::parsers::ofctl
