// `ovn-nbctl lr-nat-list` and `lb-list`: recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "ovn/column_table.h"
#include "ovn/formats.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovn_text {
namespace {

using Json = nlohmann::ordered_json;

bool is_nat_heading(std::string_view text) {
  return text.starts_with("TYPE ") && text.find("EXTERNAL_IP") != std::string_view::npos &&
         text.find("LOGICAL_IP") != std::string_view::npos;
}

bool is_lb_heading(std::string_view text) {
  return text.starts_with("UUID ") && text.find(" LB ") != std::string_view::npos &&
         text.find(" VIP ") != std::string_view::npos;
}

bool is_no_row(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed.empty() || trimmed.front() == '#' || trimmed == "--";
}

using IsHeading = bool (*)(std::string_view);

bool has_heading(const Dump& dump, IsHeading is_heading) {
  LineReader reader(dump);
  Line line;
  for (int n = 0; n < 50 && reader.next(line); ++n)
    if (is_heading(line.text)) return true;
  return false;
}

Recognition recognise_table(const Dump& dump, IsHeading is_heading, std::string_view command, std::string topic) {
  Recognition how{0, std::move(topic), dump.partial ? 1 : 2};
  if (is_blank_dump(dump)) how.confidence = command_has(dump, command) ? 60 : 0;
  else if (has_heading(dump, is_heading)) how.confidence = 98;
  else if (command_has(dump, command)) how.confidence = 50;
  return how;
}

// A row cannot be read before its heading is.
constexpr const char* kNoHeading = "a row before the heading that tells its columns";

void reprint_table(const Dump& dump, IsHeading is_heading, std::string& out, Report& report) {
  std::vector<ColumnTable::Heading> headings;
  reprint_lines(dump, out, report, [&](const Line& line, std::string& canonical, LineReport& lines) {
    if (is_heading(line.text)) {
      headings = parse_headings(line.text);
      print_headings(headings, canonical);
      return lines.ignored(), true;
    }
    if (is_no_row(line.text)) return lines.ignored(), false;
    if (headings.empty()) return lines.not_understood(line, 1, kNoHeading), false;
    lines.understood();
    print_table_row(headings, parse_table_row(headings, line), canonical);
    return true;
  });
}

ColumnTable read_table(const Dump& dump, IsHeading is_heading, Report& report) {
  ColumnTable table;
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (is_heading(line.text)) {
      table.headings = parse_headings(line.text);
      lines.ignored();
    } else if (is_no_row(line.text)) {
      lines.ignored();
    } else if (table.headings.empty()) {
      lines.not_understood(line, 1, kNoHeading);
    } else {
      lines.understood();
      table.rows.push_back(parse_table_row(table.headings, line));
    }
  }
  return table;
}

void table_to_json(const Dump& dump, IsHeading is_heading, std::string& out, Report& report) {
  const ColumnTable table = read_table(dump, is_heading, report);
  Json doc{{"rows", Json::array()}};
  for (const ColumnTable::Row& row : table.rows) {
    Json j = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) j[table.headings[i].name] = row.cells[i];
    doc["rows"].push_back(std::move(j));
  }
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

// ---- NAT

struct NatColumn { const char* heading; const char* column; bool optional; };
constexpr NatColumn kNatColumns[] = {
    {"TYPE", "type", false},           {"GATEWAY_PORT", "gateway_port", true},
    {"MATCH", "match", false},         {"EXTERNAL_IP", "external_ip", false},
    {"EXTERNAL_PORT", "external_port_range", false}, {"LOGICAL_IP", "logical_ip", false},
    {"EXTERNAL_MAC", "external_mac", true},          {"LOGICAL_PORT", "logical_port", true},
};

// A cell that fills its column may be the beginning of something longer. An address is whole when it can be read; a
// shortened IPv6 address can be read too, so that it has to be found among the rows that `list nat` told.
bool is_trusted(const ColumnTable& table, const ColumnTable::Row& row, const char* heading) {
  if (!table.may_be_cut(row, heading)) return true;
  const auto address = IpAddr::parse(table.cell(row, heading));
  return address && address->is_v4();
}

