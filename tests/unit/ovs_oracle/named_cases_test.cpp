// Small tables, one for each thing that a trace once shown otherwise than the switch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "bench.h"
#include "comparison.h"

namespace egt::testing {
namespace {

std::string times(unsigned n, const std::string& text) {
  std::string all;
  while (n-- > 0) all += text;
  return all;
}

// One switch for all of them.
class NamedCase : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (Daemon::installed()) bench_ = std::make_unique<Bench>();
  }
  static void TearDownTestSuite() { bench_.reset(); }
  void SetUp() override {
    if (!bench_) GTEST_SKIP() << "ovs-vswitchd is not installed";
    ASSERT_TRUE(bench_->good());
  }

  void flow(const std::string& text, const std::string& bridge = "br-int") {
    GeneratedFlow f;
    f.bridge = bridge;
    const std::size_t actions = text.find(" actions=");
    f.head = text.substr(0, actions);
    f.actions = {text.substr(actions + 9)};
    config_.flows.push_back(f);
  }
  void group(const std::string& text, const std::string& bridge = "br-int") { config_.groups.push_back({bridge, text, {}}); }

  // Whether switch and program say the same of the packets.
  void compare(const std::vector<std::string>& packets, const std::string& bridge = "br-int") {
    Configuration c = config_;
    const std::size_t flows = c.flows.size(), refused = bench_->refused();
    bench_->load(c);
    ASSERT_EQ(c.flows.size(), flows);
    ASSERT_EQ(bench_->refused(), refused);
    const auto daemon = bench_->ask_daemon(c, bridge, packets), program = bench_->ask_program(c, bridge, packets);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      ASSERT_TRUE(daemon[i].starts_with("Flow: ")) << daemon[i];
      EXPECT_EQ(renumbered_trace(program[i]), renumbered_trace(daemon[i])) << packets[i];
    }
    texts_ = daemon;
  }
  bool said(const std::string& text) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& t) { return t.find(text) != t.npos; });
  }
  // A mirror of br-int: its columns, and the ports that they name by "@".
  void mirror(const std::vector<std::string>& columns, const std::vector<std::string>& ports) {
    std::vector<std::string> words = {"mirrors=@m"};
    for (const std::string& port : ports) words.insert(words.end(), {"--", "--id=@" + port, "get", "port", port});
    words.insert(words.end(), {"--", "--id=@m", "create", "mirror", "name=m"});
    words.insert(words.end(), columns.begin(), columns.end());
    config_.settings = {{"bridge", "br-int", words}};
  }
  // The same in dialects of the dump and forms of the call; the random tables have all of them.
  void compare_all_forms(const std::vector<std::string>& packets) {
    for (const char* protocol : {"OpenFlow10", "OpenFlow13", "OpenFlow15"})
      for (const char* dumped : {"", "--names"})
        for (const char* asked : {"--no-names", "--names"}) {
          config_.dialect = {protocol, dumped, asked};
          SCOPED_TRACE(fmt::format("-O {} {} dump-flows, trace {}", protocol, dumped, asked));
          compare(packets);
        }
  }

  Configuration config_;
  std::vector<std::string> texts_;
  static std::unique_ptr<Bench> bench_;
};
std::unique_ptr<Bench> NamedCase::bench_;

TEST_F(NamedCase, PortThatForwardsNothing) {
  flow("table=0 actions=output:2,output:1,LOCAL");
  config_.ports = {{"br-int", "2", "no-forward"}};
  compare({"in_port=1,tcp"});
  EXPECT_TRUE(said("OFPPC_NO_FWD set, skipping output"));
}

TEST_F(NamedCase, PortThatReceivesNothing) {
  flow("table=0 actions=output:2,NORMAL");
  config_.ports = {{"br-int", "1", "no-receive"}, {"br-ex", "10", "no-receive"}};
  compare({"in_port=1,tcp", "in_port=2,tcp", "in_port=1,dl_dst=01:80:c2:00:00:00,dl_type=0x5ff"});
  flow("table=0,priority=1 actions=output:10");
  compare({"in_port=2,tcp"});
}

