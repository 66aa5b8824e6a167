// `ovn-nbctl lr-nat-list` and `lb-list`: recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <memory>
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
  return text.starts_with("UUID ") && text.find(" LB ") != std::string_view::npos && text.find(" VIP ") != std::string_view::npos;
}

// Where the cells of a row begin: nbctl leaves at least four blanks between them.
std::vector<std::size_t> cell_starts(std::string_view row) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != ' ' && (i == 0 || (row[i - 1] == ' ' && (i == 1 || row[i - 2] == ' ')))) starts.push_back(i);
  return starts;
}

// What grep leaves of the listing has no heading: the first row of a load balancer shows where the columns are.
ColumnHeadings lb_headings_of(std::string_view row) {
  static constexpr const char* kNames[] = {"UUID", "LB", "PROTO", "VIP", "IPs"};
  const std::vector<std::size_t> starts = cell_starts(trim_right(row));
  const bool full = starts.size() == std::size(kNames) && starts[0] == 0 && ovsdb::is_uuid(row.substr(0, row.find(' ')));
  ColumnHeadings headings;
  for (std::size_t i = 0; full && i < starts.size(); ++i)
    headings.push_back({kNames[i], i + 1 < starts.size() ? starts[i + 1] - starts[i] : 0});
  return headings;
}

bool is_no_row(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed.empty() || trimmed.front() == '#' || trimmed == "--";
}

struct TableShape {
  bool (*is_heading)(std::string_view line);
  ColumnHeadings (*headings_of)(std::string_view row);  // null: a row alone does not show them
};
constexpr TableShape kNatShape = {is_nat_heading, nullptr}, kLbShape = {is_lb_heading, lb_headings_of};

bool has_heading(const Dump& dump, const TableShape& shape) {
  LineReader reader(dump);
  Line line;
  for (int n = 0; n < 50 && reader.next(line); ++n)
    if (shape.is_heading(line.text)) return true;
  return false;
}

Recognition recognise_table(const Dump& dump, const TableShape& shape, std::string_view command, std::string topic) {
  Recognition how{0, std::move(topic), dump.partial ? 1 : 2};
  if (is_blank_dump(dump))
    how.confidence = command_has(dump, command) ? 60 : 0;
  else if (has_heading(dump, shape))
    how.confidence = 98;
  else if (command_has(dump, command))
    how.confidence = 50;
  return how;
}

// A row cannot be read before its heading is.
constexpr const char* kNoHeading = "a row before the heading that names its columns";

// The headings of the table in which a line stands.
class HeadingsAbove {
 public:
  explicit HeadingsAbove(const TableShape& shape) : shape_(shape) {}

  bool take(std::string_view line) {
    if (!shape_.is_heading(line)) return false;
    headings_ = std::make_shared<const ColumnHeadings>(parse_headings(line));
    return true;
  }
  // Empty: none is known.
  const std::shared_ptr<const ColumnHeadings>& of_row(std::string_view line) {
    if (headings_->empty() && shape_.headings_of != nullptr)
      headings_ = std::make_shared<const ColumnHeadings>(shape_.headings_of(line));
    return headings_;
  }
  const ColumnHeadings& last() const { return *headings_; }

 private:
  const TableShape& shape_;
  std::shared_ptr<const ColumnHeadings> headings_ = std::make_shared<const ColumnHeadings>();
};

void reprint_table(const Dump& dump, const TableShape& shape, std::string& out, Report& report) {
  HeadingsAbove headings(shape);
  reprint_lines(dump, out, report, [&](const Line& line, std::string& canonical, LineReport& lines) {
    if (headings.take(line.text)) {
      print_headings(headings.last(), canonical);
      return lines.ignored(), true;
    }
    if (is_no_row(line.text)) return lines.ignored(), false;
    const auto& known = headings.of_row(line.text);
    if (known->empty()) return lines.not_understood(line, 1, kNoHeading), false;
    lines.understood();
    print_table_row(parse_table_row(known, line), canonical);
    return true;
  });
}

struct Tables {
  std::vector<ColumnRow> rows;
  std::size_t headings = 0;  // how many tables there are
};

Tables read_tables(const Dump& dump, const TableShape& shape, Report& report) {
  Tables tables;
  HeadingsAbove headings(shape);
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (headings.take(line.text)) {
      ++tables.headings;
      lines.ignored();
      continue;
    }
    if (is_no_row(line.text)) {
      lines.ignored();
      continue;
    }
    const auto& known = headings.of_row(line.text);
    if (known->empty()) {
      lines.not_understood(line, 1, kNoHeading);
    } else {
      lines.understood();
      tables.rows.push_back(parse_table_row(known, line));
    }
  }
  return tables;
}

void table_to_json(const Dump& dump, const TableShape& shape, std::string& out, Report& report) {
  Json doc{{"rows", Json::array()}};
  for (const ColumnRow& row : read_tables(dump, shape, report).rows) {
    Json j = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) j[(*row.headings)[i].name] = row.cells[i];
    doc["rows"].push_back(std::move(j));
  }
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

