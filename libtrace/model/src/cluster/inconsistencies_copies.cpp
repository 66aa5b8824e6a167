#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using About = Inconsistency::About;

// Text that two nodes cannot both have printed: it holds identifiers or counters.
bool is_of_one_node(const Cluster& cluster, const DumpInfo& dump) {
  const auto holds = [&](std::string_view part) {
    return cluster.sources->at(dump.source).text.find(part) != std::string_view::npos;
  };
  if (dump.kind.starts_with("ovs-ofctl dump-flows")) return holds("duration=");
  if (dump.kind.starts_with("ovs-ofctl show") || dump.kind == "ip addr" || dump.kind == "ip link")
    return holds("addr:") || holds("link/ether");
  if (dump.kind == "ip route") return holds(" src ");
  return false;
}

}  // namespace

DumpsBySize::DumpsBySize(const Cluster& cluster) {
  for (const NodeHandle& node : cluster.nodes)
    for (const std::size_t at : node.identity()->dumps)
      if (const SourceId source = cluster.dumps[at].source; source != kNoSource)
        by_size_[cluster.sources->size_of(source)].push_back({&node, at});
}

std::vector<DumpsBySize::NodeDump> DumpsBySize::like(const Cluster& cluster, SourceId source) const {
  std::vector<NodeDump> alike;
  const std::string_view text = cluster.sources->at(source).text;
  const auto found = by_size_.find(text.size());
  if (found == by_size_.end()) return alike;
  for (const NodeDump& copy : found->second)
    if (const SourceId other = cluster.dumps[copy.dump].source; other == source || cluster.sources->at(other).text == text)
      alike.push_back(copy);
  return alike;
}

// The first of those that have a dump is compared with each other one, and each of these against the first alone.
void look_at_copies(const Cluster& cluster, const DumpsBySize& dumps, Node& node) {
  struct Copy {
    std::string of;
    std::size_t dump;
    Inconsistency what;
  };
  std::vector<Copy> later;
  for (const std::size_t at : node.dumps) {
    const DumpInfo& dump = cluster.dumps[at];
    if (!dump.superseded_by.empty() || dump.source == kNoSource) continue;
    if (!is_of_one_node(cluster, dump)) continue;
    std::vector<DumpsBySize::NodeDump> alike = dumps.like(cluster, dump.source);
    std::erase_if(alike, [&](const DumpsBySize::NodeDump& d) {
      if (d.node->identity() != &node) d.node->own();  // which shows what it was superseded by
      return !cluster.dumps[d.dump].superseded_by.empty() || !is_of_one_node(cluster, cluster.dumps[d.dump]);
    });
    if (alike.empty()) continue;
    const auto add = [&](const DumpsBySize::NodeDump& other, const DumpInfo& shown) {
      if (other.node->identity() == &node || other.dump == at) return;
      later.push_back({other.node->name(),
                       other.dump,
                       {About::node, "", std::nullopt, Conflict::copied_dump, {shown.kind, other.node->name()}}});
    };
    if (alike.front().node->identity() != &node) {
      if (alike.front().dump != at)
        add_inconsistency(node, {About::node, "", std::nullopt, Conflict::copied_dump, {dump.kind, alike.front().node->name()}});
    } else if (alike.front().dump == at) {
      for (const DumpsBySize::NodeDump& other : alike) add(other, cluster.dumps[other.dump]);
    }
  }
  std::sort(later.begin(), later.end(),
            [](const Copy& a, const Copy& b) { return std::tie(a.of, a.dump) < std::tie(b.of, b.dump); });
  for (Copy& copy : later) add_inconsistency(node, std::move(copy.what));
}

}  // namespace egt::cluster