TEST_F(NamedCase, PortsThatAreNotFlooded) {
  flow("table=0,in_port=1 actions=FLOOD");
  flow("table=0,in_port=2 actions=NORMAL");
  flow("table=0,in_port=3 actions=ALL");
  config_.ports = {{"br-int", "4", "no-flood"}, {"br-int", "LOCAL", "no-flood"}, {"br-ex", "1", "no-flood"}};
  compare({"in_port=1,tcp", "in_port=2,arp", "in_port=3,udp"});
}

TEST_F(NamedCase, OutputPortOfAMirror) {
  flow("table=0,in_port=1 actions=NORMAL");
  flow("table=0,in_port=2 actions=output:3,output:1");
  flow("table=0,in_port=3 actions=output:1");
  mirror({"output_port=@p1"}, {"p1"});
  compare({"in_port=1,tcp", "in_port=2,tcp", "in_port=2,udp"});
  EXPECT_TRUE(said("dropping packet received on port p1, which is reserved exclusively for mirroring"));
}

TEST_F(NamedCase, LearnedOutputPortOfAMirror) {
  flow("table=0 actions=NORMAL", "br-ex");
  std::vector<std::string> words = {"mirrors=@m", "--",      "--id=@q1", "get",    "port",   "q1",
                                    "--",         "--id=@m", "create",   "mirror", "name=m", "output_port=@q1"};
  config_.settings = {{"bridge", "br-ex", words}};
  compare({"in_port=2,tcp,dl_dst=0a:00:00:00:00:09", "in_port=1,arp"}, "br-ex");
}

TEST_F(NamedCase, CopiesForMirrors) {
  flow("table=0,in_port=1 actions=output:2,set_field:0a:00:00:00:00:77->eth_dst,output:2,resubmit(,1)");
  flow("table=0,in_port=2,ip actions=ct(table=1)");
  flow("table=0,in_port=4,ip actions=output:10,dec_ttl,output:1");
  flow("table=1 actions=load:5->NXM_NX_REG0[],output:1,output:2,in_port");
  const std::vector<std::string> packets = {"in_port=1,tcp", "in_port=2,tcp", "in_port=2,arp", "in_port=4,udp",
                                            "in_port=1,tcp,vlan_tci=0x1005"};
  for (const std::vector<std::string>& columns : {std::vector<std::string>{"select_all=true"},
                                                  {"select_src_port=@p1"},
                                                  {"select_dst_port=@p2", "snaplen=100"},
                                                  {"select_all=true", "select_vlan=5"},
                                                  {"select_src_port=@p2", "select_dst_port=@p1"}}) {
    std::vector<std::string> all = {"output_port=@9eth"};
    all.insert(all.end(), columns.begin(), columns.end());
    mirror(all, {"9eth", "p1", "p2"});
    SCOPED_TRACE(fmt::format("{}", fmt::join(columns, " ")));
    compare(packets);
  }
}

TEST_F(NamedCase, CopiesInAVlanForMirrors) {
  flow("table=0 actions=output:2");
  mirror({"select_dst_port=@p2", "output_vlan=7"}, {"p2"});
  config_.settings.push_back({"port", "9eth", {"tag=7"}});
  for (const char* port : {"p1", "p2", "gnv0", "vx0", "gre0", "br-int", "patch-int"})
    config_.settings.push_back({"port", port, {"trunks=1"}});
  compare({"in_port=1,tcp", "in_port=4,arp"});
}

TEST_F(NamedCase, PortWithoutPacketIns) {
  flow("table=0,priority=5,tcp actions=controller(reason=no_match)");
  config_.ports = {{"br-int", "1", "no-packet-in"}};
  compare({"in_port=1,tcp", "in_port=1,udp", "in_port=2,tcp"});
}

TEST_F(NamedCase, FragmentModesOfTheBridge) {
  flow("table=0,priority=9,tcp,tp_dst=80 actions=output:2");
  flow("table=0,priority=8,ip,nw_frag=first actions=output:3");
  flow("table=0,priority=0 actions=output:10");
  flow("table=0,priority=9,tcp,tp_dst=80 actions=output:2", "br-ex");
  for (const char* mode : {"normal", "drop", "nx-match"})
    for (const char* beyond : {"normal", "drop"}) {
      config_.fragments = {{"br-int", mode}, {"br-ex", beyond}};
      SCOPED_TRACE(fmt::format("{}, then {}", mode, beyond));
      compare({"in_port=1,tcp,tcp_dst=80", "in_port=1,tcp,nw_frag=first,tcp_dst=80", "in_port=1,tcp,nw_frag=later"});
    }
}

