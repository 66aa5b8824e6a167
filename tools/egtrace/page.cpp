#include "page.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "egtrace/explain/dump_lines.h"
#include "egtrace/parsers/secrets.h"

namespace egt::cli {
namespace {

constexpr std::uint32_t kReach = 5;  // lines before and behind one of evidence

// A page is handed on: without the folders in which the snapshot lies, which may be private.
std::string shown_name(const SnapshotOptions& options) {
  std::filesystem::path path = snapshot_path(options);
  if (path.empty()) return "dumps given one by one";
  if (path == "-") return "standard input";
  if (!path.has_filename() || path == "." || path == "..") {
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::canonical(path, failed);
    if (!failed) path = real;
  }
  return path.filename().string();
}

// What a page shows of a snapshot's dumps.
class ShownSnapshot {
 public:
  // `inspection`: the verb's own; null: it has none.
  ShownSnapshot(const parsers::Snapshot& snapshot, const SnapshotOptions& options,
                const explain::Inspection* inspection = nullptr)
      : lines_(*snapshot.cluster.sources, parsers::mask_environment) {
    if (inspection == nullptr) inspection = &inspection_.emplace(explain::inspect(snapshot.cluster, snapshot.collection));
    dumped_ = {shown_name(options), inspection,
               [this](const explain::EvidenceLine& line) { return lines_.around(line, kReach); }};
  }
  ShownSnapshot(const ShownSnapshot&) = delete;
  ShownSnapshot& operator=(const ShownSnapshot&) = delete;
  const render::DumpedSnapshot& dumped() const { return dumped_; }

 private:
  std::optional<explain::Inspection> inspection_;
  explain::DumpLines lines_;
  render::DumpedSnapshot dumped_;
};

}  // namespace

std::string page_of(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot,
                    const SnapshotOptions& options) {
  const ShownSnapshot shown(snapshot, options, report.dumped.inspection);
  report.verb = verb;
  report.version = EGTRACE_VERSION;
  report.dumped = shown.dumped();
  return render::report_html(report);
}

void write_page(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot, const SnapshotOptions& options,
                const CommonOptions& common) {
  write_output(common, page_of(verb, std::move(report), snapshot, options));
}

void write_page_of_two(const std::string& verb, render::Report report, const PageSnapshot& before, const PageSnapshot& after,
                       const CommonOptions& common) {
  const ShownSnapshot shown(before.snapshot, before.options);
  report.before = &shown.dumped();
  write_page(verb, std::move(report), after.snapshot, after.options, common);
}

}  // namespace egt::cli
