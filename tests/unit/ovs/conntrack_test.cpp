#include "datapath/dumped_connections.h"
#include "egtrace/explain/phrases.h"
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using F = FieldId;
using Ports = std::vector<std::string>;

FlowKey answer_to(const FlowKey& k) {
  FlowKey a = k;
  set_tuple(a, reversed(tuple_of(k)));
  return a;
}

TEST_F(SwitchTest, AConnectionIsNewUntilItIsAnswered) {
  bridge("br0", {"table=0,ip actions=ct(table=1,zone=7)", "table=1,ct_state=+new+trk,ip actions=ct(commit,zone=7),output:2",
                 "table=1,ct_state=+est-rpl+trk,ip actions=output:3", "table=1,ct_state=+est+rpl+trk,ip actions=output:1"});
  EXPECT_EQ(ports(run("br0", 9, tcp())), Ports{"br0-p2"});
  EXPECT_EQ(ports(run("br0", 9, tcp())), Ports{"br0-p2"}) << "committed, but not answered";
  EXPECT_EQ(ports(run("br0", 9, answer_to(tcp()))), Ports{"br0-p1"});
  EXPECT_EQ(ports(run("br0", 9, tcp())), Ports{"br0-p3"});
}

TEST_F(SwitchTest, WithoutCommitNothingIsKept) {
  bridge("br0", {"table=0,ip actions=ct(table=1)", "table=1,ct_state=+new+trk actions=output:2"});
  run("br0", 9, tcp());
  EXPECT_EQ(ports(run("br0", 9, answer_to(tcp()))), Ports{"br0-p2"});
}

TEST_F(SwitchTest, WhatFollowsCtIsUntracked) {
  bridge("br0", {"table=0,ip actions=ct(table=1),resubmit(,2)", "table=1,ct_state=+trk actions=output:2",
                 "table=2,ct_state=-trk actions=output:3"});
  EXPECT_EQ(ports(run("br0", 9, tcp())), (Ports{"br0-p3", "br0-p2"})) << "the fork runs after the main line";
}

TEST_F(SwitchTest, TranslatesBothWays) {
  bridge("br0", {"table=0,in_port=1,ip actions=ct(commit,table=1,zone=3,nat(src=192.0.2.1))",
                 "table=0,in_port=2,ip actions=ct(table=1,zone=3,nat)", "table=1,in_port=1 actions=output:2",
                 "table=1,in_port=2 actions=output:1"});
  const OvsResult out = run("br0", 1, tcp());
  ASSERT_EQ(ports(out), Ports{"br0-p2"});
  EXPECT_EQ(src_ip(out.emissions[0].packet), IpAddr::v4(0xc0000201));
  EXPECT_EQ(out.emissions[0].packet.u32(F::tp_src), 1000u);
  EXPECT_EQ(out.emissions[0].packet.u32(F::ct_state), ct_state::trk | ct_state::new_ | ct_state::snat);
  EXPECT_EQ(out.emissions[0].packet.u32(F::ct_nw_src), 0x0a000001u);
  const OvsResult in = run("br0", 2, answer_to(out.emissions[0].packet));
  ASSERT_EQ(ports(in), Ports{"br0-p1"});
  EXPECT_EQ(dst_ip(in.emissions[0].packet), IpAddr::v4(0x0a000001));
  EXPECT_EQ(in.emissions[0].packet.u32(F::ct_state), ct_state::trk | ct_state::est | ct_state::rpl | ct_state::dnat);
  ASSERT_EQ(record.nat.size(), 2u);
  EXPECT_TRUE(record.nat[0].source);
  EXPECT_EQ(record.nat[0].by, "br0");
  EXPECT_FALSE(record.nat[1].source);
}

