#include "egtrace/explain/collection_limits.h"

#include <algorithm>
#include <optional>
#include <set>

#include "egtrace/base/moment.h"
#include "phrases/collections.h"
#include "report.h"

namespace egt::explain {
namespace {

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

std::optional<AssumptionReport> assumption_of(const cluster::DatabaseMoment& d, std::int64_t as_of, const SourceTable& sources) {
  const auto limit = [&](Limit what, Term other, Term count, const Evidence& evidence) {
    return phrase(what, {if_any(d.database), d.node, utc_text(as_of), std::move(other), std::move(count)}, evidence);
  };
  const Evidence evidence = {{sources.path_of(d.from.source), d.from.line, ""}};
  if (d.last == 0) return limit(Limit::moment_unknown, {}, {}, evidence);
  if (d.begins_later) return limit(Limit::log_begins_later, utc_text(d.first), {}, evidence);
  if (d.later == 0 && d.last < as_of) return limit(Limit::nothing_later, utc_text(d.last), {}, evidence);
  if (d.later > 0)
    return limit(Limit::later_transactions, d.applied == 0 ? Term() : Term(utc_text(d.applied)), d.later, evidence);
  return std::nullopt;
}

}  // namespace

std::vector<AssumptionReport> assumptions_of_moment(const cluster::Collection& collection, const SourceTable& sources,
                                                    const std::vector<std::string>& nodes) {
  if (!collection.as_of) return {};
  std::vector<AssumptionReport> all = {phrase(Limit::others_as_dumped, {utc_text(*collection.as_of)})};
  for (const cluster::DatabaseMoment& d : collection.as_of_databases) {
    if (!nodes.empty() && std::find(nodes.begin(), nodes.end(), d.node) == nodes.end()) continue;
    if (auto assumption = assumption_of(d, *collection.as_of, sources)) all.push_back(std::move(*assumption));
  }
  return all;
}

void undecide_what_was_replaced(const cluster::Collection& collection, std::vector<PathReport>& paths) {
  if (collection.obfuscated_by.empty()) return;
  const std::string& tool = collection.obfuscated_by;
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
    path.gaps.push_back(gap_of_replaced(node, tool, collection.translated_back));
    if (path.verdict == Verdict::inconclusive) continue;
    path.verdict = Verdict::inconclusive;
    path.confidence = Confidence::assumed;
    path.summary = phrase_of_replaced(tool, path.summary);
  }
}

void assume_collection(const cluster::Collection& collection, const SourceTable& sources, Explanation& explanation) {
  std::vector<AssumptionReport> assumptions;
  if (!collection.obfuscated_by.empty() && collection.translated_back)
    assumptions.push_back(phrase(Limit::map_gives_back, {collection.obfuscated_by}));
  else if (!collection.obfuscated_by.empty())
    assumptions.push_back(phrase(Limit::replaced_alike, {collection.obfuscated_by}));
  for (const std::string& archive : collection.damaged) assumptions.push_back(phrase(Limit::damaged, {archive}));
  for (const std::string& missing : collection.missing) assumptions.push_back(phrase(Limit::not_read, {missing}));
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
