#include "counters.h"

#include "phrases/words.h"

namespace egt::explain {
namespace {

// Counters of OpenFlow flows are brought up from the datapath: by the revalidator twice a second at best, every ten
// seconds by hardware and busy hosts. A younger flow need not have counted yet.
constexpr double kSettled = 60;  // seconds

struct Neighbour {
  std::uint64_t packets = 0;
  Provenance from;
};

void prefer_busier(Neighbour& best, std::uint64_t packets, Provenance from) {
  if (packets > best.packets) best = {packets, from};
}

// Whether a flow took a packet within the last `seconds`: as its idle age shows, else at the rate of its whole life.
bool counted_within(const openflow::FlowUse& use, double seconds) {
  if (use.n_packets.value_or(0) == 0) return false;
  if (use.idle_age) return static_cast<double>(*use.idle_age) < seconds;
  if (!use.duration || *use.duration <= seconds) return true;
  return static_cast<double>(*use.n_packets) * seconds / *use.duration >= 1;
}

Counted with(const Neighbour& neighbour, const cluster::Cluster& cluster) {
  Counted c;
  c.beside = neighbour.packets;
  if (neighbour.from.known()) c.neighbour.push_back(evidence_line(neighbour.from, *cluster.sources));
  return c;
}

std::optional<Counted> counted_by(const engine::TableMatch& match, const cluster::Cluster& cluster) {
  if (match.flow == openflow::kNoFlow || match.on == nullptr || !match.on->flows) return std::nullopt;
  const openflow::FlowTables& flows = *match.on->flows;
  const openflow::FlowUse& use = flows.flow(match.flow).use;
  if (!use.n_packets) return std::nullopt;
  if (*use.n_packets != 0) return Counted{*use.n_packets, 0, {}};
  if (use.duration && *use.duration < kSettled) return Counted{};
  Neighbour best;
  for (const openflow::FlowIndex i : match.shadowed) {
    const openflow::FlowEntry& other = flows.flow(i);
    if (!use.duration || counted_within(other.use, *use.duration))
      prefer_busier(best, other.use.n_packets.value_or(0), other.from);
  }
  return with(best, cluster);
}

std::optional<Counted> counted_by(const engine::RuleHit& hit, const cluster::Cluster& cluster) {
  if (hit.rule == nullptr || !hit.rule->packets) return std::nullopt;
  if (*hit.rule->packets != 0) return Counted{*hit.rule->packets, 0, {}};
  Neighbour best;
  if (hit.in != nullptr)
    for (const netfilter::Rule& other : hit.in->rules) prefer_busier(best, other.packets.value_or(0), other.from);
  return with(best, cluster);
}

}  // namespace

std::optional<Counted> counted(const engine::Step& step, const cluster::Cluster& cluster) {
  if (const auto* match = std::get_if<engine::TableMatch>(&step.kind)) return counted_by(*match, cluster);
  if (const auto* hit = std::get_if<engine::RuleHit>(&step.kind)) return counted_by(*hit, cluster);
  return std::nullopt;
}

}  // namespace egt::explain