TEST_F(SwitchTest, APacketKeepsItsConnectionAfterTranslation) {
  bridge("br0", {"table=0,in_port=1,ip actions=ct(commit,table=1,zone=3,nat(dst=10.9.9.9:8080))",
                 "table=1,ip actions=ct(table=2,zone=3)", "table=2,ct_state=+new+trk,ip actions=output:2"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_EQ(ports(r), Ports{"br0-p2"});
  EXPECT_EQ(r.emissions[0].packet.u32(F::tp_dst), 8080u);
  EXPECT_TRUE(r.emissions[0].packet.u32(F::ct_state) & ct_state::dnat);
}

TEST_F(SwitchTest, MarksAndLabelsBelongToTheConnection) {
  bridge("br0", {"table=0,in_port=1,ip actions=ct(commit,table=1,exec(load:0x1->NXM_NX_CT_MARK[1],"
                 "load:0x5->NXM_NX_CT_LABEL[96..127])),output:3",
                 "table=0,in_port=2,ip actions=ct(table=1)", "table=1,ct_mark=0x2/0x2 actions=output:1"});
  const OvsResult out = run("br0", 1, tcp());
  EXPECT_EQ(ports(out), Ports{"br0-p3"}) << "the fork would go back to the input port";
  const OvsResult in = run("br0", 2, answer_to(tcp()));
  ASSERT_EQ(ports(in), Ports{"br0-p1"});
  EXPECT_EQ(in.emissions[0].packet.get(Subfield{F::ct_label, 96, 32}), 5u);
}

// Nobody compares the family of the action's address with that of the packet: the bytes are written as they are.
TEST_F(SwitchTest, AnAddressOfTheOtherFamilyIsWrittenAsItIs) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,nat(src=[fd00::3]))",
                 "table=0,ipv6 actions=ct(commit,table=1,nat(src=10.0.0.3))", "table=1 actions=output:2"});
  const OvsResult v4 = run("br0", 1, tcp());
  ASSERT_EQ(1U, v4.emissions.size());
  EXPECT_EQ(src_ip(v4.emissions[0].packet).to_string(), "253.0.0.0");
  FlowKey key = tcp();
  key.set(F::eth_type, ethertype::ipv6);
  set_src_ip(key, *IpAddr::parse("fd00::1"));
  set_dst_ip(key, *IpAddr::parse("fd00::2"));
  const OvsResult v6 = run("br0", 1, key);
  ASSERT_EQ(1U, v6.emissions.size());
  EXPECT_EQ(src_ip(v6.emissions[0].packet).to_string(), "a00:3::");
}

TEST_F(SwitchTest, ATakenPortIsReplacedByAnAssumedOne) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,nat(src=192.0.2.1))", "table=1 actions=output:2"});
  run("br0", 1, tcp("10.0.0.1"));
  EXPECT_TRUE(record.assumptions.empty());
  const OvsResult r = run("br0", 1, tcp("10.0.0.7"));
  EXPECT_NE(r.emissions.at(0).packet.u32(F::tp_src), 1000u);
  EXPECT_EQ(record.assumptions.size(), 1u);
}

TEST_F(SwitchTest, AnswersThatAreTheSameTakeAnotherSourcePort) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,nat(dst=10.9.9.9))", "table=1 actions=output:2"});
  run("br0", 1, tcp("10.0.0.1", "192.0.2.1"));
  EXPECT_TRUE(record.assumptions.empty());
  const OvsResult r = run("br0", 1, tcp("10.0.0.1", "192.0.2.2"));
  EXPECT_EQ(dst_ip(r.emissions.at(0).packet), IpAddr::v4(0x0a090909));
  EXPECT_NE(r.emissions.at(0).packet.u32(F::tp_src), 1000u);
  EXPECT_EQ(record.assumptions.size(), 1u);
}

TEST_F(SwitchTest, WithoutPortsTheSameAnswersLeaveNoTranslation) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,nat(src=192.0.2.1))", "table=1 actions=output:2"});
  const auto packet = [](const char* source) {
    FlowKey k = tcp(source);
    k.set(F::nw_proto, 47);
    k.set(F::tp_src, 0);
    k.set(F::tp_dst, 0);
    return k;
  };
  run("br0", 1, packet("10.0.0.1"));
  EXPECT_TRUE(run("br0", 1, packet("10.0.0.7")).undecided) << "the kernel drops it";
  node.bridge("br0")->datapath_type = "netdev";
  EXPECT_EQ(src_ip(run("br0", 1, packet("10.0.0.1")).emissions.at(0).packet), IpAddr::v4(0xc0000201));
  const OvsResult r = run("br0", 1, packet("10.0.0.7"));
  EXPECT_FALSE(r.undecided);
  EXPECT_EQ(src_ip(r.emissions.at(0).packet), IpAddr::v4(0x0a000007));
}

