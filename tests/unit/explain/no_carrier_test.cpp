// Devices without carrier, and ports of Linux bridges that do not forward, on the path of the request or of the reply.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

class NoCarrier : public ::testing::Test {
 protected:
  // As ip link prints a device whose cable is unplugged.
  void unplug(const std::string& node, const std::string& flags) {
    for (const char* dump : {"/ip_-d_link", "/ip_-d_addr"})
      sample_.replace(node + dump, flags + ",UP,LOWER_UP>", flags + ",UP,NO-CARRIER>");
  }

  nlohmann::json explained() const {
    const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", "demo-egress/requester-3a", "--to",
                                        "192.168.55.13:80", "--format", "json"});
    return nlohmann::json::parse(ran.out);
  }

  egt::testing::Sample sample_;
};

TEST_F(NoCarrier, OfTheEgressNodesUplink) {
  unplug("master-02-demo", "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("no-carrier", e["paths"][0]["stopped_at"]["reason"]) << e["fault"];
  EXPECT_EQ("master-02-demo", e["fault"]["node"]);
}

TEST_F(NoCarrier, OfTheReceiver) {
  unplug("server", "enp1s0@if706: <BROADCAST,MULTICAST");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("no-carrier", e["paths"][0]["stopped_at"]["reason"]) << e["fault"];
}

// The reply is longer than what the pod's port is sent of it.
TEST_F(NoCarrier, OfAFrameThatAFlowCuts) {
  sample_.replace("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "actions=output:5\n", "actions=output(port=5,max_len=60)\n");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("frame-cut", e["fault"]["reason"]) << e["fault"];
}

TEST_F(NoCarrier, OfNoFrameThatIsSentWhole) {
  sample_.replace("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "actions=output:5\n", "actions=output(port=5,max_len=600)\n");
  const nlohmann::json e = explained();
  EXPECT_EQ("answered", e["outcome"]);
  EXPECT_EQ(600 - 14, e["largest_packet"]["bytes"]) << e["largest_packet"];
  EXPECT_EQ("flow", e["largest_packet"]["by"]);
}

// The server's NIC as port of a Linux bridge that has its address.
class BridgePort : public NoCarrier {
 protected:
  void make_port(const std::string& state) {
    const std::string slave = "    bridge_slave state " + state +
                              " priority 32 cost 2 hairpin off guard off root_block off fastleave off learning on\n";
    const std::string nic = "enp1s0@if706: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500", veth = "    veth ";
    const std::string bridge =
        "90: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
        "    link/ether 52:54:00:5a:30:9c brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535\n"
        "    bridge forward_delay 1500 hello_time 200 max_age 2000 stp_state 1 priority 32768\n";
    for (const char* dump : {"server/ip_-d_link", "server/ip_-d_addr"})
      sample_.replace(dump, nic, nic + " master br0").replace(dump, veth, slave + veth).append(dump, bridge);
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
