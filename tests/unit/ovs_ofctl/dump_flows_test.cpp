// dump-flows: its dialects, what is loaded of them, and what becomes of broken ones.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "egtrace/openflow/flow_lookup.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

class DumpFlows : public testing::Test {
 protected:
  Formats formats{ovs_ofctl_formats()};
  cluster::Cluster cluster;

  const openflow::Bridge* loaded(const std::string& text, const std::string& command = "ovs-ofctl dump-flows br-int") {
    report = formats.load(formats.dump(text, command), cluster);
    return cluster.node("n") ? cluster.node("n")->bridge("br-int") : nullptr;
  }
  Report report;
};

constexpr const char* kNxst =
    "NXST_FLOW reply (xid=0x4): flags=[more]\n"
    " cookie=0xdeff105, duration=29.228s, table=0, n_packets=7, n_bytes=420, idle_age=29, "
    "priority=550,ip,in_port=LOCAL,nw_src=169.254.0.0/17 actions=ct(commit,table=2,zone=64001)\n"
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x0, duration=5s, table=1, n_packets=0, n_bytes=0, actions=drop\n"
    " cookie=0x0, duration=5.5s, table=1, n_packets=0, n_bytes=0, idle_age=1, hard_age=3, priority=0 actions=NORMAL\n";

TEST_F(DumpFlows, DialectsPrintBack) {
  for (const std::string& text : {
           std::string(kNxst),
           std::string("OFPST_FLOW reply (OF1.5) (xid=0x2):\n cookie=0x0, duration=26.745s, table=0, n_packets=0, n_bytes=0, "
                       "idle_timeout=5, hard_timeout=7, send_flow_rem check_overlap importance=3, idle_age=2, priority=107,ip "
                       "actions=drop\n"),
           std::string("OFPST_FLOW reply (OF1.3) (xid=0x2):\n cookie=0x0, duration=0.000000001s, table=0, n_packets=0, "
                       "n_bytes=0, "
                       "reset_counts priority=107,ip actions=goto_table:3\n"),
           std::string(" priority=0 actions=NORMAL\n table=64, priority=0 actions=resubmit(,65)\n cookie=0x1, actions=drop\n"),
           std::string(" cookie=0x0, duration=1s, table=20, n_packets=0, n_bytes=0, priority=875,in_port=\"7z\" "
                       "actions=output:eth0\n"),
           std::string("duration=28s, n_packets=0, n_bytes=0, priority=15,ip,actions=drop\n"
                       "table_id=254, duration=28s, n_packets=0, n_bytes=0, priority=0,reg0=0x1,actions=controller(reason=)\n"
                       "table_id=1, duration=28s, n_packets=0, n_bytes=0, actions=drop\n"),
           std::string(" cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, actions=drop"),  // no end of line
           std::string("cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, actions=drop\r\n"),
       }) {
    const Dump dump = formats.dump(text);
    EXPECT_EQ(formats.kind(dump), "ovs-ofctl dump-flows") << text;
    const Printed printed = formats.reprint(dump);
    EXPECT_EQ(printed.out, text);
    EXPECT_TRUE(printed.report.not_understood.empty()) << text;
  }
}

TEST_F(DumpFlows, ColoursAreTakenOut) {
  const Printed p =
      formats.reprint(formats.dump(" \x1b[36m\x1b[Kcookie=\x1b[m\x1b[K0x0, \x1b[33mtable=\x1b[m0, priority=1,ip "
                                   "\x1b[1;31mactions=\x1b[m\x1b[Kct(commit,exec(load:0x1->NXM_NX_CT_MARK[]),)\n"));
  EXPECT_EQ(p.out, " cookie=0x0, table=0, priority=1,ip actions=ct(commit,exec(load:0x1->NXM_NX_CT_MARK[]))\n");
  EXPECT_TRUE(p.report.not_understood.empty());
}

TEST_F(DumpFlows, TypedFlowsBecomeNormal) {
  EXPECT_EQ(formats.reprint(formats.dump("priority=5 tcp eth_src=00:0A:E4:25:6B:B0 actions=2,flood\n")).out,
            "priority=5,tcp,dl_src=00:0a:e4:25:6b:b0 actions=output:2,FLOOD\n");
  EXPECT_EQ(formats.reprint(formats.dump("table=3,priority=32768,ip,actions=drop\n")).out, "table=3, ip actions=drop\n");
}