TEST_F(NamedCase, PortsByNameWhereTheCallAsksForThem) {
  group("group_id=1,type=select,selection_method=hash,fields(ip_src),bucket=watch_port:1,actions=output:3");
  flow("table=0,in_port=1,tcp actions=resubmit(2,4),output:2,output(port=3,max_len=100),enqueue:2:1,group:1");
  flow("table=4,in_port=2 actions=bundle(eth_src,0,active_backup,ofport,members:1,3),LOCAL,output:10");
  flow("table=0 actions=NORMAL", "br-ex");
  compare_all_forms({"in_port=1,tcp", "in_port=p1,tcp", "in_port=9eth,udp", "in_port=\"9eth\",udp", "in_port=LOCAL,arp"});
}

TEST_F(NamedCase, PortsOfWrittenActions) {
  flow("table=0 actions=write_actions(set_field:5->reg1,output:2),goto_table:1");
  flow("table=1,reg0=0 actions=sample(probability=9,collector_set_id=1,sampling_port=2),clone(output:3),output:10");
  for (const char* asked : {"", "--names"}) {
    config_.dialect.trace_names = asked;
    compare({"in_port=1,tcp"});
  }
}

TEST_F(NamedCase, MarkAndLabelOfConnections) {
  for (const char* exec : {"set_field:0xffffffff/0xffffffff->ct_mark", "set_field:0x1/0x1->ct_mark", "set_field:2->ct_mark",
                           "set_field:0x5->ct_label", "set_field:0x5/0xf->ct_label", "load:0x3->NXM_NX_CT_LABEL[64..127]",
                           "move:NXM_NX_XXREG0[]->NXM_NX_CT_LABEL[],set_field:0->ct_mark"})
    flow(fmt::format("table=0,priority={},ip,reg1={} actions=ct(commit,zone=5,exec({})),output:2", config_.flows.size() + 1,
                     config_.flows.size(), exec));
  std::vector<std::string> packets;
  for (std::size_t i = 0; i < config_.flows.size(); ++i) packets.push_back(fmt::format("in_port=1,ip,reg1={}", i));
  compare(packets);
}

TEST_F(NamedCase, TunnelOptionsByTheirMap) {
  flow("table=0,priority=9,tun_metadata0=0x5 actions=move:NXM_NX_TUN_METADATA0[0..31]->NXM_NX_REG0[],output:2");
  flow("table=0,priority=8,tun_metadata1=0/0x1 actions=move:NXM_NX_REG0[]->NXM_NX_TUN_METADATA0[0..31],output:5");
  flow("table=0,priority=7 actions=set_field:0x7->tun_metadata0,set_field:10.0.0.1->tun_dst,output:5");
  config_.tlv_map = 4;
  compare({"in_port=5,tcp,tun_dst=10.0.0.9,tun_metadata0=0x5", "in_port=5,tcp,tun_dst=10.0.0.9,tun_metadata1=0x2",
           "in_port=5,tcp,tun_dst=10.0.0.9", "in_port=1,tcp"});
}

TEST_F(NamedCase, WritesOfFieldsThatFillNoWholeByte) {
  flow("table=0,ip actions=set_field:2->nw_ecn,resubmit(,1)");
  flow("table=1,ip actions=load:1->NXM_NX_IP_ECN[],set_field:8->ip_dscp,set_field:255->nw_ttl,resubmit(,2)");
  flow("table=2 actions=load:0x3->NXM_NX_REG0[0..3],set_field:0x5->metadata,output:2");
  for (const char* protocol : {"OpenFlow12", "OpenFlow13", "OpenFlow14", "OpenFlow15"}) {
    config_.dialect.protocol = protocol;
    SCOPED_TRACE(protocol);
    compare({"in_port=1,ip,nw_ecn=1"});
  }
}

TEST_F(NamedCase, InputPortThatIsWritten) {
  flow("table=0 actions=set_field:3->in_port,output:3");
  flow("table=0,in_port=2 actions=set_field:2->in_port,output:2,load:0xffff->NXM_OF_IN_PORT[],output:2");
  for (const char* names : {"", "--names"}) {
    config_.dialect.dump_names = config_.dialect.trace_names = names;
    compare({"in_port=1,tcp", "in_port=2,tcp", "in_port=3,tcp"});
  }
}

