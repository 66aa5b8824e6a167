// ovs-appctl fdb/show: the MAC table of a bridge that switches by NORMAL, as of Open vSwitch 4.0 also those of several bridges
// (ofproto_unixctl_fdb_show() of ofproto/ofproto-dpif.c).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_ofctl/formats.h"
#include "ovs_ofctl/json.h"
#include "ovs_ofctl/line_format.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

constexpr std::string_view kStatic = "static";

struct FdbLine {
  openflow::Port port;
  std::uint16_t vlan = 0;
  std::uint64_t mac = 0;
  bool is_static = false;
  std::uint64_t age = 0;  // seconds
};

// The line above the entries: "port" until Open vSwitch 3.7, "Port" behind it.
struct FdbTitle {
  std::string_view port;
  std::size_t bridge_width = 0;  // of the column of bridges; 0: the table has none
};

// What a line of the table shows. In a table of several bridges only the first entry of each bears its name, which stands alone
// where the bridge has learned nothing.
struct FdbRow {
  std::string_view bridge;  // empty: that of the entry above
  bool has_entry = true;
  FdbLine entry;
};

bool read_title(std::string_view text, FdbTitle& title) {
  std::vector<std::string_view> w = words(text);
  title = {};
  if (w.size() == 5 && w[0] == "Bridge" && w[1] == "Port") {
    title.bridge_width = text.find("Port") - std::min<std::size_t>(text.find("Port"), 2);
    w.erase(w.begin());
  }
  if (w.size() != 4 || (w[0] != "port" && w[0] != "Port") || w[1] != "VLAN" || w[2] != "MAC" || w[3] != "Age") return false;
  title.port = w[0];
  return true;
}

bool read_entry(const std::vector<std::string_view>& w, FdbLine& l) {
  if (w.size() != 4 || !read_port(w[0], l.port)) return false;
  const auto vlan = parse_decimal(w[1]);
  l.is_static = w[3] == kStatic;
  const auto age = parse_decimal(w[3]);
  if (!vlan || *vlan > 4095 || !read_ethernet(w[2], l.mac) || (!age && !l.is_static)) return false;
  l.vlan = static_cast<std::uint16_t>(*vlan);
  l.age = age.value_or(0);
  return true;
}

bool read_row(std::string_view text, const FdbTitle& title, FdbRow& row) {
  std::vector<std::string_view> w = words(text);
  row = {};
  if (title.bridge_width > 0 && (w.size() == 5 || w.size() == 1)) {
    row.bridge = w.front();
    w.erase(w.begin());
    row.has_entry = !w.empty();
  }
  return !row.has_entry || read_entry(w, row.entry);
}

void write_title(const FdbTitle& title, std::string& out) {
  if (title.bridge_width > 0) {
    out += ' ';
    out += fmt::format("{:<{}}", "Bridge", title.bridge_width);
  }
  out += ' ';
  out += title.port;
  out += "  VLAN  MAC                Age";
}

void write_entry(const FdbLine& l, std::string& out) {
  std::string port = l.port.name;
  if (port.empty()) write_port_number(l.port.number, port);
  out += fmt::format("{:>5}  {:>4}  ", port, l.vlan);
  write_ethernet(l.mac, out);
  out += l.is_static ? fmt::format("  {}", kStatic) : fmt::format("  {:>3}", l.age);
}

void write_row(const FdbRow& row, const FdbTitle& title, std::string& out) {
  if (title.bridge_width > 0) out += ' ';
  if (!row.has_entry) {
    out += row.bridge;
    return;
  }
  out += fmt::format("{:<{}}", row.bridge, title.bridge_width);
  write_entry(row.entry, out);
}

void reprint_fdb(const Dump& dump, std::string& out, Report& report) {
  FdbTitle title;
  reprint_lines(dump, out, report, [&](std::string_view text, std::string& printed) {
    FdbTitle next;
    FdbRow row;
    if (read_title(text, next)) {
      title = next;
      write_title(title, printed);
      return LineResult::ignored;
    }
    if (!read_row(text, title, row)) return LineResult::no;
    write_row(row, title, printed);
    return LineResult::understood;
  });
}

