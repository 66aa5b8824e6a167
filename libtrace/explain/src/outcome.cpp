#include "egtrace/explain/outcome.h"

#include <algorithm>
#include <array>
#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::explain {
namespace {

constexpr std::array<std::string_view, 2> kConfidences = {"assumed", "proven"};
constexpr std::array<std::string_view, 3> kDirections = {"request", "reply", "later"};
constexpr std::array<std::string_view, 3> kListeners = {"known", "closed", "unknown"};

// A path of some walk, with what its connection comes to if the packet takes it.
struct Leaf {
  const PathReport* path = nullptr;
  Outcome outcome = Outcome::undecided;
};
using Leaves = std::vector<Leaf>;

bool all_alike(const std::vector<Outcome>& outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [&](Outcome o) { return o == outcomes.front(); });
}

// Paths that made the same choices before `depth`; the next choice, where there is one, is the same choice point for all.
Outcome fold(const Leaves& leaves, std::size_t depth) {
  if (leaves.size() == 1) return leaves.front().outcome;
  std::vector<std::pair<std::string, Leaves>> branches;  // by what was chosen there
  bool is_unknown = false;
  std::vector<Outcome> outcomes;
  for (const Leaf& leaf : leaves) {
    if (depth >= leaf.path->choices.size()) {  // no choice shows it from the others
      outcomes.push_back(leaf.outcome);
      continue;
    }
    const ChoiceReport& choice = leaf.path->choices[depth];
    is_unknown |= choice.unknown;
    auto branch = std::find_if(branches.begin(), branches.end(), [&](const auto& b) { return b.first == choice.chosen; });
    if (branch == branches.end()) branch = branches.insert(branches.end(), {choice.chosen, {}});
    branch->second.push_back(leaf);
  }
  for (const auto& [chosen, some] : branches) outcomes.push_back(fold(some, depth + 1));
  if (all_alike(outcomes)) return outcomes.front();
  const bool any_open = std::find(outcomes.begin(), outcomes.end(), Outcome::undecided) != outcomes.end();
  return is_unknown || any_open ? Outcome::undecided : Outcome::mixed;
}

template <class OutcomeOf>
Outcome fold_all(const std::vector<const PathReport*>& paths, OutcomeOf outcome) {
  if (paths.empty()) return Outcome::undecided;
  Leaves leaves;
  for (const PathReport* path : paths) leaves.push_back({path, outcome(*path)});
  return fold(leaves, 0);
}

Outcome of_reply(const PathReport& reply) {
  if (reply.verdict == Verdict::delivered) return Outcome::answered;
  if (reply.verdict == Verdict::rejected && reply.refusal_accepted) return Outcome::refused;
  return reply.verdict == Verdict::inconclusive ? Outcome::undecided : Outcome::unanswered;
}

Outcome of_later(const PathReport& next) {
  if (next.verdict == Verdict::rejected && next.size_learned) return Outcome::answered;  // TCP sends smaller segments then
  return of_reply(next);
}

// A load balancer, group or route that chooses by a hash sends all packets of a connection alike.
bool chooses_alike(const PathReport& request, const PathReport& next) {
  return std::all_of(next.choices.begin(), next.choices.end(), [&](const ChoiceReport& c) {
    const auto first = std::find_if(request.choices.begin(), request.choices.end(),
                                    [&](const ChoiceReport& r) { return r.node == c.node && r.what == c.what; });
    return first == request.choices.end() || first->chosen == c.chosen;
  });
}

std::vector<const PathReport*> all_of(const std::vector<FollowUp>& walks) {
  std::vector<const PathReport*> all;
  for (const FollowUp& walk : walks)
    for (const PathReport& path : walk.paths) all.push_back(&path);
  return all;
}

std::vector<const PathReport*> later_of(const PathReport& path) {
  const std::vector<const PathReport*> all = all_of(path.continued);
  std::vector<const PathReport*> alike;
  std::copy_if(all.begin(), all.end(), std::back_inserter(alike),
               [&](const PathReport* next) { return chooses_alike(path, *next); });
  return alike.empty() ? all : alike;
}

const PathReport* first_failed(const std::vector<const PathReport*>& walks) {
  const auto failed =
      std::find_if(walks.begin(), walks.end(), [](const PathReport* w) { return w->verdict != Verdict::delivered; });
  return failed == walks.end() ? nullptr : *failed;
}

}  // namespace

std::string_view name_of(CommonVerdict verdict) { return verdict ? name_of(*verdict) : "mixed"; }
std::string_view name_of(Confidence confidence) { return kConfidences[static_cast<std::size_t>(confidence)]; }
std::string_view name_of(Direction direction) { return kDirections[static_cast<std::size_t>(direction)]; }
std::string_view name_of(Listener listener) { return kListeners[static_cast<std::size_t>(listener)]; }

Outcome outcome_of(const PathReport& path, Listener listener) {
  if (path.verdict == Verdict::inconclusive) return Outcome::undecided;
  if (path.verdict == Verdict::rejected) return path.refusal_accepted ? Outcome::refused : Outcome::unanswered;
  if (path.verdict != Verdict::delivered) return Outcome::unanswered;
  if (path.is_for_group) return Outcome::undecided;
  if (!path.reply.empty()) {
    const Outcome reply = fold_all(all_of(path.reply), of_reply);
    if (reply != Outcome::answered) return reply;
  }
  if (listener == Listener::closed) return Outcome::refused;  // its refusal takes the reply's path
  // A datagram that is answered is answered, whatever becomes of the next one.
  if (path.continued.empty() || !path.has_handshake) return Outcome::answered;
  return fold_all(later_of(path), of_later);
}

Outcome outcome_of(const std::vector<PathReport>& paths) {
  std::vector<const PathReport*> all;
  for (const PathReport& path : paths) all.push_back(&path);
  return fold_all(all, [](const PathReport& path) { return path.outcome; });
}

FailedWalk failed_walk(const PathReport& path) {
  if (path.verdict != Verdict::delivered) return {&path, Direction::request};
  if (const PathReport* reply = first_failed(all_of(path.reply))) return {reply, Direction::reply};
  if (path.outcome == Outcome::answered) return {};
  if (const PathReport* next = first_failed(later_of(path))) return {next, Direction::later};
  return {};
}

bool is_proven(const PathReport& path) {
  const auto proven = [](const PathReport* walk) { return walk->confidence == Confidence::proven; };
  if (path.confidence != Confidence::proven || path.verdict != Verdict::delivered) return path.confidence == Confidence::proven;
  if (path.listener == Listener::closed && !path.has_handshake) return false;  // the ICMP error's own path was not walked
  const std::vector<const PathReport*> replies = all_of(path.reply), later = later_of(path);
  return !replies.empty() && std::all_of(replies.begin(), replies.end(), proven) &&
         std::all_of(later.begin(), later.end(), proven);
}

}  // namespace egt::explain
