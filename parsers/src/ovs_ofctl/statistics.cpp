// Meters and the statistics of groups and meters: lists of "key=value" or "key:value". Of a packet's path they show what meters there
// are; the rest is read, printed and counted.
#include <span>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

struct Term {
  std::string_view key, value;
  char assign = 0;  // '=' or ':'; 0: a word alone
};

// How the lines of one command look.
struct Shape {
  std::string_view message;                // of the reply header
  std::string_view command;                // behind ovs-ofctl
  char separator;                          // between terms
  std::span<const std::string_view> keys;  // that may stand in a line
  std::string_view topic;
};

constexpr std::string_view kGroupStats[] = {"group_id", "duration", "ref_count", "packet_count", "byte_count"};
constexpr std::string_view kMeters[] = {"meter", "kbps", "pktps", "burst",      "stats",
                                        "bands", "type", "rate",  "burst_size", "prec_level"};
constexpr std::string_view kMeterStats[] = {"meter",    "flow_count", "packet_in_count", "byte_in_count",
                                            "duration", "bands",      "packet_count",    "byte_count"};

constexpr Shape kShapes[] = {
    {"GROUP", "dump-group-stats", ',', kGroupStats, "group-stats"},
    {"METER_CONFIG", "dump-meters", ' ', kMeters, "meters"},
    {"METER", "meter-stats", ' ', kMeterStats, "meter-stats"},
};

constexpr std::size_t kOfMeters = 1;

bool known(const Shape& shape, std::string_view key) {
  for (const std::string_view k : shape.keys)
    if (k == key) return true;
  return false;
}

// "0:" before a band's counters and "bucket0:" before a bucket's have no value of their own.
bool is_index(std::string_view key) {
  consume(key, "bucket");
  return !key.empty() && parse_decimal(key).has_value();
}

bool read_term(const Shape& shape, std::string_view text, std::vector<Term>& out) {
  const std::size_t at = text.find_first_of("=:");
  if (at == std::string_view::npos) {
    out.push_back({text, {}, 0});
    return known(shape, text);
  }
  Term t{text.substr(0, at), text.substr(at + 1), text[at]};
  if (t.assign == ':' && is_index(t.key)) {
    out.push_back({t.key, {}, ':'});
    return t.value.empty() || read_term(shape, t.value, out);
  }
  out.push_back(t);
  return known(shape, t.key);
}

struct Record {
  std::size_t indent = 0;
  std::vector<Term> terms;
};

bool read_record(const Shape& shape, std::string_view text, Record& r) {
  r.indent = 0;
  r.terms.clear();
  while (text.starts_with(" ")) text.remove_prefix(1), ++r.indent;
  text = trim_right(text);
  while (!text.empty()) {
    const std::string_view term = take_until(text, shape.separator);
    if (!read_term(shape, term, r.terms)) return false;
  }
  return !r.terms.empty();
}

void write_record(const Shape& shape, const Record& r, std::string& out) {
  out.append(r.indent, ' ');
  bool first = true;
  for (const Term& t : r.terms) {
    if (!first) out += shape.separator;
    first = false;
    out += t.key;
    if (t.assign) out += t.assign;
    out += t.value;
    // The counters of a bucket follow its number directly.
    if (t.assign == ':' && t.value.empty() && shape.separator == ',') first = true;
  }
}

template <std::size_t kShape>
void reprint_records(const Dump& dump, std::string& out, Report& report) {
  Record r;
  reprint_lines(dump, out, report, [&r](std::string_view text, std::string& printed) {
    if (!read_record(kShapes[kShape], text, r)) return LineResult::no;
    write_record(kShapes[kShape], r, printed);
    return LineResult::understood;
  });
}

template <std::size_t kShape>
void records_to_json(const Dump& dump, std::string& out, Report& report) {
  Json list = Json::array();
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  Record r;
  while (lines.next(line)) {
    ReplyHeader h;
    if (is_filler(line.text) || read_reply_header(line.text, h)) {
      lines_report.ignored();
    } else if (read_record(kShapes[kShape], line.text, r)) {
      Json terms = Json::array();
      for (const Term& t : r.terms) {
        Json term{{"key", t.key}};
        if (!t.value.empty()) term["value"] = t.value;
        terms.push_back(std::move(term));
      }
      list.push_back(Json{{"line", line.number}, {"terms", terms}});
      lines_report.understood();
    } else {
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
  out += pretty(Json{{"records", list}}) + "\n";
}

void add_meter(const Record& r, Provenance from, openflow::Bridge& bridge) {
  const Term& first = r.terms.front();
  const auto id = first.key == "meter" ? parse_decimal(first.value) : std::nullopt;
  if (id && *id <= 0xffffffff) bridge.meters.push_back({static_cast<std::uint32_t>(*id), from});
}

template <std::size_t kShape>
void load_records(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string name = kShape == kOfMeters ? bridge_of(dump, kShapes[kShape].command) : std::string();
  openflow::Bridge* bridge = name.empty() ? nullptr : &ensure_bridge(node, name, {dump.source, dump.first_line});
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  Record r;
  while (lines.next(line)) {
    ReplyHeader h;
    if (is_filler(line.text) || read_reply_header(line.text, h)) {
      lines_report.ignored();
    } else if (read_record(kShapes[kShape], line.text, r)) {
      lines_report.understood();
      if (bridge != nullptr) add_meter(r, {dump.source, line.number}, *bridge);
    } else {
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
}

template <std::size_t kShape>
Recognition recognise_records(const Dump& dump) {
  constexpr const Shape& shape = kShapes[kShape];
  Recognition r;
  r.confidence = confidence_by_header(dump, shape.message);
  if (r.confidence == 0 && command_has(dump, std::string("ovs-ofctl ") + std::string(shape.command))) r.confidence = 30;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, shape.topic, bridge_of(dump, shape.command));
  r.quality = dump.partial ? -50 : 10;
  return r;
}

template <std::size_t kShape>
Format format_of(std::string_view kind, std::string_view command) {
  return {kind, command, recognise_records<kShape>, reprint_records<kShape>, records_to_json<kShape>, load_records<kShape>};
}

}  // namespace

const Format& dump_group_stats_format() {
  static const Format format = format_of<0>("ovs-ofctl dump-group-stats", "ovs-ofctl -O OpenFlow15 dump-group-stats br-int");
  return format;
}

const Format& dump_meters_format() {
  static const Format format = format_of<kOfMeters>("ovs-ofctl dump-meters", "ovs-ofctl -O OpenFlow15 dump-meters br-int");
  return format;
}

const Format& meter_stats_format() {
  static const Format format = format_of<2>("ovs-ofctl meter-stats", "ovs-ofctl -O OpenFlow15 meter-stats br-int");
  return format;
}

}  // namespace egt::parsers::ofctl
