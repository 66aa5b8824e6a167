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
  void remove_tunnel(const std::string& name = "ovn-d88ff5-0", const std::string& remote = "192.168.99.25") {
    for (const char* list : {"ovs-vsctl_list_interface", "ovs-vsctl_list_port"}) sample_.without_record(kNode + list, name);
    sample_.without_lines(kNode + "ovs-ofctl_show_br-int", name);
    sample_.replace(kNode + "ovs-vsctl_show",
                    "        Port " + name + "\n            Interface " + name +
                        "\n                type: geneve\n                options: "
                        "{csum=\"true\", key=flow, local_ip=\"192.168.99.24\", remote_ip=\"" +
                        remote + "\"}\n",
                    "");
  }
  void remove_all_tunnels() {
    remove_tunnel();
    remove_tunnel("ovn-b7b3f2-0", "192.168.99.23");
  }
  json explained(const std::string& from = "demo-egress/requester-2a", const std::string& to = "demo-egress/requester-3a") const {
    return json::parse(egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", from, "--to", to, "--proto",
                                          "icmp", "--format", "json"})
                           .out);
  }
  std::string arriving() const {
    return explained("demo-egress/requester-3a", "demo-egress/requester-2a").at("paths").at(0).at("stopped_at").at("reason");
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

// Without any tunnel nothing of Open vSwitch receives what arrives, if the list of interfaces is whole.
TEST_F(MissingTunnel, AtTheOtherEndDropsWhatArrives) {
  remove_all_tunnels();
  EXPECT_EQ("tunnel-peer-missing", arriving());
  sample_.append(kNode + "ovs-vsctl_list_interface", "\n_uuid               : 7d8c2\nna");
  EXPECT_EQ("tunnel-end-unknown", arriving());
}

// As while ovn-controller is stopped: the flow outputs to a port that is gone.
TEST_F(MissingTunnel, OfAFlowThatIsLeftIsAPortThatIsGone) {
  remove_tunnel();
  const json e = explained();
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("paths").at(0).at("stopped_at").at("reason"), "port-missing");
}

}  // namespace