// What is known of one bridge: an entry a line.
struct MacTable {
  struct NumberedFdbLine {
    FdbLine line;
    std::uint32_t at = 0;
  };
  std::string bridge;    // empty: the dump does not name it
  std::uint32_t at = 0;  // the line that begins it
  std::vector<NumberedFdbLine> entries;
};

std::vector<MacTable> read_fdb(const Dump& dump, Report& report) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  FdbTitle title;
  std::vector<MacTable> tables;
  while (lines.next(line)) {
    FdbTitle next;
    FdbRow row;
    if (read_title(line.text, next)) {
      title = next;
      if (title.bridge_width == 0) tables.push_back({{}, line.number, {}});
      lines_report.ignored();
    } else if (is_filler(line.text)) {
      lines_report.ignored();
    } else if (read_row(line.text, title, row) && (!row.bridge.empty() || !tables.empty())) {
      if (!row.bridge.empty()) tables.push_back({std::string(row.bridge), line.number, {}});
      if (row.has_entry) tables.back().entries.push_back({row.entry, line.number});
      lines_report.understood();
    } else {
      lines_report.not_understood(line, 1, "line not understood");
    }
  }
  return tables;
}

Json json_of_entry(const MacTable::NumberedFdbLine& e) {
  std::string mac;
  write_ethernet(e.line.mac, mac);
  Json j{{"line", e.at}, {"port", json_of(e.line.port)}, {"vlan", e.line.vlan}, {"mac", mac}};
  if (e.line.is_static)
    j["static"] = true;
  else
    j["age"] = e.line.age;
  return j;
}

void fdb_to_json(const Dump& dump, std::string& out, Report& report) {
  Json list = Json::array();
  Json bridges = Json::array();
  for (const MacTable& table : read_fdb(dump, report)) {
    if (!table.bridge.empty()) bridges.push_back(table.bridge);
    for (const MacTable::NumberedFdbLine& e : table.entries) {
      Json j = json_of_entry(e);
      if (!table.bridge.empty()) j["bridge"] = table.bridge;
      list.push_back(std::move(j));
    }
  }
  Json j{{"entries", list}};
  if (!bridges.empty()) j["bridges"] = bridges;
  out += pretty(j) + "\n";
}

// The bridge of a table that does not name it: by the command, the file's name, or because the node has one only.
std::string bridge_of_table(const Dump& dump, const cluster::Node& node) {
  std::string name = bridge_of(dump, "fdb/show");
  if (name.empty()) name = bridge_by_file_name(dump, node);
  return name.empty() ? only_bridge(node) : name;
}

void load_table(const MacTable& table, const std::string& name, const Dump& dump, cluster::Node& node) {
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, table.at});
  if (bridge.has_fdb) return;
  bridge.has_fdb = !dump.partial;
  bridge.fdb.clear();
  for (const MacTable::NumberedFdbLine& e : table.entries) {
    std::uint32_t port = e.line.port.number;
    if (!e.line.port.name.empty()) {
      const openflow::Interface* i = bridge.by_name(e.line.port.name);
      if (!i || !i->ofport) continue;
      port = *i->ofport;
    }
    bridge.fdb.push_back({port, e.line.vlan, MacAddr{e.line.mac}, {dump.source, e.at}});
  }
}

void load_fdb(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  for (const MacTable& table : read_fdb(dump, report)) {
    const std::string name = table.bridge.empty() ? bridge_of_table(dump, node) : table.bridge;
    if (name.empty())
      report.diagnostics.push_back({Diagnostic::Severity::warning,
                                    {dump.source, table.at},
                                    0,
                                    "no bridge is named for this MAC table; it is ignored",
                                    "name the file after the command that printed it"});
    else
      load_table(table, name, dump, node);
  }
}

Recognition recognise_fdb(const Dump& dump) {
  Recognition r;
  LineReader lines(dump);
  Line line;
  FdbTitle title;
  for (int i = 0; i < 5 && lines.next(line) && r.confidence == 0; ++i)
    if (read_title(line.text, title)) r.confidence = 95;
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
