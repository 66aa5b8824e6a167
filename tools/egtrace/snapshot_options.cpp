#include "snapshot_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/explain/collection_limits.h"
#include "progress.h"
#include "snapshot_cache.h"
#include "snapshot_store.h"

namespace egt::cli {

void add_follow_links(CLI::App& verb, bool& follow_links) {
  verb.add_flag("--follow-links", follow_links, "follow symbolic links that lead out of the snapshot's directory")
      ->envname("EGTRACE_FOLLOW_LINKS");
}

void add_snapshot_options(CLI::App& verb, SnapshotOptions& options) {
  add_snapshot_arguments(verb, options);
  add_follow_links(verb, options.follow_links);
  verb.add_flag("--no-cache", options.no_cache, "read the dumps though a compiled form of the snapshot is kept, and keep none");
}

void add_snapshot_arguments(CLI::App& verb, SnapshotOptions& options) {
  verb.add_option("snapshot", options.path,
                  "directory, archive or file that holds the dumps; - is standard input; without it that of $EGTRACE_SNAPSHOT or "
                  "of the file .egtrace");
  verb.add_option("--dump", options.dumps, "one more dump: [NODE:][KIND=]PATH, repeatable")->allow_extra_args(false);
}

std::string default_snapshot() {
  if (const SessionSnapshot& session = SnapshotStore::process().session(); !session.path.empty()) return session.path;
  if (const char* path = std::getenv("EGTRACE_SNAPSHOT"); path != nullptr && *path != '\0') return path;
  std::ifstream file(".egtrace");
  for (std::string line; std::getline(file, line);)
    if (const std::string_view path = trim(line); !path.empty() && path.front() != '#') return std::string(path);
  return {};
}

std::string snapshot_path(const SnapshotOptions& options) {
  return options.path.empty() && options.dumps.empty() ? default_snapshot() : options.path;
}

namespace {

bool needs_no_snapshot(const SnapshotOptions& options) {
  return !options.dumps.empty() || SnapshotStore::process().session().is_given() || !default_snapshot().empty();
}

}  // namespace

void take_argument_for(std::string& own, SnapshotOptions& options) {
  if (own.empty() && needs_no_snapshot(options)) own.swap(options.path);
}

void take_arguments_for(std::vector<std::string>& own, SnapshotOptions& options) {
  if (options.path.empty() || !needs_no_snapshot(options)) return;
  if (options.path != "-" && !std::filesystem::exists(options.path)) own.insert(own.begin(), std::exchange(options.path, {}));
}

void add_at_option(CLI::App& verb, SnapshotOptions& options) {
  verb.add_option("--at", options.at,
                  "databases as they were then: 2026-03-01T12:00:00Z, @SECONDS, or 10m, 2h, 3d before their newest transaction");
}

Moment moment_of(const std::string& option, const std::string& text) {
  const Result<Moment> moment = parse_moment(text);
  if (!moment) throw CommandError(option + ": " + moment.error().message);
  return *moment;
}

void warn_of_moment(const parsers::Snapshot& snapshot, const CommonOptions& common, const std::vector<std::string>& nodes) {
  if (common.quiet) return;
  for (const explain::AssumptionReport& a : explain::assumptions_of_moment(snapshot.collection, *snapshot.cluster.sources, nodes))
    print_error(fmt::format("egtrace: supposed: {}: {}\n", a.what, a.why));
}

namespace {

void refuse_odd_lines(const cluster::Cluster& cluster) {
  for (const cluster::DumpInfo& d : cluster.dumps) {
    if (d.not_understood.empty()) continue;
    throw CommandError(fmt::format("{}:{}: a line is not understood; leave --strict away to go on without it", d.path,
                                   d.not_understood.front().line));
  }
}

void warn_of_links(const std::vector<std::string>& links_out) {
  if (links_out.empty()) return;
  const std::string others = links_out.size() > 1 ? fmt::format(" and {} more", links_out.size() - 1) : "";
  const char* all = links_out.size() > 1 ? "links out of the snapshot, not followed; --follow-links follows them"
                                         : "a link out of the snapshot, not followed; --follow-links follows it";
  hold_warning(fmt::format("{}{}: {}", links_out.front(), others, all));
}

void warn_of_missing(const std::vector<std::string>& missing) {
  if (missing.empty()) return;
  const std::string others =
      missing.size() > 1 ? fmt::format(", and {} more; `egtrace inspect` lists them", missing.size() - 1) : "";
  hold_warning(missing.front() + others, true);
}

}  // namespace

// Lines of a damaged archive that are not understood are no news beside the damage, which may be why the verb fails.
void warn_of_lines(const parsers::Snapshot& snapshot, const CommonOptions& common) {
  if (common.quiet) return;
  const std::vector<std::string>& damaged = snapshot.collection.damaged;
  if (!damaged.empty()) {
    const std::string others =
        damaged.size() > 1 ? fmt::format(", and {} more; `egtrace inspect` lists them", damaged.size() - 1) : "";
    return hold_warning(fmt::format("damaged, copy it again: {}{}", damaged.front(), others), true);
  }
  std::size_t odd = 0;
  for (const cluster::DumpInfo& d : snapshot.cluster.dumps) odd += d.not_understood.size();
  if (odd == 0) return;
  hold_warning(
      fmt::format("{} line{} not understood; `egtrace inspect` lists {}", odd, odd == 1 ? "" : "s", odd == 1 ? "it" : "them"));
}

void refuse_inside(const SnapshotOptions& options, const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const std::string path = snapshot_path(options);
  if (output.empty() || !fs::is_directory(path, failed)) return;
  const fs::path root = fs::canonical(path, failed), file = fs::weakly_canonical(output, failed);
  if (failed || std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first != root.end()) return;
  throw CommandError(fmt::format("{}: lies in the snapshot, into which nothing is written; name a file elsewhere", output));
}

namespace {

// The session's, where the call names none.
SnapshotOptions of_session(SnapshotOptions options) {
  const SessionSnapshot& session = SnapshotStore::process().session();
  if (!session.is_given() || !options.dumps.empty() || (!options.path.empty() && options.path != session.path)) return options;
  options.path = session.path;
  options.dumps = session.dumps;
  options.follow_links |= session.follow_links;
  if (options.at.empty()) options.at = session.at;
  return options;
}

parsers::SnapshotRequest request_for(const SnapshotOptions& options, const CommonOptions& common) {
  parsers::SnapshotRequest request;
  request.path = snapshot_path(options);
  if (request.path.empty() && options.dumps.empty())
    throw CommandError("no snapshot given; name a directory, an archive or a file, or set EGTRACE_SNAPSHOT");
  request.dumps = options.dumps;
  request.jobs = common.jobs;
  request.history = options.history;
  request.logical_only = options.logical_only;
  request.as_dumped = options.as_dumped;
  request.presume = options.presume;
  request.as_intended = options.as_intended;
  request.follow_links = options.follow_links;
  request.when_needed = options.when_needed && !common.strict;
  if (!options.at.empty()) request.as_of = moment_of("--at", options.at);
  return request;
}

// The compiled form that is kept of it. One that cannot be opened is none.
std::optional<parsers::Snapshot> read_kept(parsers::SnapshotRequest request, const std::string& place) {
  if (!SnapshotCache::has(place)) return std::nullopt;
  request.path = place;
  auto snapshot = parsers::open_snapshot(request);
  return snapshot ? std::optional(std::move(*snapshot)) : std::nullopt;
}

parsers::Snapshot read(parsers::SnapshotRequest request, const CommonOptions& common, bool may_be_kept) {
  const auto place = may_be_kept ? SnapshotCache::of_user().place_of(request) : std::nullopt;
  if (place)
    if (auto kept = read_kept(request, *place)) return std::move(*kept);
  const ProgressLine line(request, common.quiet);
  auto snapshot = parsers::open_snapshot(request);
  if (!snapshot) throw CommandError(snapshot.error().message);
  line.clear();
  if (place && is_compiled_alike(snapshot->collection)) SnapshotStore::process().keep_later(request.path, *place);
  return std::move(*snapshot);
}

}  // namespace

const parsers::Snapshot& open_collection(const SnapshotOptions& named, const CommonOptions& common) {
  const SnapshotOptions options = of_session(named);
  refuse_inside(options, common.output);
  const parsers::Snapshot& snapshot = SnapshotStore::process().get(
      request_for(options, common), [&](const parsers::SnapshotRequest& r) { return read(r, common, !options.no_cache); });
  if (common.strict) refuse_odd_lines(snapshot.cluster);
  if (!common.quiet) warn_of_links(snapshot.collection.links_out);
  if (!common.quiet) warn_of_missing(snapshot.collection.missing);
  if (!options.when_needed || common.strict) warn_of_lines(snapshot, common);
  return snapshot;
}

const parsers::Snapshot& open_for_walks(SnapshotOptions options, const CommonOptions& common) {
  options.presume = true;
  return open_collection(options, common);
}

}  // namespace egt::cli
