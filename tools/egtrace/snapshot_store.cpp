#include "snapshot_store.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "snapshot_cache.h"

namespace egt::cli {
namespace {

// What decides about what is read. (Threads and watchers do not.)
auto key_of(const parsers::SnapshotRequest& r) {
  const Moment as_of = r.as_of.value_or(Moment{});
  return std::make_tuple(r.path, r.dumps, r.as_of.has_value(), as_of.before_newest, as_of.ms, r.history, r.logical_only,
                         r.presume, r.as_intended, r.as_dumped, r.when_needed, r.follow_links);
}

}  // namespace

struct SnapshotStore::Opened {
  parsers::SnapshotRequest request;
  parsers::Snapshot snapshot;
};

SnapshotStore& SnapshotStore::process() {
  static SnapshotStore& store = *new SnapshotStore;
  return store;
}

void SnapshotStore::begin_session(SessionSnapshot snapshot) { session_ = std::move(snapshot); }

const parsers::Snapshot& SnapshotStore::get(const parsers::SnapshotRequest& request, const Open& open) {
  parsers::SnapshotRequest wanted = request;
  wanted.progress = nullptr;
  if (session_.is_given()) wanted.when_needed = false;
  const auto found =
      std::find_if(opened_.begin(), opened_.end(), [&](const auto& o) { return key_of(o->request) == key_of(wanted); });
  // Standard input can be read once.
  const bool is_known = found != opened_.end() && request.path != "-";
  if (!is_known) opened_.push_back(std::make_unique<Opened>(Opened{wanted, open(wanted)}));
  const parsers::Snapshot& snapshot = is_known ? (*found)->snapshot : opened_.back()->snapshot;
  if (when_open_) when_open_();
  return snapshot;
}

void SnapshotStore::answered(const std::string& program) const {
  const SnapshotCache cache = SnapshotCache::of_user();
  for (const auto& [snapshot, place] : to_keep_) cache.keep(snapshot, place, program);
}

void SnapshotStore::keep_session_only() {
  std::erase_if(opened_, [&](const auto& o) { return o->request.path != session_.path || o->request.dumps != session_.dumps; });
}

}  // namespace egt::cli
