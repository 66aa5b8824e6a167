#include "egtrace/render/value_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "csv.h"
#include "egtrace/base/columns.h"
#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

std::string real_text(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "NULL"; }

// NULL is empty in CSV.
std::string cell_text(const Value& value, std::string_view null) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&value)) return real_text(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::string(null);
}

// Of a line: a value may have several.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return text;
}

Json value_json(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real) ? Json(*real) : Json(nullptr);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

struct Shape {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
};

// Numbers stand to the right.
Shape shape_of(const ValueTable& table) {
  Shape shape;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = columns_of(one_line(table.columns[i]));
    bool right = !table.rows.empty();
    for (const auto& row : table.rows) {
      width = std::max(width, columns_of(one_line(cell_text(row[i], "-"))));
      right &= is_number(row[i]) || std::holds_alternative<std::monostate>(row[i]);
    }
    shape.widths.push_back(width);
    shape.right.push_back(right);
  }
  return shape;
}

constexpr std::size_t kGapBetween = 2;

std::string table_line(const std::vector<std::string>& cells, const Shape& shape) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(shape.widths[i] - columns_of(cells[i]), ' ');
    line += (i > 0 ? std::string(kGapBetween, ' ') : "") + (shape.right[i] ? blanks + cells[i] : cells[i] + blanks);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string as_columns(const ValueTable& table, const Shape& shape, const Style& style) {
  std::vector<std::string> cells;
  for (const std::string& name : table.columns) cells.push_back(one_line(name));
  std::string out = style(Tone::heading, table_line(cells, shape)) + "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) cells[i] = one_line(cell_text(row[i], "-"));
    out += table_line(cells, shape) + "\n";
  }
  return out;
}

std::string as_records(const ValueTable& table, const TextOptions& options, const Style& style) {
  std::size_t widest = 0;
  for (const std::string& name : table.columns) widest = std::max(widest, columns_of(one_line(name)));
  std::string out;
  for (std::size_t n = 0; n < table.rows.size(); ++n) {
    out += style(Tone::heading, fmt::format("{}row {}", n > 0 ? "\n" : "", n + 1)) + "\n";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      out += wrap_behind("  " + padded(one_line(table.columns[i]), widest + kGapBetween),
                         one_line(cell_text(table.rows[n][i], "-")), options.width);
  }
  return out;
}

}  // namespace

std::string value_table_text(const ValueTable& table, const TextOptions& options) {
  if (table.rows.empty()) return "no row\n";
  const Style style(options.colour);
  const Shape shape = shape_of(table);
  std::size_t width = kGapBetween * (table.columns.size() - 1);
  for (const std::size_t w : shape.widths) width += w;
  return width <= options.width ? as_columns(table, shape, style) : as_records(table, options, style);
}

std::string value_table_json(const ValueTable& table, const std::vector<Gap>& gaps) {
  Json j = {{"schema", "egtrace.sql/1"}, {"columns", table.columns}, {"rows", Json::array()}, {"gaps", gaps_json(gaps)}};
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = value_json(row[i]);
    j["rows"].push_back(std::move(object));
  }
  return dump_json(j);
}

std::string value_table_csv(const ValueTable& table) {
  std::string out;
  const auto add = [&](std::size_t i, const std::string& cell) { out += (i > 0 ? "," : "") + cell; };
  for (std::size_t i = 0; i < table.columns.size(); ++i) add(i, csv_cell(table.columns[i]));
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      add(i, is_number(row[i]) ? cell_text(row[i], "") : csv_cell(cell_text(row[i], "")));
    out += "\n";
  }
  return out;
}

}  // namespace egt::render
