#include "egtrace/explain/phrases.h"
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using F = FieldId;
using Ports = std::vector<std::string>;

TEST_F(SwitchTest, APatchPortStartsAnewAndRestores) {
  bridge("br0", {"table=0,in_port=1 actions=load:0x5->NXM_NX_REG0[],load:0x3->OXM_OF_METADATA[],"
                 "load:0x2a->NXM_NX_PKT_MARK[],output:2,output:3"});
  bridge("br1", {"table=0,in_port=2,reg0=0,metadata=0,pkt_mark=0x2a actions=mod_nw_ttl:9,output:1"});
  patch("br0", 2, "br1", 2);
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(ports(r), (Ports{"br1-p1", "br0-p3"}));
  EXPECT_EQ(r.emissions[0].bridge->name, "br1");
  EXPECT_EQ(r.emissions[0].packet.u64(F::nw_ttl), 9u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::nw_ttl), 64u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::reg0), 0u) << "registers are not on the wire";
  ASSERT_EQ(steps<CrossPatch>().size(), 1u);
  EXPECT_EQ(steps<CrossPatch>()[0].to_port, "br1-p2");
}

// Below the label lies what nobody reads behind another Ethernet type.
TEST_F(SwitchTest, APoppedLabelMayLeaveNoHeaders) {
  bridge("br0", {"table=0,tcp actions=push_mpls:0x8847,output:2,pop_mpls:0x1234,output:3"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(ports(r), (Ports{"br0-p2", "br0-p3"}));
  EXPECT_EQ(r.emissions[1].packet.u64(F::eth_type), 0x1234u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::nw_ttl), 0u);
}

// Of a packet that comes back with a tag more than vlan-limit the switch reads nothing behind them: it is no TCP any more.
TEST_F(SwitchTest, NothingIsReadBehindTheTagsOfARecirculatedPacket) {
  bridge("br0", {"table=0,tcp,dl_vlan=5 actions=push_vlan:0x8100,ct(table=1)", "table=1,priority=2,tcp actions=drop",
                 "table=1,priority=1 actions=output:2"});
  FlowKey tagged = tcp();
  tagged.set(F::vlan_tci, 0x1005);
  EXPECT_TRUE(run("br0", 1, tagged).undecided);
  node.vlan_limit = 2;
  EXPECT_FALSE(run("br0", 1, tagged).undecided);
}

// The switch translates both branches: the first takes the action set, the second finds none. At the end it is there again.
TEST_F(SwitchTest, TheLongerBranchTakesTheActionSet) {
  bridge("br0", {"table=0 actions=write_actions(output:2),goto_table:1",
                 "table=1 actions=check_pkt_larger(1500)->NXM_NX_REG1[0],resubmit(,2)", "table=2,reg1=0 actions=output:3"});
  options.packet_length = 100;
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p3", "br0-p2"}));
  options.packet_length = 2000;
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p2"}));
}

// What the branch of longer packets leaves unexecuted behind the clone gets into the state that the other one freezes: the
// clone begins anew behind the hash.
TEST_F(SwitchTest, ActionsLeftOverByTheUntakenBranchAreFrozenWithTheOther) {
  bridge("br0", {"table=0 actions=check_pkt_larger(1500)->NXM_NX_REG0[31],clone(output:2,group:7)"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=select,selection_method=dp_hash,"
       "bucket=bucket_id:0,actions=output:3\n");
  options.packet_length = 100;
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p2", "br0-p3"}));
  options.packet_length = 2000;
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
}

// A translation that fails in the branch of longer packets drops the shorter ones, too; which bucket that branch takes is not asked.
TEST_F(SwitchTest, AnUntakenBranchThatMayFailProvesNothing) {
  bridge("br0", {"table=0 actions=resubmit(,5),output:3", "table=5 actions=check_pkt_larger(1500)->NXM_NX_REG0[31],group:7"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=select,selection_method=hash,"
       "bucket=bucket_id:0,actions=resubmit(,5),bucket=bucket_id:1,actions=output:2\n");
  options.packet_length = 100;
  chooser.wanted[Branch::group] = 1;
  EXPECT_TRUE(run("br0", 1, tcp()).undecided);
}

// Whatever its length, a packet that is translated makes the switch learn in both branches.
TEST_F(SwitchTest, TheUntakenBranchLearns) {
  bridge("br0", {"table=0,tcp actions=check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,1)", "table=0,udp actions=resubmit(,5)",
                 "table=1,reg0=0x1 actions=learn(table=5,priority=9,eth_type=0x800,output:NXM_OF_IN_PORT[])",
                 "table=1,reg0=0 actions=output:3"});
  options.packet_length = 60;
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  EXPECT_TRUE(steps<LearnFlow>().empty()) << "not on the packet's way";
  FlowKey udp = tcp();
  udp.set(F::nw_proto, ip_proto::udp);
  EXPECT_EQ(ports(run("br0", 2, udp)), Ports{"br0-p1"});
}

TEST_F(SwitchTest, ALoopOfPatchPortsEnds) {
  bridge("br0", {"table=0 actions=output:2"});
  bridge("br1", {"table=0 actions=IN_PORT"});
  patch("br0", 2, "br1", 2);
  EXPECT_TRUE(run("br0", 1, tcp()).emissions.empty());
}

TEST_F(SwitchTest, ATunnelTakesItsPortsOptions) {
  openflow::Bridge& b = bridge("br0", {"table=0 actions=load:0x7->NXM_NX_TUN_ID[],output:2"});
  b.interfaces[1].type = "geneve";
  b.interfaces[1].options = {{"remote_ip", "192.0.2.9"}, {"local_ip", "192.0.2.1"}, {"key", "flow"}};
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(r.emissions.size(), 1u);
  EXPECT_EQ(r.emissions[0].kind, OvsEmission::Kind::tunnel);
  EXPECT_EQ(r.emissions[0].packet.u32(F::tun_dst), 0xc0000209u);
  EXPECT_EQ(r.emissions[0].packet.u32(F::tun_src), 0xc0000201u);
  EXPECT_EQ(r.emissions[0].packet.u64(F::tun_id), 7u);
  node.bridge("br0")->interfaces[1].options["key"] = "99";
  EXPECT_EQ(run("br0", 1, tcp()).emissions.at(0).packet.u64(F::tun_id), 99u);
}

// Nothing but the dump shows how many flows a bridge has that is not OVN's.
TEST_F(SwitchTest, AMissThatEndsThePacketMayBeACutDump) {
  bridge("br0", {"table=0,in_port=3 actions=output:2", "table=0,in_port=2 actions=resubmit(,5),output:3"});
  EXPECT_TRUE(run("br0", 1, tcp()).stop.has_value());
  ASSERT_EQ(record.assumptions.size(), 1u);
  EXPECT_NE(explain::what_of(record.assumptions[0]).find("the flows of br0"), std::string::npos);
  record.assumptions.clear();
  EXPECT_EQ(ports(run("br0", 2, tcp())), Ports{"br0-p3"});  // table 5 has none, which ends nothing
  EXPECT_TRUE(record.assumptions.empty());
  bridge("br1", {"table=0,in_port=1 actions=output:2"});
  bridge("br2", {"table=0,in_port=3 actions=output:2"});
  patch("br1", 2, "br2", 2);
  EXPECT_TRUE(run("br1", 1, tcp()).stop.has_value());
  ASSERT_EQ(record.assumptions.size(), 1u);
  EXPECT_NE(explain::what_of(record.assumptions[0]).find("the flows of br2"), std::string::npos);
}

TEST_F(SwitchTest, AnUnknownPortIsAGapOnlyWhenPortsAreUnknown) {
  bridge("br0", {"table=0 actions=output:77"});
  EXPECT_FALSE(run("br0", 1, tcp()).undecided);
  node.bridge("br0")->interfaces[0].ofport.reset();
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
  ASSERT_FALSE(record.gaps.empty());
  EXPECT_EQ(explain::gap_of(record.gaps.back()).command, "ovs-ofctl show br0");
}

TEST_F(SwitchTest, NormalForwardsToALearnedPort) {
  openflow::Bridge& b = bridge("br0", {"table=0 actions=NORMAL"});
  b.has_fdb = true;
  b.fdb.push_back({3, 0, {0x020000000002}, {}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
}

// A bridge's device and OVN's gateway router send with one MAC: the table has whichever sent last.
TEST_F(SwitchTest, NormalIsNotSureOfAMacThatTheBridgesDeviceHas) {
  openflow::Bridge& b = bridge("br0", {"table=0 actions=NORMAL"});
  b.has_fdb = true;
  b.fdb.push_back({3, 0, {0x020000000002}, {}});
  b.interfaces[1].type = "internal";
  b.interfaces[1].mac = MacAddr{0x020000000002};
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  ASSERT_EQ(1U, record.assumptions.size());
  EXPECT_EQ(engine::Supposition::mac_learned, record.assumptions.front().what);
}

TEST_F(SwitchTest, NormalFloodsAndLearnsTheSender) {
  bridge("br0", {"table=0 actions=NORMAL"}).has_fdb = true;
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
  FlowKey answer = tcp();
  answer.set(F::eth_src, 0x020000000002);
  answer.set(F::eth_dst, 0x020000000001);
  EXPECT_EQ(ports(run("br0", 2, answer)), Ports{"br0-p1"});
}

// What is left of a packet below NSH has no sender (xlate_normal()).
TEST_F(SwitchTest, NormalLearnsNothingWithoutEthernet) {
  bridge("br0", {"table=0,in_port=1 actions=encap(nsh),NORMAL", "table=0,priority=0 actions=NORMAL"}).has_fdb = true;
  run("br0", 1, tcp());
  FlowKey to_none = tcp();
  to_none.set(F::eth_dst, 0);
  EXPECT_EQ(ports(run("br0", 2, to_none)), (Ports{"br0-p1", "br0-p3"}));
}

TEST_F(SwitchTest, NormalKeepsToItsVlan) {
  openflow::Bridge& b = bridge("br0", {"table=0 actions=NORMAL"});
  b.has_fdb = true;
  b.interfaces[0].tag = std::uint16_t{5};
  b.interfaces[1].tag = std::uint16_t{6};
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(ports(r), Ports{"br0-p3"});
  EXPECT_EQ(r.emissions[0].packet.u32(F::vlan_tci), 0x1005u);
}

TEST_F(SwitchTest, FloodSparesTheInputPort) {
  bridge("br0", {"table=0,tcp actions=FLOOD", "table=0,udp actions=ALL"});
  EXPECT_EQ(ports(run("br0", 2, tcp())), (Ports{"br0-p1", "br0-p3"}));
}

TEST_F(SwitchTest, ASelectGroupIsSplit) {
  bridge("br0", {"table=0 actions=group:7,output:3"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=select,bucket=bucket_id:0,weight:100,"
       "actions=mod_nw_ttl:1,output:1,bucket=bucket_id:4,weight:300,actions=output:2\n");
  chooser.wanted[Branch::group] = 1;
  EXPECT_EQ(ports(run("br0", 9, tcp())), (Ports{"br0-p2", "br0-p3"}));
  ASSERT_EQ(chooser.asked.size(), 1u);
  EXPECT_EQ(chooser.asked[0].options[1].label.about.front(), engine::Detail(std::uint64_t{4}));
  EXPECT_DOUBLE_EQ(*chooser.asked[0].options[1].weight, 0.75);
  chooser.wanted[Branch::group] = 0;
  const OvsResult r = run("br0", 9, tcp());
  EXPECT_EQ(r.emissions[0].packet.u64(F::nw_ttl), 1u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::nw_ttl), 64u) << "a bucket works on a copy";
}

TEST_F(SwitchTest, PortsDropByTheirConfiguration) {
  openflow::Bridge& b = bridge("br0", {"table=0,in_port=1 actions=output:2", "table=0,in_port=3 actions=FLOOD"});
  b.interfaces[1].no_forward = true;
  const OvsResult forward = run("br0", 1, tcp());
  ASSERT_TRUE(forward.stop);
  EXPECT_NE(explain::phrase(forward.stop->why).find("NO_FWD"), std::string::npos);
  b.interfaces[1].no_forward = false;
  b.interfaces[1].no_flood = true;
  EXPECT_EQ(ports(run("br0", 3, tcp())), Ports{"br0-p1"});
  b.interfaces[0].no_receive = true;
  const OvsResult receive = run("br0", 1, tcp());
  EXPECT_TRUE(receive.emissions.empty());
  ASSERT_TRUE(receive.stop);
  EXPECT_NE(explain::phrase(receive.stop->why).find("NO_RECV"), std::string::npos);
}

// xport_stp_forward_state(): seen with ofproto/trace of Open vSwitch 3.1.0 in front of each state.
TEST_F(SwitchTest, PortsOfASpanningTreeDropUnlessTheyForward) {
  bridge("br0", {"table=0,in_port=1 actions=output:2", "table=0,in_port=2 actions=output:3"}).interfaces[2].type = "internal";
  row("Bridge", "br0", {{"stp_enable", "true"}});
  row("Port", "br0-p1", {{"status", "{stp_role=Designated, stp_state=learning}"}});
  row("Port", "br0-p2", {{"rstp_status", "{rstp_port_state=Forwarding}"}});
  const OvsResult in = run("br0", 1, tcp());
  EXPECT_TRUE(in.emissions.empty());
  ASSERT_TRUE(in.stop);
  EXPECT_EQ(explain::phrase(in.stop->why), "the spanning tree of br0 does not let port br0-p1 forward");
  EXPECT_EQ(ports(run("br0", 2, tcp())), Ports{"br0-p3"}) << "internal ports take no part";
  std::vector<ovn::Row>& rows = node.ovs_rows.table("OVS", "Port").rows().edit();
  rows[0].columns.set("status", "{stp_state=forwarding}");
  rows[1].columns.set("rstp_status", "{rstp_port_state=Discarding}");
  const OvsResult out = run("br0", 1, tcp());
  EXPECT_TRUE(out.emissions.empty());
  ASSERT_TRUE(out.stop);
  EXPECT_EQ(out.stop->why.reason, Reason::port_in_tree);
  EXPECT_TRUE(record.assumptions.empty());
}

// A database file has no states of ports.
TEST_F(SwitchTest, PortsOfASpanningTreeOfUnknownStateAreAssumedToForward) {
  bridge("br0", {"table=0,in_port=1 actions=output:2"});
  row("Bridge", "br0", {{"rstp_enable", "true"}});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
  ASSERT_EQ(record.assumptions.size(), 2u);
  EXPECT_EQ(record.assumptions[0].what, Supposition::tree_forwards);
}

TEST_F(SwitchTest, ABridgeMayDropFragments) {
  bridge("br0", {"table=0 actions=output:2"}).fragments = openflow::Fragments::drop;
  FlowKey k = tcp();
  EXPECT_EQ(ports(run("br0", 1, k)), Ports{"br0-p2"});
  k.set(F::ip_frag, ip_frag::any);
  const OvsResult r = run("br0", 1, k);
  ASSERT_TRUE(r.stop);
  EXPECT_NE(explain::phrase(r.stop->why).find("fragments"), std::string::npos);
}

// bucket_is_alive(): a watched port or a watched group makes a bucket live.
TEST_F(SwitchTest, AFastFailoverBucketIsLiveByItsPortOrItsGroup) {
  bridge("br0", {"table=0 actions=group:7"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=ff,bucket=bucket_id:0,watch_port:1,watch_group:8,"
       "actions=output:2,bucket=bucket_id:1,watch_port:3,actions=output:3\n"
       " group_id=8,type=indirect,bucket=bucket_id:0,actions=output:2\n");
  for (openflow::Interface& i : node.bridge("br0")->interfaces) i.port_down = i.ofport == 1u;
  EXPECT_EQ(ports(run("br0", 9, tcp())), Ports{"br0-p2"});
}

// Before the packet comes back with its hash the switch has no bucket; releases say so as of a group without a live one.
TEST_F(SwitchTest, AGroupThatWaitsForItsHashLosesNothing) {
  bridge("br0", {"table=0,in_port=1 actions=group:7", "table=0,in_port=2 actions=group:8", "table=1 actions=drop"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=select,selection_method=dp_hash,"
       "bucket=bucket_id:0,weight:100,actions=resubmit(,1),bucket=bucket_id:1,weight:100,actions=ct(commit,table=1,nat(dst=10.0."
       "0.9))\n"
       " group_id=8,type=select,selection_method=dp_hash\n");
  for (const std::size_t bucket : {0, 1}) {
    chooser.wanted[Branch::group] = bucket;
    const OvsResult dropped = run("br0", 1, tcp());
    ASSERT_TRUE(dropped.stop);
    EXPECT_EQ(dropped.stop->why.reason, Reason::flow_drops) << bucket;
  }
  const OvsResult empty = run("br0", 2, tcp());
  ASSERT_TRUE(empty.stop);
  EXPECT_EQ(empty.stop->why.reason, Reason::no_live_bucket);
}

// The group's hash makes the switch recirculate, and what stood behind the clone is not executed.
TEST_F(SwitchTest, AHashedGroupInACloneEndsTheList) {
  bridge("br0", {"table=0,tcp actions=clone(group:7),output:3", "table=0,udp actions=group:7,output:3"});
  load("ovs-ofctl -O OpenFlow15 dump-groups br0",
       "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=7,type=select,selection_method=dp_hash,"
       "bucket=bucket_id:0,actions=output:2\n");
  EXPECT_EQ(ports(run("br0", 9, tcp())), Ports{"br0-p2"});
  FlowKey udp = tcp();
  udp.set(F::nw_proto, ip_proto::udp);
  EXPECT_EQ(ports(run("br0", 9, udp)), (Ports{"br0-p2", "br0-p3"}));
}

TEST_F(SwitchTest, AMissingGroupIsAGapWhenGroupsWereNotDumped) {
  bridge("br0", {"table=0 actions=group:7,output:3"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
  EXPECT_TRUE(r.emissions.empty()) << "the list ends at a group that does not exist";
  EXPECT_EQ(record.gaps.size(), 1u);
}

// Open vSwitch has no such flow, so the dumps are not of one bridge.
TEST_F(SwitchTest, AMissingGroupIsAGapWhenGroupsWereDumped) {
  bridge("br0", {"table=0 actions=group:7,output:3"});
  node.bridges[0].has_groups = true;
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_FALSE(r.undecided);
  EXPECT_TRUE(r.emissions.empty());
  EXPECT_EQ(record.gaps.size(), 1u);
}

}  // namespace
}  // namespace egt::engine
