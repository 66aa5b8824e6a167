// ovs-ofctl dump-groups, all versions of OpenFlow.
#include <algorithm>
#include <optional>
#include <string>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/group_line.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/load_groups.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::Bucket;
using openflow::Group;

void write_bucket(const Bucket& b, std::string& out) {
  out += ",bucket=";
  const auto number = [&out](std::string_view name, std::uint64_t n) {
    out += name;
    write_decimal(n, out);
    out += ',';
  };
  if (b.id) number("bucket_id:", *b.id);
  if (b.weight) number("weight:", *b.weight);
  if (b.watch_port) {
    out += "watch_port:";
    write_port(*b.watch_port, out);
    out += ',';
  }
  if (b.watch_group) number("watch_group:", *b.watch_group);
  out += "actions=";
  write_actions(b.actions, out);
}

void write_group(const GroupLine& line, std::string& out) {
  const Group& g = line.group;
  out.append(line.indent, ' ');
  out += "group_id=";
  write_decimal(g.id, out);
  (out += ",type=") += kGroupTypes[static_cast<std::size_t>(g.type)];
  if (!g.selection_method.empty()) (out += ",selection_method=") += g.selection_method;
  if (g.selection_param) {
    out += ",selection_method_param=";
    write_decimal(*g.selection_param, out);
  }
  if (!g.fields.empty()) (out += ",fields") += g.fields;
  for (const Bucket& b : g.buckets) write_bucket(b, out);
}

bool looks_like_group(std::string_view line) {
  const std::string_view s = trim_left(line);
  return s.starts_with("group_id=") && s.find(",type=") != std::string_view::npos;
}

Recognition recognise_groups(const Dump& dump) {
  Recognition r;
  r.confidence = confidence_by_header(dump, "GROUP_DESC");
  LineReader lines(dump);
  Line line;
  std::string buffer;
  for (int i = 0; i < 40 && lines.next(line); ++i) {
    const std::string_view text = without_colour(line.text, buffer);
    ReplyHeader h;
    // OpenFlow 1.1 to 1.4 show neither the selection method nor the numbers of buckets.
    if (read_reply_header(text, h))
      r.quality = h.minor == 0 || h.minor >= 5 ? 20 + static_cast<int>(std::min(h.minor, 9u)) : 10;
    else if (r.confidence == 0 && looks_like_group(text))
      r.confidence = 90;
  }
  if (r.confidence == 0 && command_has(dump, "ovs-ofctl dump-groups")) r.confidence = 30;
  if (dump.partial) r.quality -= 50;
  if (bridge_of(dump, "dump-groups").empty()) r.quality -= 20;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, "groups", bridge_of(dump, "dump-groups"));
  return r;
}

void reprint_groups(const Dump& dump, std::string& out, Report& report) {
  GroupLine group;
  TextError error;
  reprint_lines(dump, out, report, [&](std::string_view text, std::string& printed) {
    if (!read_group_line(text, group, error) || group.bad_actions) return LineResult::no;
    write_group(group, printed);
    return LineResult::understood;
  });
}

Json bucket_json(const Bucket& b) {
  Json j = Json::object();
  if (b.id) j["bucket_id"] = *b.id;
  if (b.weight) j["weight"] = *b.weight;
  if (b.watch_port) j["watch_port"] = json_of(*b.watch_port);
  if (b.watch_group) j["watch_group"] = *b.watch_group;
  j["actions"] = json_of(b.actions);
  return j;
}

void groups_to_json(const Dump& dump, std::string& out, Report& report) {
  Json groups = Json::array();
  GroupLine group;
  TextError error;
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  std::string buffer;
  while (lines.next(line)) {
    const std::string_view text = without_colour(line.text, buffer);
    ReplyHeader h;
    if (read_reply_header(text, h) || is_filler(text)) {
      lines_report.ignored();
      continue;
    }
    if (!read_group_line(text, group, error)) {
      lines_report.not_understood(line, error.column, error.message);
      continue;
    }
    const Group& g = group.group;
    Json j{{"line", line.number}, {"group_id", g.id}, {"type", kGroupTypes[static_cast<std::size_t>(g.type)]}};
    if (!g.selection_method.empty()) j["selection_method"] = g.selection_method;
    if (g.selection_param) j["selection_method_param"] = *g.selection_param;
    if (!g.fields.empty()) j["fields"] = g.fields;
    j["buckets"] = Json::array();
    for (const Bucket& b : g.buckets) j["buckets"].push_back(bucket_json(b));
    groups.push_back(std::move(j));
    if (group.bad_actions)
      lines_report.not_understood(line, error.column, error.message);
    else
      lines_report.understood();
  }
  out += pretty(Json{{"groups", groups}}) + "\n";
}

}  // namespace

const Format& dump_groups_format() {
  static const Format format{"ovs-ofctl dump-groups",
                             "ovs-ofctl -O OpenFlow15 dump-groups br-int",
                             recognise_groups,
                             reprint_groups,
                             groups_to_json,
                             load_groups,
                             nullptr,
                             {},
                             nullptr,
                             nullptr,
                             read_groups_ahead};
  return format;
}

}  // namespace egt::parsers::ofctl
