#include "coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/assess/coverage.h"

namespace egt::cli {
namespace {

std::string pods_text(std::size_t count) { return fmt::format("{} pod{}", count, count == 1 ? "" : "s"); }

// "w1, w2, w3 and 9 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  const std::string more = names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  return fmt::format("{}{}", fmt::join(names.begin(), shown, ", "), more);
}

}  // namespace

void warn_of_coverage(const cluster::Cluster& cluster, const CommonOptions& common) {
  const assess::Coverage coverage = assess::coverage_of(cluster);
  if (common.quiet || coverage.is_whole()) return;
  hold_warning(fmt::format("no dumps of {} of {} nodes ({}): {} that run there are not covered", coverage.absent_nodes.size(),
                           coverage.absent_nodes.size() + coverage.nodes, some_of(coverage.absent_nodes),
                           pods_text(coverage.absent_pods)));
}

void require_coverage(const cluster::Cluster& cluster, const char* verb) {
  const assess::Coverage coverage = assess::coverage_of(cluster);
  if (coverage.nodes > 0 || coverage.is_whole()) return;
  throw CommandError(
      fmt::format("the snapshot has objects, and dumps of none of their nodes ({}): `{}` needs some; sosreport, must-gather with "
                  "gather_network_logs, or egtrace collect on the nodes",
                  some_of(coverage.absent_nodes), verb));
}

}  // namespace egt::cli
