#include "ovsdb/cluster_log.h"

#include <algorithm>
#include <optional>

#include "egtrace/base/text.h"
#include "ovsdb/json_cursor.h"

namespace egt::parsers::ovsdb {
namespace {

class ClusterLogReader {
 public:
  ClusterLog read(const std::vector<LogRecord>& records) {
    const std::uint64_t snapshot = header(records.front());
    committed_ = snapshot;
    for (std::size_t i = 1; i < records.size(); ++i) record(records[i]);
    for (const LogEntry& entry : entries_) {
      if (any_commit_ && entry.index > committed_ && entry.index > snapshot)
        ++log_.uncommitted;
      else
        log_.committed.push_back(entry);
    }
    return std::move(log_);
  }

 private:
  // Gives the index of the snapshot.
  std::uint64_t header(const LogRecord& record) {
    LogEntry snapshot;
    snapshot.line = record.line;
    JsonCursor c(record.body);
    const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      if (name == "prev_data") return read_data(v, snapshot);
      const std::string_view value = v.value();
      if (name == "prev_index") snapshot.index = parse_decimal(value).value_or(0);
      if (name == "server_id") log_.server_id = without_quotes(value);
      if (name == "cluster_id") log_.cluster_id = without_quotes(value);
      return !value.empty();
    });
    if (!whole) log_.damaged.emplace_back(record.line, "the header of the clustered database is damaged");
    entries_.push_back(snapshot);
    return snapshot.index;
  }

  void record(const LogRecord& record) {
    LogEntry entry;
    entry.line = record.line;
    std::uint64_t commit = 0;  // none shown
    JsonCursor c(record.body);
    const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      if (name == "data") return read_data(v, entry);
      const std::string_view value = v.value();
      if (name == "index") entry.index = parse_decimal(value).value_or(0);
      if (name == "eid") entry.id = without_quotes(value);
      if (name == "commit_index") commit = parse_decimal(value).value_or(0);
      return !value.empty();
    });
    if (!whole) log_.damaged.emplace_back(record.line, "a record of the cluster's log is damaged");
    any_commit_ |= commit != 0;
    committed_ = std::max(committed_, commit);
    if (entry.index == 0) return;
    while (entries_.size() > 1 && entries_.back().index >= entry.index) entries_.pop_back();
    entries_.push_back(entry);
  }

  // [schema or null, transaction or null]
  static bool read_data(JsonCursor& c, LogEntry& entry) {
    if (c.peek() != '[') return !c.value().empty();  // null
    std::size_t n = 0;
    return for_each_element(c, [&](JsonCursor& v) {
      const std::string_view value = v.value();
      if (value != "null") (n == 0 ? entry.schema : entry.transaction) = value;
      return !value.empty() && ++n <= 2;
    });
  }

  ClusterLog log_;
  std::vector<LogEntry> entries_;
  std::uint64_t committed_ = 0;
  bool any_commit_ = false;
};

}  // namespace

ClusterLog read_cluster_log(const std::vector<LogRecord>& records) { return ClusterLogReader().read(records); }

}  // namespace egt::parsers::ovsdb
