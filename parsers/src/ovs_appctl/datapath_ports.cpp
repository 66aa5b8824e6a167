// ovs-appctl dpctl/show: the datapath and its ports.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "netdev@ovs-netdev:", or "  port 5: genev_sys_6081 (geneve: packet_type=ptap)", or a counter such as "  flows: 3".
struct PortLine {
  enum class Kind : std::uint8_t { datapath, port, counter } kind = Kind::counter;
  std::string_view type, name;  // of the datapath or port
  std::uint32_t number = 0;
  bool has_type = false, has_options = false;
  std::string_view options;
  std::string_view text;  // of a counter
};

bool read_port(std::string_view s, PortLine& l) {
  if (!consume(s, "  port ")) return false;
  const std::size_t colon = s.find(": ");
  if (colon == std::string_view::npos) return false;
  const auto number = parse_decimal(s.substr(0, colon));
  if (!number || *number > 0xffffffff || fmt::format("{}", *number) != s.substr(0, colon)) return false;
  l.number = static_cast<std::uint32_t>(*number);
  s.remove_prefix(colon + 2);
  const std::size_t open = s.find(" (");
  l.name = s.substr(0, open);
  if (l.name.empty()) return false;
  l.kind = PortLine::Kind::port;
  if (open == std::string_view::npos) return true;
  if (!s.ends_with(')')) return false;
  std::string_view inside = s.substr(open + 2, s.size() - open - 3);
  const std::size_t more = inside.find(": ");
  l.has_type = true;
  l.type = inside.substr(0, more);
  l.has_options = more != std::string_view::npos;
  if (l.has_options) l.options = inside.substr(more + 2);
  return true;
}

bool is_datapath(std::string_view s, PortLine& l) {
  const std::size_t at = s.find('@');
  if (at == std::string_view::npos || at == 0 || !s.ends_with(':') || at + 2 >= s.size() || s.find(' ') != std::string_view::npos)
    return false;
  l.kind = PortLine::Kind::datapath;
  l.type = s.substr(0, at);
  l.name = s.substr(at + 1, s.size() - at - 2);
  return true;
}

// Statistics of the datapath, and with -s of its ports: no fact of the model.
bool is_counter(std::string_view s) {
  return s.starts_with("  ") && s.find(':') != std::string_view::npos && !s.starts_with("  port ");
}

struct PortLines {
  using Entry = PortLine;
  static constexpr const char* kTopic = "datapath ports";
  static constexpr std::string_view kCommands[] = {"dpctl/show", "dpctl.show", "ovs-dpctl show"};
  static constexpr bool kTitled = false;
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view) { return false; }
  static bool read(std::string_view text, Entry& l) {
    if (is_datapath(text, l) || read_port(text, l)) return true;
    l.text = text;
    return is_counter(text);
  }
  static void print(const Entry& l, std::string& out) {
    switch (l.kind) {
      case PortLine::Kind::datapath: out += fmt::format("{}@{}:", l.type, l.name); return;
      case PortLine::Kind::counter: out += l.text; return;
      case PortLine::Kind::port: break;
    }
    out += fmt::format("  port {}: {}", l.number, l.name);
    if (l.has_type) out += fmt::format(" ({}{}{})", l.type, l.has_options ? ": " : "", l.options);
  }
  static Json json(const Entry& l) {
    if (l.kind == PortLine::Kind::counter) return {{"counter", trim(l.text)}};
    Json j{{l.kind == PortLine::Kind::port ? "port" : "datapath", l.name}};
    if (l.kind == PortLine::Kind::port) j["number"] = l.number;
    if (!l.type.empty()) j["type"] = l.type;
    if (l.has_options) j["options"] = l.options;
    return j;
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    if (l.kind == PortLine::Kind::datapath) d.type = std::string(l.type);
    if (l.kind == PortLine::Kind::port) d.ports.push_back({l.number, std::string(l.name), std::string(l.type), from});
  }
  static void looked_at(openflow::Datapath&) {}
};

// Indented counters alone stand in many dumps.
Recognition recognise(const Dump& dump) {
  Recognition how = LineDump<PortLines>::recognise(dump);
  PortLine ignored;
  LineReader lines(dump);
  for (Line line; how.confidence > 0 && lines.next(line);)
    if (!ofctl::is_filler(line.text)) {
      if (!is_datapath(line.text, ignored)) how.confidence = 0;
      break;
    }
  return how;
}

}  // namespace

const Format& datapath_ports_format() {
  static const Format format = [] {
    Format f = line_format<PortLines>("ovs-appctl dpctl/show", "ovs-appctl dpctl/show");
    f.recognise = recognise;
    return f;
  }();
  return format;
}

}  // namespace egt::parsers::appctl
