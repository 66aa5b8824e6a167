// A packet for a chassis to which Open vSwitch has no tunnel: ovn-controller has made no flow for the port there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using egt::testing::Sample;
using nlohmann::json;

class MissingTunnel : public ::testing::Test {
 protected:
  // Of the port of master-03 on the transit switch.
  void remove_flow() { sample_.without_lines(kNode + "ovs-ofctl_dump-flows_br-int.gz", "cookie=0xbd18f35,"); }
  void remove_tunnel() {
    sample_.without_record(kNode + "ovs-vsctl_list_interface", "ovn-d88ff5-0");
    sample_.without_record(kNode + "ovs-vsctl_list_port", "ovn-d88ff5-0");
    sample_.without_lines(kNode + "ovs-ofctl_show_br-int", "ovn-d88ff5-0");
    sample_.replace(
        kNode + "ovs-vsctl_show",
        "        Port ovn-d88ff5-0\n            Interface ovn-d88ff5-0\n                type: geneve\n                options: "
        "{csum=\"true\", key=flow, local_ip=\"192.168.99.24\", remote_ip=\"192.168.99.25\"}\n",
        "");
  }
  json explained() const {
    return json::parse(egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", "demo-egress/requester-2a", "--to",
                                          "demo-egress/requester-3a", "--proto", "icmp", "--format", "json"})
                           .out);
  }

  const std::string kNode = "master-02-demo/";
  Sample sample_;
};

TEST_F(MissingTunnel, ProvesThatNoFlowIsLost) {
  remove_flow();
  remove_tunnel();
  const json e = explained();
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "proven") << e.at("assumptions");
}

TEST_F(MissingTunnel, IsNoneWhereOpenVswitchHasOne) {
  remove_flow();
  const json e = explained();
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "assumed");
}

// Such a list may lack the tunnel.
TEST_F(MissingTunnel, IsNotProvenByAListOfInterfacesThatIsCut) {
  remove_flow();
  remove_tunnel();
  sample_.append(kNode + "ovs-vsctl_list_interface", "\n_uuid               : 7d8c2\nna");
  EXPECT_EQ(explained().at("confidence"), "assumed");
}

// As while ovn-controller is stopped: the flow outputs to a port that is gone.
TEST_F(MissingTunnel, OfAFlowThatIsLeftIsAPortThatIsGone) {
  remove_tunnel();
  const json e = explained();
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("paths").at(0).at("stopped_at").at("reason"), "port-missing");
}

}  // namespace
