#include "egtrace/explain/collection_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "egtrace/base/moment.h"
#include "report.h"

namespace egt::explain {
namespace {

constexpr const char* kPrivateMap =
    "the report as it was before sos clean, or at least its private map, laid beside it";
constexpr const char* kUnreplaced = "the archive as it was before the addresses were replaced";

void assume(std::vector<PathReport>& paths, const std::vector<AssumptionReport>& assumptions) {
  for (PathReport& path : paths) {
    path.assumptions.insert(path.assumptions.end(), assumptions.begin(), assumptions.end());
    path.confidence = Confidence::assumed;
    path.proven = false;
    for (std::vector<FollowUp>* next : {&path.reply, &path.continued})
      for (FollowUp& follow_up : *next) {
        follow_up.confidence = Confidence::assumed;
        assume(follow_up.paths, assumptions);
      }
  }
}

void collect_nodes(const std::vector<PathReport>& paths, std::set<std::string>& nodes) {
  for (const PathReport& path : paths) {
    for (const Hop& hop : path.hops) nodes.insert(hop.node);
    for (const std::vector<FollowUp>* next : {&path.reply, &path.continued})
      for (const FollowUp& follow_up : *next) collect_nodes(follow_up.paths, nodes);
  }
}

std::optional<AssumptionReport> assumption_of(const cluster::DatabaseMoment& d, std::int64_t as_of,
                                        const SourceTable& sources) {
  const std::string whose = fmt::format("{} of {}", d.database.empty() ? "a database" : d.database, d.node);
  const std::string at = utc_text(as_of);
  const Evidence evidence = {{sources.at(d.from.source).path, d.from.line, ""}};
  if (d.last == 0)
    return AssumptionReport{fmt::format("the rows of {} were at {} what the file has", whose, at),
                            "none of its records has a time", evidence};
  if (d.begins_later)
    return AssumptionReport{fmt::format("the rows of {} were at {} what they were at {}", whose, at, utc_text(d.first)),
                            "its log begins with a snapshot made then: what came before is not in it", evidence};
  if (d.later == 0 && d.last < as_of)
    return AssumptionReport{fmt::format("nothing changed in {} between {} and {}", whose, utc_text(d.last), at),
                            "the file has no later transaction, and does not show when it was copied", evidence};
  if (d.later > 0)
    return AssumptionReport{
        fmt::format("{} later transaction{} of {} changed no flow, rule or route that matters here", d.later,
                    d.later == 1 ? "" : "s", whose),
        fmt::format("its rows are those of {}, the last transaction until {}; what was dumped has seen the later ones",
                    d.applied == 0 ? std::string("the beginning") : utc_text(d.applied), at),
        evidence};
  return std::nullopt;
}

}  // namespace

std::vector<AssumptionReport> assumptions_of_moment(const cluster::Collection& collection, const SourceTable& sources,
                                             const std::vector<std::string>& nodes) {
  if (!collection.as_of) return {};
  std::vector<AssumptionReport> all = {
      {fmt::format(
           "what is in no database file (flows, rules, routes, connections, objects) was at {} as it was dumped",
           utc_text(*collection.as_of)),
       "only databases keep a log of what held before",
       {}}};
  for (const cluster::DatabaseMoment& d : collection.as_of_databases) {
    if (!nodes.empty() && std::find(nodes.begin(), nodes.end(), d.node) == nodes.end()) continue;
    if (auto assumption = assumption_of(d, *collection.as_of, sources)) all.push_back(std::move(*assumption));
  }
  return all;
}

void undecide_what_was_replaced(const cluster::Collection& collection, std::vector<PathReport>& paths) {
  if (collection.obfuscated_by.empty()) return;
  const std::string& tool = collection.obfuscated_by;
  const std::string why =
      collection.translated_back
          ? " replaced them: it gave several one address, which its map does not distinguish"
          : " replaced them: its masks, prefixes and MACs no longer fit the numbers in registers and actions";
  for (PathReport& path : paths) {
    for (std::vector<FollowUp>* next : {&path.reply, &path.continued})
      for (FollowUp& follow_up : *next) {
        undecide_what_was_replaced(collection, follow_up.paths);
        follow_up.verdict = common_verdict(follow_up.paths);
        follow_up.confidence = common_confidence(follow_up.paths);
        follow_up.summary = summary_of(follow_up.paths, follow_up.verdict);
        for (const PathReport& later : follow_up.paths)
          if (later.verdict == Verdict::inconclusive &&
              std::find(path.gaps.begin(), path.gaps.end(), later.gaps.back()) == path.gaps.end())
            path.gaps.push_back(later.gaps.back());
      }
    if (path.verdict == Verdict::delivered) continue;
    const std::string node = path.stopped_at ? path.stopped_at->node : "";
    path.gaps.push_back({node, "addresses as they were before " + tool + why,
                        tool == "sos clean" && !collection.translated_back ? kPrivateMap : kUnreplaced});
    if (path.verdict == Verdict::inconclusive) continue;
    path.verdict = Verdict::inconclusive;
    path.confidence = Confidence::assumed;
    path.summary = fmt::format("undecided: in what {} left of the dumps, {}", tool, path.summary);
  }
}

void assume_collection(const cluster::Collection& collection, const SourceTable& sources, Explanation& explanation) {
  std::vector<AssumptionReport> assumptions;
  if (!collection.obfuscated_by.empty() && collection.translated_back)
    assumptions.push_back({"the private map of " + collection.obfuscated_by + " gives back what was replaced",
                      "it replaces several things by one at times, and parts of what is no address",
                      {}});
  else if (!collection.obfuscated_by.empty())
    assumptions.push_back({"addresses that " + collection.obfuscated_by + " replaced stand for the same thing everywhere",
                      "numbers in registers, marks and compared parts of addresses were not replaced",
                      {}});
  for (const std::string& archive : collection.damaged)
    assumptions.push_back({"what was read of a damaged archive is what was packed: " + archive,
                      "its bytes have changed; copy it again",
                      {}});
  for (const std::string& missing : collection.missing)
    assumptions.push_back({"nothing that was not read of the snapshot matters here: " + missing,
                      "its content may show otherwise",
                      {}});
  std::set<std::string> nodes = {explanation.from.node, explanation.to.node};
  collect_nodes(explanation.paths, nodes);
  for (AssumptionReport& a : assumptions_of_moment(collection, sources, {nodes.begin(), nodes.end()}))
    assumptions.push_back(std::move(a));
  if (assumptions.empty()) return;
  explanation.assumptions.insert(explanation.assumptions.end(), assumptions.begin(), assumptions.end());
  explanation.confidence = Confidence::assumed;
  assume(explanation.paths, assumptions);
}

}  // namespace egt::explain
