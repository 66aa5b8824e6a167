// ovs-ofctl dump-groups, all versions of OpenFlow.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"
#include "support/cursor.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::Bucket;
using openflow::Group;

constexpr std::string_view kTypes[] = {"all", "select", "indirect", "ff"};

struct GroupLine {
  std::size_t indent = 0;
  bool has_id = false;
  Group group;
};

bool read_u32(std::string_view text, std::uint32_t& out) {
  Number n;
  if (!read_number(text, n) || n.value > 0xffffffff) return false;
  out = static_cast<std::uint32_t>(n.value);
  return true;
}

// "weight:100" or "weight=100".
KeyValue split_either(std::string_view term) {
  const std::size_t at = term.find_first_of(":=");
  if (at == std::string_view::npos) return {term, {}, false, term};
  return {term.substr(0, at), term.substr(at + 1), true, term};
}

class GroupReader {
 public:
  GroupReader(std::string_view text, GroupLine& out, TextError& error) : text_(text), line_(out), error_(error) {}

  bool read() {
    std::string_view s = text_;
    line_ = {};
    while (s.starts_with(" ")) s.remove_prefix(1), ++line_.indent;
    std::size_t bucket = find_bucket(s, 0);
    if (!properties(s.substr(0, bucket))) return false;
    while (bucket != std::string_view::npos) {
      const std::size_t begin = bucket + std::string_view(",bucket=").size();
      bucket = find_bucket(s, begin);
      const std::size_t end = bucket == std::string_view::npos ? s.size() : bucket;
      if (!read_bucket(s.substr(begin, end - begin))) return false;
    }
    return true;
  }

 private:
  bool fail(std::string message, std::string_view at) {
    error_ = {std::move(message), column_of(at, text_)};
    return false;
  }

  // The next ",bucket=" or ",buckets=" outside parentheses.
  static std::size_t find_bucket(std::string_view s, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t i = from; i < s.size(); ++i) {
      if (s[i] == '(') ++depth;
      if (s[i] == ')' && depth > 0) --depth;
      if (s[i] == ',' && depth == 0 && s.substr(i + 1).starts_with("bucket=")) return i;
    }
    return std::string_view::npos;
  }

  bool properties(std::string_view s) {
    bool has_type = false;
    std::string_view term;
    while (next_term(s, term)) {
      const KeyValue kv = split_key_value(term, '=');
      Group& g = line_.group;
      if (kv.key == "group_id") {
        line_.has_id = read_u32(kv.value, g.id);
        if (!line_.has_id) return fail("not a group number", kv.whole);
      } else if (kv.key == "type") {
        std::size_t i = 0;
        const std::string_view type = kv.value == "fast_failover" ? "ff" : kv.value;
        while (i < 4 && kTypes[i] != type) ++i;
        if (i == 4) return fail("unknown type of group", kv.whole);
        g.type = static_cast<Group::Type>(i);
        has_type = true;
      } else if (kv.key == "selection_method") {
        g.selection_method = kv.value;
      } else if (kv.key == "selection_method_param") {
        Number n;
        if (!read_number(kv.value, n) || high64(n.value) != 0) return fail("not a number", kv.whole);
        g.selection_param = low64(n.value);
      } else if (term.starts_with("fields(") || term.starts_with("fields=")) {
        g.fields = term.substr(6);
      } else {
        return fail("unknown property of a group", term);
      }
    }
    return (line_.has_id && has_type) || fail("a group needs a number and a type", text_);
  }

  bool read_bucket(std::string_view s) {
    Bucket b;
    std::string_view rest = s;
    while (!rest.empty()) {
      if (consume(rest, "actions=")) {
        b.actions_text = rest;
        break;
      }
      std::string_view probe = rest, term;
      next_term(probe, term);
      const KeyValue kv = split_either(term);
      std::uint32_t n = 0;
      if (kv.key == "bucket_id") {
        if (!read_u32(kv.value, b.id.emplace())) return fail("not a bucket number", term);
      } else if (kv.key == "weight") {
        if (!read_u32(kv.value, n) || n > 0xffff) return fail("not a weight", term);
        b.weight = static_cast<std::uint16_t>(n);
      } else if (kv.key == "watch_port") {
        if (!read_port(kv.value, b.watch_port.emplace())) return fail("not a port", term);
      } else if (kv.key == "watch_group") {
        if (!read_u32(kv.value, b.watch_group.emplace())) return fail("not a group number", term);
      } else {
        b.actions_text = rest;  // a bucket may be typed without "actions="
        break;
      }
      rest = probe;
    }
    std::vector<TextError> errors;
    b.actions = parse_actions(b.actions_text, errors);
    if (!errors.empty()) {
      const std::string_view actions = s.substr(s.size() - b.actions_text.size());
      error_ = {errors.front().message, column_of(actions, text_) + errors.front().column - 1};
      bad_actions_ = true;
    }
    line_.group.buckets.push_back(std::move(b));
    return true;
  }

 public:
  bool bad_actions() const { return bad_actions_; }

 private:
  std::string_view text_;
  GroupLine& line_;
  TextError& error_;
  bool bad_actions_ = false;
};

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
  (out += ",type=") += kTypes[static_cast<std::size_t>(g.type)];
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
    // OpenFlow 1.1 to 1.4 tell neither the selection method nor the numbers of buckets.
    if (read_reply_header(text, h))
      r.quality = h.minor == 0 || h.minor >= 5 ? 20 + static_cast<int>(std::min(h.minor, 9u)) : 10;
    else if (r.confidence == 0 && looks_like_group(text))
      r.confidence = 90;
  }
  if (r.confidence == 0 && command_has(dump, "ovs-ofctl dump-groups")) r.confidence = 30;
  if (dump.partial) r.quality -= 50;
  if (r.confidence > 0) r.topic = "groups " + bridge_of(dump, "dump-groups");
  return r;
}

