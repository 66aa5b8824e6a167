// What the logs of a snapshot's databases record of the past, as far as a query asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/moment.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/history.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct HistoryQuestion {
  std::optional<Moment> since;  // relative ones count from the newest transaction of all nodes
  std::string node;             // empty: all; databases of the whole cluster are shown with each
};

struct RowReport {
  std::string table, uuid, name;
  std::string change;  // "inserted", "deleted", "modified"
  std::vector<cluster::ColumnChange> columns;
  Evidence evidence;  // the row in the record
};

struct TransactionReport {
  std::string time;  // RFC 3339, UTC; empty: the record does not show
  std::string node, database, comment;
  bool is_snapshot = false;
  std::uint64_t rows = 0;
  std::vector<RowReport> changes;
  EvidenceLine at;  // the record, without its text
};

struct HistoryReport {
  std::string since;        // RFC 3339, UTC; empty: everything
  std::size_t earlier = 0;  // transactions before that
  std::vector<TransactionReport> transactions;
};

HistoryReport report_history(const cluster::Cluster& cluster, const cluster::History& history, const HistoryQuestion& question);

}  // namespace egt::explain