TEST_F(NamedCase, PacketsOfInternalPortsAndOfTunnels) {
  flow("table=0,ip actions=ct(table=1)");
  flow("table=1,ip actions=output:5,output:6");
  flow("table=0,priority=0 actions=output:6,output:7");
  compare({"in_port=LOCAL,tcp", "in_port=5,tcp,tun_id=0x5,tun_src=10.0.0.1,tun_dst=10.0.0.2", "in_port=6,arp,tun_id=7",
           "in_port=1,udp,tun_dst=10.0.0.1"});
}

// Behind encap and decap only flows match that look at no header, or at the packet's type.
TEST_F(NamedCase, PacketsWithoutEthernetHeader) {
  flow("table=0,tcp actions=encap(mpls_mc),resubmit(,1)");
  flow("table=0,udp actions=encap(nsh),resubmit(,1)");
  flow("table=0,arp actions=decap,resubmit(,1)");
  flow("table=1,priority=3,mplsm actions=set_field:5->reg5");
  flow("table=1,priority=3,dl_type=0x894f,reg1=0 actions=LOCAL");
  flow("table=1,priority=3,arp,reg2=0 actions=output:3");
  flow("table=1,priority=2,packet_type=(1,0x806) actions=encap(ethernet),output:2");
  flow("table=1,priority=1,reg3=0 actions=output:2");
  compare({"in_port=1,tcp", "in_port=1,udp", "in_port=1,arp", "in_port=1,arp,vlan_tci=0x1005"});
}

TEST_F(NamedCase, PartsOfAServiceHeader) {
  flow("table=0,in_port=1 actions=encap(nsh),set_field:0x1->nsh_spi,load:0x1->NXOXM_NSH_SPI[],encap(ethernet),output:2");
  flow("table=0,in_port=2,dl_type=0x894f actions=load:3->NXOXM_NSH_SPI[2..20],output:3");
  compare({"in_port=1,tcp", "in_port=2,dl_type=0x894f,nsh_spi=0xffffff", "in_port=2,dl_type=0x894f,nsh_mdtype=1,nsh_c1=5"});
}

TEST_F(NamedCase, ServiceHeaderThatHasFewerBitsThanItsFields) {
  flow(
      "table=0,in_port=1 actions=encap(nsh),set_field:18->nsh_flags,move:reg1[0..7]->NXOXM_NSH_TTL[],"
      "encap(ethernet),output:2");
  flow("table=0,dl_type=0x894f actions=move:reg0[0..23]->NXOXM_NSH_SPI[],output:2");
  compare({"in_port=1,tcp,reg1=64", "in_port=2,dl_type=0x894f,reg0=0xffffff", "in_port=2,dl_type=0x894f,reg0=0xfffffe"});
  EXPECT_TRUE(said("NXOXM_NSH_SPI[] is now 0xffffffff"));
  EXPECT_TRUE(said("push_nsh(flags=2,ttl=0,"));
}

// What was to be put on the longer packet is put on before what the shorter one gets.
TEST_F(NamedCase, ServiceHeaderOfNoKnownType) {
  flow("table=0 actions=check_pkt_larger(100)->reg9[0],encap(mpls)");
  compare({"packet_type=(1,0x894f),in_port=1,nsh_mdtype=1", "packet_type=(1,0x894f),in_port=1,nsh_np=2"});
  EXPECT_TRUE(said("<error: unknown mdtype>"));
}

// What is pushed before the shorter packet goes its way stays for it: bytes, as many as the pushed field has.
TEST_F(NamedCase, StacksOfResumedPackets) {
  flow("table=0 actions=clone(push:OXM_OF_METADATA[3..37],resubmit(,3)),check_pkt_larger(100)->reg9[0],resubmit(,3)");
  flow("table=3,ip actions=push:reg12[],ct(table=7,zone=5,nat)");
  compare({"in_port=1,icmp"});
}

