// Packets that do not fit: --size and --df, fragments, path MTUs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/sample.h"

namespace {

using nlohmann::json;

class Size : public ::testing::Test {
 protected:
  json explained(std::vector<std::string> words) const {
    std::vector<std::string> command = {EGTRACE_BINARY, "explain", sample_.path(), "--format", "json"};
    command.insert(command.end(), words.begin(), words.end());
    return json::parse(egt::testing::run(command).out);
  }

  egt::testing::Sample sample_;
};

const std::vector<std::string> kFromPod = {"--from", "demo-egress/requester-3a", "--to", "192.168.55.13", "--proto", "udp",
                                           "--size"};

std::vector<std::string> from_pod(const char* bytes, bool df) {
  std::vector<std::string> words = kFromPod;
  words.emplace_back(bytes);
  if (df) words.emplace_back("--df");
  return words;
}

TEST_F(Size, ThePodsOwnMtuRefusesWhatMustNotBeFragmented) {
  EXPECT_EQ("answered", explained(from_pod("1400", true))["outcome"]);
  const json e = explained(from_pod("1401", true));
  EXPECT_EQ("refused", e["outcome"]);
  EXPECT_EQ("mtu-exceeded", e["fault"]["reason"]) << e["fault"];
}

TEST_F(Size, FragmentsTakeTheWholePath) {
  const json e = explained(from_pod("3000", false));
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("assumed", e["confidence"]);
}

TEST_F(Size, TcpSendsSegmentsThatFitBothEnds) {
  EXPECT_EQ("answered",
            explained({"--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80", "--size", "9000", "--df"})["outcome"]);
}

TEST_F(Size, TheUnderlayHasRoomForTheHeadersOfTheTunnel) {
  for (const char* dump : {"/master-03-demo/ip_-d_link", "/master-03-demo/ip_-d_addr"}) {
    std::string text = egt::testing::read_file(sample_.path() + dump);
    const std::size_t at = text.find("mtu 1500", text.find(": enp1s0@"));
    ASSERT_NE(std::string::npos, at);
    egt::testing::write_file(sample_.path() + dump, text.replace(at, 8, "mtu 1450"));
  }
  EXPECT_EQ(1392, explained(from_pod("1000", true))["largest_packet"]["bytes"]);  // 1450 less 58 of Geneve
  EXPECT_EQ("answered", explained(from_pod("1392", true))["outcome"]);
  const json e = explained(from_pod("1393", true));
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("mtu-exceeded", e["fault"]["reason"]) << e["fault"];
}

TEST_F(Size, APathMtuOfTheSenderCounts) {
  const std::vector<std::string> words = {
      "--from", "node:master-03-demo", "--to", "192.168.55.13", "--proto", "icmp", "--size", "1400", "--df"};
  EXPECT_EQ("answered", explained(words)["outcome"]);
  egt::testing::write_file(sample_.path() + "/master-03-demo/ip_route_show_cache",
                           "192.168.55.13 via 192.168.99.9 dev br-ex \n    cache expires 500sec mtu 1300 \n");
  EXPECT_EQ("refused", explained(words)["outcome"]);
}

}  // namespace
