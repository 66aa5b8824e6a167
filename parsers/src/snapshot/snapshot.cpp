#include "egtrace/parsers/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/cluster/node_budget.h"
#include "presumed/presumed.h"
#include "snapshot/compiled.h"
#include "snapshot/gather.h"
#include "snapshot/open_snapshot.h"
#include "snapshot/past.h"

namespace egt::parsers {
namespace {

cluster::DumpOrigin origin_of(const Candidate& c) {
  cluster::DumpOrigin origin;
  origin.command = c.dump.command;
  origin.bytes = c.dump.text.size();
  origin.time = c.time;
  origin.why_partial = c.why_partial;
  origin.note = c.note;
  origin.topic = c.how.topic;
  return origin;
}

// Not where other dumps are read with those that were compiled, or those otherwise.
bool takes_kept(const SnapshotRequest& request) {
  return request.dumps.empty() && !request.as_of && !request.history && !request.logical_only;
}

Result<SortedSnapshot> sort_snapshot(const SnapshotRequest& request) {
  Result<Gathered> gathered = gather(request);
  if (!gathered) return gathered.error();
  SnapshotOpener opener(request);
  try {
    if (gathered->sections != nullptr && takes_kept(request)) {
      opener.open_kept(std::move(*gathered));
    } else {
      if (gathered->sections != nullptr)
        for (const FoundFile& file : gathered->files) check_ends(file);
      if (auto error = opener.open(std::move(*gathered))) return *error;
    }
  } catch (const std::runtime_error& error) {
    return Error{fmt::format("{}: {}", request.path, error.what())};
  }
  return opener.take();
}

// Reads the nodes of a snapshot, unless that can wait, and what its databases remember.
class SnapshotReader {
 public:
  SnapshotReader(const SnapshotRequest& request, SortedSnapshot open) : request_(request), open_(std::move(open)) {}

  Snapshot read() {
    open_.sorted->when_needed = may_wait();
    if (!open_.sorted->when_needed) {
      read_nodes();
      if (request_.presume) presume_nodes(open_.cluster, request_.as_intended, request_.jobs);
    }
    open_.cluster.declared_links = std::move(open_.sorted->settings.links);
    finish();
    return Snapshot{std::move(open_.cluster), std::move(open_.collection), std::move(history_)};
  }

 private:
  // Nodes of which something is to be presumed are read at once: their outlines do not show what.
  bool has_to_presume() const {
    if (!request_.presume) return false;
    return request_.as_intended || std::any_of(open_.readers.begin(), open_.readers.end(),
                                               [](const NodeDumpsReader* reader) { return reader->lacks_flows(); });
  }

  bool may_wait() const {
    return request_.when_needed && !has_to_presume() && !open_.collection.as_of && !request_.history && !open_.has_nameless &&
           !open_.has_shared_dumps();
  }

  void read_nodes() {
    cluster::NodeBudget().read_ahead(open_.cluster, open_.has_shared_dumps() ? 1 : request_.jobs);
    for (NodeDumpsReader* reader : open_.readers) {
      std::move(reader->diagnostics.begin(), reader->diagnostics.end(), std::back_inserter(open_.cluster.diagnostics));
      std::move(reader->moments.begin(), reader->moments.end(), std::back_inserter(open_.moments));
      for (const Candidate* c : reader->chosen()) remember(*c, open_.sorted->info_of(*c).node);
    }
    for (const Candidate& c : open_.candidates())
      if (std::uint32_t& lines = open_.sorted->info_of(c).lines; lines == 0) lines = count_lines(c.dump.text);  // of no node
  }

  // What the log of a database shows besides its rows.
  void remember(const Candidate& c, const std::string& node) {
    const auto moment = std::find_if(open_.moments.begin(), open_.moments.end(), [&](const auto& m) { return m.first == &c; });
    if (moment != open_.moments.end()) {
      open_.collection.as_of_databases.push_back(std::move(moment->second));
      open_.collection.as_of_databases.back().node = node;
      open_.moments.erase(moment);
    }
    if (!request_.history || c.format->history == nullptr || !remembered_.insert(&c).second) return;
    const std::size_t before = history_.transactions.size();
    c.format->history(c.dump, history_);
    if (c.central) return;
    for (std::size_t i = before; i < history_.transactions.size(); ++i) history_.transactions[i].node = node;
  }

  void finish() {
    sort_history(history_);
    for (const Candidate& c : open_.candidates()) {
      cluster::DumpInfo& info = open_.sorted->info_of(c);
      info.partial = c.dump.partial;
      info.superseded_by = c.superseded_by;
      info.time = c.time;
      open_.collection.dumps.push_back(origin_of(c));
    }
    open_.sorted->progress = nullptr;
    std::stable_sort(open_.cluster.diagnostics.begin(), open_.cluster.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.at < b.at; });
  }

  const SnapshotRequest& request_;
  SortedSnapshot open_;
  cluster::History history_;
  std::set<const Candidate*> remembered_;  // whose history is taken
};

}  // namespace

Result<Snapshot> open_snapshot(const SnapshotRequest& request) {
  Result<SortedSnapshot> sorted = sort_snapshot(request);
  if (!sorted) return sorted.error();
  return SnapshotReader(request, std::move(*sorted)).read();
}

Result<cluster::Cluster> read_snapshot(const SnapshotRequest& request) {
  Result<Snapshot> snapshot = open_snapshot(request);
  if (!snapshot) return snapshot.error();
  return std::move(snapshot->cluster);
}

}  // namespace egt::parsers
