#include "follow_up.h"

#include <algorithm>

#include "report.h"

namespace egt::explain {
namespace {

using engine::Course;

// What was assumed of the packets before is assumed of those that follow as well.
WayReport report_after(Course course, const Before& before, const Words& words, const std::string& packet, bool all_hops) {
  course.undecided |= before.request->assumed();
  return report_way(course, words, {packet, packet}, before, {true, all_hops});
}

void conclude(FollowUp& f) {
  f.verdict = common_verdict(f.ways);
  f.confidence = common_confidence(f.ways);
  f.summary = summary_of(f.ways, f.verdict);
}

std::string receiver_name(const Course& course) {
  if (course.end.kind == engine::Endpoint::Kind::pod) return course.end.pod.name;
  return course.end.node != nullptr ? course.end.node->name : "the receiver";
}

}  // namespace

void follow_up(WayReport& way, const Course& forward, const Conversation& between, const Words& words, bool all_hops) {
  const auto& [journey, start, sender] = between;
  FollowUp reply, continued;
  for (const Course& answer : journey.explore_reply(start, forward)) {
    std::vector<Course> nexts;
    if (answer.verdict == engine::Verdict::delivered) nexts = journey.explore_continued(start, forward, answer);
    // What ends the next packet may be what the answer left behind.
    const bool may_be_why = std::any_of(nexts.begin(), nexts.end(), [](const Course& next) {
      return next.verdict != engine::Verdict::delivered;
    });
    reply.ways.push_back(report_after(answer, {&forward, nullptr, nullptr}, words, receiver_name(forward) + "'s answer",
                                      all_hops || may_be_why));
    for (const Course& next : nexts)
      continued.ways.push_back(
          report_after(next, {&forward, &answer, &reply.ways.back()}, words, sender + "'s next packet", all_hops));
  }
  conclude(reply);
  if (reply.ways.empty()) reply.summary = "the receiver is not in the snapshot, so neither is its answer";
  way.reply.push_back(std::move(reply));
  if (continued.ways.empty()) return;
  conclude(continued);
  way.continued.push_back(std::move(continued));
}

std::vector<Course> established(const engine::Journey& journey, const engine::Start& start,
                                const std::vector<Course>& first) {
  std::vector<Course> courses;
  for (const Course& forward : first) {
    if (forward.verdict != engine::Verdict::delivered) continue;
    for (const Course& answer : journey.explore_reply(start, forward)) {
      if (answer.verdict != engine::Verdict::delivered) continue;
      for (Course& next : journey.explore_continued(start, forward, answer)) {
        next.undecided |= forward.assumed() || answer.assumed();
        courses.push_back(std::move(next));
      }
    }
  }
  return courses;
}

}  // namespace egt::explain
