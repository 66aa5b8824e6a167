// Groups (xlate_group_action of ofproto/ofproto-dpif-xlate.c). Which bucket a select group takes is decided by a hash
// of the datapath, so every live bucket is a way of its own.
#include <fmt/format.h>

#include <algorithm>

#include "translation.h"

namespace egt::engine {
namespace {

using namespace openflow;

constexpr int kMaxGroupNesting = 16;

std::string bucket_label(const Bucket& b, std::size_t index) {
  return fmt::format("bucket {}", b.id.value_or(static_cast<std::uint32_t>(index)));
}

}  // namespace

bool Translation::is_live(const Bucket& b, int nesting) const {
  if (b.watch_port && b.watch_port->number != port::none && !is_live(*b.watch_port)) return false;
  constexpr std::uint32_t kNoGroup = 0xffffffff;
  if (!b.watch_group || *b.watch_group == kNoGroup) return true;
  const Group* watched = bridge().groups.find(*b.watch_group);
  if (watched == nullptr || nesting >= kMaxGroupNesting) return false;
  return std::any_of(watched->buckets.begin(), watched->buckets.end(),
                     [&](const Bucket& inner) { return is_live(inner, nesting + 1); });
}

std::optional<std::size_t> Translation::pick_bucket(const Group& g) {
  const bool select = g.type == Group::Type::select;
  std::vector<std::size_t> live;
  double total = 0;
  for (std::size_t i = 0; i < g.buckets.size(); ++i) {
    if (!is_live(g.buckets[i]) || (select && g.buckets[i].weight == 0)) continue;
    live.push_back(i);
    total += g.buckets[i].weight.value_or(1);
  }
  if (live.empty()) return std::nullopt;
  if (live.size() == 1 || !select) return live.front();
  ChoicePoint point{ChoicePoint::Kind::split, node_.name, fmt::format("group {}", g.id), "", {}, {g.from}};
  for (const std::size_t i : live)
    point.options.push_back({bucket_label(g.buckets[i], i), g.buckets[i].weight.value_or(1) / total});
  return live[std::min(chooser_.choose(point), live.size() - 1)];
}

void Translation::run_bucket(const Group& g, std::size_t index, Place place) {
  const auto owner = step_;
  std::vector<Provenance> evidence = here();
  evidence.push_back(g.from);
  add(GroupPick{bridge().name, g.id, index, g.buckets.size()}, std::move(evidence));
  step_ = record_.steps.size() - 1;
  const FlowKey saved = key();
  ++depth_;
  run_list(as_action_set(g.buckets[index].actions), place.nested());
  --depth_;
  key() = saved;
  exit_ = false;
  step_ = owner;
}

bool Translation::group(std::uint32_t id, Place place) {
  const Group* found = bridge().groups.find(id);
  if (found == nullptr) {
    const std::string name = fmt::format("group {} of {}", id, bridge().name);
    result_.undecided |= !bridge().has_groups || bridge().flows_partial;
    // Open vSwitch takes no flow that names a group it lacks, and deletes a group's flows with it: dumps that show such
    // a flow are of two moments or bridges.
    gap(name, "ovs-ofctl -O OpenFlow15 dump-groups " + bridge().name);
    remark(name + " does not exist", here());
    reason(fmt::format("{} is not {}", name, bridge().has_groups ? "there" : "in the snapshot"), 0, here());
    return false;
  }
  const Group& g = *found;
  if (nesting_ >= 500) return not_understood("groups that nest too deep"), false;
  ++nesting_;
  if (g.type == Group::Type::all || g.type == Group::Type::indirect) {
    for (std::size_t i = 0; i < g.buckets.size(); ++i)
      run_bucket(g, i, {place.depth, place.last && i + 1 == g.buckets.size()});
    if (g.buckets.empty()) reason(fmt::format("group {} has no buckets", id), 0, {g.from});
  } else if (const auto bucket = pick_bucket(g)) {
    run_bucket(g, *bucket, place);
  } else {
    remark(fmt::format("group {} has no live bucket", id), {g.from});
    reason(fmt::format("group {} has no live bucket", id), 0, {g.from});
  }
  --nesting_;
  return true;
}

}  // namespace egt::engine
