// nstat, netstat -s, /proc/net/netstat, ethtool -S and the text of node_exporter: counters, printed back as they stand.
// Nothing of them is in the model: egtrace/parsers/counters.h reads those of a node where a packet is lost.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "egtrace/parsers/counters.h"
#include "system/counter_line.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;

std::string ethtool_device(const Dump& dump, CounterDialect dialect) {
  if (dialect != CounterDialect::ethtool) return {};
  for (const std::string_view word : words_behind(dump, "ethtool"))
    if (!word.starts_with('-') && word != "|" && word != "statistics") return std::string(word);
  return {};
}

template <class Take>
void read_counter_lines(const Dump& dump, CounterDialect dialect, Report& report, Take take) {
  LineReport counts(dump, report);
  LineReader lines(dump);
  CounterReader reader(dialect, ethtool_device(dump, dialect));
  std::string buffer;
  for (Line line; lines.next(line);) {
    const CounterLine parsed = reader.read(without_colour(line.text, buffer));
    switch (parsed.kind) {
      case CounterLine::Kind::ignored: counts.ignored(); break;
      case CounterLine::Kind::unknown: counts.not_understood(line, 1, "no counter"); break;
      case CounterLine::Kind::counters: counts.understood(), take(line, parsed); break;
    }
  }
}

// What its first lines are: most of them counters, and something that no other tool prints.
bool begins_like(const Dump& dump, CounterDialect dialect, std::string_view mark) {
  constexpr std::size_t kLook = 16384;
  const std::string_view head = dump.text.substr(0, kLook);
  if (head.find(mark) == std::string_view::npos) return false;
  CounterReader reader(dialect);
  std::string_view rest = head;
  std::size_t counters = 0, unknown = 0;
  while (!rest.empty()) {
    const bool is_last = rest.find('\n') == std::string_view::npos && dump.text.size() > kLook;
    const CounterLine line = reader.read(next_line(rest));
    if (is_last) break;  // cut
    counters += line.kind == CounterLine::Kind::counters;
    unknown += line.kind == CounterLine::Kind::unknown;
  }
  return counters > 4 * unknown;
}

// Of several dumps of counters all are read: a later one shows how much was counted in between.
template <CounterDialect kDialect>
Recognition recognise_counters(const Dump& dump) {
  struct Mark {
    CounterDialect dialect;
    std::string_view text;
  };
  static constexpr Mark kMarks[] = {{CounterDialect::nstat, "IpInReceives"},     {CounterDialect::nstat, "TcpExt"},
                                    {CounterDialect::netstat, "Ip:\n"},          {CounterDialect::netstat, "TcpExt:\n"},
                                    {CounterDialect::proc_net, "TcpExt: "},      {CounterDialect::proc_net, "Ip: Forwarding "},
                                    {CounterDialect::proc_net, "Ip6InReceives"}, {CounterDialect::ethtool, "NIC statistics:\n"},
                                    {CounterDialect::metrics, "# TYPE node_"},   {CounterDialect::metrics, "node_net"}};
  for (const Mark& mark : kMarks)
    if (mark.dialect == kDialect && begins_like(dump, kDialect, mark.text))
      return {90, topic_of(dump, "counters", true), dump.partial ? 1 : 10};
  return {};
}

template <CounterDialect kDialect>
void reprint_counters(const Dump& dump, std::string& out, Report& report) {
  read_counter_lines(dump, kDialect, report, [](const Line&, const CounterLine&) {});
  out += dump.text;
}

template <CounterDialect kDialect>
void counters_to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"counters", Json::array()}};
  read_counter_lines(dump, kDialect, report, [&](const Line& line, const CounterLine& parsed) {
    for (const CounterValue& c : parsed.counters) {
      Json counter{{"line", line.number}, {"name", c.name}};
      if (!c.device.empty()) counter["device"] = c.device;
      counter["value"] = c.value;
      document["counters"].push_back(std::move(counter));
    }
  });
  append_json(document, out);
}

template <CounterDialect kDialect>
void load_counters(const Dump& dump, cluster::Cluster&, cluster::Node&, Report& report) {
  read_counter_lines(dump, kDialect, report, [](const Line&, const CounterLine&) {});
}

template <CounterDialect kDialect>
Format counter_format(std::string_view kind, std::string_view command) {
  return {kind,
          command,
          recognise_counters<kDialect>,
          reprint_counters<kDialect>,
          counters_to_json<kDialect>,
          load_counters<kDialect>};
}

}  // namespace

const Format& nstat_format() {
  static const Format format = counter_format<CounterDialect::nstat>("nstat", "nstat -az");
  return format;
}
const Format& netstat_counters_format() {
  static const Format format = counter_format<CounterDialect::netstat>("netstat -s", "netstat -s");
  return format;
}
const Format& proc_net_format() {
  static const Format format =
      counter_format<CounterDialect::proc_net>("/proc/net/netstat", "cat /proc/net/netstat /proc/net/snmp");
  return format;
}
const Format& ethtool_format() {
  static const Format format = counter_format<CounterDialect::ethtool>("ethtool -S", "ethtool -S DEV");
  return format;
}
const Format& metrics_format() {
  static const Format format = counter_format<CounterDialect::metrics>("node_exporter", "curl -s http://NODE:9100/metrics");
  return format;
}

namespace {

struct CounterKind {
  std::string_view kind;
  CounterDialect dialect;
};
constexpr CounterKind kCounterKinds[] = {{"nstat", CounterDialect::nstat},
                                         {"netstat -s", CounterDialect::netstat},
                                         {"/proc/net/netstat", CounterDialect::proc_net},
                                         {"ethtool -S", CounterDialect::ethtool},
                                         {"node_exporter", CounterDialect::metrics},
                                         {"ip link", CounterDialect::ip_link}};

// The command of ethtool stands in the file's name.
Dump dump_of(const cluster::DumpInfo& info, const Source& source) {
  Dump dump;
  dump.source = info.source;
  dump.path = info.path;
  dump.command = info.path.substr(info.path.rfind('/') + 1);
  dump.text = source.text;
  dump.first_line = source.first_line;
  return dump;
}

}  // namespace
}  // namespace egt::parsers::system

namespace egt::parsers {

std::vector<host::Counter> read_counters(const cluster::Cluster& cluster, const cluster::Node& node) {
  std::vector<host::Counter> all;
  for (const std::size_t i : node.dumps) {
    if (i >= cluster.dumps.size()) continue;
    const cluster::DumpInfo& info = cluster.dumps[i];
    for (const system::CounterKind& k : system::kCounterKinds) {
      if (info.kind != k.kind || info.source == kNoSource) continue;
      Report report;
      const Dump dump = system::dump_of(info, cluster.sources->at(info.source));
      system::read_counter_lines(dump, k.dialect, report, [&](const Line& line, const system::CounterLine& parsed) {
        for (const system::CounterValue& c : parsed.counters)
          all.push_back({c.name, c.device, c.value, {info.source, line.number}});
      });
    }
  }
  return all;
}

}  // namespace egt::parsers
