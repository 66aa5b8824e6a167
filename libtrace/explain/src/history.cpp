#include "egtrace/explain/history.h"

#include <algorithm>

namespace egt::explain {
namespace {

std::string change_word(cluster::RowChange::Kind kind) {
  switch (kind) {
    case cluster::RowChange::Kind::inserted: return "inserted";
    case cluster::RowChange::Kind::deleted: return "deleted";
    case cluster::RowChange::Kind::modified: return "modified";
  }
  return {};
}

TransactionReport report_of(const cluster::Transaction& t, const SourceTable& sources) {
  const std::string dump = t.from.known() ? sources.path_of(t.from.source).str() : std::string();
  TransactionReport report{t.time == 0 ? std::string() : utc_text(t.time),
                           t.node,
                           t.database,
                           t.comment,
                           t.is_snapshot,
                           t.rows,
                           {},
                           {dump, t.from.line, ""}};
  for (const cluster::RowChange& row : t.changes) {
    RowReport shown{row.table, row.uuid, row.name, change_word(row.kind), row.columns, {}};
    shown.evidence.push_back({dump, t.from.line, std::string(row.text)});
    report.changes.push_back(std::move(shown));
  }
  return report;
}

}  // namespace

HistoryReport report_history(const cluster::Cluster& cluster, const cluster::History& history, const HistoryQuestion& question) {
  HistoryReport report;
  std::int64_t newest = 0;
  for (const cluster::Transaction& t : history.transactions) newest = std::max(newest, t.time);
  const std::int64_t since = question.since ? question.since->relative_to(newest) : 0;
  if (question.since) report.since = utc_text(since);
  for (const cluster::Transaction& t : history.transactions) {
    if (!question.node.empty() && !t.node.empty() && t.node != question.node) continue;
    const bool earlier = question.since && t.time != 0 && t.time < since;
    if (earlier)
      ++report.earlier;
    else
      report.transactions.push_back(report_of(t, *cluster.sources));
  }
  return report;
}

}  // namespace egt::explain
