// `sysctl`, `sysctl -a`: recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "egtrace/base/text.h"
#include "system/formats.h"
#include "system/sysctl_line.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using Kind = SysctlLine::Kind;
using Settings = std::map<std::string, host::SysctlValue>;

constexpr unsigned kLinesLookedAt = 40;

void count(const Line& line, const SysctlLine& parsed, LineReport& report) {
  switch (parsed.kind) {
    case Kind::setting: return report.understood();
    case Kind::blank:
    case Kind::aside: return report.ignored();
    case Kind::unknown: return report.not_understood(line, 1, "no setting");
  }
}

bool is_sysctl(const Dump& dump) { return dump.command == "sysctl" || command_has(dump, "sysctl"); }

// Whether some settings only were asked for: such dumps add up.
bool is_selection(const Dump& dump) {
  const auto options = words_behind(dump, "sysctl");
  for (const std::string_view word : options)
    if (word == "-a" || word == "--all" || word == "-A") return options.back() == "|";
  return !options.empty();
}

Recognition recognise(const Dump& dump) {
  const std::string topic = topic_of(dump, "sysctl", is_selection(dump) || is_other_namespace(dump));
  if (is_blank_dump(dump)) return {is_sysctl(dump) ? 60 : 0, topic, 1};
  unsigned settings = 0, others = 0;
  LineReader reader(dump);
  std::string buffer;
  Line line;
  for (unsigned n = 0; n < kLinesLookedAt && reader.next(line); ++n) {
    const SysctlLine parsed = parse_sysctl_line(without_colour(line.text, buffer));
    const bool setting = parsed.kind == Kind::setting && is_kernel_setting(sysctl_name(parsed.key));
    settings += setting;
    others += parsed.kind == Kind::unknown || (parsed.kind == Kind::setting && !setting);
  }
  Recognition how;
  how.confidence = settings > others ? (others == 0 ? 96 : 80) : is_sysctl(dump) ? 30 : 0;
  if (how.confidence > 0) how.topic = topic;
  how.quality = dump.partial ? 1 : command_has(dump, "sysctl -a") ? 11 : 10;
  return how;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  reprint_lines(dump, out, report, parse_sysctl_line, print_sysctl_line, count);
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"settings", Json::array()}};
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer;
  for (Line line; reader.next(line);) {
    const SysctlLine parsed = parse_sysctl_line(without_colour(line.text, buffer));
    count(line, parsed, lines);
    if (parsed.kind != Kind::setting) continue;
    document["settings"].push_back(
        Json{{"line", line.number}, {"key", sysctl_name(parsed.key)}, {"value", std::string(parsed.value)}});
  }
  append_json(document, out);
}

class Loader {
 public:
  Loader(const Dump& dump, Report& report) : dump_(dump), lines_(dump, report) {}

  void read() {
    LineReader reader(dump_);
    std::string buffer;
    for (Line line; reader.next(line);) {
      const SysctlLine parsed = parse_sysctl_line(without_colour(line.text, buffer));
      count(line, parsed, lines_);
      if (parsed.kind == Kind::setting) take(line, parsed);
    }
  }

  void fill(host::Host& host) {
    if (settings_.empty() && !is_sysctl(dump_)) return;
    auto& part = host.sysctl;
    if (!part.present) part.from = {dump_.source, 0};
    part.partial = part.present ? part.partial && dump_.partial : dump_.partial;
    part.present = true;
    for (auto& [name, value] : settings_) merge(name, std::move(value), part.value);
  }

 private:
  // A value of several lines is printed with its name on each. The same is done with one that was set in between, which
  // then is no number any more: better no value than one of two.
  void take(const Line& line, const SysctlLine& parsed) {
    std::string name = sysctl_name(parsed.key);
    const std::string_view value = trim(parsed.value);
    const auto [at, fresh] = settings_.try_emplace(name, host::SysctlValue{std::string(value), lines_.at(line)});
    if (!fresh && at->second.value != value) {
      if (name != last_)
        lines_.note(line, 1,
                    fmt::format("{} has another value than in line {}: it counts as unknown", name, at->second.from.line),
                    Diagnostic::Severity::warning);
      (at->second.value += '\n') += value;
    }
    last_ = std::move(name);
  }

  void merge(const std::string& name, host::SysctlValue value, Settings& known) {
    const auto [at, fresh] = known.try_emplace(name, value);
    if (fresh || at->second.value == value.value) return;
    Line line;
    line.number = value.from.line;
    lines_.note(line, 1, fmt::format("{} is {} in another dump, which is used", name, at->second.value),
                Diagnostic::Severity::warning);
  }

  const Dump& dump_;
  LineReport lines_;
  Settings settings_;
  std::string last_;
};

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  Loader loader(dump, report);
  loader.read();
  if (!is_other_namespace(dump)) return loader.fill(node.host);
  report.diagnostics.push_back(
      {Diagnostic::Severity::note, {dump.source, 0}, 0, "not the settings of the node's own network: left out", {}});
}

}  // namespace

const Format& sysctl_format() {
  static const Format format{"sysctl", "sysctl -a", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
