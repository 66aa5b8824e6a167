// ovs-appctl fdb/show: the MAC table of a bridge that switches by NORMAL.
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

constexpr std::string_view kTitle[] = {"port", "VLAN", "MAC", "Age"};
constexpr std::string_view kStatic = "static";

struct FdbLine {
  openflow::Port port;
  std::uint16_t vlan = 0;
  std::uint64_t mac = 0;
  bool is_static = false;
  std::uint64_t age = 0;  // seconds
};

bool is_title(std::string_view text) {
  const std::vector<std::string_view> w = words(text);
  if (w.size() != 4) return false;
  for (std::size_t i = 0; i < 4; ++i)
    if (w[i] != kTitle[i]) return false;
  return true;
}

bool read_line(std::string_view text, FdbLine& l) {
  const std::vector<std::string_view> w = words(text);
  if (w.size() != 4 || !read_port(w[0], l.port)) return false;
  const auto vlan = parse_decimal(w[1]);
  l.is_static = w[3] == kStatic;
  const auto age = parse_decimal(w[3]);
  if (!vlan || *vlan > 4095 || !read_ethernet(w[2], l.mac) || (!age && !l.is_static)) return false;
  l.vlan = static_cast<std::uint16_t>(*vlan);
  l.age = age.value_or(0);
  return true;
}

void write_right(const std::string& text, std::size_t width, std::string& out) {
  if (text.size() < width) out.append(width - text.size(), ' ');
  out += text;
}

Took print_fdb_line(std::string_view text, std::string& out) {
  FdbLine l;
  if (is_title(text)) {
    out += " port  VLAN  MAC                Age";
    return Took::ignored;
  }
  if (!read_line(text, l)) return Took::no;
  std::string port = l.port.name;
  if (port.empty()) write_port_number(l.port.number, port);
  write_right(port, 5, out);
  out += "  ";
  write_right(std::to_string(l.vlan), 4, out);
  out += "  ";
  write_ethernet(l.mac, out);
  out += "  ";
  write_right(l.is_static ? std::string(kStatic) : std::to_string(l.age), 3, out);
  return Took::understood;
}

void reprint_fdb(const Dump& dump, std::string& out, Report& report) { reprint_lines(dump, out, report, print_fdb_line); }

struct Entry {
  FdbLine line;
  std::uint32_t at = 0;
};

bool read_fdb(const Dump& dump, Report& report, std::vector<Entry>& entries) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  bool title = false;
  while (lines.next(line)) {
    Entry e;
    if (is_title(line.text)) {
      title = true;
      lines_report.ignored();
    } else if (is_filler(line.text)) {
      lines_report.ignored();
    } else if (read_line(line.text, e.line)) {
      e.at = line.number;
      entries.push_back(e);
      lines_report.understood();
    } else {
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
  return title;
}

void fdb_to_json(const Dump& dump, std::string& out, Report& report) {
  std::vector<Entry> entries;
  read_fdb(dump, report, entries);
  Json list = Json::array();
  for (const Entry& e : entries) {
    std::string mac;
    write_ethernet(e.line.mac, mac);
    Json j{{"line", e.at}, {"port", json_of(e.line.port)}, {"vlan", e.line.vlan}, {"mac", mac}};
    if (e.line.is_static)
      j["static"] = true;
    else
      j["age"] = e.line.age;
    list.push_back(std::move(j));
  }
  out += pretty(Json{{"entries", list}}) + "\n";
}

void load_fdb(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<Entry> entries;
  if (!read_fdb(dump, report, entries)) return;
  const std::string told = bridge_of(dump, "fdb/show");
  std::string name = told.empty() ? bridge_by_file_name(dump, node) : told;
  if (name.empty()) name = only_bridge(node);
  if (name.empty()) {
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "no bridge is named for this MAC table; it is ignored",
                                  "name the file after the command that printed it"});
    return;
  }
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  if (bridge.has_fdb) return;
  bridge.has_fdb = !dump.partial;
  bridge.fdb.clear();
  for (const Entry& e : entries) {
    std::uint32_t port = e.line.port.number;
    if (!e.line.port.name.empty()) {
      const openflow::Interface* i = bridge.by_name(e.line.port.name);
      if (!i || !i->ofport) continue;
      port = *i->ofport;
    }
    bridge.fdb.push_back({port, e.line.vlan, MacAddr{e.line.mac}, {dump.source, e.at}});
  }
}

Recognition recognise_fdb(const Dump& dump) {
  Recognition r;
  LineReader lines(dump);
  Line line;
  for (int i = 0; i < 5 && lines.next(line) && r.confidence == 0; ++i)
    if (is_title(line.text)) r.confidence = 95;
  if (r.confidence == 0 && command_has(dump, "fdb/show")) r.confidence = 30;
  if (r.confidence > 0) r.topic = topic_of_bridge(dump, "fdb", bridge_of(dump, "fdb/show"));
  r.quality = dump.partial ? -50 : 10;
  return r;
}

}  // namespace

const Format& fdb_format() {
  static const Format format{
      "ovs-appctl fdb/show", "ovs-appctl fdb/show br-ex", recognise_fdb, reprint_fdb, fdb_to_json, load_fdb};
  return format;
}

}  // namespace egt::parsers::ofctl