void reprint_groups(const Dump& dump, std::string& out, Report& report) {
  GroupLine group;
  TextError error;
  reprint_lines(dump, out, report, [&](std::string_view text, std::string& printed) {
    GroupReader reader(text, group, error);
    if (!reader.read() || reader.bad_actions()) return Took::no;
    write_group(group, printed);
    return Took::understood;
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
    GroupReader reader(text, group, error);
    if (!reader.read()) {
      lines_report.not_understood(line, error.column, error.message);
      continue;
    }
    const Group& g = group.group;
    Json j{{"line", line.number}, {"group_id", g.id}, {"type", kTypes[static_cast<std::size_t>(g.type)]}};
    if (!g.selection_method.empty()) j["selection_method"] = g.selection_method;
    if (g.selection_param) j["selection_method_param"] = *g.selection_param;
    if (!g.fields.empty()) j["fields"] = g.fields;
    j["buckets"] = Json::array();
    for (const Bucket& b : g.buckets) j["buckets"].push_back(bucket_json(b));
    groups.push_back(std::move(j));
    if (reader.bad_actions())
      lines_report.not_understood(line, error.column, error.message);
    else
      lines_report.understood();
  }
  out += pretty(Json{{"groups", groups}}) + "\n";
}

void load_groups(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::string name = bridge_of(dump, "dump-groups");
  if (name.empty()) {
    name = kIntegrationBridge;  // nobody else makes groups in such clusters
    report.diagnostics.push_back({Diagnostic::Severity::note,
                                  {dump.source, dump.first_line},
                                  0,
                                  "nothing tells the bridge of these groups; they are taken for those of " + name,
                                  {}});
  }
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  std::string buffer;
  std::map<std::uint32_t, Group> groups;
  bool has_header = false, lost = false, more = false;
  GroupLine group;
  TextError error;
  while (lines.next(line)) {
    const std::string_view text = without_colour(line.text, buffer);
    ReplyHeader h;
    if (read_reply_header(text, h) || is_filler(text)) {
      if (!h.message.empty()) has_header = true, more = h.more;
      lines_report.ignored();
      continue;
    }
    GroupReader reader(text, group, error);
    const bool read = reader.read();
    if (read && !reader.bad_actions())
      lines_report.understood();
    else
      lines_report.not_understood(line, error.column, error.message);
    if (!read) {
      // A group that is not understood must not pass for one that does not exist.
      lost = lost || !group.has_id;
      Bucket b;
      b.actions_text = std::string(kUnreadFlow) + std::string(trim(text));
      b.actions = parse_actions(b.actions_text);
      group.group.buckets.assign(1, std::move(b));
      if (!group.has_id) continue;
    }
    group.group.from = lines_report.at(line);
    groups[group.group.id] = std::move(group.group);
  }
  if (groups.empty() && !has_header) return;
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  for (auto& [id, g] : groups) bridge.groups[id] = std::move(g);
  bridge.has_groups = has_header && !dump.partial && !lost && !more;
}

}  // namespace

const Format& dump_groups_format() {
  static const Format format{"ovs-ofctl dump-groups", "ovs-ofctl -O OpenFlow15 dump-groups br-int",
                             recognise_groups,        reprint_groups,
                             groups_to_json,          load_groups};
  return format;
}

}  // namespace egt::parsers::ofctl
