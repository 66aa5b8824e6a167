// `ipset save` and `ipset list`: recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "system/formats.h"
#include "system/ipset_line.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using Kind = IpsetLine::Kind;

constexpr unsigned kLinesLookedAt = 40;

// Reads lines in their order: what a member means depends on the set that it follows.
class IpsetReader {
 public:
  IpsetLine parse(std::string_view text, Provenance at = {}) {
    IpsetLine line = parse_ipset_line(text);
    switch (line.kind) {
      case Kind::create: create(line, line.set, line.type, at); break;
      case Kind::heading: head(line, at); break;
      case Kind::add:
        current_ = sets_.find(std::string(line.set));
        take_member(line, at);
        break;
      case Kind::member: take_member(line, at); break;
      case Kind::blank:
      case Kind::unknown: break;
    }
    if (line.kind == Kind::unknown) lose(line);
    return line;
  }

  host::IpSets take() {
    for (auto& [name, set] : sets_) {
      set.complete = set.complete && !unnamed_lost_ && (from_save_ || listed_.contains(name));
      set.settle();
    }
    return std::move(sets_);
  }

 private:
  void create(IpsetLine& line, std::string_view name, std::string_view type, Provenance at) {
    auto set = ipset_of(type, line.options);
    current_ = sets_.end();
    if (!set) return refuse(line, "a type or an option of a set that is not known");
    set->from = at;
    const auto [where, fresh] = sets_.insert_or_assign(std::string(name), std::move(*set));
    current_ = where;
    from_save_ = line.kind == Kind::create;
  }

  // "Name:", "Type:" and "Header:" of ipset list come before the members, in this order.
  void head(IpsetLine& line, Provenance at) {
    if (line.key == "Name") {
      name_ = std::string(line.value);
      name_at_ = at;
      current_ = sets_.end();
      from_save_ = false;
    } else if (line.key == "Type") {
      type_ = std::string(line.value);
      if (!ipset_of(type_, {})) refuse(line, "a type of set that is not known");
    } else if (line.key == "Header") {
      create(line, name_, type_, name_at_);
    } else if (line.key == "Members" && current_ != sets_.end()) {
      listed_.insert(current_->first);  // ipset list -t leaves them out
    }
  }

  void take_member(IpsetLine& line, Provenance at) {
    if (current_ == sets_.end()) return refuse(line, "a member of no set that is known here");
    host::IpSet& set = current_->second;
    if (set.is_list) return set.sets.push_back({std::string(line.element), at});
    auto member = ipset_member(set, line.element, line.options);
    if (!member) return refuse(line, fmt::format("no member of a set of type {}", set.type));
    member->from = at;
    set.members.push_back(std::move(*member));
  }

  static void refuse(IpsetLine& line, std::string why) {
    line.kind = Kind::unknown;
    line.problem = std::move(why);
  }

  // A line that is not understood may have been any member; of save it names the set.
  void lose(const IpsetLine& line) {
    const auto named = line.set.empty() ? current_ : sets_.find(std::string(line.set));
    if (named != sets_.end())
      named->second.complete = false;
    else if (line.set.empty())
      unnamed_lost_ = true;
  }

  host::IpSets sets_;
  host::IpSets::iterator current_ = sets_.end();
  std::set<std::string> listed_;
  std::string name_, type_;
  Provenance name_at_;
  bool from_save_ = true, unnamed_lost_ = false;
};

void count(const Line& line, const IpsetLine& parsed, LineReport& report) {
  if (parsed.kind == Kind::blank) return report.ignored();
  if (parsed.kind != Kind::unknown) return report.understood();
  report.not_understood(line, 1, parsed.problem.empty() ? "no line of ipset" : parsed.problem);
}

bool is_ipset(const Dump& dump) { return dump.command == "ipset" || command_has(dump, "ipset"); }

// Whether one set was asked for, or its members left out: such dumps add up.
bool is_some(const Dump& dump) {
  for (const std::string_view word : words_behind(dump, "ipset"))
    if (word != "save" && word != "list" && word != "-s" && word != "-sorted" && word != "-L" && word != "-S") return true;
  return false;
}

struct LineCounts {
  unsigned commands = 0, headings = 0, others = 0;
};

