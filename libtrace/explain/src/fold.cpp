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
  if (a.verdict != b.verdict || a.confidence != b.confidence || a.summary != b.summary || a.hops.size() != b.hops.size())
    return false;
  if (!std::equal(a.sightings.begin(), a.sightings.end(), b.sightings.begin(), b.sightings.end(), same_sighting)) return false;
  for (std::size_t i = 0; i < a.hops.size(); ++i)
    if (!same_hop(a.hops[i], b.hops[i]) && !(is_choice(a, i) && is_choice(b, i))) return false;
  return same_follow_up(a.reply, b.reply) && same_follow_up(a.continued, b.continued);
}

// How many elements, at most `most`, both begin with.
template <class T, class Same>
std::size_t common_length(const std::vector<T>& a, const std::vector<T>& b, std::size_t most, Same same) {
  const auto end = a.begin() + static_cast<std::ptrdiff_t>(std::min(most, a.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), end, b.begin(), b.end(), same).first - a.begin());
}

std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

}  // namespace

std::vector<PathGroup> fold_paths(const std::vector<PathReport>& paths) {
  std::vector<PathGroup> groups;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const PathGroup& g) { return alike(paths[g.paths.front()], paths[i]); });
    if (same == groups.end()) {
      groups.push_back({{i}, paths[i].weight});
      continue;
    }
    same->paths.push_back(i);
    if (same->weight && paths[i].weight)
      *same->weight += *paths[i].weight;
    else
      same->weight.reset();
  }
  return groups;
}

std::vector<std::string> choices_of(const std::vector<PathReport>& paths, const PathGroup& group) {
  struct BranchPoint {
    std::string what;
    std::vector<std::string> chosen;
    bool unknown;
  };
  std::vector<BranchPoint> branches;
  for (const std::size_t i : group.paths)
    for (const ChoiceReport& c : paths[i].choices) {
      auto branch = std::find_if(branches.begin(), branches.end(), [&](const BranchPoint& b) { return b.what == c.what; });
      if (branch == branches.end()) branch = branches.insert(branches.end(), {c.what, {}, c.unknown});
      if (std::find(branch->chosen.begin(), branch->chosen.end(), c.chosen) == branch->chosen.end())
        branch->chosen.push_back(c.chosen);
    }
  std::vector<std::string> lines;
  for (const BranchPoint& b : branches)
    lines.push_back(fmt::format("{}: {}{}", b.what, fmt::join(b.chosen, " or "), b.unknown ? " (not known)" : ""));
  return lines;
}

CommonPrefix common_prefix(const std::vector<PathReport>& paths, const std::vector<PathGroup>& groups) {
  if (groups.size() < 2) return {};
  const PathReport& first = paths[groups.front().paths.front()];
  CommonPrefix common{first.hops.size(), first.sightings.size()};
  for (const PathGroup& group : groups) {
    const PathReport& path = paths[group.paths.front()];
    common.hops = common_length(first.hops, path.hops, common.hops, same_hop);
    common.sightings = common_length(first.sightings, path.sightings, common.sightings, same_sighting);
  }
  while (common.sightings > 0 && first.sightings[common.sightings - 1].hop > common.hops) --common.sightings;
  return common;
}

PathReport before_branch(const PathReport& path, const CommonPrefix& common) {
  PathReport part;
  part.hops.assign(path.hops.begin(), path.hops.begin() + offset(common.hops));
  part.sightings.assign(path.sightings.begin(), path.sightings.begin() + offset(common.sightings));
  return part;
}

PathReport after_branch(const PathReport& path, const CommonPrefix& common) {
  PathReport part = path;
  part.hops.erase(part.hops.begin(), part.hops.begin() + offset(common.hops));
  part.sightings.erase(part.sightings.begin(), part.sightings.begin() + offset(common.sightings));
  for (SightingReport& s : part.sightings) s.hop -= std::min(s.hop, common.hops);
  return part;
}

}  // namespace egt::explain
