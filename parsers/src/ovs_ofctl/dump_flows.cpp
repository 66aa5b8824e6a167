// ovs-ofctl dump-flows in all its dialects, and ovs-appctl bridge/dump-flows.
#include "ovs_ofctl/dump_flows.h"

#include <algorithm>
#include <string>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/flow_chunks.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/reply.h"
#include "ovs_ofctl/typed_flow.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {
namespace {

constexpr int kLinesLookedAt = 40;
constexpr int kNamesNoBridge = 15;  // by which a dump that does is better, whatever its dialect

// "actions=" behind a term that a flow begins with. A logical flow has "action=(" and a group "bucket=".
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

int quality_of(const ReplyHeader& h) {
  // OpenFlow 1.0 cannot show write_actions and goto_table; later versions show more and more of a flow.
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
    r.quality = lacks_headers(dump) ? 10 : 5;
  }
  if (r.confidence == 0 && (command_has(dump, "ovs-ofctl dump-flows") || command_has(dump, "bridge/dump-flows")))
    r.confidence = 30;
  const std::string bridge = bridge_by_command(dump);
  if (dump.partial) r.quality -= 50;
  if (bridge.empty()) r.quality -= kNamesNoBridge;
  // Without a header it is an excerpt, and those of one unnamed bridge add up.
  const bool whole = r.confidence == 100 || lacks_headers(dump);
  if (r.confidence > 0) r.topic = whole ? topic_of_bridge(dump, "flows", bridge) : "flows " + bridge;
  return r;
}

std::uint32_t first_difference(std::string_view a, std::string_view b) {
  const auto at = std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::uint32_t>(at.first - a.begin()) + 1;
}

// Prints flow lines from their trees.
class FlowPrinter {
 public:
  FlowPrinter(std::string& out, LineReport& report) : out_(out), report_(report) {}

  void print(const Line& line, std::string_view text) {
    TextError error;
    const bool good = read_flow_line(text, flow_, error);
    errors_.clear();
    const openflow::ActionList actions = flow_.has_actions ? parse_actions(flow_.actions, errors_) : openflow::ActionList{};
    if (!good) return keep(line, text, error.column, error.message);
    const std::size_t from = out_.size();
    write_flow_head(flow_, out_);
    write_actions(actions, out_);
    if (!errors_.empty()) {
      const std::uint32_t column = static_cast<std::uint32_t>(flow_.actions.data() - text.data()) + errors_.front().column;
      out_.resize(from);
      return keep(line, text, column, errors_.front().message);
    }
    const bool typed = is_typed(flow_);
    if (const auto why = typed ? why_refused(flow_, actions) : std::nullopt) {
      out_.resize(from);
      return keep(line, text, 1, *why);
    }
    const std::string_view printed = std::string_view(out_).substr(from);
    // Between colours Open vSwitch does not find the comma that it takes back: "ct(commit,exec(…),)".
    const bool coloured = text.data() != line.text.data();
    if (printed == text || coloured) return report_.understood();
    if (typed) {
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

// Lines that print as themselves are handed on as they lie there, in one piece with their neighbours.
void stream_flows(const Dump& dump, const TextSink& put, Report& report) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  FlowScanner scanner(ActionCheck::printed);
  std::string out, buffer;
  FlowPrinter printer(out, lines_report);
  Line line;
  ReplyHeader h;
  openflow::FlowRef scanned;
  std::size_t at = 0, kept_from = 0;
  while (lines.next(line)) {
    const std::size_t begin = at;
    at += line.text.size() + line.end.size();
    if (scan_guarded(scanner, dump.text, begin, begin + line.text.size(), scanned)) {
      lines_report.understood();
      continue;
    }
    if (begin > kept_from) put(dump.text.substr(kept_from, begin - kept_from));
    kept_from = at;
    out.clear();
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
      case LineKind::flow: printer.print(line, text); break;
    }
    out += line.end;
    put(out);
  }
  if (at > kept_from) put(dump.text.substr(kept_from, at - kept_from));
}

void reprint_flows(const Dump& dump, std::string& out, Report& report) {
  out.reserve(out.size() + dump.text.size() + 64);
  stream_flows(
      dump, [&out](std::string_view piece) { out += piece; }, report);
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
      const openflow::ActionList actions = parse_actions(flow.actions, errors);
      if (!errors.empty()) {
        const auto at = static_cast<std::uint32_t>(flow.actions.data() - text.data());
        error = {errors.front().message, at + errors.front().column};
      } else if (const auto why = is_typed(flow) ? why_refused(flow, actions) : std::nullopt) {
        errors.push_back(error = {*why, 1});
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

}  // namespace

const Format& dump_flows_format() {
  static const Format format{"ovs-ofctl dump-flows",
                             "ovs-ofctl dump-flows br-int",
                             recognise_flows,
                             reprint_flows,
                             flows_to_json,
                             load_flows,
                             stream_flows,
                             {},
                             nullptr,
                             nullptr,
                             scan_flows_ahead};
  return format;
}

}  // namespace egt::parsers::ofctl
