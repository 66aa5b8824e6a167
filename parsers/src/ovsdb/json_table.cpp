// `-f json`: {"data":[[cell,…],…],"headings":["_uuid",…]}, cells in the notation of RFC 7047 §5.1.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "ovsdb/record.h"

namespace egt::parsers::ovsdb {
namespace {

using PlainJson = nlohmann::json;

std::optional<Atom> atom_of(const PlainJson& j) {
  if (j.is_string()) return string_atom(j.get_ref<const std::string&>());
  if (j.is_boolean()) return Atom{AtomKind::boolean, false, j.get<bool>() ? "true" : "false"};
  if (j.is_number_integer()) return Atom{AtomKind::integer, false, j.dump()};
  if (j.is_number_float()) return Atom{AtomKind::real, false, fmt::format("{:.15g}", j.get<double>())};
  const bool pair = j.is_array() && j.size() == 2 && j[0].is_string() && j[1].is_string();
  if (pair && (j[0] == "uuid" || j[0] == "named-uuid")) return Atom{AtomKind::uuid, false, j[1].get<std::string>()};
  return std::nullopt;
}

bool add_pair(const PlainJson& pair, Datum& datum) {
  if (!pair.is_array() || pair.size() != 2) return false;
  auto key = atom_of(pair[0]), value = atom_of(pair[1]);
  if (!key || !value) return false;
  datum.keys.push_back(std::move(*key));
  datum.values.push_back(std::move(*value));
  return true;
}

std::optional<Datum> datum_of(const PlainJson& j) {
  const bool tagged = j.is_array() && j.size() == 2 && j[0].is_string() && j[1].is_array();
  if (!tagged) {
    auto atom = atom_of(j);
    if (!atom) return std::nullopt;
    return atom_datum(std::move(*atom));
  }
  Datum datum;
  datum.shape = j[0] == "map" ? Datum::Shape::map : Datum::Shape::set;
  if (j[0] != "map" && j[0] != "set") return std::nullopt;
  for (const PlainJson& element : j[1]) {
    if (datum.shape == Datum::Shape::map) {
      if (!add_pair(element, datum)) return std::nullopt;
    } else if (auto atom = atom_of(element)) {
      datum.keys.push_back(std::move(*atom));
    } else {
      return std::nullopt;
    }
  }
  return datum;
}

// Values of a table nest five deep; what is deeper is no table and must not be walked.
std::optional<PlainJson> parse_bounded(std::string_view text) {
  constexpr int kDepth = 12;
  bool deep = false;
  PlainJson doc = PlainJson::parse(
      text.begin(), text.end(),
      [&](int depth, PlainJson::parse_event_t, PlainJson&) {
        deep |= depth > kDepth;
        return depth <= kDepth;
      },
      false);
  if (deep || doc.is_discarded()) return std::nullopt;
  return doc;
}

void print_json_atom(const Atom& atom, std::string& out) {
  switch (atom.kind) {
    case AtomKind::string: return print_quoted(atom.text, out);
    case AtomKind::uuid:
      out += "[\"uuid\",";
      print_quoted(atom.text, out);
      out.push_back(']');
      return;
    case AtomKind::integer:
    case AtomKind::real:
    case AtomKind::boolean: out += atom.text; return;
  }
}

void print_json_datum(const Datum& datum, std::string& out) {
  if (datum.shape == Datum::Shape::atom) {
    if (!datum.keys.empty()) print_json_atom(datum.keys.front(), out);
    return;
  }
  const bool is_map = datum.shape == Datum::Shape::map;
  out += is_map ? "[\"map\",[" : "[\"set\",[";
  for (std::size_t i = 0; i < datum.keys.size(); ++i) {
    if (i > 0) out.push_back(',');
    if (is_map) out.push_back('[');
    print_json_atom(datum.keys[i], out);
    if (!is_map) continue;
    out.push_back(',');
    print_json_atom(datum.values[i], out);
    out.push_back(']');
  }
  out += "]]";
}

Result<std::vector<Datum>> row_of(const PlainJson& row, std::size_t width) {
  if (!row.is_array() || row.size() != width) return Error{"a row has more or fewer cells than there are headings"};
  std::vector<Datum> cells;
  for (const PlainJson& cell : row) {
    auto datum = datum_of(cell);
    if (!datum) return Error{"a cell is no OVSDB value"};
    cells.push_back(std::move(*datum));
  }
  return cells;
}

}  // namespace

bool looks_like_json_table(std::string_view text) {
  const std::string_view start = trim_left(text.substr(0, 4096));
  if (!start.starts_with('{')) return false;
  return start.starts_with("{\"data\":") || start.starts_with("{\"headings\":") ||
         (start.starts_with("{\"caption\":") && start.find("\"data\":") != std::string_view::npos);
}

Result<JsonTable> parse_json_table(std::string_view text) {
  const auto doc = parse_bounded(text);
  if (!doc || !doc->is_object()) return Error{"not a complete JSON document"};
  if (!doc->contains("headings") || !doc->contains("data")) return Error{"no headings or no data"};
  JsonTable table;
  if (doc->contains("caption") && (*doc)["caption"].is_string()) table.caption = (*doc)["caption"].get<std::string>();
  for (const PlainJson& heading : (*doc)["headings"]) {
    if (!heading.is_string()) return Error{"a heading is no string"};
    table.headings.push_back(heading.get<std::string>());
  }
  for (const PlainJson& row : (*doc)["data"]) {
    auto cells = row_of(row, table.headings.size());
    if (!cells) return cells.error();
    table.rows.push_back(std::move(*cells));
  }
  return table;
}

void print_json_table(const JsonTable& table, std::string& out) {
  out.push_back('{');
  if (table.caption) {
    out += "\"caption\":";
    print_quoted(*table.caption, out);
    out.push_back(',');
  }
  out += "\"data\":[";
  for (std::size_t y = 0; y < table.rows.size(); ++y) {
    out += y > 0 ? ",[" : "[";
    for (std::size_t x = 0; x < table.rows[y].size(); ++x) {
      if (x > 0) out.push_back(',');
      print_json_datum(table.rows[y][x], out);
    }
    out.push_back(']');
  }
  out += "],\"headings\":[";
  for (std::size_t x = 0; x < table.headings.size(); ++x) {
    if (x > 0) out.push_back(',');
    print_quoted(table.headings[x], out);
  }
  out += "]}";
}

std::vector<Record> records_of(const JsonTable& table, std::uint32_t line) {
  std::vector<Record> records;
  for (const std::vector<Datum>& row : table.rows) {
    Record record;
    record.line = line;
    for (std::size_t x = 0; x < row.size(); ++x) record.columns.push_back({table.headings[x], row[x], line});
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace egt::parsers::ovsdb