TEST_F(SwitchTest, ZonesAndSpacesAreApart) {
  bridge("br0", {"table=0,in_port=1 actions=ct(commit,zone=5)", "table=0,in_port=2,ip actions=ct(table=1,zone=6)",
                 "table=0,in_port=3,ip actions=ct(table=1,zone=5)", "table=1,ct_state=+new actions=output:1",
                 "table=1,ct_state=+rpl actions=output:2"});
  run("br0", 1, tcp());
  EXPECT_EQ(ports(run("br0", 2, answer_to(tcp()))), Ports{"br0-p1"});
  EXPECT_EQ(ports(run("br0", 3, answer_to(tcp()))), Ports{"br0-p2"});
  node.bridge("br0")->datapath_type = "netdev";
  EXPECT_EQ(ports(run("br0", 3, answer_to(tcp()))), Ports{"br0-p1"});
}

TEST_F(SwitchTest, AResetOutOfNowhereIsInvalid) {
  bridge("br0", {"table=0,ip actions=ct(table=1)", "table=1,ct_state=+inv+trk actions=output:2"});
  FlowKey k = tcp();
  k.set(F::tcp_flags, 0x14);
  EXPECT_EQ(ports(run("br0", 1, k)), Ports{"br0-p2"});
}

// A zone that a SYN did not pass picks its connection up with the segments behind the SYN-ACK, and translates those alone.
TEST_F(SwitchTest, ASynAckOutOfNowhereIsNotTranslatedButWhatFollowsIs) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,zone=7,nat(src=192.0.2.1))", "table=1,ip actions=output:2"});
  FlowKey k = tcp();
  k.set(F::tcp_flags, 0x12);
  EXPECT_EQ(src_ip(run("br0", 1, k).emissions.at(0).packet), src_ip(k));
  ASSERT_EQ(record.assumptions.size(), 1U);
  EXPECT_EQ(record.assumptions[0].what, Supposition::segments_as_handshake);
  k.set(F::tcp_flags, 0x10);
  EXPECT_EQ(src_ip(run("br0", 1, k).emissions.at(0).packet), IpAddr::v4(0xc0000201));
}

TEST_F(SwitchTest, AnErrorIsRelatedToWhatItQuotes) {
  bridge("br0", {"table=0,in_port=1 actions=ct(commit,zone=3,nat(src=192.0.2.1))",
                 "table=0,in_port=2,ip actions=ct(table=1,zone=3,nat)", "table=1,ct_state=+rel+rpl+trk actions=output:1"});
  run("br0", 1, tcp());
  Tuple quoted = tuple_of(tcp());
  quoted.src = IpAddr::v4(0xc0000201);
  FlowKey error = tcp("203.0.113.5", "192.0.2.1");
  error.set(F::nw_proto, ip_proto::icmp);
  error.set(F::icmp_type, 3);
  error.set(F::icmp_code, 1);
  options.quoted = quoted;
  const OvsResult r = run("br0", 2, error);
  ASSERT_EQ(ports(r), Ports{"br0-p1"});
  EXPECT_EQ(dst_ip(r.emissions[0].packet), IpAddr::v4(0x0a000001));
  EXPECT_EQ(src_ip(r.emissions[0].packet), IpAddr::v4(0xcb007105));
  options.quoted.reset();
  EXPECT_TRUE(run("br0", 2, error).undecided);
}

TEST_F(SwitchTest, ARandomPortIsNotProven) {
  bridge("br0", {"table=0,in_port=1 actions=ct(commit,table=1,nat(src=192.0.2.1:900-1100))",
                 "table=0,in_port=2 actions=ct(commit,table=1,zone=5,nat(src=192.0.2.1:900-1100,random))",
                 "table=0,in_port=3 actions=ct(commit,table=1,zone=6,nat(src=192.0.2.1,random))", "table=1 actions=LOCAL"});
  run("br0", 1, tcp());
  EXPECT_TRUE(record.assumptions.empty()) << "1000 lies in the range";
  run("br0", 2, tcp());
  EXPECT_EQ(record.assumptions.size(), 1u);
  run("br0", 3, tcp());
  EXPECT_EQ(record.assumptions.size(), 2u);
  EXPECT_EQ(network_state.open_ports.size(), 2u);
}