LineCounts look_at(const Dump& dump) {
  LineCounts seen;
  IpsetReader sets;
  LineReader reader(dump);
  std::string buffer;
  Line line;
  for (unsigned n = 0; n < kLinesLookedAt && reader.next(line); ++n) {
    const IpsetLine parsed = sets.parse(without_colour(line.text, buffer));
    seen.commands += parsed.kind == Kind::create || parsed.kind == Kind::add;
    seen.headings += parsed.kind == Kind::heading || parsed.kind == Kind::member;
    seen.others += parsed.kind == Kind::unknown;
  }
  return seen;
}

Recognition recognise(const Dump& dump, bool save) {
  const std::string topic = topic_of(dump, "ipsets", is_some(dump) || is_other_namespace(dump));
  if (is_blank_dump(dump)) return {is_ipset(dump) && command_has(dump, "list") != save ? 60 : 0, topic, 1};
  const LineCounts seen = look_at(dump);
  const unsigned own = save ? seen.commands : seen.headings, foreign = save ? seen.headings : seen.commands;
  const bool named = is_ipset(dump) && command_has(dump, save ? "save" : "list");
  Recognition how;
  if (own > seen.others && own >= foreign)
    how.confidence = seen.others == 0 ? 96 : 80;
  else if (named && own > 0)
    how.confidence = 30;
  if (how.confidence == 0) return how;
  how.topic = topic;
  how.quality = dump.partial ? 1 : save ? 11 : 10;
  return how;
}

Recognition recognise_save(const Dump& dump) { return recognise(dump, true); }
Recognition recognise_list(const Dump& dump) { return recognise(dump, false); }

void reprint(const Dump& dump, std::string& out, Report& report) {
  IpsetReader sets;
  reprint_lines(
      dump, out, report, [&](std::string_view text) { return sets.parse(text); }, print_ipset_line, count);
}

Json json_of(const std::vector<IpsetOption>& options) {
  Json out = Json::object();
  for (const IpsetOption& o : options) {
    if (o.has_value)
      out[std::string(o.name)] = std::string(o.value);
    else
      out[std::string(o.name)] = true;
  }
  return out;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"sets", Json::array()}};
  Json none;  // members of no set
  IpsetReader sets;
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer;
  for (Line line; reader.next(line);) {
    const IpsetLine parsed = sets.parse(without_colour(line.text, buffer));
    count(line, parsed, lines);
    Json& all = document["sets"];
    Json& last = all.empty() ? none : all.back();
    if (parsed.kind == Kind::create)
      all.push_back(Json{{"line", line.number},
                         {"name", std::string(parsed.set)},
                         {"type", std::string(parsed.type)},
                         {"options", json_of(parsed.options)},
                         {"members", Json::array()}});
    else if (parsed.kind == Kind::heading && parsed.key == "Name")
      all.push_back(Json{{"line", line.number},
                         {"name", std::string(parsed.value)},
                         {"type", ""},
                         {"options", Json::object()},
                         {"members", Json::array()}});
    else if (parsed.kind == Kind::heading && parsed.key == "Type")
      last["type"] = std::string(parsed.value);
    else if (parsed.kind == Kind::heading && parsed.key == "Header")
      last["options"] = json_of(parsed.options);
    else if (parsed.kind == Kind::add || parsed.kind == Kind::member)
      last["members"].push_back(
          Json{{"line", line.number}, {"element", std::string(parsed.element)}, {"options", json_of(parsed.options)}});
  }
  append_json(document, out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  IpsetReader sets;
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer;
  for (Line line; reader.next(line);) count(line, sets.parse(without_colour(line.text, buffer), lines.at(line)), lines);
  if (is_other_namespace(dump)) {
    report.diagnostics.push_back(
        {Diagnostic::Severity::note, {dump.source, 0}, 0, "not the sets of the node's own network: left out", {}});
    return;
  }
  auto& part = node.host.ipsets;
  const bool partial = dump.partial || is_some(dump);
  for (auto& [name, set] : sets.take()) {
    set.complete = set.complete && !dump.partial;
    const auto [at, fresh] = part.value.try_emplace(name, set);
    if (!fresh && !at->second.complete && set.complete) at->second = std::move(set);
  }
  if (!part.present) part.from = {dump.source, 0};
  part.partial = part.present ? part.partial && partial : partial;
  part.present = true;
}

}  // namespace

const Format& ipset_save_format() {
  static const Format format{"ipset save", "ipset save", recognise_save, reprint, to_json, load};
  return format;
}

const Format& ipset_list_format() {
  static const Format format{"ipset list", "ipset list", recognise_list, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
