// Symbolic links: a snapshot that somebody else made must not show files of the node on which it is read.
#include <gtest/gtest.h>

#include <filesystem>

#include "egtrace/parsers/compile.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;
using egt::testing::TemporaryDirectory;

constexpr const char* kLinkedRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
constexpr const char* kLinkedRoutes = "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1 \n";

SnapshotRequest directory(const std::string& path) { return {path, {}, 2}; }

TEST(Links, OutOfAReportMeanTheNodeThatWasCollected) {
  const TemporaryDirectory d, elsewhere;
  elsewhere.file("ip_-4_rule_list", kLinkedRules);
  d.file("sosreport-w1/sos_commands/networking/ip_route_show_table_all", kLinkedRoutes);
  fs::create_symlink(elsewhere.path() + "/ip_-4_rule_list", d.path() + "/sosreport-w1/sos_commands/networking/ip_-4_rule_list");
  fs::create_directory_symlink("/", d.path() + "/sosreport-w1/host");
  fs::create_directory_symlink("..", d.path() + "/around");
  fs::create_directory_symlink(elsewhere.path(), d.path() + "/w2");  // laid there by the user
  SnapshotRequest request = directory(d.path());
  request.follow_links = true;
  const auto cluster = read_snapshot(request);
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(2U, cluster->nodes.size());
  EXPECT_FALSE(cluster->node("w1") != nullptr && cluster->node("w1")->host.rules_v4.present);
  ASSERT_NE(nullptr, cluster->node("w2"));
  EXPECT_TRUE(cluster->node("w2")->host.rules_v4.present);
  EXPECT_GE(cluster->diagnostics.size(), 3U);
}

TEST(Links, OutOfTheSnapshotAreNotFollowed) {
  const TemporaryDirectory d, elsewhere;
  d.file("w1/ip_rule", kLinkedRules);
  elsewhere.file("ip_route_show_table_all", kLinkedRoutes);
  elsewhere.file("w2/ip_rule", kLinkedRules);
  fs::create_symlink(elsewhere.path() + "/ip_route_show_table_all", d.path() + "/w1/ip_route_show_table_all");
  fs::create_symlink("../w1/ip_rule", d.path() + "/w1/ip_-6_rule");
  fs::create_directory_symlink(elsewhere.path() + "/w2", d.path() + "/w2");
  fs::create_directory_symlink("w2", d.path() + "/w3");  // through the other
  const auto snapshot = open_snapshot(directory(d.path()));
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(1U, snapshot->cluster.nodes.size());
  EXPECT_FALSE(snapshot->cluster.nodes[0]->host.routes_v4.present);
  EXPECT_EQ((std::vector<std::string>{"w1/ip_route_show_table_all", "w2", "w3"}), snapshot->collection.links_out);
  const auto second = read_snapshot(directory(d.path() + "/w2"));  // a link that the user names is followed
  ASSERT_TRUE(second) << second.error().message;
}

// A directory of nothing but links is a view that its user laid out; one file in it makes it a snapshot that came from somewhere.
TEST(Links, OfADirectoryWithoutFilesAreFollowed) {
  const TemporaryDirectory d, elsewhere;
  elsewhere.file("w2/ip_rule", kLinkedRules);
  fs::create_directory_symlink(elsewhere.path() + "/w2", d.path() + "/w2");
  const auto view = open_snapshot(directory(d.path()));
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(1U, view->cluster.nodes.size());
  EXPECT_TRUE(view->collection.links_out.empty());
  d.file("README", "collected on Monday\n");
  const auto snapshot = open_snapshot(directory(d.path()));
  EXPECT_EQ(std::vector<std::string>{"w2"}, snapshot ? snapshot->collection.links_out : std::vector<std::string>{"w2"});
}

TEST(Links, OutOfTheSnapshotAreNeverPacked) {
  const TemporaryDirectory d, elsewhere;
  d.file("w1/ip_rule", kLinkedRules);
  const std::string secret = elsewhere.file("shadow", "root:$6$canary$:19000::::::\n");
  fs::create_symlink(secret, d.path() + "/w1/shadow");
  SnapshotRequest request = directory(d.path());
  request.follow_links = true;
  ASSERT_TRUE(compile_snapshot(request, elsewhere.path() + "/a.egt"));
  EXPECT_EQ(std::string::npos, egt::testing::read_file(elsewhere.path() + "/a.egt").find("canary"));
}

TEST(Links, OfAViewAreToldWhereTheyArePacked) {
  const TemporaryDirectory d, elsewhere;
  elsewhere.file("w2/ip_rule", kLinkedRules);
  fs::create_directory_symlink(elsewhere.path() + "/w2", d.path() + "/w2");
  const auto compiled = compile_snapshot(directory(d.path()), elsewhere.path() + "/a.egt");
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_EQ(1U, compiled->files.size());
  EXPECT_TRUE(compiled->files[0].from_outside);
}

}  // namespace
}  // namespace egt::parsers
