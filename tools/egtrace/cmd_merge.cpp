// egtrace merge RESULT...: what one run would have printed, of the results of its shards.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "command.h"
#include "egtrace/parsers/content.h"
#include "egtrace/render/audit.h"
#include "egtrace/render/check.h"
#include "egtrace/render/shard.h"
#include "results.h"
#include "source_places.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kMergeFooter =
    "Examples:\n"
    "  for i in 0 1 2 3; do egtrace audit ./dumps --shard $i/4 -o part-$i.json; done\n"
    "  egtrace merge part-*.json\n"
    "  egtrace merge part-*.json --format json -o audit.json\n"
    "\n"
    "Exit status: that of the whole run; 2 where the results are not of one run, 3 where one is missing.\n";

struct MergeOptions {
  CommonOptions common;
  std::vector<std::string> files;
  CheckFiles check;
};

render::ShardResult read(const std::string& path) {
  const auto content = parsers::read_content(path);
  if (!content) throw CommandError(fmt::format("{}: {}", path, content.error().message));
  auto result = render::read_shard(content->text);
  if (!result) throw CommandError(fmt::format("{}: {}", path, result.error().message));
  return *std::move(result);
}

// One of each shard, in their order. A shard that was run again may be given once only.
std::vector<render::ShardResult> read_all(const std::vector<std::string>& files) {
  std::vector<render::ShardResult> all;
  for (const std::string& file : files) {
    render::ShardResult result = read(file);
    if (!all.empty() && !result.head.belongs_to(all.front().head))
      throw CommandError(fmt::format(
          "{}: is not of the same run as {}: another verb, snapshot, number of shards, version or option", file, files.front()));
    for (const render::ShardResult& other : all)
      if (other.head.shard.index == result.head.shard.index)
        throw CommandError(fmt::format("{}: shard {} is given twice", file, result.head.shard.index));
    all.push_back(std::move(result));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.head.shard.index < b.head.shard.index; });
  return all;
}

// Shows which are missing; whether any is.
bool lacks_shards(const std::vector<render::ShardResult>& all) {
  std::vector<unsigned> missing;
  std::size_t at = 0;
  for (unsigned i = 0; i < all.front().head.shard.count; ++i) {
    if (at < all.size() && all[at].head.shard.index == i)
      ++at;
    else
      missing.push_back(i);
  }
  if (!missing.empty())
    print_error(fmt::format("egtrace: {} of {} shards missing: {}; run {} again with --shard I/{}\n", missing.size(),
                            all.front().head.shard.count, fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them",
                            all.front().head.shard.count));
  return !missing.empty();
}

ExitStatus merge_audit(std::vector<render::ShardResult> all, const MergeOptions& o) {
  std::vector<assess::AuditRow> rows;
  for (render::ShardResult& one : all) std::move(one.rows.begin(), one.rows.end(), std::back_inserter(rows));
  assess::sort_by_interest(rows);
  return write_audit(std::move(rows), AuditResultOptions::from(all.front().head.options), o.common);
}

ExitStatus merge_check(std::vector<render::ShardResult> all, const MergeOptions& o) {
  std::vector<render::PlacedReport> placed;
  for (render::ShardResult& one : all) std::move(one.reports.begin(), one.reports.end(), std::back_inserter(placed));
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  std::vector<assess::ExpectationReport> reports;
  for (render::PlacedReport& one : placed) reports.push_back(std::move(one.report));
  CheckResultOptions options = CheckResultOptions::from(all.front().head.options);
  options.files = o.check;
  return write_check(reports, options, source_places(options.file, nullptr), read_baseline(o.check), o.common);
}

ExitStatus run_merge(const MergeOptions& o) {
  std::vector<render::ShardResult> all = read_all(o.files);
  const bool incomplete = lacks_shards(all);
  const std::string verb = all.front().head.verb;
  if (verb != "audit" && verb != "check")
    throw CommandError(fmt::format("{}: results of {} cannot be merged", o.files.front(), verb));
  const ExitStatus status = verb == "audit" ? merge_audit(std::move(all), o) : merge_check(std::move(all), o);
  return incomplete && status != ExitStatus::failed ? ExitStatus::inconclusive : status;
}

}  // namespace

void add_merge(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<MergeOptions>();
  CLI::App* verb = app.add_subcommand("merge", "put the results of shards of audit or check together");
  verb->add_option("results", o->files, "files that --shard wrote")->required();
  add_check_files(*verb, o->check);
  for (const char* of_check : {"--junit", "--sarif", "--codequality", "--baseline", "--write-baseline"}) {
    CLI::Option* option = verb->get_option(of_check);
    option->description("of check: " + option->get_description());
  }
  add_common_options(*verb, o->common, {"text", "json", "csv", "table", "github", "gitlab"});
  verb->footer(kMergeFooter);
  verb->callback([o, &status] { status = run_merge(*o); });
}

}  // namespace egt::cli