TEST_F(SwitchTest, WhichAddressOfARangeIsAssumed) {
  bridge("br0", {"table=0,in_port=1 actions=ct(commit,table=1,nat(src=192.0.2.1-192.0.2.9))",
                 "table=0,in_port=2 actions=ct(commit,table=1,zone=5,nat(src=192.0.2.7-192.0.2.7))", "table=1 actions=LOCAL"});
  run("br0", 2, tcp());
  EXPECT_TRUE(record.assumptions.empty());
  run("br0", 1, tcp());
  ASSERT_EQ(record.assumptions.size(), 1u);
  EXPECT_EQ(record.assumptions[0].what, Supposition::address_of_range);
  EXPECT_EQ(record.assumptions[0].about, Details{*IpAddr::parse("192.0.2.1")});
}

TEST_F(SwitchTest, ALaterFragmentIsUndecidedAndSaysWhy) {
  bridge("br0", {"table=0 actions=ct(table=1)", "table=1 actions=LOCAL"});
  FlowKey later = tcp();
  later.set(FieldId::ip_frag, ip_frag::later | 1);
  EXPECT_TRUE(run("br0", 1, later).undecided);
  const auto remarks = steps<Remark>();
  EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), [](const Remark& r) { return r.kind == Notice::later_fragment; }));
}

// Up to release 3.1 the userspace datapath leaves SCTP's ports alone.
TEST_F(SwitchTest, TheUserspaceDatapathTranslatesPortsOfSctpSinceRelease32) {
  bridge("br0", {"table=0 actions=ct(commit,table=1,zone=5,nat(src=192.0.2.1:2000))", "table=1 actions=output:2"}).datapath_type =
      "netdev";
  node.ovs_version = "3.2.0";
  FlowKey sctp = tcp();
  sctp.set(FieldId::nw_proto, ip_proto::sctp);
  EXPECT_EQ(run("br0", 1, sctp).emissions.at(0).packet.get(FieldId::tp_src), 2000u);
}

// It takes a port of every range by a hash, knows neither `random` nor `hash`, and leaves SCTP's ports alone.
TEST_F(SwitchTest, TheUserspaceDatapathKeepsNoPortOfARange) {
  bridge("br0",
         {"table=0,in_port=1 actions=ct(commit,table=1,nat(src=192.0.2.1:900-1100))",
          "table=0,in_port=2 actions=ct(commit,table=1,zone=5,nat(src=192.0.2.1:2000))",
          "table=0,in_port=3 actions=ct(commit,table=1,zone=6,nat(src=192.0.2.1,random))", "table=1 actions=output:4"},
         {1, 2, 3, 4})
      .datapath_type = "netdev";
  FlowKey sctp = tcp();
  sctp.set(FieldId::nw_proto, ip_proto::sctp);
  EXPECT_EQ(run("br0", 2, sctp).emissions.at(0).packet.get(FieldId::tp_src), sctp.get(FieldId::tp_src));
  EXPECT_EQ(run("br0", 2, tcp()).emissions.at(0).packet.get(FieldId::tp_src), 2000u);
  run("br0", 3, tcp());
  EXPECT_TRUE(record.assumptions.empty());
  run("br0", 1, tcp());
  EXPECT_EQ(record.assumptions.size(), 1u) << "though 1000 lies in the range";
}

