// How a verb is shown which snapshot to read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

struct SnapshotOptions {
  std::string path;
  std::vector<std::string> dumps;  // [NODE:][KIND=]PATH
  std::string at;                  // a moment as of which databases are read; empty: as they are
  bool history = false;            // the transactions of databases, too
  bool logical_only = false;       // parsers::SnapshotRequest::logical_only
  bool as_dumped = false;          // parsers::SnapshotRequest::as_told
  bool as_intended = false;        // parsers::SnapshotRequest::as_intended
  bool presume = false;            // parsers::SnapshotRequest::presume
  bool follow_links = false;       // parsers::SnapshotRequest::follow_links
  bool no_cache = false;           // dumps are read though a compiled form is kept, and none is made
  bool when_needed = false;        // parsers::SnapshotRequest::when_needed; the verb then calls warn_of_lines()
};

void add_snapshot_options(CLI::App& verb, SnapshotOptions& options);
// The snapshot and --dump alone: for what is packed, in which nothing from outside the snapshot has a place.
void add_snapshot_arguments(CLI::App& verb, SnapshotOptions& options);
// The snapshot of a call that names none: that of the session, $EGTRACE_SNAPSHOT, else what the file .egtrace in the working directory names in its
// first line that is neither empty nor a comment (#). Empty: neither does.
std::string default_snapshot();
// The snapshot of the call.
std::string snapshot_path(const SnapshotOptions& options);
// Where dumps are named one by one, or there is a default, no snapshot need be named: then the only argument is the verb's own.
void take_argument_for(std::string& own, SnapshotOptions& options);
// The same for a verb that has several, and may have none: what is no file is its own.
void take_arguments_for(std::vector<std::string>& own, SnapshotOptions& options);
// --follow-links, for verbs that name snapshots otherwise.
void add_follow_links(CLI::App& verb, bool& follow_links);
// --at, for verbs that show what it makes undecided.
void add_at_option(CLI::App& verb, SnapshotOptions& options);
// What --at supposes of these nodes (none: of all), on standard error: for verbs whose answers have no place for it.
void warn_of_moment(const parsers::Snapshot& snapshot, const CommonOptions& common, const std::vector<std::string>& nodes = {});
// The argument of an option that takes a moment. Throws CommandError when it is none.
Moment moment_of(const std::string& option, const std::string& text);
// Throws where `output` lies in the snapshot, into which nothing is written. Empty: nothing is written.
void refuse_inside(const SnapshotOptions& options, const std::string& output);
// Reads it, or finds it open (snapshot_store.h), and complains on standard error about what was odd. Throws CommandError when
// it is unusable.
const parsers::Snapshot& open_collection(const SnapshotOptions& options, const CommonOptions& common);
// The same for walks of packets: with what is presumed of nodes (SnapshotOptions::presume).
const parsers::Snapshot& open_for_walks(SnapshotOptions options, const CommonOptions& common);
// Shows how many lines of what was read so far were not understood.
void warn_of_lines(const parsers::Snapshot& snapshot, const CommonOptions& common);

}  // namespace egt::cli
