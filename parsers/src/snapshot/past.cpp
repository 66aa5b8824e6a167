#include "snapshot/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace egt::parsers {

Result<std::int64_t> resolve_moment(const Moment& moment, const std::vector<Candidate>& candidates) {
  std::int64_t newest = 0;
  bool any = false;
  for (const Candidate& c : candidates) {
    if (c.format == nullptr || c.format->newest == nullptr) continue;
    any = true;
    if (moment.before_newest) newest = std::max(newest, c.format->newest(c.dump));
  }
  if (!any)
    return Error{"no database file in the snapshot, so nothing shows what was before; add ovnnb_db.db, ovnsb_db.db, conf.db"};
  if (moment.before_newest && newest == 0)
    return Error{"no transaction in the snapshot's databases has a time; give a moment such as 2026-03-01T12:00:00Z"};
  return moment.relative_to(newest);
}

void leave_out_present(const std::vector<Candidate*>& dumps) {
  std::set<std::string> files;
  for (const Candidate* c : dumps)
    if (c->format != nullptr && c->format->history != nullptr) files.insert(c->how.topic);
  for (Candidate* c : dumps) {
    if (c->format == nullptr || c->format->shows_rows_of.empty()) continue;
    if (!files.contains(fmt::format("database {}", c->format->shows_rows_of))) continue;
    c->note = "not of the moment that is asked for: the database's file shows that";
    c->format = nullptr;
  }
}

void sort_history(cluster::History& history) {
  std::map<SourceId, std::int64_t> clocks;
  std::set<std::pair<std::string, std::string>> entries;
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const cluster::Transaction& t = history.transactions[i];
    if (!t.id.empty() && !entries.emplace(t.database, t.id).second) continue;
    std::int64_t& clock = clocks[t.from.source];
    clock = std::max(clock, t.time);
    order.emplace_back(clock, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<cluster::Transaction> sorted;
  sorted.reserve(order.size());
  for (const auto& [clock, i] : order) sorted.push_back(std::move(history.transactions[i]));
  history.transactions = std::move(sorted);
}

}  // namespace egt::parsers
