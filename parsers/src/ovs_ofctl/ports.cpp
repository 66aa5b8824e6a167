// ovs-ofctl show and dump-ports-desc: the ports of a bridge with their numbers.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

// " 1(eth0): addr:aa:bb:cc:dd:ee:ff"
struct PortLine {
  std::size_t indent = 0;
  std::uint32_t number = 0;
  std::string_view name;
  std::uint64_t mac = 0;
};

// "     config:     PORT_DOWN"
struct DetailLine {
  std::string_view label, value;
};

constexpr std::string_view kLabels[] = {
    "config:     ", "state:      ", "current:    ", "advertised: ", "supported:  ", "peer:       ", "speed: "};
constexpr std::string_view kDetailIndent = "     ";

bool read_port_line(std::string_view text, PortLine& p) {
  std::string_view s = text;
  p = {};
  while (s.starts_with(" ")) s.remove_prefix(1), ++p.indent;
  const std::size_t open = s.find('('), close = s.rfind("): addr:");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open || open == 0) return false;
  openflow::Port port;
  if (!read_port(s.substr(0, open), port) || !port.name.empty()) return false;
  p.number = port.number;
  p.name = s.substr(open + 1, close - open - 1);
  return read_ethernet(s.substr(close + 8), p.mac);
}

void write_port_line(const PortLine& p, std::string& out) {
  out.append(p.indent, ' ');
  write_port_number(p.number, out);
  ((out += '(') += p.name) += "): addr:";
  write_ethernet(p.mac, out);
}

bool read_detail(std::string_view text, DetailLine& d) {
  if (!consume(text, kDetailIndent)) return false;
  for (const std::string_view label : kLabels) {
    if (!text.starts_with(label)) continue;
    d = {label, text.substr(label.size())};
    return true;
  }
  return false;
}

// Of a features reply; they describe the switch, not its ports.
bool is_feature(std::string_view text) {
  return text.starts_with("n_tables:") || text.starts_with("capabilities:") || text.starts_with("actions: ");
}

LineResult print_port_line(std::string_view text, std::string& out) {
  PortLine p;
  DetailLine d;
  if (is_feature(text)) {
    out += text;
    return LineResult::ignored;
  }
  if (read_port_line(text, p)) {
    write_port_line(p, out);
    return LineResult::understood;
  }
  if (!read_detail(text, d)) return LineResult::no;
  ((out += kDetailIndent) += d.label) += d.value;
  return LineResult::understood;
}

void reprint_ports(const Dump& dump, std::string& out, Report& report) { reprint_lines(dump, out, report, print_port_line); }

struct Port {
  PortLine line;
  std::uint32_t at = 0;
  std::string config, state;
  std::vector<DetailLine> details;
};