// ---- NAT

struct NatColumn {
  const char* heading;
  const char* column;
  bool optional;
};
constexpr NatColumn kNatColumns[] = {
    {"TYPE", "type", false},
    {"GATEWAY_PORT", "gateway_port", true},
    {"MATCH", "match", false},
    {"EXTERNAL_IP", "external_ip", false},
    {"EXTERNAL_PORT", "external_port_range", false},
    {"LOGICAL_IP", "logical_ip", false},
    {"EXTERNAL_MAC", "external_mac", true},
    {"LOGICAL_PORT", "logical_port", true},
};

// A cell that fills its column may be the beginning of something longer. An address is whole when it can be read; a
// shortened IPv6 address can be read too, so that it has to be found among the rows that `list nat` shown.
bool is_trusted(const ColumnRow& row, const char* heading) {
  if (!row.may_be_cut(heading)) return true;
  const auto address = IpAddr::parse(row.cell(heading));
  return address && address->is_v4();
}

ovn::Row nat_of(const ColumnRow& row, Provenance from) {
  ovn::Row nat;
  nat.from = from;
  for (const NatColumn& c : kNatColumns) {
    if (!row.has(c.heading)) continue;
    const std::string cell = row.cell(c.heading);
    nat.columns.set(c.column, cell.empty() && c.optional ? "[]" : printed(cell));
  }
  return nat;
}

void load_nats(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const Tables tables = read_tables(dump, kNatShape, report);
  // Of several listings below each other the command names one router only.
  const std::string router = tables.headings > 1 ? std::string() : argument_after(dump, "lr-nat-list");
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "NAT", ovsdb::key_columns("NAT"));
  bool complete = !router.empty() && !dump.partial && report.not_understood.empty();
  for (const ColumnRow& row : tables.rows) {
    const Provenance from{dump.source, row.line};
    if (!is_trusted(row, "EXTERNAL_IP") || !is_trusted(row, "LOGICAL_IP")) {
      report.diagnostics.push_back({Diagnostic::Severity::warning, from, 0,
                                    "the address may be cut off: ovn-nbctl prints 15 or 16 characters of it",
                                    "ovn-nbctl list nat"});
      complete = false;
      continue;
    }
    ovn::Row nat = nat_of(row, from);
    if (!router.empty()) nat.columns.set("router", printed(router));
    rows.add(std::move(nat));
  }
  if (complete) node.ovn.complete_tables.emplace("NB NAT of " + router, Provenance{dump.source, dump.first_line});
}

// ---- load balancers

// VIPs of one load balancer stand below each other; only the first line has UUID and name.
void load_balancers(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const Tables tables = read_tables(dump, kLbShape, report);
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "Load_Balancer", {});
  ovn::Row current;
  ovsdb::Datum vips;
  vips.shape = ovsdb::Datum::Shape::map;
  const auto close = [&] {
    if (!current.uuid.empty()) {
      current.columns.set("vips", ovsdb::to_text(vips));
      rows.add(std::move(current));
    }
    current = {};
    vips.keys.clear();
    vips.values.clear();
  };
  for (const ColumnRow& row : tables.rows) {
    if (const std::string uuid = row.cell("UUID"); !uuid.empty()) {
      close();
      current.uuid = uuid;
      current.from = {dump.source, row.line};
      if (!row.may_be_cut("LB")) current.columns.set("name", printed(row.cell("LB")));
      if (const std::string protocol = row.cell("PROTO"); !protocol.empty()) current.columns.set("protocol", printed(protocol));
    }
    vips.keys.push_back(ovsdb::string_atom(row.cell("VIP")));
    vips.values.push_back(ovsdb::string_atom(row.cell("IPs")));
  }
  close();
}

}  // namespace

const Format& nat_format() {
  static constexpr Format kFormat = {
      "ovn-nbctl lr-nat-list",
      "ovn-nbctl lr-nat-list ROUTER",
      [](const Dump& dump) {
        return recognise_table(dump, kNatShape, "ovn-nbctl lr-nat-list", topic_of(dump, "router NAT", "lr-nat-list"));
      },
      [](const Dump& dump, std::string& out, Report& report) { reprint_table(dump, kNatShape, out, report); },
      [](const Dump& dump, std::string& out, Report& report) { table_to_json(dump, kNatShape, out, report); },
      load_nats,
      nullptr,
      "OVN_Northbound"};
  return kFormat;
}

const Format& load_balancer_format() {
  static constexpr Format kFormat = {
      "ovn-nbctl lb-list",
      "ovn-nbctl lb-list",
      [](const Dump& dump) { return recognise_table(dump, kLbShape, "ovn-nbctl lb-list", "load balancers"); },
      [](const Dump& dump, std::string& out, Report& report) { reprint_table(dump, kLbShape, out, report); },
      [](const Dump& dump, std::string& out, Report& report) { table_to_json(dump, kLbShape, out, report); },
      load_balancers,
      nullptr,
      "OVN_Northbound"};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
