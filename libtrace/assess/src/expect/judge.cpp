#include "expect/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/evidence.h"
#include "common/glob.h"
#include "egtrace/explain/phrases.h"
#include "expect/ground.h"
#include "expect/path.h"

namespace egt::assess {
namespace {

using expect::Expectation;
using explain::FollowUp;
using explain::name_of;
using explain::PathReport;
using explain::SeenAddress;

enum class Truth { no, unknown, yes };

struct Finding {
  Truth truth = Truth::yes;
  Grounds why = {};
  const PathReport* at = nullptr;  // the path of the answer, or of what follows it, that decides; null: the packet's own
};

using Names = std::vector<std::string>;

template <class T>
bool among(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class Named>
Names names_of(const std::vector<Named>& all) {
  Names names;
  for (const Named one : all) names.emplace_back(name_of(one));
  return names;
}

// The outcomes that will do; empty: not asked.
std::vector<Outcome> wanted_outcomes(const Expectation& e) {
  if (e.outcomes.empty() && e.verdicts.empty()) return {Outcome::answered};
  return e.outcomes;
}

// Alternatives, of which "!X" excludes. Only exclusions: everything else will do.
template <class Fits>
bool accepted(const Names& patterns, Fits fits) {
  bool wanted = false, only_exclusions = true;
  for (const std::string& p : patterns) {
    if (p.starts_with('!')) {
      if (fits(p.substr(1))) return false;
    } else {
      only_exclusions = false;
      wanted |= fits(p);
    }
  }
  return wanted || only_exclusions;
}

// "IP", "CIDR", "IP:PORT", "[IPv6]:PORT", "none": the address that the packet was sent with.
bool address_fits(const std::string& pattern, const SeenAddress& seen, const std::string& unchanged) {
  if (pattern == "none") return seen.ip == unchanged;
  const auto ip = IpAddr::parse(seen.ip);
  if (const auto prefix = Prefix::parse(pattern)) return ip && prefix->contains(*ip);
  return pattern == explain::to_text(seen);
}

std::string text_of(const std::optional<SeenAddress>& a) { return a ? explain::to_text(*a) : "-"; }

// What the end of a path shows, in the order of its words.
enum class Shown : std::uint8_t { source, destination, node, device };

std::string node_of(const PathReport& path) {
  return path.egress ? path.egress->node : path.hops.empty() ? std::string() : path.hops.back().node;
}

// The device by which a packet leaves the cluster, and those below it that it passes on the same node.
Names devices_of(const PathReport& path) {
  Names all;
  if (path.egress) all.push_back(path.egress->device);
  const std::string node = node_of(path);
  for (auto s = path.sightings.rbegin(); s != path.sightings.rend(); ++s) {
    if (s->node != node) {
      if (all.size() > 1) break;
      continue;
    }
    if (path.egress && s->in) break;
    if (!among(all, s->device)) all.push_back(s->device);
    if (!path.egress) break;
  }
  return all;
}

// How the path ends, and on whose behalf.
Grounds ending(const PathReport& w) { return {Ground::ends, {w.summary, if_any(stopped_for(w))}}; }

class Judge {
 public:
  Judge(const explain::Explanation& x, const Expectation& e) : x_(x), e_(e) {}

  Finding path(const PathReport& w) const {
    if (!e_.verdicts.empty() && !among(e_.verdicts, w.verdict))
      return {w.verdict == explain::Verdict::inconclusive ? Truth::unknown : Truth::no, ending(w)};
    if (const Finding o = connection(w); o.truth != Truth::yes) return o;
    for (const Finding& o : {w.verdict == explain::Verdict::delivered ? ends(w) : Finding{}, places(w)})
      if (o.truth != Truth::yes) return o;
    return w.verdict == explain::Verdict::delivered ? answer(w) : Finding{};
  }

 private:
  // Of the connection: what its client sees.
  Finding connection(const PathReport& w) const {
    const std::vector<Outcome> outcomes = wanted_outcomes(e_);
    if (outcomes.empty() || among(outcomes, w.outcome)) return {};
    const explain::FailedWalk failed = explain::failed_walk(w);
    const PathReport& at = failed.walk != nullptr ? *failed.walk : w;
    return {w.outcome == explain::Outcome::undecided ? Truth::unknown : Truth::no, ending(at), &at};
  }

  static Finding differs(Shown what, const std::string& seen, const Names& wanted, const PathReport& w) {
    return {Truth::no, {Ground::differs, {what, if_any(seen), Alternatives{wanted}, w.summary}}};
  }

  Finding ends(const PathReport& w) const {
    const auto address = [&](const Names& patterns, const std::optional<SeenAddress>& seen, const std::string& sent) {
      return patterns.empty() || accepted(patterns, [&](const std::string& p) { return seen && address_fits(p, *seen, sent); });
    };
    if (!address(e_.snat, w.source_seen, x_.packet.src)) return differs(Shown::source, text_of(w.source_seen), e_.snat, w);
    if (!address(e_.dnat, w.destination_seen, x_.packet.dst))
      return differs(Shown::destination, text_of(w.destination_seen), e_.dnat, w);
    const std::string node = node_of(w);
    if (!e_.nodes.empty() && !accepted(e_.nodes, [&](const std::string& p) { return glob_match(p, node); }))
      return differs(Shown::node, node, e_.nodes, w);
    const Names devices = devices_of(w);
    if (!e_.devices.empty() && !accepted(e_.devices, [&](const std::string& p) {
          return std::any_of(devices.begin(), devices.end(), [&](const std::string& d) { return glob_match(p, d); });
        }))
      return differs(Shown::device, devices.empty() ? "" : devices.front(), e_.devices, w);
    return {};
  }

  Finding places(const PathReport& w) const {
    if (e_.contains.empty() && e_.avoids.empty()) return {};
    const PathItems items = path_items(w);
    for (const std::string& item : e_.contains)
      if (!on_path(items, item)) return {Truth::no, {Ground::not_on_path, {item, w.summary}}};
    for (const std::string& item : e_.avoids)
      if (on_path(items, item)) return {Truth::no, {Ground::on_path, {item, w.summary}}};
    return {};
  }

  Finding answer(const PathReport& w) const {
    if (e_.reply.empty()) return {};
    if (w.reply.empty()) return {Truth::unknown, {Ground::reply_not_walked}};
    if (const Finding o = follow_up(w.reply.front(), e_.reply, false); o.truth != Truth::yes) return o;
    for (const FollowUp& next : w.continued)
      if (const Finding o = follow_up(next, {Verdict::delivered}, true); o.truth != Truth::yes) return o;
    return {};
  }

  static Finding follow_up(const FollowUp& f, const std::vector<Verdict>& wanted, bool after_handshake) {
    if (f.paths.empty()) return {Truth::unknown, {Ground::not_followed, {f.summary}}};
    Finding worst;
    for (const PathReport& w : f.paths) {
      if (among(wanted, w.verdict)) continue;
      const Truth t = w.verdict == explain::Verdict::inconclusive ? Truth::unknown : Truth::no;
      if (t < worst.truth)
        worst = {t, {Ground::follow_up_ends, {after_handshake, name_of(w.verdict), w.summary, if_any(stopped_for(w))}}, &w};
    }
    return worst;
  }

  const explain::Explanation& x_;
  const Expectation& e_;
};

void add_gaps(const PathReport& w, std::vector<Gap>& gaps) {
  for (const Gap& g : w.gaps)
    if (std::find(gaps.begin(), gaps.end(), g) == gaps.end()) gaps.push_back(g);
  for (const auto* list : {&w.reply, &w.continued})
    for (const FollowUp& f : *list)
      for (const PathReport& path : f.paths) add_gaps(path, gaps);
}

bool by_unknown_choice(const PathReport& w) {
  return std::any_of(w.choices.begin(), w.choices.end(), [](const explain::ChoiceReport& c) { return c.unknown; });
}

void add_property(std::vector<Property>& all, const char* name, const std::set<std::string>& values) {
  if (!values.empty()) all.push_back({name, fmt::format("{}", fmt::join(values, " or "))});
}

// What the packets do, in the words of the expectation.
std::vector<Property> seen_properties(const explain::Explanation& x) {
  std::set<std::string> outcomes, verdicts, snat, dnat, nodes, devices, replies;
  for (const PathReport& w : x.paths) {
    outcomes.emplace(name_of(w.outcome));
    verdicts.emplace(name_of(w.verdict));
    if (w.source_seen) snat.insert(w.source_seen->ip);
    if (w.destination_seen) dnat.insert(text_of(w.destination_seen));
    if (const std::string node = node_of(w); !node.empty()) nodes.insert(node);
    if (w.egress) devices.insert(w.egress->device);
    for (const FollowUp& f : w.reply) replies.emplace(name_of(f.verdict));
  }
  std::vector<Property> all;
  add_property(all, "outcome", outcomes);
  add_property(all, "verdict", verdicts);
  add_property(all, "snat", snat);
  add_property(all, "dnat", dnat);
  add_property(all, "node", nodes);
  add_property(all, "device", devices);
  add_property(all, "reply", replies);
  return all;
}

// The evidence of an answer that fails lies on the answer's path, and so does the reason.
void add_evidence(const PathReport& w, const Finding& o, Judgement& j) {
  const PathReport& at = o.at != nullptr ? *o.at : w;
  j.evidence = deciding_evidence(at);
  if (at.stopped_at && at.stopped_at->reason != engine::Reason::none) j.reason = explain::reason_name(at.stopped_at->reason);
}

}  // namespace

std::vector<Property> expected_properties(const Expectation& e) {
  std::vector<Property> all;
  const auto add = [&](const char* name, const Names& values, const char* joint = " or ") {
    if (!values.empty()) all.push_back({name, fmt::format("{}", fmt::join(values, joint))});
  };
  add("outcome", names_of(wanted_outcomes(e)));
  add("verdict", names_of(e.verdicts));
  add("snat", e.snat);
  add("dnat", e.dnat);
  add("node", e.nodes);
  add("device", e.devices);
  add("contains", e.contains, ", ");
  add("avoids", e.avoids, ", ");
  add("reply", names_of(e.reply));
  return all;
}

Judgement judge(const explain::Explanation& x, const Expectation& e, const CheckOptions& options) {
  Judgement j;
  j.seen = seen_properties(x);
  const Judge judge_path(x, e);
  const PathReport* failed = nullptr;     // the first path that fails for certain
  const PathReport* undecided = nullptr;  // that fails, or not, by what is missing
  Finding failed_by, undecided_by;
  std::size_t failures = 0;
  bool all_fail_by_choice = true;
  for (const PathReport& w : x.paths) {
    const Finding o = judge_path.path(w);
    std::vector<Gap> gaps;
    add_gaps(w, gaps);
    // An expectation that accepts an inconclusive end accepts what is missing behind it.
    const bool accepted_as_open = w.verdict == explain::Verdict::inconclusive && o.truth == Truth::yes;
    const bool open = !options.assume_gaps && !gaps.empty() && !accepted_as_open;
    if (o.truth == Truth::no) ++failures;
    if (o.truth == Truth::no && !open) {
      all_fail_by_choice &= by_unknown_choice(w);
      if (failed == nullptr || !by_unknown_choice(w)) {
        failed = &w;
        failed_by = o;
      }
    } else if (o.truth != Truth::yes || open) {
      if (undecided == nullptr) {
        undecided = &w;
        undecided_by = o.truth == Truth::yes ? Finding{} : o;
      }
    }
    for (const Gap& g : gaps)
      if (std::find(j.gaps.begin(), j.gaps.end(), g) == j.gaps.end()) j.gaps.push_back(g);
  }
  // A path that hangs on something unknown may not be the real one; where all fail, one of them is.
  const bool fails = failed != nullptr && (!all_fail_by_choice || failures == x.paths.size());
  if (fails) {
    j.holds = false;
    j.why = phrase(failed_by.why);
    add_evidence(*failed, failed_by, j);
    return j;
  }
  const PathReport* undecided_path = failed != nullptr ? failed : undecided;
  if (undecided_path != nullptr || x.truncated || x.paths.empty()) {
    const Finding& by = failed != nullptr ? failed_by : undecided_by;
    j.why = phrase_undecided(by.truth == Truth::yes ? std::string() : phrase(by.why), j.gaps, failed != nullptr);
    if (j.why.empty()) j.why = phrase({x.truncated ? Ground::more_paths : Ground::not_understood});
    if (undecided_path != nullptr) add_evidence(*undecided_path, by, j);
    return j;
  }
  j.holds = true;
  j.why = x.summary;
  j.evidence = deciding_evidence(x.paths.front());
  return j;
}

}  // namespace egt::assess
