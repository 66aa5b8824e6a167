#include "egtrace/render/history.h"

#include <fmt/format.h>

#include "inspect_document.h"
#include "style.h"

namespace egt::render {
namespace {

using explain::HistoryReport;
using explain::RowReport;
using explain::TransactionReport;

constexpr std::size_t kShownWhole = 60;  // characters of a value that is shown before and after
constexpr std::size_t kLines = 3;        // of one row; -v shows all

Json json(const cluster::ColumnChange& c) {
  Json j = {{"column", c.column}};
  if (!c.before.empty()) j["before"] = c.before;
  if (!c.after.empty()) j["after"] = c.after;
  if (!c.added.empty()) j["added"] = c.added;
  if (!c.removed.empty()) j["removed"] = c.removed;
  return j;
}

Json json(const RowReport& row) {
  Json columns = Json::array();
  for (const cluster::ColumnChange& c : row.columns) columns.push_back(json(c));
  return {{"table", row.table},   {"uuid", row.uuid},   {"name", text_or_null(row.name)},
          {"change", row.change}, {"columns", columns}, {"evidence", evidence_json(row.evidence)}};
}

Json json(const TransactionReport& t) {
  Json j = {{"time", text_or_null(t.time)},
            {"node", text_or_null(t.node)},
            {"database", t.database},
            {"comment", t.comment},
            {"snapshot", t.is_snapshot}};
  if (t.is_snapshot) j["rows"] = t.rows;
  j["changes"] = Json::array();
  for (const RowReport& row : t.changes) j["changes"].push_back(json(row));
  j["evidence"] = evidence_json({t.at});
  return j;
}

// What made the record that holds all rows, by its comment.
std::string_view occasion(const TransactionReport& t) {
  if (t.comment.starts_with("compact")) return "the compaction";
  if (t.comment.starts_with("converted")) return "the conversion to another schema";
  if (t.comment.starts_with("produced by")) return "the copy";
  return "the beginning of the log";
}

std::string elements_text(const cluster::ColumnChange& c) {
  std::string text = c.column;
  for (const std::string& e : c.removed) text += " -" + e;
  for (const std::string& e : c.added) text += " +" + e;
  return text;
}

std::string column_text(const cluster::ColumnChange& c, std::string_view change) {
  if (change == "inserted") return c.column + "=" + c.after;
  if (change == "deleted") return c.column + "=" + c.before;
  const bool is_set = !c.added.empty() || !c.removed.empty();
  const bool is_short = c.before.size() <= kShownWhole && c.after.size() <= kShownWhole;
  const bool shown_whole = !c.before.empty() || !c.after.empty();
  return is_set && !(shown_whole && is_short) ? elements_text(c) : fmt::format("{} {} → {}", c.column, c.before, c.after);
}

std::string row_text(const RowReport& row, const TextOptions& o) {
  std::string text = fmt::format("{} {} {}", row.change, row.table, row.name.empty() ? row.uuid.substr(0, 8) : row.name);
  for (std::size_t i = 0; i < row.columns.size(); ++i) text += (i == 0 ? ": " : ", ") + column_text(row.columns[i], row.change);
  return wrap(text, 4, o.width, o.verbose ? 0 : kLines);
}

std::string transaction_text(const TransactionReport& t, const TextOptions& o, const Style& style) {
  std::string out = style(Tone::heading, t.time.empty() ? "at an unknown time" : t.time);
  out += fmt::format("  {}{}{}\n", t.node, t.node.empty() ? "" : "  ", t.database);
  out += style(Tone::faint, wrap(fmt::format("{}:{}", t.at.dump, t.at.line), 2, o.width));
  if (t.is_snapshot) return out + fmt::format("  {} row{} as of {}\n", t.rows, t.rows == 1 ? "" : "s", occasion(t));
  if (!t.comment.empty()) out += wrap(t.comment, 2, o.width, o.verbose ? 0 : kLines);
  for (const RowReport& row : t.changes) out += row_text(row, o);
  return out;
}

}  // namespace

std::string history_text(const HistoryReport& history, const TextOptions& options) {
  const Style style(options.colour);
  std::string out;
  if (history.transactions.empty() && history.earlier == 0)
    return wrap("no transaction: the snapshot has no database file (ovnnb_db.db, ovnsb_db.db, conf.db) with one", 0,
                options.width);
  for (const TransactionReport& t : history.transactions) out += transaction_text(t, options, style);
  if (history.transactions.empty()) out += fmt::format("no transaction since {}\n", history.since);
  if (history.earlier > 0)
    out += style(Tone::faint, fmt::format("{} earlier than {} not shown", history.earlier, history.since)) + "\n";
  return out;
}

std::string inspect_json(const explain::Inspection& inspection, const HistoryReport& history) {
  Json document = inspect_document(inspection);
  Json transactions = Json::array();
  for (const TransactionReport& t : history.transactions) transactions.push_back(json(t));
  document["history"] = {{"since", text_or_null(history.since)}, {"earlier", history.earlier}, {"transactions", transactions}};
  return dump_json(document);
}

}  // namespace egt::render