// There a trace learns, and pauses for controllers.
TEST_F(NamedCase, SideEffectsBehindANativeTunnel) {
  flow("table=0 actions=output:6,learn(table=70,reg2=5,output:reg1[])");
  flow(
      "table=0,udp actions=learn(table=70,idle_timeout=20,hard_timeout=30,cookie=0x77,send_flow_rem,fin_hard_timeout=4,"
      "result_dst=reg1[3],NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],reg3[0..7]=0xa,load:reg4[]->reg5[],output:NXM_OF_IN_PORT[]),"
      "learn(table=71,load:1->reg0[]),controller(reason=invalid_ttl,pause,userdata=01),output:2",
      "br-ex");
  for (const char* asked : {"", "--names"}) {
    config_.dialect.trace_names = asked;
    compare({"in_port=1,tcp", "in_port=1,udp"});
    EXPECT_TRUE(said("table=70 reg3=0xa/0xff,dl_dst="));
  }
}

TEST_F(NamedCase, StacksOfLabelsInFlowsOfTheDatapath) {
  flow("table=0,priority=1,mpls actions=pop_mpls:0x8847,output:2,pop_mpls:0x8847,output:3");
  flow("table=0 actions=output:4");
  const std::string begin = "in_port(p1),eth(src=0a:00:00:00:00:01,dst=0a:00:00:00:00:02),eth_type(0x8847),mpls(";
  compare({begin + "label=100,tc=3,ttl=64,bos=1)", begin + "label=100,tc=3,ttl=64,bos=0,label=7,tc=0,ttl=9,bos=1)",
           begin + "label=100,tc=3,ttl=64,bos=0,label=7,tc=0,ttl=9,bos=0,label=8,tc=1,ttl=3,bos=1)"});
}

// Of a field below the label, which is gone, the packet is looked at anew; one of the label itself is written to nothing.
TEST_F(NamedCase, FieldsOfAPoppedLabel) {
  flow("table=0,mplsm,in_port=1 actions=resubmit(,7),set_field:9->mpls_ttl,set_field:3->mpls_label,output:3");
  flow("table=0,mplsm,in_port=3 actions=resubmit(,7),set_mpls_ttl(9),output:4");
  flow("table=0,tcp actions=resubmit(,7),set_field:9->nw_ttl,output:3");
  flow("table=7 actions=push_mpls:0x8847,output:2,pop_mpls:0x1234");
  compare({"in_port=1,mplsm", "in_port=3,mplsm", "in_port=1,tcp"});
}

// The packet is looked at anew for what looks below the label alone.
TEST_F(NamedCase, ActionsBehindAPoppedLabel) {
  int table = 20;
  std::vector<std::string> asked;
  for (const char* action : {"mod_vlan_vid:7", "mod_vlan_pcp:3", "set_queue:5", "mod_dl_src:0a:00:00:00:00:07",
                             "mod_dl_dst:0a:00:00:00:00:07", "set_tunnel:9", "set_tunnel64:0x900000000", "set_field:9->tun_id",
                             "set_field:0a:00:00:00:00:07->eth_src", "mod_nw_src:10.9.9.9", "set_field:9->reg3",
                             "load:9->NXM_OF_ETH_DST[]", "strip_vlan", "dec_ttl", "note:01", "controller"}) {
    flow(fmt::format("table=0,mpls,dl_vlan=3,mpls_label={0} actions=resubmit(,{0})", ++table));
    flow(fmt::format("table={},mpls,dl_vlan=3 actions=pop_mpls:0x0800,{},output:2", table, action));
    asked.push_back(fmt::format("in_port=1,mpls,dl_vlan=3,mpls_label={},mpls_bos=1", table));
  }
  compare(asked);
}

TEST_F(NamedCase, LearnedInputPortByName) {
  flow("table=0 actions=learn(table=70,in_port=3,output:NXM_NX_REG0[0..15]),learn(table=70,in_port=1,load:1->reg1[])");
  compare_all_forms({"in_port=1,tcp"});
}

