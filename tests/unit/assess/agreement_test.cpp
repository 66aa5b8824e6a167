// One snapshot, one opinion: where pods' connections fail or leak, or an expectation of the objects does not hold, triage has an
// error, and nowhere else; explain has the outcome of audit's rows. Over scenarios of a real lab.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/triage.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scenarios() {
  const fs::path corpus = fs::path(EGTRACE_SOURCE_DIR) / "../shared/corpus";
  std::vector<fs::path> all;
  for (const char* lab : {"demo", "demo-ovn25.03"})
    if (fs::exists(corpus / lab))
      for (const auto& entry : fs::directory_iterator(corpus / lab))
        if (fs::exists(entry.path() / "truth.json")) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  if (std::getenv("EGTRACE_ALL_SCENARIOS") != nullptr) return all;
  std::vector<fs::path> some;
  for (std::size_t i = 0; i < all.size(); i += 8) some.push_back(all[i]);
  return some;
}

bool is_harm(const AuditRow& row, const std::set<std::string>& not_taken_up) {
  if (row.pod.empty() || row.to_kind == Target::other_node || row.service_moved) return false;
  if (row.leak) return !not_taken_up.contains(row.namespace_ + "/" + row.pod);
  return is_failure(row);
}

bool an_expectation_fails(const explain::Explainer& explainer) {
  const auto all = expectations_from_objects(explainer.cluster());
  return std::any_of(all.begin(), all.end(),
                     [&](const expect::Expectation& e) { return check(explainer, e).overall.holds == false; });
}

// Of a row that fails, explain's path has the outcome, and the connection is not answered on all paths.
void expect_explained(const explain::Explainer& explainer, const AuditRow& row, const fs::path& scenario) {
  const std::string from = row.namespace_ + "/" + row.pod;
  explain::Question q;
  q.from = *explain::parse_point(from);
  q.to = *explain::parse_point(row.to);
  q.dport = q.to.port;
  const auto x = explainer.explain(q);
  ASSERT_TRUE(x) << scenario << " " << from;
  EXPECT_NE(explain::Outcome::answered, x->outcome) << scenario << " " << from << " to " << row.to;
  EXPECT_TRUE(
      std::any_of(x->paths.begin(), x->paths.end(), [&](const explain::PathReport& p) { return p.outcome == row.outcome; }))
      << scenario << " " << from << " to " << row.to;
}

TEST(Agreement, TriageExplainAuditAndCheckHaveOneOpinion) {
  const std::vector<fs::path> all = scenarios();
  if (all.empty()) GTEST_SKIP() << "no ../shared/corpus";
  for (const fs::path& scenario : all) {
    parsers::SnapshotRequest request;
    request.path = scenario.string();
    const auto snapshot = parsers::open_snapshot(request);
    ASSERT_TRUE(snapshot) << scenario;
    const explain::Explainer explainer(snapshot->cluster, &snapshot->collection);
    const Triage found = triage(explainer);
    std::set<std::string> not_taken_up;
    bool has_error = false;
    for (const Finding& f : found.findings) {
      has_error |= f.severity == Severity::error;
      if (f.id == "egressip-pod-not-taken-up") not_taken_up.insert(f.pods.begin(), f.pods.end());
    }
    const auto rows = audit(explainer);
    ASSERT_TRUE(rows);
    const bool fails = std::any_of(rows->begin(), rows->end(), [&](const AuditRow& r) { return is_harm(r, not_taken_up); });
    EXPECT_EQ(has_error, fails || an_expectation_fails(explainer)) << scenario;
    for (const AuditRow& row : *rows)
      if (is_harm(row, not_taken_up) && is_failure(row)) expect_explained(explainer, row, scenario);
  }
}

}  // namespace
}  // namespace egt::assess
