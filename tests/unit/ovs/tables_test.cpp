#include "egtrace/explain/phrases.h"
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using F = FieldId;
using Ports = std::vector<std::string>;

TEST_F(SwitchTest, ResubmitsAndComesBack) {
  bridge("br0", {"table=0,ip actions=load:0x5->NXM_NX_REG0[],resubmit(,1),output:3", "table=1,reg0=0x5 actions=output:2"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_EQ(ports(r), (Ports{"br0-p2", "br0-p3"}));
  EXPECT_FALSE(r.stop);
  const auto hits = steps<TableMatch>();
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].depth, 0);
  EXPECT_EQ(hits[1].depth, 1);
}

TEST_F(SwitchTest, AResubmitAtTheEndStaysInTheMainLine) {
  bridge("br0", {"table=0,ip actions=resubmit(,1)", "table=1,ip actions=output:2"});
  run("br0", 1, tcp());
  EXPECT_EQ(steps<TableMatch>().at(1).depth, 0);
}

// Which number a table of that name has, a dump with names does not show.
TEST_F(SwitchTest, ATableByItsNameIsNotTheCurrentOne) {
  bridge("br0", {"table=0,ip actions=resubmit(,\"acl\"),output:2", "table=0,arp actions=goto_table:\"acl\""});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
  EXPECT_EQ(ports(r), Ports{"br0-p2"});
  ASSERT_EQ(record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(record.gaps[0]).command, "ovs-ofctl --no-names dump-flows br0");
  FlowKey arp;
  arp.set(F::eth_type, 0x0806);
  EXPECT_TRUE(run("br0", 1, arp).undecided);
}

TEST_F(SwitchTest, NotesTheChangesOfEachFlowForItself) {
  bridge("br0", {"table=0,ip actions=load:0x5->NXM_NX_REG0[],resubmit(,1),load:0x6->NXM_NX_REG0[],output:2",
                 "table=1,ip actions=load:0x7->NXM_NX_REG1[0..7],dec_ttl"});
  run("br0", 1, tcp());
  std::vector<FieldChange> outer, inner;
  for (const Step& s : record.steps)
    if (const auto* m = std::get_if<TableMatch>(&s.kind)) (m->table == 0 ? outer : inner) = s.changed;
  ASSERT_EQ(outer.size(), 1u);
  EXPECT_EQ(outer[0].field, F::reg0);
  EXPECT_EQ(outer[0].after, 6u);
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_EQ(inner[0].field, F::reg1);
  EXPECT_EQ(inner[1].field, F::nw_ttl);
  EXPECT_EQ(inner[1].after, 63u);
}

