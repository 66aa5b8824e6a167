// What is said of captured flows that show little: other people's middles, unknown places, translated addresses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace {

using Json = nlohmann::json;

// One capture, as text of tcpdump, against the sample's dumps.
Json study_text(const std::string& place, const std::string& text) {
  const egt::testing::TemporaryDirectory folder;
  const std::string file = folder.file("capture.txt", text);
  const std::string capture = place.empty() ? file : place + "=" + file;
  const auto result = egt::testing::run({EGTRACE_BINARY, "pcap", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary",
                                         capture, "--format", "json", "-q"});
  return Json::parse(result.out, nullptr, false);
}

std::string line_of(int millisecond, int ttl, const std::string& what) {
  return "12:00:00." + std::to_string(100 + millisecond) + " IP (tos 0x0, ttl " + std::to_string(ttl) +
         ", id 1, offset 0, flags [DF], proto TCP (6), length 60)\n    " + what + ", length 0\n";
}

std::string handshake(int millisecond, const std::string& client, const std::string& server, int ttl, const std::string& isn) {
  const std::string next = std::to_string(std::stoul(isn) + 1);
  return line_of(millisecond, ttl, client + " > " + server + ": Flags [S], seq " + isn + ", win 65280") +
         line_of(millisecond + 1, 63, server + " > " + client + ": Flags [S.], seq 900, ack " + next + ", win 65280") +
         line_of(millisecond + 2, ttl, client + " > " + server + ": Flags [.], ack 901, win 65280");
}

bool says(const Json& flow, const std::string& words) { return flow["why"].get<std::string>().find(words) != std::string::npos; }

TEST(Study, EachFlowHasItsOwnPort) {
  const Json j = study_text("router:enp1s0", handshake(1, "192.168.99.24.20001", "192.168.55.13.80", 64, "7") +
                                                 handshake(5, "192.168.99.24.20002", "192.168.55.13.80", 64, "70"));
  ASSERT_EQ(2u, j["flows"].size());
  for (const Json& f : j["flows"]) {
    EXPECT_EQ("answered", f["fate"]) << f["why"];
    EXPECT_TRUE(says(f, ":" + std::to_string(f["sport"].get<int>()))) << f["why"];
    EXPECT_EQ("node", f["from"]["kind"]);
  }
}

TEST(Study, ATranslatedAddressIsNotTheSender) {
  const Json j = study_text("router:enp1s0", handshake(1, "192.168.99.24.20001", "192.168.55.13.80", 62, "7"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("answered", j["flows"][0]["fate"]) << j["flows"][0]["why"];
  EXPECT_NE("node", j["flows"][0]["from"]["kind"]) << j["flows"][0]["why"];
}

TEST(Study, RemainsOfAConnectionTellNothing) {
  const Json j =
      study_text("router:enp1s0", line_of(1, 64, "192.168.55.13.80 > 192.168.66.100.20146: Flags [S.], seq 5, ack 9, win 65160") +
                                      line_of(2, 64, "192.168.66.100.20146 > 192.168.55.13.80: Flags [R], seq 9, win 0"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("unexplained", j["flows"][0]["fate"]);
  EXPECT_TRUE(says(j["flows"][0], "late SYN-ACK")) << j["flows"][0]["why"];
}

TEST(Study, OneDirectionOfTheMiddleTellsNothing) {
  const Json j =
      study_text("router:enp1s0", line_of(1, 62, "10.132.0.13.20146 > 192.168.55.13.80: Flags [P.], seq 5:9, ack 9, win 65160"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("unexplained", j["flows"][0]["fate"]) << j["flows"][0]["why"];
}

TEST(Study, NobodyKnowsWhatBecomesOfAPacketAtAnUnknownPlace) {
  const Json j = study_text("", line_of(1, 64, "198.51.100.1.20146 > 198.51.100.2.80: Flags [S], seq 5, win 65160"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("unexplained", j["flows"][0]["fate"]) << j["flows"][0]["why"];
  EXPECT_TRUE(j["flows"][0]["lost_between"].is_null());
}

}  // namespace
