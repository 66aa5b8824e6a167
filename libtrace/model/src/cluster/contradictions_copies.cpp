#include <map>
#include <string_view>
#include <utility>

#include "contradictions.h"

namespace egt::cluster {
namespace {

using About = Contradiction::About;

// Text that two machines cannot both have printed: it holds identifiers or counters.
bool is_of_one_machine(const DumpInfo& dump, std::string_view text) {
  const auto holds = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (dump.kind.starts_with("ovs-ofctl dump-flows")) return holds("duration=");
  if (dump.kind.starts_with("ovs-ofctl show") || dump.kind == "ip addr" || dump.kind == "ip link")
    return holds("addr:") || holds("link/ether");
  if (dump.kind == "ip route") return holds(" src ");
  return false;
}

}  // namespace

void look_at_copies(Cluster& cluster) {
  std::map<std::string_view, std::pair<Node*, std::size_t>> first;
  for (const auto& node : cluster.nodes)
    for (const std::size_t at : node->dumps) {
      const DumpInfo& dump = cluster.dumps[at];
      if (!dump.superseded_by.empty() || dump.source == kNoSource) continue;
      const std::string_view text = cluster.sources->at(dump.source).text;
      if (!is_of_one_machine(dump, text)) continue;
      const auto [known, fresh] = first.try_emplace(text, node.get(), at);
      auto& [other, other_at] = known->second;
      if (fresh || other == node.get() || other_at == at) continue;
      for (const auto& [one, two] : {std::pair(node.get(), other), std::pair(other, node.get())})
        add_contradiction(*one, {About::machine, "", std::nullopt, Conflict::copied_dump, {dump.kind, two->name}});
    }
}

}  // namespace egt::cluster