ovn::Row nat_of(const ColumnTable& table, const ColumnTable::Row& row, Provenance from) {
  ovn::Row nat;
  nat.from = from;
  for (const NatColumn& c : kNatColumns) {
    const std::string cell = table.cell(row, c.heading);
    if (table.find(c.heading) == table.headings.size()) continue;
    nat.columns[c.column] = cell.empty() && c.optional ? "[]" : printed(cell);
  }
  return nat;
}

void load_nats(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string router = argument_after(dump, "lr-nat-list");
  const ColumnTable table = read_table(dump, is_nat_heading, report);
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "NAT", ovsdb::key_columns("NAT"));
  bool complete = !router.empty() && !dump.partial && report.not_understood.empty();
  for (const ColumnTable::Row& row : table.rows) {
    const Provenance from{dump.source, row.line};
    if (!is_trusted(table, row, "EXTERNAL_IP") || !is_trusted(table, row, "LOGICAL_IP")) {
      report.diagnostics.push_back({Diagnostic::Severity::warning, from, 0,
                                    "the address may be cut off: ovn-nbctl prints 15 or 16 characters of it",
                                    "ovn-nbctl list nat"});
      complete = false;
      continue;
    }
    ovn::Row nat = nat_of(table, row, from);
    if (!router.empty()) nat.columns["router"] = printed(router);
    rows.add(std::move(nat));
  }
  if (complete)
    node.ovn.complete_tables.emplace("NB NAT of " + router, Provenance{dump.source, dump.first_line});
}

// ---- load balancers

// VIPs of one load balancer stand below each other; only the first line has UUID and name.
void load_balancers(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const ColumnTable table = read_table(dump, is_lb_heading, report);
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "Load_Balancer", {});
  ovn::Row current;
  ovsdb::Datum vips;
  vips.shape = ovsdb::Datum::Shape::map;
  const auto close = [&] {
    if (!current.uuid.empty()) {
      current.columns["vips"] = ovsdb::to_text(vips);
      rows.add(std::move(current));
    }
    current = {};
    vips.keys.clear();
    vips.values.clear();
  };
  for (const ColumnTable::Row& row : table.rows) {
    if (const std::string uuid = table.cell(row, "UUID"); !uuid.empty()) {
      close();
      current.uuid = uuid;
      current.from = {dump.source, row.line};
      if (!table.may_be_cut(row, "LB")) current.columns["name"] = printed(table.cell(row, "LB"));
      if (const std::string protocol = table.cell(row, "PROTO"); !protocol.empty())
        current.columns["protocol"] = printed(protocol);
    }
    vips.keys.push_back(ovsdb::string_atom(table.cell(row, "VIP")));
    vips.values.push_back(ovsdb::string_atom(table.cell(row, "IPs")));
  }
  close();
}

}  // namespace

const Format& nat_format() {
  static constexpr Format kFormat = {
      "ovn-nbctl lr-nat-list", "ovn-nbctl lr-nat-list ROUTER",
      [](const Dump& dump) {
        return recognise_table(dump, is_nat_heading, "ovn-nbctl lr-nat-list",
                               topic_of(dump, "router NAT", "lr-nat-list"));
      },
      [](const Dump& dump, std::string& out, Report& report) { reprint_table(dump, is_nat_heading, out, report); },
      [](const Dump& dump, std::string& out, Report& report) { table_to_json(dump, is_nat_heading, out, report); },
      load_nats, nullptr, "OVN_Northbound"};
  return kFormat;
}

const Format& load_balancer_format() {
  static constexpr Format kFormat = {
      "ovn-nbctl lb-list", "ovn-nbctl lb-list",
      [](const Dump& dump) { return recognise_table(dump, is_lb_heading, "ovn-nbctl lb-list", "load balancers"); },
      [](const Dump& dump, std::string& out, Report& report) { reprint_table(dump, is_lb_heading, out, report); },
      [](const Dump& dump, std::string& out, Report& report) { table_to_json(dump, is_lb_heading, out, report); },
      load_balancers, nullptr, "OVN_Northbound"};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
