// Several threads that read one snapshot: each has the answers that one alone has, whoever reads a line or builds an
// index first. The thread sanitizer watches (preset tsan).
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/triage.h"
#include "egtrace/render/audit.h"
#include "support/sample.h"

namespace egt::assess {
namespace {

// A snapshot of which nothing was read on demand so far.
struct Fresh {
  egt::testing::Sample files;
  parsers::Snapshot snapshot = files.open();
  explain::Explainer explainer{snapshot.cluster, &snapshot.collection};
};

std::string audited(unsigned jobs) {
  const Fresh fresh;
  AuditOptions options;
  options.jobs = jobs;
  const auto rows = audit(fresh.explainer, options);
  EXPECT_TRUE(rows);
  return rows ? render::audit_json(*rows) : "";
}

TEST(Threads, AuditHasTheSameRows) {
  const std::string one = audited(1);
  EXPECT_NE(std::string::npos, one.find("requester-3b"));
  EXPECT_EQ(one, audited(3));
}

std::string answers(const explain::Explainer& explainer) {
  std::string all;
  for (const expect::Expectation& e : expectations_from_objects(explainer.cluster()))
    all += e.name + ": " + check(explainer, e).overall.why + "\n";
  for (const Finding& f : triage(explainer).findings) all += f.claim + "\n";
  return all;
}

TEST(Threads, CheckAndTriageFindTheSame) {
  const std::string alone = answers(Fresh().explainer);
  const Fresh fresh;
  std::vector<std::string> of_each(3);
  std::vector<std::thread> threads;
  for (std::string& answer : of_each) threads.emplace_back([&] { answer = answers(fresh.explainer.for_another_thread()); });
  for (std::thread& t : threads) t.join();
  for (const std::string& answer : of_each) EXPECT_EQ(alone, answer);
}

}  // namespace
}  // namespace egt::assess
