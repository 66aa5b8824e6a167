// Which bridge a localnet port leads to, by the patch ports that ovn-controller makes.
#include "egtrace/engine/localnet.h"

#include <gtest/gtest.h>

namespace egt::engine {
namespace {

using Mapping = Localnet::Mapping;

class LocalnetPort : public testing::Test {
 protected:
  LocalnetPort() {
    ovn::LogicalPort& port = node.ovn.ports.emplace_back();
    port.name = "cargo_localnet";
    port.type = "localnet";
    port.datapath = "cargo";
    plug("br-int", "ovn-a1b2c3-0", "geneve").options["remote_ip"] = "192.0.2.2";
  }
  openflow::Interface& plug(const std::string& bridge, const std::string& name, const std::string& type) {
    for (openflow::Bridge& b : node.bridges)
      if (b.name == bridge) {
        b.interfaces.emplace_back().name = name;
        b.interfaces.back().type = type;
        return b.interfaces.back();
      }
    node.bridges.emplace_back().name = bridge;
    return plug(bridge, name, type);
  }
  Localnet localnet() const { return localnet_of(node, "cargo"); }

  cluster::Node node;
};

TEST_F(LocalnetPort, LeadsToTheBridgeOfItsPatchPorts) {
  plug("br-int", "patch-br-int-to-cargo_localnet", "patch");
  plug("br-cargo", "patch-cargo_localnet-to-br-int", "patch");
  plug("br-cargo", "ens6", "");
  EXPECT_EQ(Mapping::mapped, localnet().mapping);
  EXPECT_EQ("br-cargo", localnet().bridge->name);
  EXPECT_EQ(std::vector<std::string>{"ens6"}, localnet().uplinks);
}

TEST_F(LocalnetPort, IsNotMappedWhereAllPortsAreShown) {
  plug("br-int", "patch-br-int-to-br-ex_localnet", "patch");
  EXPECT_EQ(Mapping::not_mapped, localnet().mapping);
}

// With no mapping at all there is no patch port of another network either.
TEST_F(LocalnetPort, IsNotMappedWhereTheDatabaseShowsTheInterfaces) {
  plug("br-int", "veth0", "").external_ids["iface-id"] = "ns_pod";
  EXPECT_EQ(Mapping::not_shown, localnet().mapping);  // `ovs-vsctl list interface veth0` shows that too
  plug("br-int", "br-int", "internal");
  EXPECT_EQ(Mapping::not_mapped, localnet().mapping);
  EXPECT_TRUE(localnet().lacks_all_patch_ports);
}

TEST_F(LocalnetPort, MayBeMappedWhereSomePortsAreShown) {
  plug("br-int", "veth0", "");
  EXPECT_EQ(Mapping::not_shown, localnet().mapping);
}

}  // namespace
}  // namespace egt::engine
