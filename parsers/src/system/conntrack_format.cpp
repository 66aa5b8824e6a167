// `conntrack -L`, /proc/net/nf_conntrack and `conntrack -E`: recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "support/room.h"
#include "system/conntrack_line.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ConntrackLine::Kind;

constexpr unsigned kLinesLookedAt = 40;

void count(const Line& line, const ConntrackLine& parsed, LineReport& report) {
  switch (parsed.kind) {
    case Kind::entry:
    case Kind::summary: return report.understood();
    case Kind::blank:
    case Kind::aside: return report.ignored();
    case Kind::unknown: return report.not_understood(line, parsed.problem.column, parsed.problem.message);
  }
}

bool is_listing(const Dump& dump) {
  return command_has(dump, "conntrack -L") || command_has(dump, "conntrack --dump") || command_has(dump, "conntrack list");
}

// The lists of dying and of unconfirmed connections: no packet finds those.
bool is_other_table(const Dump& dump) {
  for (const std::string_view word : words_behind(dump, "conntrack"))
    if (word == "dying" || word == "unconfirmed" || word == "expect") return true;
  return false;
}

// Whether the command printed some of the connections only.
bool is_filtered(const Dump& dump) {
  const std::vector<std::string_view> options = words_behind(dump, "conntrack");
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view word = options[i];
    const bool with_value = word == "-o" || word == "--output" || word == "-b" || word == "--buffer-size";
    if (with_value) ++i;
    const bool harmless = with_value || word == "-L" || word == "--dump" || word == "list" || word == "conntrack";
    if (!harmless && (word.starts_with('-') || word == "|")) return true;
  }
  return false;
}

struct Sample {
  unsigned entries = 0, events = 0, others = 0, summaries = 0, families = 0;
};

Sample sample_of(const Dump& dump) {
  Sample sample;
  LineReader reader(dump);
  std::string buffer;
  Line line;
  for (unsigned n = 0; n < kLinesLookedAt && reader.next(line); ++n) {
    const ConntrackLine parsed = parse_conntrack_line(without_colour(line.text, buffer));
    sample.entries += parsed.kind == Kind::entry;
    sample.events += !parsed.event.empty();
    sample.families += !parsed.family.empty();
    sample.summaries += parsed.kind == Kind::summary;
    sample.others += parsed.kind == Kind::unknown;
  }
  return sample;
}

Recognition recognise(const Dump& dump) {
  if (is_blank_dump(dump)) return {is_listing(dump) ? 60 : 0, topic_of(dump, "conntrack", is_filtered(dump)), 1};
  const Sample sample = sample_of(dump);
  Recognition how;
  if (sample.entries > sample.others) {
    how.confidence = sample.others == 0 ? 97 : 85;
  } else if (sample.summaries > 0 && sample.others == 0) {
    how.confidence = 95;
  } else {
    how.confidence = is_listing(dump) ? 30 : 0;
  }
  if (how.confidence == 0) return how;
  const bool own = sample.events > 0 || is_filtered(dump) || is_other_table(dump) || is_other_namespace(dump);
  how.topic = topic_of(dump, sample.events > 0 ? "conntrack events" : "conntrack", own);
  how.quality = dump.partial ? 1 : sample.families > 0 ? 11 : 10;
  return how;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  reprint_lines(dump, out, report, parse_conntrack_line, print_conntrack_line, count);
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"connections", Json::array()}};
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer;
  for (Line line; reader.next(line);) {
    const ConntrackLine parsed = parse_conntrack_line(without_colour(line.text, buffer));
    count(line, parsed, lines);
    if (parsed.kind == Kind::summary) document["summary"] = json_of(parsed);
    if (parsed.kind != Kind::entry) continue;
    Json j{{"line", line.number}};
    j.update(json_of(parsed));
    document["connections"].push_back(std::move(j));
  }
  append_json(document, out);
}

host::ConntrackEntry entry_of(const ConntrackLine& parsed, Provenance from) {
  host::ConntrackEntry entry = entry_of(parsed.connection, from);
  entry.state = parsed.state;
  entry.unreplied = has_flag(parsed.connection.original, "UNREPLIED") || has_flag(parsed.connection.rest, "UNREPLIED");
  entry.assured = has_flag(parsed.connection.rest, "ASSURED");
  entry.label_known = false;
  if (parsed.timeout && *parsed.timeout <= 0xffffffff) entry.timeout = static_cast<std::uint32_t>(*parsed.timeout);
  return entry;
}

class Loader {
 public:
  Loader(const Dump& dump, Report& report) : dump_(dump), lines_(dump, report), room_(dump.text, dump.first_line) {}

  void read() {
    LineReader reader(dump_);
    std::string buffer;
    for (Line line; reader.next(line);) {
      const ConntrackLine parsed = parse_conntrack_line(without_colour(line.text, buffer));
      count(line, parsed, lines_);
      if (parsed.kind == Kind::unknown) lost_ = true;
      if (parsed.kind == Kind::summary) add_summary(line, parsed.shown);
      if (parsed.kind == Kind::entry) take(line, parsed);
    }
    compare_count();
  }

  void fill(host::Host& host) {
    if (events_ > 0 && entries_.empty()) return;
    if (!known_ && !is_listing(dump_)) return;
    add_entries(std::move(entries_), dump_.partial || lost_ || is_filtered(dump_), dump_, host.conntrack);
  }

 private:
  void take(const Line& line, const ConntrackLine& parsed) {
    known_ = true;
    ++seen_;
    if (!parsed.event.empty()) {
      if (events_++ == 0)
        lines_.note(line, 1, "events show changes, not the table of connections: they are ignored",
                    Diagnostic::Severity::warning);
      return;
    }
    // Every entry of -L ends in use= or what follows it: a number before that may have lost digits.
    if (may_be_cut(line, dump_) && find_item(parsed.connection.rest, "use") == nullptr) {
      lost_ = true;
      lines_.note(line, 1, "the last line may have been cut: the connection is left out", Diagnostic::Severity::warning);
      return;
    }
    if (!report_attributes(parsed.connection, line, lines_)) {
      lost_ = true;
      return;
    }
    room_.make(entries_, line.number);
    entries_.push_back(entry_of(parsed, lines_.at(line)));
  }

  // It went to the error output: it stands before, between or behind the entries. A file may hold several listings.
  void add_summary(const Line& line, std::uint64_t shown) {
    known_ = true;
    shown_ += shown;
    last_summary_ = line;
  }

  void compare_count() {
    if (last_summary_.number == 0 || shown_ == seen_) return;
    lost_ = lost_ || seen_ < shown_;
    lines_.note(last_summary_, 1, fmt::format("{} connections were listed, but {} stand here", shown_, seen_),
                Diagnostic::Severity::warning);
  }

  const Dump& dump_;
  LineReport lines_;
  Room room_;
  std::vector<host::ConntrackEntry> entries_;
  std::uint64_t seen_ = 0, shown_ = 0, events_ = 0;
  Line last_summary_;
  bool lost_ = false;   // a connection that was printed is not among the entries
  bool known_ = false;  // something shows that the tool ran
};

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  Loader loader(dump, report);
  loader.read();
  if (!is_other_namespace(dump) && !is_other_table(dump)) return loader.fill(node.host);
  report.diagnostics.push_back(
      {Diagnostic::Severity::note, {dump.source, 0}, 0, "not the connections of the node's own network: left out", {}});
}

}  // namespace

const Format& conntrack_format() {
  static const Format format{"conntrack -L", "conntrack -L -o extended", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
