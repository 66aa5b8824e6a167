// The snapshots that this process has open. A verb opens one and ends; a session (egtrace shell, egtrace serve) asks for the
// same one again and again.
//
// What is handed out stays where it is until the process ends: to take a large snapshot apart would cost as much as an answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

// What a session asks about where a line names no snapshot.
struct SessionSnapshot {
  std::string path;
  std::vector<std::string> dumps;
  std::string at;
  bool follow_links = false;
  bool is_given() const { return !path.empty() || !dumps.empty(); }
};

class SnapshotStore {
 public:
  using Open = std::function<parsers::Snapshot(const parsers::SnapshotRequest&)>;

  // The one of this process.
  static SnapshotStore& process();

  // That of an equal request, or what `open` makes of it, which may throw.
  const parsers::Snapshot& get(const parsers::SnapshotRequest& request, const Open& open);

  // Of a session, whose snapshots are read at once with all their nodes: the next line asks for others.
  void begin_session(SessionSnapshot snapshot);
  const SessionSnapshot& session() const { return session_; }
  // Called with each snapshot that is handed out, once it is open.
  void call_when_open(std::function<void()> call) { when_open_ = std::move(call); }
  // Compiles the snapshot for later commands once this one has answered (snapshot_cache.h).
  void keep_later(std::string snapshot, std::string place) { to_keep_.emplace_back(std::move(snapshot), std::move(place)); }
  // The command has answered. `program`: this one's file.
  void answered(const std::string& program) const;
  // Lets go of those that are not the session's.
  void keep_session_only();

 private:
  struct Opened;
  std::vector<std::unique_ptr<Opened>> opened_;
  std::vector<std::pair<std::string, std::string>> to_keep_;  // and where
  SessionSnapshot session_;
  std::function<void()> when_open_;
};

}  // namespace egt::cli
