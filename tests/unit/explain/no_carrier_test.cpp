// Devices without carrier, and ports of Linux bridges that do not forward, on the path of the request or of the reply.
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

// The server's NIC as port of a Linux bridge that has its address.
class BridgePort : public NoCarrier {
 protected:
  void make_port(const std::string& state) {
    const std::string slave = "    bridge_slave state " + state + " priority 32 cost 2 hairpin off guard off root_block off fastleave off learning on\n";
    for (const char* dump : {"/server/ip_-d_link", "/server/ip_-d_addr"}) {
      std::string text = egt::testing::read_file(d_.path() + dump);
      const std::size_t name = text.find(": enp1s0@"), qdisc = text.find(" qdisc", name);
      text.insert(qdisc, " master br0");
      const std::size_t veth = text.find("    veth ", name), end = text.find('\n', veth) + 1;
      text.insert(end, slave);
      egt::testing::write_file(d_.path() + dump, text);
    }
    const std::string bridge = "90: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
                               "    link/ether 52:54:00:5a:30:9c brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535\n"
                               "    bridge forward_delay 1500 hello_time 200 max_age 2000 stp_state 1 priority 32768\n";
    for (const char* dump : {"/server/ip_-d_link", "/server/ip_-d_addr"})
      egt::testing::write_file(d_.path() + dump, egt::testing::read_file(d_.path() + dump) + bridge);
  }
};

TEST_F(BridgePort, BlockedBySpanningTree) {
  make_port("blocking");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("bridge-port-blocked", e["fault"]["reason"]) << e["fault"];
}

TEST_F(BridgePort, ThatForwards) {
  make_port("forwarding");
  EXPECT_EQ(std::string::npos, explained()["fault"].dump().find("bridge-port-blocked"));
}

}  // namespace