// The type of an option takes 16 bits in an exact match, reads as zero, and lies beside what ARP has.
TEST_F(NamedCase, NeighbourDiscovery) {
  const std::string nd = "icmp6,icmp_type=136,icmp_code=0";
  flow("table=0,priority=9," + nd + ",nd_options_type=3 actions=drop");
  flow("table=0,priority=8," + nd +
       ",in_port=2 actions=set_field:5->nd_options_type,move:ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE[1..6]"
       "->NXM_NX_REG5[24..29],output:3");
  flow("table=0,priority=7," + nd +
       ",in_port=3 actions=move:NXM_NX_REG5[0..7]->ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE[],"
       "set_field:7->nd_reserved,output:2");
  flow("table=0,priority=10," + nd + ",nd_options_type=9 actions=load:0->ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE[2..5],output:2");
  flow("table=0,priority=10," + nd + ",nd_options_type=10 actions=push:ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE[5..7],output:2");
  flow("table=0,priority=10," + nd + ",nd_options_type=11 actions=set_field:7->nd_reserved,output:2");
  flow("table=0,arp actions=group:1");
  group("group_id=1,type=all,bucket=actions=move:NXM_NX_TUN_GBP_FLAGS[2..7]->NXM_NX_ND_SLL[24..29],output:2");
  const std::string packet = ",icmp6,icmpv6_type=136,icmpv6_code=0,nd_tll=0a:00:00:00:00:02";
  compare({"in_port=1" + packet, "in_port=2" + packet, "in_port=3,reg5=9" + packet, "in_port=2" + packet + ",nd_options_type=5",
           "in_port=1" + packet + ",nd_options_type=9", "in_port=1" + packet + ",nd_options_type=10",
           "in_port=1" + packet + ",nd_options_type=11", "in_port=1,arp,arp_sha=0a:00:00:00:00:03"});
}

TEST_F(NamedCase, TagThatIsWrittenToNothing) {
  flow("table=0,icmp6 actions=move:OXM_OF_PKT_REG7[42..57]->NXM_OF_VLAN_TCI[],ct(table=7)");
  flow("table=7 actions=move:OXM_OF_PKT_REG7[42..57]->NXM_OF_VLAN_TCI[],output:2");
  compare({"in_port=1,icmp6,vlan_tci=0x1fff", "in_port=1,icmp6"});
}

TEST_F(NamedCase, StateOfOneBridgeResumedInAnother) {
  flow("table=0,ip actions=clone(clone(resubmit(,7)),load:0x0->NXM_NX_REG9[2..8],output:6),ct(commit,table=2,zone=64000)");
  flow("table=0,priority=1 actions=check_pkt_larger(1500)->NXM_NX_REG9[0],1,controller(reason=invalid_ttl,pause)", "br-ex");
  for (const char* asked : {"--no-names", "--names"}) {
    config_.dialect.trace_names = asked;
    compare({"in_port=1,udp"});
  }
}

// What was looked at is then shown as it is.
TEST_F(NamedCase, TranslationsThatFail) {
  flow("table=0,mpls actions=push_mpls:0x8847,push_mpls:0x8847,push_mpls:0x8847,push_mpls:0x8847");
  flow("table=0,ip actions=ct(table=1)");
  flow("table=1,actset_output=2 actions=output:2");
  flow("table=1,priority=0 actions=resubmit(,1)");
  compare({"in_port=1,mpls,mpls_bos=1", "in_port=1,tcp"});
}

// A failing action set is no failing translation: what was looked at is shown as of any other packet.
TEST_F(NamedCase, ActionSetsThatFail) {
  flow("table=0,reg5=0,arp actions=encap(mpls_mc),write_actions(output:1,encap(nsh)),goto_table:1");
  flow("table=1,reg4=0 actions=drop");
  compare({"in_port=1,arp,vlan_tci=0x1005", "in_port=2,arp"});
  EXPECT_TRUE(said("Translation failed"));
}

// The switch takes the value of such a match for its mask: 2 finds 3 as well.
TEST_F(NamedCase, TunnelFieldsWhoseValueIsTheMask) {
  flow("table=0,priority=9,tun_gtpu_msgtype=2 actions=output:1");
  flow("table=0,priority=8,tun_gtpu_flags=0x30 actions=output:2");
  flow("table=0,priority=7,tun_erspan_ver=1,tun_erspan_idx=0x5 actions=output:3");
  flow("table=0,priority=6,tun_erspan_ver=2,tun_erspan_dir=1,tun_erspan_hwid=0x4 actions=output:4");
  flow("table=0,priority=5,tun_erspan_ver=2,tun_erspan_dir=0 actions=LOCAL");
  const std::string from = "in_port=5,tcp,tun_dst=10.0.0.9";
  compare({from + ",tun_gtpu_msgtype=3", "in_port=1,tun_gtpu_msgtype=2", from + ",tun_gtpu_msgtype=1",
           from + ",tun_gtpu_flags=0x34", from + ",tun_erspan_ver=1,tun_erspan_idx=0x5",
           from + ",tun_erspan_ver=3,tun_erspan_idx=0x5", from + ",tun_erspan_ver=2,tun_erspan_dir=1,tun_erspan_hwid=0x7",
           from + ",tun_erspan_ver=2,tun_erspan_dir=1"});
}