// The kernel translates by ct(nat) what a connection has seen replies of, and what it opens by nat(src=…) alone.
TEST_F(SwitchTest, WhatNobodyAnsweredIsTranslatedByItsOwnActionOnly) {
  bridge("br0", {"table=0,in_port=1 actions=ct(commit,zone=3,nat(src=192.0.2.1)),output:2",
                 "table=0,in_port=2,ip actions=ct(table=1,zone=3,nat)", "table=1 actions=output:3"});
  EXPECT_EQ(src_ip(run("br0", 1, tcp()).emissions.at(0).packet), IpAddr::v4(0xc0000201));
  EXPECT_EQ(src_ip(run("br0", 2, tcp()).emissions.at(0).packet), IpAddr::v4(0x0a000001));
  node.bridge("br0")->datapath_type = "netdev";
  run("br0", 1, tcp());
  EXPECT_EQ(src_ip(run("br0", 2, tcp()).emissions.at(0).packet), IpAddr::v4(0xc0000201));
}

// "Translation failed, packet is dropped": no connection comes of it, and no step says so.
TEST_F(SwitchTest, ATranslationThatFailsTracksNothing) {
  bridge("br0", {"table=0,ip actions=ct(commit,zone=3),resubmit(,1)", "table=1,ip actions=resubmit(,1)"});
  const OvsResult r = run("br0", 1, tcp());
  ASSERT_TRUE(r.stop);
  EXPECT_NE(explain::phrase(r.stop->why).find("64"), std::string::npos);
  EXPECT_TRUE(steps<CtPass>().empty());
  EXPECT_FALSE(steps<TableMatch>().empty());
}

TEST_F(SwitchTest, OfAFullZoneTheKernelDropsWhatWouldOpenAConnection) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,zone=3,nat(src=192.0.2.1)),output:3", "table=1 actions=output:2"});
  node.datapath.conntrack.zones = {{3, 5, 4, {}}};
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p3", "br0-p2"}));
  EXPECT_TRUE(record.assumptions.empty());
  node.datapath.conntrack.zones = {{3, 5, 5, {}}};
  EXPECT_EQ(ports(run("br0", 1, tcp())), (Ports{"br0-p3", "br0-p2"})) << "the connection is there already";
  const OvsResult r = run("br0", 1, tcp("10.0.0.9"));
  EXPECT_TRUE(ports(r).empty());
  ASSERT_TRUE(r.stop);
  EXPECT_EQ(r.stop->why.reason, Reason::conntrack_full);
  ASSERT_EQ(record.assumptions.size(), 1u);
  EXPECT_EQ(record.assumptions[0].what, Supposition::zone_stays_full);
}

// As a switch does (3.1): a connection that it does not take leaves neither translation nor mark.
TEST_F(SwitchTest, OfAFullZoneTheUserspaceDatapathTracksNothing) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,zone=3,nat(src=192.0.2.1),exec(set_field:7->ct_mark))",
                 "table=1,ct_state=+new,ct_mark=0,nw_src=10.0.0.1,ip actions=output:2"})
      .datapath_type = "netdev";
  EXPECT_TRUE(ports(run("br0", 1, tcp())).empty());
  node.datapath.conntrack.of_others = {{9, {}}};
  node.datapath.conntrack.of_all = {{3000, {}}};
  node.datapath.conntrack.connections = {{3000, {}}};
  EXPECT_EQ(ports(run("br0", 1, tcp("10.0.0.1", "10.0.0.7"))), Ports{"br0-p2"});
  EXPECT_EQ(record.assumptions.back().what, Supposition::zone_stays_full);
}

// Seed 15000060: what the first copy commits, the second finds.
TEST_F(SwitchTest, TheUserspaceDatapathGoesOnWithACopyBeforeTheNext) {
  bridge("br0", {"table=0,ip actions=clone(ct(table=1,zone=3)),clone(ct(table=1,zone=3))",
                 "table=1,ct_state=+new,ip actions=ct(commit,zone=3),output:2", "table=1,ct_state=+est,ip actions=output:3"});
  FlowKey segment = tcp();
  segment.set(F::tcp_flags, 0x10);
  EXPECT_EQ(ports(run("br0", 1, segment)), (Ports{"br0-p2", "br0-p2"}));
  network_state = {};
  node.bridge("br0")->datapath_type = "netdev";
  EXPECT_EQ(ports(run("br0", 1, segment)), (Ports{"br0-p2", "br0-p3"}));
}

