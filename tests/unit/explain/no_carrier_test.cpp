// Devices without carrier, on the path of the request or of the reply.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

class NoCarrier : public ::testing::Test {
 protected:
  NoCarrier() {
    fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", d_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }

  // As ip link prints a device whose cable is unplugged.
  void unplug(const std::string& node, const std::string& device) {
    for (const char* dump : {"/ip_-d_link", "/ip_-d_addr"}) {
      const std::string path = d_.path() + "/" + node + dump;
      std::string text = egt::testing::read_file(path);
      const std::size_t at = text.find(": " + device + "@"), flags = text.find(",UP,LOWER_UP>", at);
      ASSERT_NE(std::string::npos, at) << path;
      egt::testing::write_file(path, text.replace(flags, 12, ",UP,NO-CARRIER"));
    }
  }

  nlohmann::json explained() const {
    const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", d_.path(), "--from", "demo-egress/requester-3a", "--to",
                                        "192.168.55.13:80", "--format", "json"});
    return nlohmann::json::parse(ran.out);
  }

  egt::testing::TemporaryDirectory d_;
};

TEST_F(NoCarrier, OfTheEgressNodesUplink) {
  unplug("master-02-demo", "enp1s0");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("no-carrier", e["paths"][0]["stopped_at"]["reason"]) << e["fault"];
  EXPECT_EQ("master-02-demo", e["fault"]["node"]);
}

TEST_F(NoCarrier, OfTheReceiver) {
  unplug("server", "enp1s0");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("no-carrier", e["paths"][0]["stopped_at"]["reason"]) << e["fault"];
}

}  // namespace
