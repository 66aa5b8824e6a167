// Broadcast and multicast: one receiver of several is walked, and who replies does so from its own address.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace {

nlohmann::json explained(const std::string& from, const std::string& to) {
  const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary",
                                      "--from", from, "--to", to, "--proto", "udp", "--format", "json"});
  return nlohmann::json::parse(ran.out);
}

TEST(Groups, NothingIsProvenOfTheirReplies) {
  for (const char* to : {"255.255.255.255:67", "192.168.99.255:67", "224.0.0.5:67"})
    for (const char* from : {"demo-egress/requester-3a", "node:master-01-demo"}) {
      const nlohmann::json e = explained(from, to);
      EXPECT_NE("answered", e["outcome"]) << from << " to " << to;
      EXPECT_NE("proven", e["confidence"]) << from << " to " << to;
    }
}

TEST(Groups, OneReceiverIsNoGroup) { EXPECT_EQ("answered", explained("node:master-01-demo", "192.168.99.24:53")["outcome"]); }

}  // namespace
