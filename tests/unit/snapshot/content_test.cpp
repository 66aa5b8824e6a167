#include "egtrace/parsers/content.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "egtrace/parsers/snapshot.h"
#include "support/pack.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::TemporaryDirectory;

using egt::testing::pack;

TEST(Content, DecompressesByContent) {
  const TemporaryDirectory d;
  for (const char* filter : {"", "gz", "xz", "zst"}) {
    const std::string path = d.file("dump", pack({{"data", "0:\tfrom all lookup local\n"}}, filter, "raw"));
    const auto content = read_content(path);
    ASSERT_TRUE(content) << filter;
    EXPECT_EQ("0:\tfrom all lookup local\n", content->text) << filter;
    EXPECT_FALSE(content->cut);
  }
}

TEST(Content, CutStreamGivesWhatCameBefore) {
  const TemporaryDirectory d;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919) + ":\tfrom all lookup local\n";
  const std::string whole = pack({{"data", text}}, "gz", "raw");
  const auto content = read_content(d.file("cut.gz", whole.substr(0, whole.size() / 2)));
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->cut);
  EXPECT_TRUE(text.starts_with(content->text));
}

TEST(Content, LimitsHold) {
  const TemporaryDirectory d;
  ContentLimits limits;
  limits.file_bytes = 1000;
  const auto content = read_content(d.file("bomb.gz", pack({{"data", std::string(200000, 'a')}}, "gz", "raw")), limits);
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->cut);
  EXPECT_LE(content->text.size(), 1000U);
}

TEST(Content, WhatIsNoFileIsRefused) {
  EXPECT_FALSE(read_content("/dev/zero"));
  EXPECT_FALSE(read_content("/"));
  EXPECT_FALSE(read_content("/nonexistent/file"));
}

TEST(Content, PipesAreReadToTheirEnd) {
  const TemporaryDirectory d;
  const std::string pipe = d.path() + "/pipe", text = pack({{"data", "0:\tfrom all lookup local\n"}}, "gz", "raw");
  ASSERT_EQ(0, ::mkfifo(pipe.c_str(), 0600));
  EXPECT_FALSE(read_packed(pipe));
  std::thread writer([&] { egt::testing::write_file(pipe, text); });
  const auto content = read_content(pipe);
  writer.join();
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ("0:\tfrom all lookup local\n", content->text);
}

TEST(Archive, IsASnapshot) {
  const TemporaryDirectory d;
  const std::string rules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
  const std::vector<egt::testing::PackedFile> files = {
      {"case/w1/ip_rule", rules}, {"case/w2/ip_rule", rules}, {"case/w2/../../../etc/x", "y"}};
  for (const char* filter : {"", "gz", "xz", "zst"}) {
    const auto cluster = read_snapshot({d.file("case.tar", pack(files, filter)), {}, 1});
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_NE(nullptr, cluster->node("w1")) << filter;
    EXPECT_NE(nullptr, cluster->node("w2")) << filter;
  }
}

TEST(Archive, CutOneGivesWhatItHas) {
  const TemporaryDirectory d;
  const std::string whole =
      pack({{"w1/ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n"}, {"w2/big", std::string(50000, 'x')}});
  const auto cluster = read_snapshot({d.file("cut.tar", whole.substr(0, 8000)), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_NE(nullptr, cluster->node("w1"));
  EXPECT_FALSE(cluster->diagnostics.empty());
}

}  // namespace
}  // namespace egt::parsers
