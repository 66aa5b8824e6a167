#include "headline.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::render {
namespace {

using namespace explain;

std::string capitals(Outcome outcome) {
  switch (outcome) {
    case Outcome::answered: return "ANSWERED";
    case Outcome::refused: return "REFUSED";
    case Outcome::unanswered: return "NO ANSWER";
    case Outcome::mixed: return "MIXED";
    case Outcome::undecided: return "UNDECIDED";
  }
  return {};
}

// What was not walked, or the places at which no dump shows a listener.
std::string condition(const Explanation& e) {
  if (e.one_way) return " if the reply arrives";
  std::string places;
  for (const PathReport& path : e.paths) {
    if (path.listener != Listener::unknown || !path.destination_seen) continue;
    const std::string place = to_text(*path.destination_seen);
    if (places.find(place) == std::string::npos) places += (places.empty() ? "" : " and ") + place;
  }
  return places.empty() ? std::string() : " if a process listens on " + places;
}

Tone tone_of(const Explanation& e) {
  switch (e.outcome) {
    case Outcome::answered: return e.intent.violations.empty() ? Tone::good : Tone::bad;
    case Outcome::refused:
    case Outcome::unanswered: return Tone::bad;
    case Outcome::mixed:
    case Outcome::undecided: return Tone::undecided;
  }
  return Tone::plain;
}

void add_cause(const Explanation& e, Headline& h) {
  if (e.cause) {
    h.cause = e.cause->claim;
    h.finding = e.cause->finding;
    h.next = e.cause->next;
  } else if (!e.intent.violations.empty()) {
    const IntentViolation& d = e.intent.violations.front();
    h.cause = fmt::format("{}: {}, but {}", d.object, d.expected, d.found);
  }
  if (h.next.empty() && e.fault) h.next = e.fault->next;
  if (!h.next.empty() || e.outcome != Outcome::undecided) return;
  const auto gap = std::find_if(e.gaps.begin(), e.gaps.end(), [](const Gap& g) { return !g.command.empty(); });
  if (gap != e.gaps.end()) h.next = gap->command + (gap->node.empty() ? "" : " on " + gap->node);
}

}  // namespace

Headline headline(const Explanation& e) {
  Headline h;
  h.outcome = capitals(e.outcome);
  if (e.outcome == Outcome::answered) h.outcome += condition(e) + (e.intent.violations.empty() ? "" : ", not as intended");
  if (e.outcome != Outcome::undecided) h.confidence = name_of(e.confidence);
  h.clause = e.summary;
  h.tone = tone_of(e);
  add_cause(e, h);
  return h;
}

std::string end_words(const explain::EndReport& end) {
  std::string s = end.kind;
  if (!end.name.empty())
    s += " " + end.name;
  else if (!end.ip.empty())
    s += " " + end.ip;
  if (!end.node.empty() && end.node != end.name) s += " on " + end.node;
  return s;
}

}  // namespace egt::render
