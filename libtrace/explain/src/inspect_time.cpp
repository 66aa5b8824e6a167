#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "egtrace/base/moment.h"
#include "egtrace/base/text.h"
#include "inspect_parts.h"
#include "phrases/inspections.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Collection;

constexpr std::int64_t kApart = 300;        // seconds between dumps of one node that are worth a word
constexpr std::int64_t kNodesApart = 1800;  // between nodes: collected one after the other

struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  std::string first_path, last_path;
  void add(std::int64_t time, const std::string& path) {
    if (time < first) first = time, first_path = path;
    if (time > last) last = time, last_path = path;
  }
};

std::string duration(std::int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

// Dumps that were read: nothing follows from the time of the others.
std::map<std::string, Span> spans(const Cluster& cluster, const Collection& collection) {
  std::map<std::string, Span> by_node;
  for (std::size_t i = 0; i < collection.dumps.size() && i < cluster.dumps.size(); ++i) {
    const cluster::DumpInfo& dump = cluster.dumps[i];
    const bool read = dump.kind != "unknown" && dump.superseded_by.empty() && collection.dumps[i].note.empty();
    if (read && !dump.node.empty() && collection.dumps[i].time != 0) by_node[dump.node].add(collection.dumps[i].time, dump.path);
  }
  return by_node;
}

void compare_nodes(const std::map<std::string, Span>& by_node, std::vector<std::string>& out) {
  if (by_node.size() < 2) return;
  const auto earlier = [](const auto& a, const auto& b) { return a.second.last < b.second.last; };
  const auto [first, last] = std::minmax_element(by_node.begin(), by_node.end(), earlier);
  const std::int64_t apart = last->second.first - first->second.last;
  if (apart > kNodesApart) out.push_back(phrase(Observation::nodes_apart, {first->first, duration(apart), last->first}));
}

// Their dialects have headers or none, one for each part of the reply.
std::size_t count_flows(const Cluster& cluster, const cluster::DumpInfo& dump) {
  std::string_view text = cluster.sources->at(dump.source).text;
  std::size_t count = 0;
  while (!text.empty()) count += next_line(text).find("actions=") != std::string_view::npos ? 1 : 0;
  return count;
}

// A second dump of the same flows that has more or fewer of them was taken at another moment, or filtered.
void compare_copies(const Cluster& cluster, std::vector<std::string>& out) {
  std::map<std::string, const cluster::DumpInfo*> by_path;
  for (const cluster::DumpInfo& dump : cluster.dumps) by_path.emplace(dump.path, &dump);
  for (const cluster::DumpInfo& dump : cluster.dumps) {
    const auto read = by_path.find(dump.superseded_by);
    if (dump.superseded_by.empty() || read == by_path.end() || read->second->kind != dump.kind || dump.partial) continue;
    if (dump.lines == read->second->lines || dump.kind != "ovs-ofctl dump-flows") continue;
    const std::size_t flows = count_flows(cluster, dump), others = count_flows(cluster, *read->second);
    if (flows != others) out.push_back(phrase(Observation::copies_differ, {dump.path, flows, read->second->path, others}));
  }
}

}  // namespace

std::string utc(std::int64_t seconds) { return seconds == 0 ? std::string() : utc_text(seconds * 1000); }

std::vector<std::string> report_times(const Cluster& cluster, const Collection& collection) {
  std::vector<std::string> out;
  const std::map<std::string, Span> by_node = spans(cluster, collection);
  for (const auto& [node, span] : by_node) {
    out.push_back(
        phrase(Observation::moments_of_node, {node, utc(span.first), span.last == span.first ? Term() : Term(utc(span.last))}));
    if (span.last - span.first > kApart)
      out.push_back(
          phrase(Observation::node_changes_between, {node, span.first_path, duration(span.last - span.first), span.last_path}));
  }
  compare_nodes(by_node, out);
  compare_copies(cluster, out);
  return out;
}

}  // namespace egt::explain