// The text must be free of colours, as it is in any real dump: views into it are kept.
std::vector<Port> read_ports(const Dump& dump, Report& report) {
  std::vector<Port> ports;
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  while (lines.next(line)) {
    ReplyHeader h;
    Port p;
    DetailLine d;
    if (read_port_line(line.text, p.line)) {
      p.at = line.number;
      ports.push_back(std::move(p));
      lines_report.understood();
    } else if (read_detail(line.text, d)) {
      if (!ports.empty()) {
        if (d.label.starts_with("config")) ports.back().config = d.value;
        if (d.label.starts_with("state")) ports.back().state = d.value;
        ports.back().details.push_back(d);
      }
      lines_report.understood();
    } else if (is_filler(line.text) || is_feature(line.text) || read_reply_header(line.text, h)) {
      lines_report.ignored();
    } else {
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
  return ports;
}

void ports_to_json(const Dump& dump, std::string& out, Report& report) {
  Json list = Json::array();
  for (const Port& p : read_ports(dump, report)) {
    std::string mac, number;
    write_ethernet(p.line.mac, mac);
    write_port_number(p.line.number, number);
    Json j{{"line", p.at}, {"port", number}, {"name", p.line.name}, {"addr", mac}};
    for (const DetailLine& d : p.details) j[std::string(d.label.substr(0, d.label.find(':')))] = d.value;
    list.push_back(std::move(j));
  }
  out += pretty(Json{{"ports", list}}) + "\n";
}

// Names of more than 15 characters are cut in OpenFlow 1.0 to 1.4.
constexpr std::size_t kShortName = 15;
bool same_port_name(std::string_view full, std::string_view shown) {
  return full == shown || (shown.size() == kShortName && full.starts_with(shown));
}

// What the database has of ports without their bridge. Empty places are left behind: there may be thousands.
class UnplacedByNumber {
 public:
  explicit UnplacedByNumber(std::vector<openflow::Interface>& all) : all_(all) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].ofport) by_number_.emplace(*all_[i].ofport, i);
  }
  std::optional<openflow::Interface> take(const PortLine& p) {
    std::optional<std::size_t> first;
    const auto [begin, end] = by_number_.equal_range(p.number);
    for (auto it = begin; it != end; ++it)
      if (same_port_name(all_[it->second].name, p.name) && (!first || it->second < *first)) first = it->second;
    if (!first) return std::nullopt;
    return std::exchange(all_[*first], {});
  }

 private:
  std::vector<openflow::Interface>& all_;
  std::unordered_multimap<std::uint32_t, std::size_t> by_number_;
};

// The port of this name that has no number yet; null where two may be meant.
openflow::Interface* without_number(openflow::Bridge& bridge, std::string_view name) {
  if (openflow::Interface* same = bridge.by_name(name); name.size() != kShortName)
    return same != nullptr && !same->ofport ? same : nullptr;
  openflow::Interface* found = nullptr;
  int matches = 0;
  for (openflow::Interface& i : bridge.interfaces)
    if (!i.ofport && same_port_name(i.name, name)) found = &i, ++matches;
  return matches == 1 ? found : nullptr;
}

// By number, the first of each.
using Numbered = std::unordered_map<std::uint32_t, std::size_t>;

Numbered numbered(const openflow::Bridge& bridge) {
  Numbered all;
  for (std::size_t i = 0; i < bridge.interfaces.size(); ++i)
    if (const auto number = bridge.interfaces[i].ofport) all.emplace(*number, i);
  return all;
}

openflow::Interface& ensure_interface(const Numbered& known_numbers, UnplacedByNumber& unplaced, openflow::Bridge& bridge,
                                      const PortLine& p) {
  if (const auto known = known_numbers.find(p.number); known != known_numbers.end()) {
    openflow::Interface& i = bridge.interfaces[known->second];
    if (!same_port_name(i.name, p.name)) i.disputed.insert("name");
    return i;
  }
  if (openflow::Interface* known = without_number(bridge, p.name)) return *known;
  openflow::Interface i;
  i.name = p.name;
  if (auto known = unplaced.take(p))
    i = std::move(*known);
  else if (p.number == openflow::port::local)
    i.type = "internal";
  bridge.interfaces.push_back(std::move(i));
  return bridge.interfaces.back();
}

// The local port is named like its bridge.
std::string local_name(const Dump& dump) {
  LineReader lines(dump);
  Line line;
  PortLine port;
  while (lines.next(line))
    if (line.text.find("LOCAL") != std::string_view::npos && read_port_line(line.text, port) &&
        port.number == openflow::port::local)
      return std::string(port.name);
  return {};
}

std::string bridge_of_ports(const Dump& dump, std::string_view verb) {
  const std::string shown = bridge_of(dump, verb);
  return shown.empty() ? local_name(dump) : shown;
}