// Open vSwitch as released drops at the seventh recirculation within another (the ninth since release 3.3); some builds have another limit.
TEST_F(SwitchTest, TheUserspaceDatapathRecirculatesDeeperOnlyByAssumption) {
  std::vector<std::string> flows;
  for (int t = 0; t < 7; ++t)
    flows.push_back("table=" + std::to_string(t) + ",ip actions=ct(table=" + std::to_string(t + 1) + ")");
  flows.push_back("table=7 actions=output:2");
  bridge("br0", flows, {1, 2, 3, 4});
  const auto supposes = [&] {
    record = {};
    EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
    return std::any_of(record.assumptions.begin(), record.assumptions.end(),
                       [](const Assumption& a) { return a.what == Supposition::recirculates_deeper; });
  };
  EXPECT_FALSE(supposes()) << "in the kernel's datapath they wait in turn";
  node.bridge("br0")->datapath_type = "netdev";
  EXPECT_TRUE(supposes()) << "of no known release";
  node.ovs_version = "3.3.0";
  EXPECT_FALSE(supposes());
}

// Its dump prints the later of the states of both ends.
TEST_F(SwitchTest, WhetherASynReopensAConnectionOfTheUserspaceDatapathIsAnAssumption) {
  bridge("br0",
         {"table=0,ip actions=ct(table=1,zone=3)", "table=1,ct_state=+new,ip actions=output:2", "table=1,ip actions=output:3"})
      .datapath_type = "netdev";
  host::ConntrackEntry dumped;
  dumped.original = tuple_of(tcp());
  dumped.reply = reversed(dumped.original);
  dumped.zone = 3;
  dumped.from = {1, 7};
  dumped.reply_known = dumped.label_known = true;
  const auto sent_with = [&](std::string_view state, std::uint32_t flags) {
    dumped.state = state;
    node.host.ovs_conntrack = {};
    node.host.ovs_conntrack.present = true;
    node.host.ovs_conntrack.value.push_back(dumped);
    network_state.conntrack = ConntrackTables(std::make_shared<const DumpedConnections>(cluster));
    record = {};
    FlowKey segment = tcp();
    segment.set(F::tcp_flags, flags);
    const Ports sent = ports(run("br0", 1, segment));
    const bool supposes = std::any_of(record.assumptions.begin(), record.assumptions.end(),
                                      [](const Assumption& a) { return a.what == Supposition::ends_as_one_state; });
    return std::make_pair(sent, supposes);
  };
  EXPECT_EQ(sent_with("TIME_WAIT", 0x02), std::make_pair(Ports{"br0-p2"}, true));
  EXPECT_EQ(sent_with("CLOSING", 0x02), std::make_pair(Ports{"br0-p3"}, true));
  EXPECT_EQ(sent_with("CLOSING", 0x10), std::make_pair(Ports{"br0-p3"}, false));
  EXPECT_EQ(sent_with("ESTABLISHED", 0x02), std::make_pair(Ports{"br0-p3"}, false));
}

TEST_F(SwitchTest, ALimitWithoutACountDecidesNothing) {
  bridge("br0", {"table=0,ip actions=ct(commit,table=1,zone=3)", "table=1 actions=output:2"});
  node.datapath.configured.of_others = {{100, {}}};
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
  ASSERT_EQ(record.assumptions.size(), 1u);
  EXPECT_EQ(record.assumptions[0].what, Supposition::zone_has_room);
  node.host.ovs_conntrack.present = true;
  record = {};
  run("br0", 1, tcp("10.0.0.9"));
  EXPECT_TRUE(record.assumptions.empty()) << "it has none";
  node.datapath.conntrack.of_others = {{0, {}}};
  run("br0", 1, tcp("10.0.0.8"));
  EXPECT_TRUE(record.assumptions.empty()) << "the datapath shows that there is no limit";
}

TEST_F(SwitchTest, AForcedStateOverridesConntrack) {
  bridge("br0", {"table=0,ip actions=ct(table=1)", "table=1,ct_state=+est actions=output:2"});
  options.ct_next = {ct_state::trk | ct_state::est};
  EXPECT_EQ(ports(run("br0", 1, tcp())), Ports{"br0-p2"});
}

}  // namespace
}  // namespace egt::engine
