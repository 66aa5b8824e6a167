#include "phrases/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "report.h"
#include "words.h"

namespace egt::explain {
namespace {

// Nodes in the order in which the packet meets them.
std::vector<std::string> nodes_on(const WayReport& path) {
  std::vector<std::string> all;
  for (const SightingReport& s : path.sightings)
    if (all.empty() || all.back() != s.node) all.push_back(s.node);
  return all;
}

// Nodes that the reply passes and the request does not, or the reverse: stateful devices see only one direction.
std::string asymmetry(const std::vector<WayReport>& paths) {
  std::set<std::string> courses;
  for (const WayReport& path : paths) {
    const std::vector<std::string> there = nodes_on(path);
    for (const FollowUp& reply : path.reply)
      for (const WayReport& back : reply.ways) {
        const std::vector<std::string> course = nodes_on(back);
        const bool same = std::set<std::string>(course.begin(), course.end()) == std::set<std::string>(there.begin(), there.end());
        if (back.verdict == "delivered" && !same && !course.empty()) courses.insert(fmt::format("{}", fmt::join(course, ", ")));
      }
  }
  return courses.empty() ? std::string() : fmt::format("; the reply takes another path: {}", fmt::join(courses, "; or "));
}

// Where a datagram is answered and the next one is lost.
std::string lost_later(const std::vector<WayReport>& paths) {
  for (const WayReport& path : paths)
    for (const FollowUp& next : path.continued)
      if (!path.has_handshake && next.verdict != "delivered") return "; but " + next.summary;
  return {};
}

const WayReport* first_undecided(const std::vector<WayReport>& walks) {
  for (const WayReport& walk : walks)
    if (walk.verdict == "inconclusive") return &walk;
  return nullptr;
}

const WayReport* first_undecided(const WayReport& path) {
  if (path.verdict == "inconclusive") return &path;
  for (const auto* list : {&path.reply, &path.continued})
    for (const FollowUp& f : *list)
      if (const WayReport* walk = first_undecided(f.ways)) return walk;
  return nullptr;
}

std::string undecided_clause(const Explanation& e) {
  for (const WayReport& path : e.ways)
    if (path.is_for_group && path.verdict == "delivered")
      return fmt::format("{} is a broadcast or multicast address: who receives the packet replies, if at all, from its own address",
                         e.packet.dst);
  for (const WayReport& path : e.ways)
    if (const WayReport* walk = first_undecided(path)) return walk->summary;
  for (const WayReport& path : e.ways)
    for (const ChoiceReport& c : path.choices)
      if (c.unknown) return fmt::format("it depends on {} of {}: {}", c.what, c.node, c.why);
  return "the snapshot does not hold enough of this connection's path";
}

std::string fault_clause(const Fault& fault) {
  return fault.direction == Direction::later ? "the handshake succeeds, but " + fault.summary : fault.summary;
}

std::string mixed_clause(const Explanation& e) {
  std::string s;
  for (const Outcome outcome : {Outcome::answered, Outcome::refused, Outcome::unanswered, Outcome::mixed}) {
    const auto count = std::count_if(e.ways.begin(), e.ways.end(), [&](const WayReport& p) { return p.outcome == outcome; });
    if (count > 0) s += fmt::format("{}{} of {} paths {}", s.empty() ? "" : ", ", count, e.ways.size(), name_of(outcome));
  }
  return e.fault ? fmt::format("{}: {}", s, fault_clause(*e.fault)) : s;
}

}  // namespace

std::string outcome_clause(const Explanation& e) {
  switch (e.outcome) {
    case Outcome::answered: return summary_of(e.ways, e.verdict) + lost_later(e.ways) + asymmetry(e.ways);
    case Outcome::refused:
      if (e.listener == Listener::closed && !e.ways.empty() && e.ways.front().destination_seen)
        return fmt::format("no process listens on {}, so the receiver refuses the connection",
                           to_text(*e.ways.front().destination_seen));
      [[fallthrough]];
    case Outcome::unanswered:
      return e.fault ? fault_clause(*e.fault) : summary_of(e.ways, e.verdict);
    case Outcome::mixed: return mixed_clause(e);
    case Outcome::undecided: return undecided_clause(e);
  }
  return {};
}

}  // namespace egt::explain
