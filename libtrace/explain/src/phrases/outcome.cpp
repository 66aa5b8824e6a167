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
std::vector<std::string> nodes_on(const PathReport& path) {
  std::vector<std::string> all;
  for (const SightingReport& s : path.sightings)
    if (all.empty() || all.back() != s.node) all.push_back(s.node);
  return all;
}

// Nodes that the reply passes and the request does not, or the reverse: stateful devices see only one direction.
std::string asymmetry(const std::vector<PathReport>& paths) {
  std::set<std::string> others;
  for (const PathReport& path : paths) {
    const std::vector<std::string> there = nodes_on(path);
    for (const FollowUp& reply : path.reply)
      for (const PathReport& back : reply.paths) {
        const std::vector<std::string> nodes = nodes_on(back);
        const bool same = std::set<std::string>(nodes.begin(), nodes.end()) == std::set<std::string>(there.begin(), there.end());
        if (back.verdict == Verdict::delivered && !same && !nodes.empty())
          others.insert(fmt::format("{}", fmt::join(nodes, ", ")));
      }
  }
  return others.empty() ? std::string() : fmt::format("; the reply has another path: {}", fmt::join(others, "; or "));
}

// Where a datagram is answered and the next one is lost.
std::string lost_later(const std::vector<PathReport>& paths) {
  for (const PathReport& path : paths)
    for (const FollowUp& next : path.continued)
      if (!path.has_handshake && next.verdict != Verdict::delivered) return "; but " + next.summary;
  return {};
}

const PathReport* first_undecided(const std::vector<PathReport>& walks) {
  for (const PathReport& walk : walks)
    if (walk.verdict == Verdict::inconclusive) return &walk;
  return nullptr;
}

const PathReport* first_undecided(const PathReport& path) {
  if (path.verdict == Verdict::inconclusive) return &path;
  for (const auto* list : {&path.reply, &path.continued})
    for (const FollowUp& f : *list)
      if (const PathReport* walk = first_undecided(f.paths)) return walk;
  return nullptr;
}

std::string undecided_clause(const Explanation& e) {
  for (const PathReport& path : e.paths)
    if (path.is_for_group && path.verdict == Verdict::delivered)
      return fmt::format(
          "{} is a broadcast, multicast or anycast address: who receives the packet replies, if at all, from its own address",
          e.packet.dst);
  for (const PathReport& path : e.paths)
    if (const PathReport* walk = first_undecided(path)) return walk->summary;
  for (const PathReport& path : e.paths)
    for (const ChoiceReport& c : path.choices)
      if (c.unknown) return fmt::format("it depends on {} of {}: {}", c.what, c.node, c.why);
  return "the snapshot does not hold enough of this connection's path";
}

std::string fault_clause(const Fault& fault) {
  return fault.direction == Direction::later ? "the handshake succeeds, but " + fault.summary : fault.summary;
}

// "50 % of the connections", "1 of 2 paths" where the dumps do not show how the traffic is shared; empty where no path has it.
std::string share_of(const std::vector<PathReport>& paths, Outcome outcome) {
  std::size_t count = 0;
  std::optional<double> weight = 0;
  for (const PathReport& path : paths) {
    if (!path.weight) weight.reset();
    if (path.outcome != outcome) continue;
    ++count;
    if (weight) *weight += *path.weight;
  }
  if (count == 0) return {};
  return weight ? fmt::format("{:.0f} % of the connections", *weight * 100) : fmt::format("{} of {} paths", count, paths.size());
}

std::string mixed_clause(const Explanation& e) {
  std::string s;
  for (const Outcome outcome : {Outcome::answered, Outcome::refused, Outcome::unanswered, Outcome::mixed})
    if (const std::string share = share_of(e.paths, outcome); !share.empty())
      s += fmt::format("{}{} {}", s.empty() ? "" : ", ", share, name_of(outcome));
  return e.fault ? fmt::format("{}: {}", s, fault_clause(*e.fault)) : s;
}

}  // namespace

std::string outcome_clause(const Explanation& e) {
  switch (e.outcome) {
    case Outcome::answered: return summary_of(e.paths, e.verdict) + lost_later(e.paths) + asymmetry(e.paths);
    case Outcome::refused:
      if (e.listener == Listener::closed && !e.paths.empty() && e.paths.front().destination_seen)
        return fmt::format("no process listens on {}, so the receiver refuses the connection",
                           to_text(*e.paths.front().destination_seen));
      [[fallthrough]];
    case Outcome::unanswered: return e.fault ? fault_clause(*e.fault) : summary_of(e.paths, e.verdict);
    case Outcome::mixed: return mixed_clause(e);
    case Outcome::undecided: return undecided_clause(e);
  }
  return {};
}

}  // namespace egt::explain
