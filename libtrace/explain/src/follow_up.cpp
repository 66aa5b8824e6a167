#include "follow_up.h"

#include <algorithm>

#include "phrases/walks.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::WalkedPath;

// Steps of replies and of packets after them, for one path of the first packet. What loops until its TTL is used up, and splits
// in each round, has more of them than a reader can use.
constexpr std::size_t kMostSteps = 50'000;

// What was assumed of the packets before is assumed of those that follow as well.
PathReport report_after(WalkedPath walked, const Before& before, const Words& words, const std::string& packet,
                        HopsReported hops) {
  walked.after_assumed = before.request->assumed() || (before.answer != nullptr && before.answer->assumed());
  if (hops == HopsReported::deciding) return report_decision(walked, words);
  return report_path(walked, words, {packet, packet}, before, {true, hops == HopsReported::all});
}

void conclude(FollowUp& f) {
  f.verdict = common_verdict(f.paths);
  f.confidence = common_confidence(f.paths);
  f.summary = summary_of(f.paths, f.verdict);
}

// The packet after the handshake and, where packets have a size of their own then, what answers it: the first that is lost.
struct Later {
  WalkedPath walked;
  bool is_answer = false;
};

std::vector<Later> walk_later(const Conversation& between, const WalkedPath& forward, const WalkedPath& answer) {
  std::vector<Later> all;
  for (WalkedPath& next : between.journey.explore_continued(between.start, forward, answer)) {
    std::vector<WalkedPath> lost;
    if (between.sized && next.verdict == engine::Verdict::delivered)
      for (WalkedPath& back : between.journey.explore_later_reply(between.start, next))
        if (back.verdict != engine::Verdict::delivered) lost.push_back(std::move(back));
    if (lost.empty()) all.push_back({std::move(next)});
    for (WalkedPath& back : lost) all.push_back({std::move(back), true});
  }
  return all;
}

}  // namespace

void follow_up(PathReport& path, const WalkedPath& forward, const Conversation& between, const Words& words, HopsReported hops) {
  const engine::Journey& journey = between.journey;
  const engine::Start& start = between.start;
  FollowUp reply, continued;
  bool truncated = false;
  std::size_t steps = 0;
  for (const WalkedPath& answer : journey.explore_reply(start, forward, &truncated)) {
    if (steps > kMostSteps) {
      truncated = true;
      break;
    }
    std::vector<Later> nexts;
    if (answer.verdict == engine::Verdict::delivered) nexts = walk_later(between, forward, answer);
    // What ends the next packet may be what the reply left behind.
    const bool may_be_why = hops == HopsReported::of_failed && std::any_of(nexts.begin(), nexts.end(), [](const Later& next) {
                              return next.walked.verdict != engine::Verdict::delivered;
                            });
    reply.paths.push_back(
        report_after(answer, {&forward, nullptr, nullptr}, words, reply_name(answer), may_be_why ? HopsReported::all : hops));
    steps += answer.record.steps.size();
    for (const Later& next : nexts) {
      steps += next.walked.record.steps.size();
      continued.paths.push_back(report_after(next.walked, {&forward, &answer, &reply.paths.back()}, words,
                                             later_name(next.walked, next.is_answer), hops));
    }
  }
  if (truncated)
    for (FollowUp* cut : {&reply, &continued})
      for (PathReport& some : cut->paths) some.confidence = Confidence::assumed;
  conclude(reply);
  path.reply.push_back(std::move(reply));
  if (continued.paths.empty()) return;
  conclude(continued);
  path.continued.push_back(std::move(continued));
}

std::vector<WalkedPath> established(const engine::Journey& journey, const engine::Start& start,
                                    const std::vector<WalkedPath>& first, bool& truncated) {
  std::vector<WalkedPath> walked_paths;
  std::size_t steps = 0;
  for (const WalkedPath& forward : first) {
    if (forward.verdict != engine::Verdict::delivered) continue;
    for (const WalkedPath& answer : journey.explore_reply(start, forward)) {
      if (answer.verdict != engine::Verdict::delivered) continue;
      if (steps > kMostSteps) {
        truncated = true;
        return walked_paths;
      }
      for (WalkedPath& next : journey.explore_continued(start, forward, answer)) {
        next.after_assumed = forward.assumed() || answer.assumed();
        steps += next.record.steps.size();
        walked_paths.push_back(std::move(next));
      }
    }
  }
  return walked_paths;
}

}  // namespace egt::explain
