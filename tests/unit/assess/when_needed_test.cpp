// Nodes that are read when somebody first looks at them: every answer is the one of a snapshot that was read as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/cause.h"
#include "egtrace/assess/names.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/parsers/compile.h"
#include "egtrace/parsers/snapshot.h"
#include "egtrace/render/audit.h"
#include "egtrace/render/explain.h"
#include "support/sample.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

parsers::Snapshot open(const std::string& path, bool when_needed) {
  parsers::SnapshotRequest request;
  request.path = path;
  request.when_needed = when_needed;
  auto snapshot = parsers::open_snapshot(request);
  EXPECT_TRUE(snapshot) << path;
  return std::move(*snapshot);
}

std::string explained(const parsers::Snapshot& snapshot, const std::string& from, const std::string& to) {
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  explain::Question q;
  q.from = *explain::parse_point(from);
  q.to = *explain::parse_point(to);
  q.counters = q.registers = true;
  auto explanation = explainer.explain(q);
  if (!explanation) return explanation.error().message;
  explanation->cause = find_cause(explainer, *explanation);
  return render::explain_json(*explanation);
}

// Every kind of end that a snapshot knows, and some that it does not.
std::vector<std::string> points_of(const cluster::Cluster& cluster) {
  constexpr std::size_t kPods = 2;
  std::vector<std::string> points = {"192.0.2.1:443", "8.8.8.8:53", "10.255.255.7"};
  for (std::size_t i = 0; i < std::min(kPods, cluster.objects.pods.size()); ++i) {
    const cluster::Pod& pod = cluster.objects.pods[i];
    points.push_back(pod.full_name());
    if (!pod.addresses.empty()) points.push_back(pod.addresses.front().address.to_string());
  }
  if (!cluster.objects.services.empty()) points.push_back("svc:" + cluster.objects.services[0].full_name());
  for (const auto& node : cluster.nodes) {
    points.push_back("node:" + node->name);
    const IpAddr* last = nullptr;
    for (const host::Link& link : node->host.links.value)
      if (!link.addresses.empty()) last = &link.addresses.front().prefix.address;
    if (last != nullptr) points.push_back(last->to_string());
  }
  return points;
}

void expect_same_answers(const std::string& path) {
  const std::vector<std::string> points = points_of(open(path, false).cluster);
  const parsers::Snapshot whole = open(path, false);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string& to = points[(i + points.size() / 2) % points.size()];
    EXPECT_EQ(explained(whole, points[i], to), explained(open(path, true), points[i], to))
        << path << ": " << points[i] << " to " << to;
  }
}

TEST(WhenNeeded, SamplesAreExplainedAlike) {
  for (const auto& entry : fs::directory_iterator(EGTRACE_SOURCE_DIR "/samples"))
    if (entry.is_directory()) expect_same_answers(entry.path().string());
}

std::size_t count_read(const parsers::Snapshot& snapshot) {
  return static_cast<std::size_t>(std::count_if(snapshot.cluster.nodes.begin(), snapshot.cluster.nodes.end(),
                                                [](const auto& node) { return node.is_read(); }));
}

TEST(WhenNeeded, NodesOffTheWayStayUnread) {
  const egt::testing::Sample sample;
  const parsers::Snapshot snapshot = open(sample.path(), true);
  ASSERT_GT(snapshot.cluster.nodes.size(), 2U);
  EXPECT_EQ(0U, count_read(snapshot));
  const std::string name = snapshot.cluster.nodes[0].name();
  explained(snapshot, "node:" + name, "node:" + name);
  EXPECT_GE(count_read(snapshot), 1U);
  EXPECT_LT(count_read(snapshot), snapshot.cluster.nodes.size());
}

