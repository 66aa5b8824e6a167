// Where nobody can answer a request of ovn-controller: logical switches on which only routers have ports.
#include "../libtrace/engine/src/ovn_controller/address_on_link.h"

#include <gtest/gtest.h>

namespace egt::engine {
namespace {

class PortWithoutAnswer : public testing::Test {
 protected:
  PortWithoutAnswer() {
    router_port("rtoj-cluster", "100.64.0.1/16");
    router_port("rtoj-gr", "100.64.0.4/16");
    switch_port("jtor-cluster", "rtoj-cluster");
    switch_port("jtor-gr", "rtoj-gr");
  }

  void router_port(const std::string& name, const std::string& network) {
    ovn::LogicalPort& port = node.ovn.ports.emplace_back();
    port.name = name;
    port.on_router = true;
    if (!network.empty()) port.addresses.push_back(*Prefix::parse(network));
  }
  void switch_port(const std::string& name, const std::string& peer) {
    ovn::LogicalPort& port = node.ovn.ports.emplace_back();
    port.name = name;
    port.datapath = "join";
    port.peer = peer;
  }
  bool in_vain(const std::string& address) const { return port_without_answer(node, *IpAddr::parse(address)) != nullptr; }

  cluster::Node node;
};

TEST_F(PortWithoutAnswer, AddressOfNoRouter) {
  EXPECT_TRUE(in_vain("100.64.0.9"));
  EXPECT_EQ("join", port_without_answer(node, *IpAddr::parse("100.64.0.9"))->datapath);
}

// Northd makes one for each router port that a chassis has.
TEST_F(PortWithoutAnswer, PortThatStandsInForAnother) {
  router_port("cr-rtoj-gr", "100.64.0.0/16");
  node.ovn.ports.back().type = "chassisredirect";
  EXPECT_TRUE(in_vain("100.64.0.9"));
}

TEST_F(PortWithoutAnswer, AddressOfARouter) { EXPECT_FALSE(in_vain("100.64.0.4")); }

TEST_F(PortWithoutAnswer, AddressOfAnotherNetwork) { EXPECT_FALSE(in_vain("192.0.2.1")); }

TEST_F(PortWithoutAnswer, SwitchWithAPortThatIsNoRouters) {
  switch_port("localnet", "");
  EXPECT_FALSE(in_vain("100.64.0.9"));
}

TEST_F(PortWithoutAnswer, PodsAndOtherZonesWithOtherAddresses) {
  switch_port("remote", "");
  node.ovn.ports.back().type = "remote";
  EXPECT_FALSE(in_vain("100.64.0.9"));  // no dump shows its addresses
  node.ovn.ports.back().addresses.push_back(*Prefix::parse("100.64.0.5/16"));
  EXPECT_TRUE(in_vain("100.64.0.9"));
  EXPECT_FALSE(in_vain("100.64.0.5"));
  node.ovn.ports.back().may_have_others = true;
  EXPECT_FALSE(in_vain("100.64.0.9"));
}

TEST_F(PortWithoutAnswer, RouterWhoseAddressesNoDumpShows) {
  switch_port("jtor-other", "rtoj-other");
  EXPECT_FALSE(in_vain("100.64.0.9"));
  router_port("rtoj-other", "");
  EXPECT_FALSE(in_vain("100.64.0.9"));
}

}  // namespace
}  // namespace egt::engine
