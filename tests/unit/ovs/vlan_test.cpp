// NORMAL by what the table Port sets of VLANs: ovs-vswitchd.conf.db(5), "VLAN Configuration".
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using F = FieldId;
using Ports = std::vector<std::string>;
using ovn::Columns;

class VlanTest : public SwitchTest {
 protected:
  VlanTest() { bridge("br0", {"table=0 actions=NORMAL"}, {1, 2, 3}).has_fdb = true; }

  void port(std::uint32_t number, Columns columns) {
    openflow::Interface& i = *node.bridge("br0")->by_name("br0-p" + std::to_string(number));
    if (const auto tag = columns.find("tag")) i.tag = static_cast<std::uint16_t>(std::stoul(std::string(*tag)));
    row("Port", i.name, std::move(columns));
  }
  static FlowKey tagged(std::uint16_t vid) {
    FlowKey k = tcp();
    k.set(F::vlan_tci, 0x1000u | vid);
    return k;
  }
  // Ports that a packet of port 1 leaves by, each with the tags on the wire.
  std::vector<std::string> flooded(const FlowKey& packet) {
    std::vector<std::string> found;
    for (const OvsEmission& e : run("br0", 1, packet).emissions) {
      std::string text = e.port->name.substr(4);
      for (const F tci : {F::vlan_tci, F::vlan_tci1})
        if (e.packet.u32(tci) != 0) text += " " + std::to_string(e.packet.u32(tci) & 0xfff);
      found.push_back(std::move(text));
    }
    return found;
  }
};

TEST_F(VlanTest, TrunksCarryWhatTheyName) {
  port(1, {{"trunks", "[10, 20]"}});
  port(2, {{"trunks", "20"}});
  EXPECT_EQ(flooded(tagged(10)), (Ports{"p3 10"}));
  EXPECT_EQ(flooded(tagged(20)), (Ports{"p2 20", "p3 20"}));
  EXPECT_EQ(flooded(tagged(30)), Ports());
  EXPECT_EQ(flooded(tcp()), Ports()) << "VLAN 0 is not among them";
}

TEST_F(VlanTest, TheNativeVlanHasNoTagOutside) {
  port(1, {{"tag", "10"}, {"vlan_mode", "native-untagged"}});
  port(2, {{"tag", "10"}, {"vlan_mode", "native-tagged"}, {"trunks", "[20]"}});
  port(3, {{"tag", "10"}});
  EXPECT_EQ(flooded(tcp()), (Ports{"p2 10", "p3"}));
  EXPECT_EQ(flooded(tagged(20)), (Ports{"p2 20"}));
}

TEST_F(VlanTest, AnAccessPortOfVlan0TakesNoTag) {
  port(1, {{"tag", "0"}});
  EXPECT_EQ(flooded(tcp()), (Ports{"p2", "p3"}));
  EXPECT_EQ(flooded(tagged(10)), Ports());
}

TEST_F(VlanTest, ATunnelAddsATagAndTakesItOff) {
  node.vlan_limit = 2;
  port(1, {{"tag", "20"}, {"vlan_mode", "dot1q-tunnel"}, {"cvlans", "[10]"}, {"other_config", "{qinq-ethtype=\"802.1q\"}"}});
  port(2, {{"tag", "20"}, {"vlan_mode", "dot1q-tunnel"}});
  EXPECT_EQ(flooded(tagged(10)), (Ports{"p2 10", "p3 20 10"}));
  EXPECT_EQ(flooded(tagged(11)), Ports());
}

TEST_F(VlanTest, PriorityTagsAreKept) {
  port(2, {{"tag", "10"}, {"other_config", "{priority-tags=if-nonzero}"}});
  port(3, {{"tag", "10"}});
  port(1, {{"tag", "10"}});
  FlowKey packet = tcp();
  packet.set(F::vlan_tci, 0x7000);  // VLAN 0, priority 3
  const OvsResult r = run("br0", 1, packet);
  ASSERT_EQ(r.emissions.size(), 2u);
  EXPECT_EQ(r.emissions[0].packet.u32(F::vlan_tci), 0x7000u);
  EXPECT_EQ(r.emissions[1].packet.u32(F::vlan_tci), 0u);
}

TEST_F(VlanTest, NothingPassesBetweenProtectedPorts) {
  port(1, {{"protected", "true"}});
  port(2, {{"protected", "true"}});
  EXPECT_EQ(flooded(tcp()), (Ports{"p3"}));
}

TEST_F(VlanTest, NothingIsLearnedInFloodedVlans) {
  node.bridge("br0")->fdb.push_back({3, 10, MacAddr{0x020000000002}, {}});
  EXPECT_EQ(flooded(tagged(10)), (Ports{"p3 10"}));
  row("Bridge", "br0", {{"flood_vlans", "[10]"}});
  EXPECT_EQ(flooded(tagged(10)), (Ports{"p2 10", "p3 10"}));
}

// CDP, as the addresses of IEEE 802.1D, unless the bridge forwards them.
TEST_F(VlanTest, ReservedAddressesStay) {
  FlowKey cdp = tcp();
  cdp.set(F::eth_dst, 0x01000ccccccc);
  EXPECT_EQ(flooded(cdp), Ports());
  row("Bridge", "br0", {{"other_config", "{forward-bpdu=\"true\"}"}});
  EXPECT_EQ(flooded(cdp), (Ports{"p2", "p3"}));
}

// Seed 17400749: the label goes around the whole frame, whose tags are behind it then.
TEST_F(SwitchTest, ALabelAroundAFrameHidesItsTags) {
  bridge("br0", {"table=0,priority=1 actions=encap(mpls),encap(ethernet),output:2",
                 "table=0,priority=2,in_port=3 actions=encap(mpls),decap(packet_type(ns=0,type=0)),output:2"});
  FlowKey tagged = tcp();
  tagged.set(FieldId::vlan_tci, 0x1005);
  EXPECT_TRUE(run("br0", 1, tagged).undecided) << "the kernel has the outer tag beside the frame";
  node.bridge("br0")->datapath_type = "netdev";
  const OvsResult r = run("br0", 1, tagged);
  EXPECT_FALSE(r.undecided);
  ASSERT_EQ(ports(r), Ports{"br0-p2"});
  EXPECT_EQ(r.emissions[0].packet.u32(FieldId::eth_type), 0x8847u);
  EXPECT_EQ(r.emissions[0].packet.u32(FieldId::vlan_tci), 0u);
  const OvsResult again = run("br0", 3, tagged);
  ASSERT_EQ(ports(again), Ports{"br0-p2"});
  EXPECT_EQ(again.emissions[0].packet.u32(FieldId::vlan_tci), 0x1005u);
}

}  // namespace
}  // namespace egt::engine
