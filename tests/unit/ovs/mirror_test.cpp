// Ports that mirrors output to, and what mirrors copy: ovs-vswitchd.conf.db(5), table Mirror.
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using Ports = std::vector<std::string>;
using ovn::Columns;

class MirrorTest : public SwitchTest {
 protected:
  MirrorTest() { bridge("br0", {"table=0,priority=1,udp actions=output:3", "table=0,priority=0 actions=NORMAL"}).has_fdb = true; }

  // Its output port is the bridge's third one.
  void mirror(Columns columns) {
    columns.add("output_port", "Portbr0-p3");
    row("Mirror", "m", std::move(columns));
    row("Bridge", "br0", {{"mirrors", "[Mirrorm]"}});
    for (const openflow::Interface& i : node.bridge("br0")->interfaces) row("Port", i.name, {});
  }
  Reason reason(const OvsResult& r) const { return r.stop ? r.stop->why.reason : Reason::none; }
  bool notes(Notice what) const {
    const auto remarks = steps<Remark>();
    return std::any_of(remarks.begin(), remarks.end(), [&](const Remark& r) { return r.kind == what; });
  }
  bool assumes(Supposition what) const {
    return std::any_of(record.assumptions.begin(), record.assumptions.end(), [&](const Assumption& a) { return a.what == what; });
  }
};

TEST_F(MirrorTest, NormalFloodsToNoOutputPortOfAMirror) {
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
  mirror({});
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2"}));
  EXPECT_TRUE(record.assumptions.empty());
}

TEST_F(MirrorTest, NormalForwardsNothingToALearnedOutputPort) {
  mirror({});
  node.bridge("br0")->fdb.push_back({3, 0, MacAddr{0x020000000002}, {}});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_EQ(ports(r), Ports());
  EXPECT_EQ(reason(r), Reason::mirror_port);
  EXPECT_EQ(r.stop->why.about, (Details{std::string("br0-p3"), std::string("m")}));
}

TEST_F(MirrorTest, WhatAnOutputPortReceivesIsDropped) {
  mirror({});
  const OvsResult r = run("br0", 3, tcp());
  EXPECT_EQ(ports(r), Ports());
  EXPECT_EQ(reason(r), Reason::mirror_port);
}

// Only NORMAL asks.
TEST_F(MirrorTest, AFlowOutputsToAnOutputPort) {
  mirror({});
  FlowKey udp = tcp();
  udp.set(FieldId::nw_proto, ip_proto::udp);
  EXPECT_EQ(ports(run("br0", 1, udp)), (Ports{"br0-p3"}));
}

TEST_F(MirrorTest, AMirrorToAPortOfAnotherBridgeIsNone) {
  mirror({{"output_port", "Portbr1-p1"}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
}

TEST_F(MirrorTest, MirrorsThatNoDumpShowsTakeNoPort) {
  mirror({});
  node.ovs_rows.table("OVS", "Mirror").rows().edit().clear();
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
  EXPECT_TRUE(assumes(Supposition::mirrors_take_no_port));
}

// Where they go is not walked: that the packet itself ends is no proof that no copy arrives.
TEST_F(MirrorTest, CopiesAreNoted) {
  mirror({{"select_src_port", "[Portbr0-p1]"}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2"}));
  EXPECT_TRUE(notes(Notice::mirrored));
  EXPECT_FALSE(assumes(Supposition::mirrors_take_elsewhere));
  node.bridge("br0")->fdb.push_back({1, 0, MacAddr{0x020000000002}, {}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports());
  EXPECT_TRUE(assumes(Supposition::mirrors_take_elsewhere));
}

TEST_F(MirrorTest, AVlanThatIsNotSelectedIsNotCopied) {
  mirror({{"select_all", "true"}, {"select_vlan", "[7]"}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2"}));
  EXPECT_FALSE(notes(Notice::mirrored));
}

}  // namespace
}  // namespace egt::engine
