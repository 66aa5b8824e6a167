// `ovs-appctl dpctl/dump-conntrack`: recognition, reprint, JSON and model.
#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "support/room.h"
#include "system/dpctl_line.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using Kind = DpctlLine::Kind;

constexpr std::string_view kVerb = "dump-conntrack";
constexpr std::uint8_t kTcp = 6;
constexpr unsigned kLinesLookedAt = 40;

void count(const Line& line, const DpctlLine& parsed, LineReport& report) {
  switch (parsed.kind) {
    case Kind::entry: return report.understood();
    case Kind::blank: return report.ignored();
    case Kind::unknown: return report.not_understood(line, parsed.problem.column, parsed.problem.message);
  }
}

bool is_dump_conntrack(const Dump& dump) {
  return command_has(dump, "ovs-appctl dpctl/dump-conntrack") || command_has(dump, "ovs-dpctl dump-conntrack");
}

// Whether one zone or some connections only were asked for.
bool is_filtered(const Dump& dump) {
  const auto options = words_behind(dump, kVerb);
  return std::any_of(options.begin(), options.end(), [](std::string_view word) {
    return word == "|" || word == "zone" || word.find('=') != std::string_view::npos;
  });
}

// Two datapaths have tables of their own.
std::string topic(const Dump& dump) {
  std::string name = "ovs conntrack";
  for (const std::string_view word : words_behind(dump, kVerb))
    if (!word.starts_with('-') && word != "|") (name += ' ') += word;
  return topic_of(dump, name, is_filtered(dump));
}

Recognition recognise(const Dump& dump) {
  if (is_blank_dump(dump)) return {is_dump_conntrack(dump) ? 60 : 0, topic(dump), 1};
  unsigned entries = 0, others = 0, verbose = 0;
  LineReader reader(dump);
  std::string buffer;
  Line line;
  for (unsigned n = 0; n < kLinesLookedAt && reader.next(line); ++n) {
    const DpctlLine parsed = parse_dpctl_line(without_colour(line.text, buffer));
    entries += parsed.kind == Kind::entry;
    others += parsed.kind == Kind::unknown;
    verbose += find_item(parsed.connection.rest, "status") != nullptr;
  }
  Recognition how;
  how.confidence = entries > others ? (others == 0 ? 98 : 85) : is_dump_conntrack(dump) ? 30 : 0;
  if (how.confidence == 0) return how;
  how.topic = topic(dump);
  how.quality = dump.partial ? 1 : verbose > 0 ? 11 : 10;
  return how;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  reprint_lines(dump, out, report, parse_dpctl_line, print_dpctl_line, count);
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"connections", Json::array()}};
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer;
  for (Line line; reader.next(line);) {
    const DpctlLine parsed = parse_dpctl_line(without_colour(line.text, buffer));
    count(line, parsed, lines);
    if (parsed.kind != Kind::entry) continue;
    Json j{{"line", line.number}};
    j.update(json_of(parsed));
    document["connections"].push_back(std::move(j));
  }
  append_json(document, out);
}

bool has_word(std::string_view flags, std::string_view wanted) {
  const auto all = split(flags, '|');
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

// Without -m only TCP's state shows whether an answer was seen, and with -s a count of the answer's packets.
void judge_reply(const DpctlLine& parsed, host::ConntrackEntry& entry) {
  if (const Item* status = find_item(parsed.connection.rest, "status")) {
    entry.unreplied = !has_word(status->text, "SEEN_REPLY");
    entry.assured = has_word(status->text, "ASSURED");
    return;
  }
  if (parsed.connection.proto == kTcp && !entry.state.empty()) {
    entry.unreplied = entry.state == "SYN_SENT";
    return;
  }
  const Item* packets = find_item(parsed.connection.reply, "packets");
  entry.reply_known = packets != nullptr && packets->number > 0;
}

host::ConntrackEntry entry_of(const DpctlLine& parsed, Provenance from) {
  host::ConntrackEntry entry = entry_of(parsed.connection, from);
  entry.state = state_of(parsed);
  const Item* timeout = find_item(parsed.connection.rest, "timeout");
  if (timeout != nullptr && timeout->form == Item::Form::decimal && timeout->number <= 0xffffffff)
    entry.timeout = static_cast<std::uint32_t>(timeout->number);
  judge_reply(parsed, entry);
  return entry;
}

// Of a line that lost its end only what closes with the state is known to be whole.
bool is_whole(const DpctlLine& parsed, const Line& line, const Dump& dump) {
  return !may_be_cut(line, dump) || find_item(parsed.connection.rest, "protoinfo") != nullptr;
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::vector<host::ConntrackEntry> entries;
  Room room(dump.text, dump.first_line);
  std::string buffer;
  bool lost = false, known = is_dump_conntrack(dump);
  for (Line line; reader.next(line);) {
    const DpctlLine parsed = parse_dpctl_line(without_colour(line.text, buffer));
    count(line, parsed, lines);
    lost = lost || parsed.kind == Kind::unknown;
    if (parsed.kind != Kind::entry) continue;
    known = true;
    if (!is_whole(parsed, line, dump)) {
      lost = true;
      lines.note(line, 1, "the last line may have been cut: the connection is left out", Diagnostic::Severity::warning);
    } else if (report_attributes(parsed.connection, line, lines)) {
      room.make(entries, line.number);
      entries.push_back(entry_of(parsed, lines.at(line)));
    } else {
      lost = true;
    }
  }
  if (known) add_entries(std::move(entries), dump.partial || lost || is_filtered(dump), dump, node.host.ovs_conntrack);
}

}  // namespace

const Format& dpctl_conntrack_format() {
  static const Format format{
      "ovs-appctl dpctl/dump-conntrack", "ovs-appctl dpctl/dump-conntrack -m", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