TEST_F(SwitchTest, MissAndDropSayWhere) {
  bridge("br0", {"table=0,ip actions=resubmit(,1)", "table=1,priority=7,ip actions=drop"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_TRUE(r.stop);
  EXPECT_EQ(explain::phrase(r.stop->where), "br0 table 1");
  EXPECT_EQ(explain::phrase(r.stop->why), "a flow drops it");
  ASSERT_EQ(r.stop->evidence.size(), 1u);
  EXPECT_EQ(cluster.sources->line_text(r.stop->evidence[0]).find("table=1") != std::string_view::npos, true);
  EXPECT_FALSE(r.undecided);
}

TEST_F(SwitchTest, AMissOfANestedTableIsNotTheReason) {
  bridge("br0", {"table=0,ip actions=resubmit(,9),resubmit(,1)", "table=1,ip actions=drop"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_TRUE(r.stop);
  EXPECT_EQ(explain::phrase(r.stop->where), "br0 table 1");
  EXPECT_EQ(steps<TableMiss>().size(), 1u);
}

TEST_F(SwitchTest, DoesNotSendBackToTheInputPort) {
  bridge("br0", {"table=0,tcp actions=output:1", "table=0,udp actions=load:0xffff->NXM_OF_IN_PORT[],output:1",
                 "table=0,icmp actions=IN_PORT"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.emissions.empty());
  ASSERT_TRUE(r.stop);
  EXPECT_NE(explain::phrase(r.stop->why).find("came in by"), std::string::npos);
  FlowKey udp = tcp();
  udp.set(F::nw_proto, ip_proto::udp);
  EXPECT_EQ(ports(run("br0", 1, udp)), Ports{"br0-p1"});
  udp.set(F::nw_proto, ip_proto::icmp);
  EXPECT_EQ(ports(run("br0", 1, udp)), Ports{"br0-p1"});
}

TEST_F(SwitchTest, CloneAndStackRestore) {
  bridge("br0", {"table=0,ip actions=push:NXM_NX_REG0[],clone(load:0x9->NXM_NX_REG0[],dec_ttl,output:2),"
                 "load:0x4->NXM_NX_REG0[],pop:NXM_NX_REG0[],output:3"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(r.emissions.size(), 2u);
  EXPECT_EQ(r.emissions[0].packet.u64(F::nw_ttl), 63u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::nw_ttl), 64u);
  EXPECT_EQ(r.emissions[1].packet.u64(F::reg0), 0u);
}

TEST_F(SwitchTest, WritesOnlyFieldsThatThePacketHas) {
  bridge("br0", {"table=0 actions=mod_nw_src:9.9.9.9,move:NXM_OF_TCP_SRC[]->NXM_NX_REG0[0..15],output:2"});
  FlowKey arp = tcp();
  arp.set(F::eth_type, ethertype::arp);
  const OvsResult r = run("br0", 1, arp);
  ASSERT_EQ(r.emissions.size(), 1u);
  EXPECT_EQ(src_ip(r.emissions[0].packet), IpAddr::v4(0x0a000001));
  EXPECT_EQ(r.emissions[0].packet.u64(F::reg0), 0u);
}

TEST_F(SwitchTest, TtlEndsTheListOfThatFlowOnly) {
  bridge("br0", {"table=0,ip actions=resubmit(,1),output:3", "table=1,ip actions=dec_ttl,output:2"});
  FlowKey k = tcp();
  k.set(F::nw_ttl, 1);
  EXPECT_EQ(ports(run("br0", 1, k)), Ports{"br0-p3"});
}

TEST_F(SwitchTest, GivesUpAtTheDepthOfOpenVSwitch) {
  bridge("br0", {"table=0,ip actions=output:2,resubmit(,0)"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.emissions.empty()) << "Open vSwitch drops what it had output already";
  ASSERT_TRUE(r.stop);
  EXPECT_NE(explain::phrase(r.stop->why).find("64"), std::string::npos);
  EXPECT_LE(steps<TableMatch>().size(), 65u);
}

TEST_F(SwitchTest, GivesUpAfterTooManyResubmits) {
  bridge("br0", {"table=0,ip actions=resubmit(,1),resubmit(,1)", "table=1 actions=resubmit(,2),resubmit(,2)",
                 "table=2 actions=resubmit(,3),resubmit(,3)", "table=3 actions=resubmit(,4),resubmit(,4)",
                 "table=4 actions=resubmit(,5),resubmit(,5)", "table=5 actions=resubmit(,6),resubmit(,6)",
                 "table=6 actions=resubmit(,7),resubmit(,7)", "table=7 actions=resubmit(,8),resubmit(,8)",
                 "table=8 actions=resubmit(,9),resubmit(,9)", "table=9 actions=resubmit(,10),resubmit(,10)",
                 "table=10 actions=resubmit(,11),resubmit(,11)", "table=11 actions=resubmit(,12),resubmit(,12)",
                 "table=12 actions=resubmit(,13),resubmit(,13)", "table=13 actions=output:2"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.emissions.empty());
  ASSERT_TRUE(r.stop);
  EXPECT_NE(explain::phrase(r.stop->why).find("4096"), std::string::npos);
}

TEST_F(SwitchTest, EndsAChainThroughAllTables) {
  std::vector<std::string> flows;
  for (int i = 0; i < 254; ++i)
    flows.push_back("table=" + std::to_string(i) + " actions=resubmit(," + std::to_string((i + 1) % 254) + "),output:2");
  bridge("br0", flows);
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.emissions.empty());
  EXPECT_TRUE(r.undecided) << "Open vSwitch would go on for a while, this engine does not";
}

TEST_F(SwitchTest, EndsARecirculationWithoutEnd) {
  bridge("br0", {"table=0,ip actions=ct(table=0)"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
}

TEST_F(SwitchTest, MissingFlowsAreAGap) {
  openflow::Bridge b;
  b.name = "br9";
  node.bridges.push_back(std::move(b));
  const OvsResult r = run("br9", 1, tcp());
  EXPECT_TRUE(r.undecided);
  ASSERT_EQ(record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(record.gaps[0]).command, "ovs-ofctl dump-flows br9");
  EXPECT_TRUE(r.stop);
}

TEST_F(SwitchTest, AnExcerptProvesNothing) {
  bridge("br0", {"table=0,ip actions=output:2"}).flows_partial = true;
  EXPECT_TRUE(run("br0", 1, tcp()).undecided);
  EXPECT_EQ(record.gaps.size(), 1u);
}

TEST_F(SwitchTest, AnUnknownActionIsSaid) {
  bridge("br0", {"table=0,ip actions=frobnicate(5),output:2"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
  EXPECT_EQ(ports(r), Ports{"br0-p2"});
  ASSERT_FALSE(steps<Remark>().empty());
}

TEST_F(SwitchTest, EqualPrioritiesThatDifferAreAChoice) {
  bridge("br0", {"table=0,priority=5,ip actions=output:2", "table=0,priority=5,tcp actions=output:3"});
  chooser.wanted[Branch::equal_priority] = 1;
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  ASSERT_EQ(chooser.asked.size(), 1u);
  EXPECT_EQ(chooser.asked[0].kind, ChoicePoint::Kind::unknown);
}

TEST_F(SwitchTest, EqualPrioritiesThatDoTheSameAreNone) {
  bridge("br0", {"table=0,priority=5,ip actions=load:0x1->NXM_NX_REG0[],output:2",
                 "table=0,priority=5,tcp actions=set_field:0x1->reg0,output:2"});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
  EXPECT_TRUE(chooser.asked.empty());
  for (const TableMatch& m : steps<TableMatch>()) EXPECT_TRUE(m.ties.empty());
}

TEST_F(SwitchTest, PacketLengthDecides) {
  bridge("br0", {"table=0,ip actions=check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,1)", "table=1,reg0=0x1 actions=output:2",
                 "table=1,reg0=0 actions=output:3"});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  options.packet_length = 101;
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
}

// The kernel keeps the outermost tag beside the frame, the userspace datapath in it; the tags that came are no part of the
// packet of which explain says what gets through.
TEST_F(SwitchTest, TagsCountInThePacketLength) {
  openflow::Bridge& b =
      bridge("br0", {"table=0,dl_vlan=5 actions=check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,1)",
                     "table=0,vlan_tci=0 actions=push_vlan:0x8100,check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,1)",
                     "table=1,reg0=0x1 actions=output:2", "table=1,reg0=0 actions=output:3"});
  FlowKey tagged = tcp();
  tagged.set(F::vlan_tci, 0x1005);
  options.packet_length = 104;
  EXPECT_EQ(ports(run("br0", 1, tagged)), Ports{"br0-p3"});
  EXPECT_EQ(record.largest->bytes, 86u);
  options.packet_length = 100;
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  EXPECT_EQ(record.largest->bytes, 86u);
  b.datapath_type = "netdev";
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
  EXPECT_EQ(record.largest->bytes, 82u);
  EXPECT_EQ(ports(run("br0", 1, tagged)), Ports{"br0-p3"});
  EXPECT_EQ(record.largest->bytes, 82u);
  options.packet_length = 101;
  EXPECT_EQ(ports(run("br0", 1, tagged)), Ports{"br0-p2"});
}

// Likewise where a frame is cut.
TEST_F(SwitchTest, TagsCountWhereAFrameIsCut) {
  openflow::Bridge& b = bridge("br0", {"table=0 actions=output(port=2,max_len=100)"});
  FlowKey tagged = tcp();
  tagged.set(F::vlan_tci, 0x1005);
  options.packet_length = 104;
  EXPECT_FALSE(run("br0", 1, tagged).emissions.at(0).cut);
  b.datapath_type = "netdev";
  EXPECT_TRUE(run("br0", 1, tagged).emissions.at(0).cut);
}

TEST_F(SwitchTest, LearnsAndUsesWhatItLearned) {
  bridge("br0", {"table=0,ip actions=learn(table=5,priority=9,eth_type=0x800,NXM_OF_IP_SRC[]=NXM_OF_IP_DST[],"
                 "load:0x1->NXM_NX_REG0[0],output:NXM_OF_IN_PORT[]),resubmit(,5)",
                 "table=5,priority=1,ip actions=output:3"});
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p3"});
  const OvsResult back = run("br0", 2, tcp("10.0.0.2", "10.0.0.1"));
  EXPECT_EQ(ports(back), Ports{"br0-p1"});
  EXPECT_EQ(steps<LearnFlow>().size(), 2u);
  const auto hits = steps<TableMatch>();
  EXPECT_TRUE(std::any_of(hits.begin(), hits.end(), [](const TableMatch& m) { return m.learned; }));
}

// The switch shows fragments to its tables without their ports, the first one too.
TEST_F(SwitchTest, AFirstFragmentMatchesNoPorts) {
  bridge("br0", {"table=0,priority=9,tcp,tp_dst=80 actions=output:2", "table=0,priority=1,tcp actions=output:3"});
  FlowKey k = tcp();
  EXPECT_EQ(ports(run("br0", 1, k)), Ports{"br0-p2"});
  k.set(F::ip_frag, ip_frag::any);
  EXPECT_EQ(ports(run("br0", 1, k)), Ports{"br0-p3"});
}

TEST_F(SwitchTest, ExitInACloneEndsTheWholeList) {
  bridge("br0", {"table=0,tcp actions=clone(exit),output:2", "table=0,udp actions=clone(output:3),output:2"});
  EXPECT_TRUE(run("br0", 1, tcp()).emissions.empty());
  FlowKey udp = tcp();
  udp.set(F::nw_proto, ip_proto::udp);
  EXPECT_EQ(ports(run("br0", 1, udp)), (Ports{"br0-p3", "br0-p2"}));
}

TEST_F(SwitchTest, BothLengthsAreFollowedWhereNoneIsGiven) {
  bridge("br0", {"table=0,ip actions=check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,1)", "table=1,reg0=0x1 actions=output:2",
                 "table=1,reg0=0 actions=output:3"});
  options.packet_length.reset();
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p2", "br0-p3"}));
}

TEST_F(SwitchTest, WriteActionsRunAtTheEnd) {
  FlowKey k = tcp();
  load("ovs-ofctl -O OpenFlow13 dump-flows br0",
       "OFPST_FLOW reply (OF1.3) (xid=0x2):\n"
       " cookie=0x0, duration=1.0s, table=0, n_packets=0, n_bytes=0, ip "
       "actions=write_actions(output:2,dec_ttl),goto_table:1\n"
       " cookie=0x0, duration=1.0s, table=1, n_packets=0, n_bytes=0, ip actions=load:0x1->NXM_NX_REG0[]\n");
  openflow::Interface i;
  i.name = "br0-p2";
  i.ofport = 2;
  node.bridge("br0")->interfaces.push_back(i);
  const OvsResult r = run("br0", 1, k);
  ASSERT_EQ(r.emissions.size(), 1u);
  EXPECT_EQ(r.emissions[0].packet.u64(F::nw_ttl), 63u);
}

}  // namespace
}  // namespace egt::engine