void load_config(const Port& p, openflow::Interface& i) {
  const std::vector<std::string_view> config = words(p.config), state = words(p.state);
  const auto has = [](const std::vector<std::string_view>& flags, std::string_view flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  i.port_down = has(config, "PORT_DOWN");
  i.no_receive = has(config, "NO_RECV");
  i.no_receive_stp = has(config, "NO_RECV_STP");
  i.no_flood = has(config, "NO_FLOOD");
  i.no_forward = has(config, "NO_FWD");
  i.link_down = has(state, "LINK_DOWN");
}

// "OFPT_GET_CONFIG_REPLY (xid=0x4): frags=drop miss_send_len=0", the last line of ovs-ofctl show.
std::optional<openflow::Fragments> fragments_of(const Dump& dump) {
  LineReader lines(dump);
  Line line;
  std::optional<openflow::Fragments> found;
  while (lines.next(line)) {
    const std::size_t at = line.text.find("frags=");
    if (at == std::string_view::npos || !line.text.starts_with("OFPT_GET_CONFIG_REPLY")) continue;
    const std::string_view word = line.text.substr(at + 6, line.text.find(' ', at) - at - 6);
    found = word == "drop"       ? openflow::Fragments::drop
            : word == "nx-match" ? openflow::Fragments::nx_match
                                 : openflow::Fragments::normal;
  }
  return found;
}

void load_ports(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::vector<Port> ports = read_ports(dump, report);
  std::string name;
  for (const Port& p : ports)
    if (p.line.number == openflow::port::local) name = p.line.name;  // the local port is named like its bridge
  if (name.empty()) name = bridge_of(dump, "show");
  if (name.empty()) name = bridge_of(dump, "dump-ports-desc");
  if (ports.empty() || name.empty()) return;
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  if (const auto fragments = fragments_of(dump)) bridge.fragments = *fragments;
  UnplacedByNumber unplaced(node.unplaced_interfaces);
  Numbered known_numbers = numbered(bridge);
  for (const Port& p : ports) {
    openflow::Interface& i = ensure_interface(known_numbers, unplaced, bridge, p.line);
    i.ofport = p.line.number;
    known_numbers.emplace(p.line.number, static_cast<std::size_t>(&i - bridge.interfaces.data()));
    if (!i.mac) i.mac = MacAddr{p.line.mac};
    load_config(p, i);
    if (!i.from.known()) i.from = {dump.source, p.at};
  }
  std::erase_if(node.unplaced_interfaces, [](const openflow::Interface& i) { return i.name.empty() && !i.ofport; });
}

// A port's line in the first few.
bool has_port_line(const Dump& dump) {
  LineReader lines(dump);
  Line line;
  PortLine p;
  for (int i = 0; i < 40 && lines.next(line); ++i)
    if (read_port_line(line.text, p)) return true;
  return false;
}

Recognition recognise_show(const Dump& dump) {
  Recognition r;
  r.confidence = confidence_by_header(dump, "FEATURES_REPLY");
  if (r.confidence == 0 && has_port_line(dump)) r.confidence = 80;
  if (r.confidence == 0 && command_has(dump, "ovs-ofctl show")) r.confidence = 30;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, "ports", bridge_of_ports(dump, "show"));
  r.quality = dump.partial ? -50 : 10;
  return r;
}

Recognition recognise_ports_desc(const Dump& dump) {
  Recognition r;
  if (confidence_by_header(dump, "FEATURES_REPLY") > 0) return r;
  r.confidence = confidence_by_header(dump, "PORT_DESC");
  if (r.confidence == 0 && command_has(dump, "ovs-ofctl dump-ports-desc")) r.confidence = 85;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, "ports", bridge_of_ports(dump, "dump-ports-desc"));
  r.quality = dump.partial ? -50 : 12;
  return r;
}

}  // namespace

const Format& show_format() {
  static const Format format{"ovs-ofctl show", "ovs-ofctl show br-int", recognise_show, reprint_ports, ports_to_json, load_ports};
  return format;
}

const Format& dump_ports_desc_format() {
  static const Format format{"ovs-ofctl dump-ports-desc",
                             "ovs-ofctl dump-ports-desc br-int",
                             recognise_ports_desc,
                             reprint_ports,
                             ports_to_json,
                             load_ports};
  return format;
}

}  // namespace egt::parsers::ofctl