TEST_F(DumpFlows, UnknownLinesAreKeptAndTold) {
  const std::string text =
      " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, priority=5,foo=7 actions=drop\n"
      "what is this\n"
      " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, priority=5,ip actions=frobnicate\n"
      " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, priority=5,ip actions=drop\n";
  const Printed p = formats.reprint(formats.dump(text));
  EXPECT_EQ(p.out, text);
  ASSERT_EQ(p.report.not_understood.size(), 3u);
  EXPECT_EQ(p.report.understood, 1u);
  ASSERT_EQ(p.report.diagnostics.size(), 3u);
  EXPECT_EQ(p.report.diagnostics[0].at.line, 1u);
  EXPECT_EQ(p.report.diagnostics[0].column, 71u);
  EXPECT_EQ(p.report.diagnostics[2].column, 82u);
}

TEST_F(DumpFlows, Loads) {
  const openflow::Bridge* b = loaded(kNxst);
  ASSERT_TRUE(b && b->flows);
  EXPECT_FALSE(b->flows_partial);
  ASSERT_EQ(b->flows->size(), 3u);
  const openflow::FlowEntry& f = b->flows->flow(0);
  EXPECT_EQ(f.cookie, 0xdeff105u);
  EXPECT_EQ(f.use.n_packets, 7u);
  EXPECT_EQ(f.priority, 550);
  EXPECT_EQ(f.table, 0);
  EXPECT_EQ(f.from.line, 2u);
  EXPECT_EQ(openflow::actions_text(f), "ct(commit,table=2,zone=64001)");
  EXPECT_EQ(b->flows->flow(1).priority, 32768);
  EXPECT_EQ(b->flows->flow(2).from.line, 5u);
}

TEST_F(DumpFlows, AFlowThatIsNotUnderstoodBlocksWhatMayMatchIt) {
  const openflow::Bridge* b = loaded(
      "NXST_FLOW reply (xid=0x4):\n"
      " cookie=0x0, duration=1s, table=3, n_packets=0, n_bytes=0, priority=9,tcp,tun_metadata63=0x1 actions=output:1\n"
      " cookie=0x0, duration=1s, table=3, n_packets=0, n_bytes=0, priority=5,ip actions=drop\n");
  ASSERT_TRUE(b && b->flows);
  ASSERT_EQ(b->flows->size(), 2u);
  EXPECT_EQ(report.not_understood.size(), 1u);
  const auto key = [](std::uint8_t proto) {
    FlowKey k;
    k.set(FieldId::eth_type, ethertype::ipv4);
    k.set(FieldId::nw_proto, proto);
    return k;
  };
  const auto hit = openflow::FlowLookup(*b->flows).lookup(3, key(ip_proto::tcp)).hit;
  ASSERT_EQ(hit, 0u);
  const auto& actions = b->flows->actions(b->flows->flow(hit));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<openflow::Opaque>(actions[0].kind));
  EXPECT_EQ(openflow::FlowLookup(*b->flows).lookup(3, key(ip_proto::udp)).hit, 1u);
}

TEST_F(DumpFlows, CutDumpsAreNotWhole) {
  const std::string whole = kNxst;
  // At the first part, which says that more follows; in a line's match; in its statistics.
  EXPECT_TRUE(loaded(whole.substr(0, whole.find("NXST_FLOW", 5)))->flows_partial);
  cluster = {};
  const openflow::Bridge* b = loaded(
      "NXST_FLOW reply (xid=0x4):\n cookie=0x0, duration=1s, table=3, n_packets=0, n_bytes=0, "
      "priority=9,tcp,nw_src=10.0.0.1");
  ASSERT_EQ(b->flows->size(), 1u);
  FlowKey k;
  k.set(FieldId::eth_type, ethertype::ipv4);
  k.set(FieldId::nw_proto, ip_proto::tcp);
  k.set(FieldId::ip_src, 0x0a000010);  // "10.0.0.1" may have gone on as "10.0.0.16"
  EXPECT_EQ(openflow::FlowLookup(*b->flows).lookup(3, k).hit, 0u);
  EXPECT_TRUE(b->flows_partial);
  cluster = {};
  EXPECT_TRUE(loaded(kNxst + std::string(" cookie=0x0, duration=1s, table=3, n_packets=0, n_bytes=0, actions=ct(commit,tab"))
                  ->flows_partial);
  cluster = {};
  EXPECT_TRUE(
      loaded("NXST_FLOW reply (xid=0x4):\n cookie=0x0, duration=1s, table=3, n_packets=0, n_bytes=0, priority=9")->flows_partial);
}

