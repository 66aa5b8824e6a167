#include "shard_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "egtrace/base/sha256.h"
#include "egtrace/base/text.h"

namespace egt::cli {
namespace {

constexpr std::uint64_t kMostShards = 100000;

std::optional<std::uint64_t> from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : parse_decimal(value);
}

std::uint64_t own_index() {
  if (const auto task = from_environment("SLURM_ARRAY_TASK_ID")) {
    const std::uint64_t first = from_environment("SLURM_ARRAY_TASK_MIN").value_or(0);
    return *task >= first ? *task - first : *task;
  }
  if (const auto index = from_environment("JOB_COMPLETION_INDEX")) return *index;
  throw CommandError("--shard N: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set; give I/N");
}

}  // namespace

void add_shard_option(CLI::App& verb, std::string& shard) {
  verb.add_option("--shard", shard, "answer part I of N, or of N with I from Slurm or Kubernetes, for `egtrace merge`")
      ->type_name("I/N");
}

assess::Shard shard_of(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto count = parse_decimal(slash == text.npos ? text : text.substr(slash + 1));
  if (!count || *count == 0 || *count > kMostShards) throw CommandError(fmt::format("--shard: '{}' is no I/N", text));
  const auto index = slash == text.npos ? std::optional(own_index()) : parse_decimal(text.substr(0, slash));
  if (!index || *index > *count)
    throw CommandError(fmt::format("--shard: '{}' is no I/N, with I from 0 to N - 1 (or 1 to N)", text));
  return {static_cast<unsigned>(*index % *count), static_cast<unsigned>(*count)};
}

std::string fingerprint(const cluster::Cluster& cluster) {
  std::vector<std::string> all;
  for (const auto& node : cluster.nodes) all.push_back(node.name());
  for (const cluster::Pod& pod : cluster.objects.pods) all.push_back(pod.full_name() + " " + pod.node);
  std::sort(all.begin(), all.end());
  return sha256(fmt::format("{}", fmt::join(all, "\n")));
}

}  // namespace egt::cli
