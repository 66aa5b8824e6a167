#include "page.h"

#include <filesystem>
#include <utility>

#include "egtrace/explain/dump_lines.h"
#include "egtrace/parsers/secrets.h"

namespace egt::cli {
namespace {

constexpr std::uint32_t kReach = 5;   // lines before and behind one of evidence

// A page is handed on: the folders in which the snapshot lies are nobody's business.
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

}  // namespace

std::string page_of(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot, const SnapshotOptions& options) {
  const explain::Inspection inspection = explain::inspect(snapshot.cluster, snapshot.collection);
  explain::DumpLines lines(*snapshot.cluster.sources, parsers::mask_environment);
  report.verb = verb;
  report.snapshot = shown_name(options);
  report.version = EGTRACE_VERSION;
  if (report.inspection == nullptr) report.inspection = &inspection;
  report.lines_around = [&](const explain::EvidenceLine& line) { return lines.around(line, kReach); };
  return render::report_html(report);
}

void write_page(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot, const SnapshotOptions& options, const CommonOptions& common) {
  write_output(common, page_of(verb, std::move(report), snapshot, options));
}

}  // namespace egt::cli