TEST_F(DumpFlows, AnErrorMessageIsNoEmptyBridge) {
  EXPECT_EQ(loaded("ovs-ofctl: br-int is not a bridge or a socket\n"), nullptr);
  EXPECT_EQ(loaded(""), nullptr);
  const openflow::Bridge* b = loaded("NXST_FLOW reply (xid=0x4):\n");
  ASSERT_TRUE(b && b->flows);
  EXPECT_EQ(b->flows->size(), 0u);
}

TEST_F(DumpFlows, TheBridgeOfAnExcerptIsAssumedFromItsFields) {
  const openflow::Bridge* b =
      loaded("cookie=0x1, duration=1s, table=8, n_packets=0, n_bytes=0, priority=5,metadata=0x1 actions=resubmit(,9)\n", "");
  ASSERT_TRUE(b && b->flows);
  EXPECT_TRUE(b->flows_partial);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_NE(report.diagnostics[0].message.find("br-int"), std::string::npos);
}

TEST_F(DumpFlows, ExcerptsOfOneBridgeAddUp) {
  loaded("cookie=0x1, duration=1s, table=8, n_packets=0, n_bytes=0, priority=5,metadata=0x1 actions=resubmit(,9)\n");
  const openflow::Bridge* b =
      loaded("cookie=0x1, duration=1s, table=9, n_packets=0, n_bytes=0, priority=5,metadata=0x1 actions=drop\n");
  ASSERT_TRUE(b && b->flows);
  EXPECT_EQ(b->flows->size(), 2u);
}

TEST_F(DumpFlows, PortNamesAreLookedUp) {
  formats.load(formats.dump("OFPT_FEATURES_REPLY (xid=0x2): dpid:0000b6e4e6d53e46\n 3(patch-br-ex_nod): addr:aa:55:aa:55:00:0f\n"
                            " LOCAL(br-int): addr:b6:e4:e6:d5:3e:46\n",
                            "ovs-ofctl show br-int"),
               cluster);
  const openflow::Bridge* b = loaded(
      " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, priority=5,in_port=\"patch-br-ex_nod\" "
      "actions=drop\n",
      "ovs-ofctl --names dump-flows br-int");
  ASSERT_TRUE(b && b->flows);
  FlowKey k;
  k.set(FieldId::in_port, 3);
  EXPECT_EQ(openflow::FlowLookup(*b->flows).lookup(0, k).hit, 0u);
  EXPECT_TRUE(report.not_understood.empty());
}

TEST_F(DumpFlows, BridgesByCommand) {
  for (const char* command : {"ovs-ofctl -O OpenFlow15 dump-flows br-int", "ovs-ofctl dump-flows br-int table=10,ip",
                              "ovs-ofctl_-O_OpenFlow15_dump-flows_br-int", "ovs-ofctl_dump-flows_br-int.gz",
                              "ovs-ofctl dump-flows unix:/var/run/openvswitch/br-int.mgmt", "ovs-appctl bridge/dump-flows br-int",
                              "ovs-appctl_bridge.dump-flows_br-int", "ovs-ofctl dump-flows --no-stats br-int | grep ip"})
    EXPECT_EQ(
        [&] {
          Recognition r;
          formats.recognise(formats.dump(kNxst, command), &r);
          return r.topic;
        }(),
        "flows br-int")
        << command;
}

TEST_F(DumpFlows, TreeAsJson) {
  const auto j = nlohmann::json::parse(formats.json(formats.dump(kNxst, "ovs-ofctl dump-flows br-int")));
  EXPECT_EQ(j["bridge"], "br-int");
  ASSERT_EQ(j["flows"].size(), 3u);
  EXPECT_EQ(j["flows"][0]["match"][2]["mask"], "17");
  EXPECT_EQ(j["flows"][0]["actions"][0]["ct"]["table"], 2);
  EXPECT_EQ(j["flows"][1]["priority"], 32768);
}

TEST_F(DumpFlows, OthersAreNotFlows) {
  for (const char* text : {"  table=0 (ls_in_port_sec_l2  ), priority=100  , match=(eth.src[40]), action=(drop;)\n",
                           "*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n", "hello\n"})
    EXPECT_EQ(formats.kind(formats.dump(text)), "(none)") << text;
}

TEST_F(DumpFlows, Torment) { formats.torment(kNxst, "ovs-ofctl dump-flows br-int"); }

}  // namespace
}  // namespace egt::parsers