// What conflicts with a node's dumps may be another one's, which nobody asked about.
TEST(WhenNeeded, CopiedDumpsAreNoticed) {
  egt::testing::Sample sample;
  const auto whole = open(sample.path(), false);
  ASSERT_GT(whole.cluster.nodes.size(), 1U);
  const std::string first = whole.cluster.nodes[0]->name, second = whole.cluster.nodes[1]->name;
  for (const cluster::DumpInfo& dump : whole.cluster.dumps) {
    const std::string name = dump.path.substr(dump.path.rfind('/') + 1);
    if (dump.node == first && dump.kind == "ip addr") sample.copy(dump.path, second + "/" + name);
  }
  const auto changed = open(sample.path(), false), waiting = open(sample.path(), true);
  for (const std::size_t i : {1U, 0U}) {
    EXPECT_FALSE(changed.cluster.nodes[i]->inconsistencies.empty());
    EXPECT_EQ(changed.cluster.nodes[i]->inconsistencies, waiting.cluster.nodes[i]->inconsistencies);
  }
}

TEST(WhenNeeded, SeveralThreadsReadTheSameNode) {
  const egt::testing::Sample sample;
  const parsers::Snapshot snapshot = open(sample.path(), true);
  std::vector<const cluster::Node*> of_each(4);
  std::vector<std::thread> threads;
  for (const cluster::Node*& node : of_each)
    threads.emplace_back([&] {
      for (const auto& one : snapshot.cluster.nodes) node = one.get();
    });
  for (std::thread& t : threads) t.join();
  for (const cluster::Node* node : of_each) EXPECT_EQ(of_each.front(), node);
  EXPECT_EQ(snapshot.cluster.nodes.size(), count_read(snapshot));
}

// --- put away again

std::string audited(const parsers::Snapshot& snapshot, const cluster::NodeBudget& budget) {
  AuditOptions options;
  options.jobs = 2;
  const auto rows = audit(snapshot.cluster, &snapshot.collection, budget, options);
  EXPECT_TRUE(rows);
  return rows ? render::audit_json(*rows) : std::string();
}

// However little memory there is: one byte puts every node away behind each look.
void expect_same_rows(const std::string& path) {
  const std::string whole = audited(open(path, false), {});
  EXPECT_NE(whole.find("\"outcome\""), std::string::npos) << path;
  EXPECT_EQ(whole, audited(open(path, true), {})) << path;
  const parsers::Snapshot pressed = open(path, true);
  EXPECT_EQ(whole, audited(pressed, cluster::NodeBudget(1))) << path;
  EXPECT_EQ(0U, count_read(pressed)) << path;
}

TEST(NodeBudget, NodesThatAreReadAgainAnswerAlike) {
  const egt::testing::Sample sample;
  expect_same_rows(sample.path());
  const egt::testing::TemporaryDirectory elsewhere;
  ASSERT_TRUE(parsers::compile_snapshot({sample.path(), {}, 0}, elsewhere.path() + "/a.egt"));
  expect_same_rows(elsewhere.path() + "/a.egt");
}

TEST(NodeBudget, WhatWasReadStaysWhereThereIsRoom) {
  const egt::testing::Sample sample;
  const parsers::Snapshot snapshot = open(sample.path(), true);
  audited(snapshot, cluster::NodeBudget(std::uint64_t{1} << 40));
  EXPECT_EQ(snapshot.cluster.nodes.size(), count_read(snapshot));
}

// Nodes that were all read at once, or share dumps, are not read twice.
TEST(NodeBudget, WhatCannotBeReadAgainStays) {
  const egt::testing::Sample sample;
  const parsers::Snapshot snapshot = open(sample.path(), false);
  const cluster::Node* first = snapshot.cluster.nodes.front().get();
  const std::size_t links = first->host.links.value.size();
  cluster::NodeBudget(1).put_away(snapshot.cluster);
  EXPECT_EQ(links, first->host.links.value.size());
}

TEST(NodeBudget, NamesAreThoseOfAllNodes) {
  const egt::testing::Sample sample;
  const parsers::Snapshot snapshot = open(sample.path(), true);
  const NameChecker names(snapshot.cluster, cluster::NodeBudget(1));
  EXPECT_FALSE(names.unknown_place(std::vector<std::string>{snapshot.cluster.objects.pods[0].full_name()}));
  EXPECT_TRUE(names.unknown_place(std::vector<std::string>{"nobody/has-this-name"}));
}

}  // namespace
}  // namespace egt::assess
