#include "snapshot/settings.h"

#include <gtest/gtest.h>

namespace egt::parsers {
namespace {

TEST(Glob, StarsStopAtFolders) {
  EXPECT_TRUE(glob_matches("a/*.txt", "a/b.txt"));
  EXPECT_FALSE(glob_matches("a/*.txt", "a/b/c.txt"));
  EXPECT_TRUE(glob_matches("**/c.txt", "a/b/c.txt"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_FALSE(glob_matches("a?c", "a/c"));
  EXPECT_FALSE(glob_matches("", "a"));
}

TEST(Settings, ReadsNodesDumpsAndLinks) {
  const auto settings = parse_settings(R"(version: 1
nodes:
  - {name: w1, path: first, roles: [router]}
dumps:
  - {path: "*.flows", node: w1, kind: ovs-ofctl dump-flows, command: ovs-ofctl dump-flows br-int}
links:
  - [w1/eth0, r1/eth3]
)");
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_NE(nullptr, settings->node_of("first/ip_rule"));
  EXPECT_EQ(nullptr, settings->node_of("firstly/ip_rule"));
  ASSERT_NE(nullptr, settings->dump_of("x.flows"));
  EXPECT_EQ("w1", settings->dump_of("x.flows")->node);
  ASSERT_EQ(1U, settings->links.size());
  EXPECT_EQ("eth3", settings->links[0].device_b);
  EXPECT_EQ(7U, settings->links[0].from.line);
}

TEST(Settings, RefusesWithTheLine) {
  const auto unknown = parse_settings("version: 1\nnoodles: []\n");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message.starts_with("2: unknown key `noodles`")) << unknown.error().message;
  EXPECT_FALSE(parse_settings("nodes: [ {"));
  EXPECT_FALSE(parse_settings("links: [[a, b]]"));
  EXPECT_TRUE(parse_settings(""));
}

}  // namespace
}  // namespace egt::parsers
