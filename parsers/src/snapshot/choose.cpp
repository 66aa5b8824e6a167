#include "snapshot/choose.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "egtrace/base/text.h"
#include "snapshot/excerpt.h"
#include "snapshot/layout.h"

namespace egt::parsers {
namespace {

constexpr int kWideQuality = 50;  // from here on a dump shows the whole topic, below only a part (one table, one family)

// Whether the name is of another tool's output than what the file holds: a copy in the wrong place, as a rule.
bool is_misnamed(const Candidate& c) {
  if (c.format == nullptr || command_has(c.dump, c.format->kind)) return false;
  const auto& all = all_formats();
  return c.dump.path.ends_with(".yaml") ||
         std::any_of(all.begin(), all.end(), [&](const Format* f) { return command_has(c.dump, f->kind); });
}

// Whether `a` is the better source of what both show: wide before narrow, even where it was cut; whole before partial,
// filled before empty; what is where it should be before a stray copy, the first dump before the second, then by quality.
bool better(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& c) {
    const bool whole = c.why_partial.empty(), filled = !trim(c.dump.text).empty();
    const bool wide = c.how.quality >= kWideQuality && (whole || filled);
    return std::array<int, 8>{wide,          whole,      filled,          !is_misnamed(c), !is_second_dump(c.place),
                              c.how.quality, !c.by_link, c.how.confidence};
  };
  const auto rank_a = rank(a), rank_b = rank(b);
  if (rank_a != rank_b) return rank_a > rank_b;
  return std::pair(a.dump.path, a.dump.first_line) < std::pair(b.dump.path, b.dump.first_line);
}

std::size_t order_of(const Format& format) {
  const auto& all = all_formats();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), &format) - all.begin());
}

void judge_completeness(Candidate& c, bool no_netfilter_rules) {
  const bool sos = c.place.find("sos_commands/") != std::string::npos;
  const std::string_view kind = c.format->kind;
  const bool netfilter = kind.find("tables") != std::string_view::npos || kind.starts_with("nft");
  // OVN's listings print nothing where there is nothing, and only give names.
  const bool may_be_empty = kind.starts_with("ovn-") || (netfilter && no_netfilter_rules) || c.succeeded;
  if (c.why_partial.empty()) c.why_partial = why_partial(c.dump, *c.format, !sos, may_be_empty);
  if (!c.why_partial.empty()) c.dump.partial = true;
  if (c.why_partial == kEndsWithinLine) c.dump.text = c.dump.text.substr(0, c.dump.text.rfind('\n') + 1);
}

bool adds_to(const Candidate& other, const Candidate& best) {
  if (best.why_partial.empty() || other.format != best.format) return false;
  if (is_second_dump(other.place) != is_second_dump(best.place)) return false;  // flows of both would be two each
  if (other.identity == best.identity) return other.dump.first_line != best.dump.first_line;
  return !trim(other.dump.text).empty() && other.dump.text != best.dump.text;
}

void choose(std::vector<Candidate*>& some, std::vector<Candidate*>& winners) {
  std::sort(some.begin(), some.end(), [](const Candidate* a, const Candidate* b) { return better(*a, *b); });
  Candidate& best = *some.front();
  winners.push_back(&best);
  for (std::size_t i = 1; i < some.size(); ++i) {
    if (adds_to(*some[i], best)) {
      winners.push_back(some[i]);
    } else {
      some[i]->superseded_by = best.dump.path;
    }
  }
}

bool is_of_switch(const Candidate& c) { return c.format != nullptr && c.format->kind.starts_with("ov"); }

}  // namespace

void leave_out_strays(const std::vector<Candidate*>& dumps) {
  const auto speaks_of_switch = [](const Candidate* c) {
    return is_of_switch(*c) && (!is_misnamed(*c) || c->central || !c->node.empty());
  };
  const auto is_of_another = [](const Candidate* c) { return c->format != nullptr && !is_of_switch(*c); };
  if (std::any_of(dumps.begin(), dumps.end(), speaks_of_switch)) return;
  if (std::none_of(dumps.begin(), dumps.end(), is_of_another)) return;
  for (Candidate* c : dumps) {
    if (!is_of_switch(*c)) continue;
    c->note = "has the name of another tool's output, and nothing else of this node is of Open vSwitch or OVN";
    c->format = nullptr;
  }
}

std::vector<Candidate*> choose_dumps(const std::vector<Candidate*>& dumps) {
  const bool no_rules = std::any_of(dumps.begin(), dumps.end(), [](const Candidate* c) {
    return c->format != nullptr && shows_no_netfilter_rule(c->dump, *c->format);
  });
  std::map<std::string, std::vector<Candidate*>> topics;
  for (Candidate* c : dumps) {
    if (c->format == nullptr) continue;
    judge_completeness(*c, no_rules);
    topics[c->how.topic].push_back(c);
  }
  std::vector<Candidate*> winners;
  for (auto& [topic, some] : topics) choose(some, winners);
  std::sort(winners.begin(), winners.end(), [](const Candidate* a, const Candidate* b) {
    const std::size_t order_a = order_of(*a->format), order_b = order_of(*b->format);
    return order_a != order_b ? order_a < order_b : better(*a, *b);
  });
  return winners;
}

}  // namespace egt::parsers
