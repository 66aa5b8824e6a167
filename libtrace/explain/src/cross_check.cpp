#include "egtrace/explain/cross_check.h"

#include <algorithm>
#include <tuple>

namespace egt::explain {
namespace {

constexpr std::size_t kCookieDigits = 8;  // of the UUID, which are the cookie of the flow's OpenFlow flows

struct StageTaken {
  const std::string* node = nullptr;
  const LflowRef* flow = nullptr;
  const Evidence* evidence = nullptr;

  std::string_view cookie() const { return std::string_view(flow->uuid).substr(0, kCookieDigits); }
  // Of two flows of one stage and priority that do the same a switch may take either.
  bool is_same_as(const StageTaken& other) const {
    if (*node != *other.node) return false;
    const LflowRef& a = *flow;
    const LflowRef& b = *other.flow;
    return cookie() == other.cookie() ||
           (a.stage == b.stage && a.priority == b.priority && a.actions == b.actions && a.datapath == b.datapath);
  }
};

// Nor does it matter here whether a router knows the next hop's MAC address or asks for it first.
bool decides_nothing(const LflowRef& flow) {
  return (flow.match == "1" && flow.actions == "next;") || flow.stage == "lr_in_arp_request";
}

// Several steps may mention one flow: what it sends through conntrack, for one.
std::vector<StageTaken> stages_of(const PathReport& walk) {
  std::vector<StageTaken> stages;
  for (const Hop& hop : walk.hops) {
    if (hop.layer != "ovn" || hop.lflows.empty() || decides_nothing(hop.lflows.front())) continue;
    const StageTaken stage{&hop.node, &hop.lflows.front(), &hop.evidence};
    if (stages.empty() || !stages.back().is_same_as(stage)) stages.push_back(stage);
  }
  return stages;
}

std::size_t common_prefix(const std::vector<StageTaken>& a, const std::vector<StageTaken>& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end(),
                                 [](const StageTaken& x, const StageTaken& y) { return x.is_same_as(y); });
  return static_cast<std::size_t>(end.first - a.begin());
}

class WalkComparison {
 public:
  void walks(Direction direction, const std::vector<PathReport>& realised, const std::vector<PathReport>& intended) {
    for (const PathReport& walk : realised) {
      const PathReport* copy = most_alike(walk, intended);
      if (copy == nullptr) continue;
      compare(direction, {stages_of(walk), walk.verdict == Verdict::inconclusive},
              {stages_of(*copy), copy->verdict == Verdict::inconclusive});
      follow(Direction::reply, walk.reply, copy->reply);
      follow(Direction::later, walk.continued, copy->continued);
    }
  }

  CrossCheck result;

 private:
  // Of those that have as much in common the one that has the least besides: a walk may end before it comes to OVN.
  static const PathReport* most_alike(const PathReport& walk, const std::vector<PathReport>& others) {
    const std::vector<StageTaken> stages = stages_of(walk);
    const PathReport* best = nullptr;
    std::size_t most = 0, least_besides = 0;
    for (const PathReport& other : others) {
      const std::vector<StageTaken> of_other = stages_of(other);
      const std::size_t common = common_prefix(stages, of_other), besides = of_other.size() - common;
      if (best != nullptr && (common < most || (common == most && besides >= least_besides))) continue;
      best = &other;
      most = common;
      least_besides = besides;
    }
    return best;
  }

  void follow(Direction direction, const std::vector<FollowUp>& realised, const std::vector<FollowUp>& intended) {
    if (!realised.empty() && !intended.empty()) walks(direction, realised.front().paths, intended.front().paths);
  }

  struct Stages {
    std::vector<StageTaken> taken;
    bool is_cut = false;
  };  // the dumps do not show what follows

  void compare(Direction direction, const Stages& of_switch, const Stages& of_ovn) {
    const std::vector<StageTaken>&realised = of_switch.taken, &intended = of_ovn.taken;
    const std::size_t common = common_prefix(realised, intended);
    result.stages += common;
    if (common == realised.size() && (common == intended.size() || of_switch.is_cut)) return;
    if (common == intended.size() && of_ovn.is_cut) return;
    StageDifference difference;
    difference.direction = direction;
    if (common < realised.size()) difference.realised = *realised[common].flow;
    if (common < intended.size()) difference.intended = *intended[common].flow;
    for (const auto* stages : {&realised, &intended})
      if (common < stages->size()) {
        const Evidence& lines = *(*stages)[common].evidence;
        difference.evidence.insert(difference.evidence.end(), lines.begin(), lines.end());
      }
    difference.node = *(common < intended.size() ? intended[common] : realised[common]).node;
    add(std::move(difference));
  }

  void add(StageDifference difference) {
    const auto key = [](const StageDifference& d) {
      return std::tuple(d.direction, d.node, d.realised ? d.realised->uuid : "", d.intended ? d.intended->uuid : "");
    };
    auto& all = result.differences;
    if (std::none_of(all.begin(), all.end(), [&](const StageDifference& d) { return key(d) == key(difference); }))
      all.push_back(std::move(difference));
  }
};

}  // namespace

CrossCheck cross_check(const Explanation& realised, const Explanation& intended) {
  WalkComparison comparison;
  comparison.walks(Direction::request, realised.paths, intended.paths);
  return std::move(comparison.result);
}

}  // namespace egt::explain
