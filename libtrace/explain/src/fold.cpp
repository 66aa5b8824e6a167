#include "egtrace/explain/fold.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::explain {
namespace {

bool is_choice(const PathReport& path, std::size_t hop) {
  return std::any_of(path.choices.begin(), path.choices.end(), [&](const ChoiceReport& c) { return c.hop == hop; });
}

bool same_hop(const Hop& a, const Hop& b) {
  return a.node == b.node && a.layer == b.layer && a.where == b.where && a.what == b.what && a.evidence == b.evidence;
}

bool same_sighting(const SightingReport& a, const SightingReport& b) {
  return a.node == b.node && a.device == b.device && a.in == b.in && a.src == b.src && a.dst == b.dst && a.sport == b.sport &&
         a.dport == b.dport && a.smac == b.smac && a.dmac == b.dmac && a.encap.has_value() == b.encap.has_value() &&
         (!a.encap || (a.encap->src == b.encap->src && a.encap->dst == b.encap->dst && a.encap->vni == b.encap->vni));
}

bool same_follow_up(const std::vector<FollowUp>& a, const std::vector<FollowUp>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const FollowUp& x, const FollowUp& y) {
    return x.verdict == y.verdict && x.summary == y.summary && x.paths.size() == y.paths.size();
  });
}

bool alike(const PathReport& a, const PathReport& b) {
  if (a.verdict != b.verdict || a.confidence != b.confidence || a.summary != b.summary || a.hops.size() != b.hops.size()) return false;
  if (!std::equal(a.sightings.begin(), a.sightings.end(), b.sightings.begin(), b.sightings.end(), same_sighting)) return false;
  for (std::size_t i = 0; i < a.hops.size(); ++i)
    if (!same_hop(a.hops[i], b.hops[i]) && !(is_choice(a, i) && is_choice(b, i))) return false;
  return same_follow_up(a.reply, b.reply) && same_follow_up(a.continued, b.continued);
}

}  // namespace

std::vector<PathGroup> fold_paths(const std::vector<PathReport>& paths) {
  std::vector<PathGroup> groups;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const PathGroup& g) { return alike(paths[g.paths.front()], paths[i]); });
    if (same == groups.end()) {
      groups.push_back({{i}, paths[i].weight});
      continue;
    }
    same->paths.push_back(i);
    if (same->weight && paths[i].weight) *same->weight += *paths[i].weight;
    else same->weight.reset();
  }
  return groups;
}

std::vector<std::string> choices_of(const std::vector<PathReport>& paths, const PathGroup& group) {
  struct Place { std::string what; std::vector<std::string> chosen; bool unknown; };
  std::vector<Place> places;
  for (const std::size_t i : group.paths)
    for (const ChoiceReport& c : paths[i].choices) {
      auto place = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.what == c.what; });
      if (place == places.end()) place = places.insert(places.end(), {c.what, {}, c.unknown});
      if (std::find(place->chosen.begin(), place->chosen.end(), c.chosen) == place->chosen.end()) place->chosen.push_back(c.chosen);
    }
  std::vector<std::string> lines;
  for (const Place& p : places) lines.push_back(fmt::format("{}: {}{}", p.what, fmt::join(p.chosen, " or "), p.unknown ? " (not known)" : ""));
  return lines;
}

}  // namespace egt::explain