TEST_F(NamedCase, ErspanHeaderAtOtherTunnels) {
  flow("table=0,tun_erspan_ver=2 actions=output:6,resubmit(,1)");
  flow("table=1,priority=2,tun_erspan_ver=2 actions=output:1");
  flow("table=1,priority=1 actions=output:2");
  compare({"in_port=1,tcp,tun_erspan_ver=2,tun_erspan_hwid=0x4", "in_port=5,tcp,tun_dst=10.0.0.9,tun_erspan_ver=3"});
}

TEST_F(NamedCase, TunnelFieldsThatAreWrittenAndDeleted) {
  flow("table=0,in_port=1 actions=set_field:7->tun_metadata0,delete_field:tun_metadata0,resubmit(,1)");
  flow("table=0,in_port=2 actions=set_field:0->tun_flags,output:3");
  flow("table=0,in_port=3 actions=set_field:oam->tun_flags,output:2");
  flow("table=0,in_port=5 actions=delete_field:tun_metadata0,move:NXM_NX_TUN_METADATA0[0..31]->NXM_NX_REG0[],resubmit(,1)");
  flow("table=1,priority=2,tun_metadata0=7 actions=output:2");
  flow("table=1,priority=1 actions=output:3");
  config_.tlv_map = 5;
  compare({"in_port=1,tcp", "in_port=2,tcp", "in_port=3,tcp", "in_port=2,tcp,tun_dst=10.0.0.9", "in_port=3,tcp,tun_dst=10.0.0.9",
           "in_port=5,tcp,tun_dst=10.0.0.9,tun_metadata0=7"});
}

TEST_F(NamedCase, TypeOfIcmpBehindTranslatedPorts) {
  flow("table=0,icmp6 actions=ct(commit,table=1,nat(src=[fd00::3]:8080))");
  flow("table=1,icmp6 actions=move:NXM_NX_TUN_FLAGS[]->NXM_NX_ICMPV6_TYPE[3],output:2");
  compare({"in_port=1,icmp6,icmpv6_type=135", "in_port=1,icmp6,icmpv6_type=128"});
}

TEST_F(NamedCase, ArpOperationThatFillsItsByte) {
  flow("table=0,arp,in_port=1 actions=set_field:255->arp_op,output:2");
  flow("table=0,arp,in_port=2,arp_op=255 actions=set_field:10.0.0.9->arp_spa,output:3");
  compare({"in_port=1,arp,arp_op=1", "in_port=2,arp,arp_op=255"});
  EXPECT_TRUE(said("set(arp(op=65535))"));
}

// One subtable, though the names differ.
TEST_F(NamedCase, ArpOperationAndProtocolBesideOneAnother) {
  flow("table=0,priority=9,arp,arp_op=2 actions=output:1");
  flow("table=0,priority=5 actions=output:2");
  flow("table=0,priority=3,ip,nw_proto=47 actions=output:3");
  compare({"in_port=1,ip", "in_port=1,arp", "in_port=1,ip,nw_proto=47", "in_port=1,arp,arp_op=2"});
}

TEST_F(NamedCase, InputPortThatIsAReservedOne) {
  flow("table=0 actions=move:actset_output[]->in_port_oxm[],output:2,push:reg0[],pop:in_port_oxm[],output:3");
  compare({"in_port=1,tcp", "in_port=1,reg0=0xfffffffe", "in_port=1,reg0=0xffffff00", "in_port=1,reg0=0xffffffff",
           "in_port=1,reg0=0xff00", "in_port=1,reg0=0xfffffff8"});
  EXPECT_TRUE(said("OXM_OF_IN_PORT[] is now UNSET"));
}

TEST_F(NamedCase, InputPortThatIsWrittenInACopy) {
  flow("table=0 actions=clone(set_field:2->in_port,clone(set_field:3->in_port,output:1))");
  compare_all_forms({"in_port=1,tcp"});
}

