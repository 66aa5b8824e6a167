// /etc/hosts (hosts(5)): addresses and their names. Printed back as it stands, with the blanks that its editor chose.
#include <algorithm>
#include <vector>

#include "egtrace/base/text.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
    if (begin == line.end()) return words;
    const auto end = std::find_if(begin, line.end(), is_blank);
    words.emplace_back(begin, end);
    line = {end, line.end()};
  }
}

struct HostsLine {
  enum class Kind : std::uint8_t { blank, entry, unknown } kind = Kind::blank;
  IpAddr address;
  std::vector<std::string_view> names;
};

HostsLine parse_line(std::string_view text) {
  HostsLine l;
  std::vector<std::string_view> words = words_of(text.substr(0, text.find('#')));
  if (words.empty()) return l;
  l.kind = HostsLine::Kind::unknown;
  const auto address = IpAddr::parse(words[0].substr(0, words[0].find('%')));
  if (!address || words.size() < 2) return l;
  l.kind = HostsLine::Kind::entry;
  l.address = *address;
  l.names.assign(words.begin() + 1, words.end());
  return l;
}

bool is_hosts_file(const Dump& dump) {
  return dump.command == "hosts" || dump.command.ends_with("/hosts") || command_has(dump, "cat /etc/hosts") ||
         command_has(dump, "getent hosts");
}

template <class Take>
void read_lines(const Dump& dump, Report& report, Take take) {
  LineReport counts(dump, report);
  LineReader lines(dump);
  for (Line line; lines.next(line);) {
    const HostsLine parsed = parse_line(line.text);
    switch (parsed.kind) {
      case HostsLine::Kind::blank: counts.ignored(); break;
      case HostsLine::Kind::unknown: counts.not_understood(line, 1, "no address with names"); break;
      case HostsLine::Kind::entry: counts.understood(), take(line, parsed); break;
    }
  }
}

// Addresses with words behind them stand in many dumps: only the command shows this one, and no line may conflict with it.
Recognition recognise(const Dump& dump) {
  if (!is_hosts_file(dump)) return {};
  Report report;
  read_lines(dump, report, [](const Line&, const HostsLine&) {});
  if (report.understood == 0 || !report.not_understood.empty()) return {};
  return {80, topic_of(dump, "hosts", is_other_namespace(dump)), dump.partial ? 1 : 10};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_lines(dump, report, [](const Line&, const HostsLine&) {});
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"hosts", Json::array()}};
  read_lines(dump, report, [&](const Line& line, const HostsLine& parsed) {
    document["hosts"].push_back(Json{{"line", line.number}, {"address", parsed.address.to_string()}, {"names", parsed.names}});
  });
  append_json(document, out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  read_lines(dump, report, [&](const Line& line, const HostsLine& parsed) {
    host::HostsEntry entry{parsed.address, {}, {dump.source, line.number}};
    for (const std::string_view name : parsed.names) entry.names.emplace_back(name);
    node.host.hosts.push_back(std::move(entry));
  });
}

}  // namespace

const Format& hosts_format() {
  static const Format format{"hosts", "cat /etc/hosts", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