TEST_F(NamedCase, TagThatIsMoved) {
  flow("table=0,vlan_tci=0x1000/0x1000 actions=move:NXM_OF_ETH_TYPE[3..14]->OXM_OF_VLAN_VID[],output:2");
  flow("table=0,priority=9,vlan_tci=0x1007 actions=move:NXM_NX_REG0[0..3]->OXM_OF_VLAN_VID[2..5],pop:OXM_OF_VLAN_VID[],output:2");
  compare({"in_port=1,tcp,vlan_tci=0x1005", "in_port=1,tcp,vlan_tci=0x1007,reg0=9"});
  EXPECT_TRUE(said("is now 4352"));
}

TEST_F(NamedCase, LabelsTakenOffAPacketWithoutEthernetHeader) {
  flow("table=0,in_port=1,mpls actions=decap,decap");
  flow("table=0,in_port=2,mpls actions=decap,decap(packet_type(ns=0,type=0)),output:3");
  flow("table=0,in_port=3,mpls actions=decap,decap(packet_type(ns=1,type=0x800)),output:2");
  flow(
      "table=0,in_port=4,tcp actions=encap(mpls),encap(mpls),decap,decap(packet_type(ns=1,type=0x800)),encap(ethernet),output:2");
  compare({"in_port=1,mpls,mpls_bos=1", "in_port=1,mpls", "in_port=2,mpls,mpls_bos=1", "in_port=3,mpls,mpls_bos=1"});
}

// 64 kB of datapath actions end a translation, to the byte.
TEST_F(NamedCase, TunnelOptionsInBuckets) {
  config_.tlv_map = 5;
  group("group_id=1,type=all,bucket=actions=set_field:0x7/0xffffffffffffffffffffffffffffffff->tun_metadata7,output:1");
  flow("table=0,priority=1 actions=set_field:0x9/0xffffffffffffffffffffffffffffffff->tun_metadata7,group:1");
  compare({"udp6"});
}

TEST_F(NamedCase, CookieOfRestoredState) {
  group("group_id=3,type=select,selection_method=hash,fields(ip_dst=255.255.0.0,nw_proto)", "br-ex");
  group("group_id=7,type=select,bucket=actions=drop", "br-ex");
  flow("cookie=0x39,table=0,priority=167,icmp actions=output:\"patch-int\",ct(commit,table=7,nat)");
  flow("cookie=0x48,table=0,priority=0 actions=check_pkt_larger(1500)->NXM_NX_REG9[0],resubmit(,4),group:3", "br-ex");
  flow("cookie=0x63,table=4,priority=0 actions=resubmit(,5)", "br-ex");
  flow("table=5,priority=0 actions=group:7", "br-ex");
  compare({"icmp"});
  EXPECT_TRUE(said("cookie=0x4800000000000000"));
}

// A pause in a bridge behind a patch port of which nothing comes in a trace leaves actions behind; two tunnels through that
// bridge then pause in the same state.
TEST_F(NamedCase, PausesInABridgeThatIsEnteredAgain) {
  flow("table=0,priority=132,sctp,ip_dst=10.0.0.3 actions=ALL");
  flow("table=0,priority=0 actions=resubmit(,7)", "br-ex");
  flow("table=7,priority=0 actions=controller(pause),load:0x1005e000001->NXM_OF_ETH_SRC[],load:1->NXM_NX_REG0[]", "br-ex");
  compare({"sctp,ip_dst=10.0.0.3"});
}

TEST_F(NamedCase, ManyActionsInTunnels) {
  flow("table=0,in_port=1 actions=resubmit(,1)" + times(24, ",resubmit(,1)"));
  flow("table=0,in_port=2,ip actions=resubmit(,3)" + times(40, ",clone(ct(commit,nat,exec(set_field:5->ct_mark)),resubmit(,3))"));
  flow("table=3,ip actions=controller(meter_id=1),resubmit(,4)" + times(80, ",output:2,mod_nw_tos:4,output:3,mod_nw_tos:8"));
  flow("table=1,ip actions=output:6" + times(24, ",resubmit(,2)"));
  flow("table=2 actions=mod_vlan_vid:5,output:6,strip_vlan,output:2,output:6,output:3");
  flow("table=0 actions=output:1,output:10", "br-ex");
  compare({"in_port=1,tcp", "in_port=2,tcp"});
  EXPECT_TRUE(said("resubmits yielded over 64 kB of actions"));
}

}  // namespace
}  // namespace egt::testing
