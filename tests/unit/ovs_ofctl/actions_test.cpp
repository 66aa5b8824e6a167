// Actions: canonical text prints back, typed text becomes canonical, broken text becomes Opaque and is shown.
#include <gtest/gtest.h>

#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers {
namespace {

using namespace openflow;

std::string again(std::string_view text) {
  std::vector<TextError> errors;
  const std::string out = format_actions(parse_actions(text, errors));
  return errors.empty() ? out : "error: " + errors.front().message;
}

// All of them printed by Open vSwitch 3.1.0.
TEST(Actions, PrintAsOpenVSwitchDoes) {
  for (const std::string_view text : {
           "drop",
           "output:1,LOCAL,IN_PORT,ALL,FLOOD,NORMAL,TABLE",
           "output:\"a-b\",output:eth0",
           "output:NXM_NX_REG1[16..31],output:NXM_NX_REG0[]",
           "output(port=IN_PORT,max_len=123)",
           "output(port=\"7z\",max_len=60)",
           "CONTROLLER:65535",
           "controller(id=1)",
           "controller(reason=)",
           "controller(reason=no_match,max_len=10,id=3,userdata=aa.bb,pause,meter_id=1)",
           "enqueue:1:2",
           "group:5",
           "bundle(eth_src,0,active_backup,ofport,members:\"a-b\",3)",
           "bundle(symmetric_l3,60,hrw,ofport,members:)",
           "bundle(eth_src,0,hrw,ofport,slaves:4,8)",
           "bundle_load(symmetric_l4,60,hrw,ofport,NXM_NX_REG0[0..30],members:2,3)",
           "load:0x64580003->NXM_NX_XXREG0[96..127],load:0->OXM_OF_PKT_REG4[32..47]",
           "set_field:0x1000000000000000000000000/0xffffffff000000000000000000000000->xxreg0",
           "set_field:01:02:03:04:05:06->eth_src,set_field:ff:ff:ff:00:00:00/ff:ff:ff:00:00:00->eth_dst",
           "set_field:10.4.3.77->ip_src,set_field:2/0x3->nw_ecn,set_field:oam->tun_flags,set_field:1->nw_ttl",
           "set_field:::a6ba:dbff:fefe:59fa/::ffff:ffff:ffff:ffff->ipv6_src,set_field:fe80:123:4567:890a::/"
           "64->ipv6_src",
           "set_field:4103->vlan_vid,set_field:2->vlan_pcp,set_field:0/0x1000->reg10",
           "mod_dl_src:00:11:22:33:44:55,mod_nw_dst:192.168.0.1,mod_nw_tos:48,mod_nw_ecn:2,mod_nw_ttl:1,mod_tp_src:80",
           "set_tunnel:0x1234,set_tunnel64:0x123456789",
           "move:NXM_OF_IN_PORT[]->NXM_OF_VLAN_TCI[]",
           "push:NXM_NX_REG0[],pop:NXM_NX_REG1[3]",
           "dec_ttl,dec_ttl(),dec_ttl(1,2)",
           "push_vlan:0x8100,pop_vlan,strip_vlan,mod_vlan_vid:5,mod_vlan_pcp:3,set_vlan_vid:5,set_vlan_pcp:3",
           "push_mpls:0x8847,pop_mpls:0x0800,set_mpls_label(16),set_mpls_tc(7),set_mpls_ttl(255),dec_mpls_ttl",
           "encap(nsh(md_type=1)),encap(ethernet),decap(),decap(packet_type(ns=0,type=0)),dec_nsh_ttl",
           "set_queue:3,output:4,pop_queue",
           "fin_timeout(idle_timeout=1,hard_timeout=2)",
           "resubmit:3,resubmit(3,3),resubmit(,8),resubmit(10,5,ct),resubmit(,8,ct),resubmit(eth0,3)",
           "conjunction(5,1/3),conjunction(6,3/3)",
           "multipath(symmetric_l3l4+udp,1,hrw,4,0,NXM_NX_REG0[0..3])",
           "note:11.e9.9a.ad.67.f3,exit",
           "sample(probability=12345,collector_set_id=1,obs_domain_id=NXM_OF_IN_PORT[],obs_point_id=3,sampling_port=1,"
           "egress)",
           "clone(ct(table=3),output:1)",
           "ct_clear",
           "check_pkt_larger(1000)->NXM_NX_XXREG1[4]",
           "delete_field:tun_metadata0",
           "meter:1,clear_actions,write_metadata:0x5/0x7,goto_table:8",
           "write_metadata:0,goto_table:8",
           "write_metadata:0/0x7",
           "write_actions(set_field:0x1->reg0,output:2),goto_table:7",
           "write_actions(drop)",
       })
    EXPECT_EQ(again(text), text);
}

TEST(Actions, ConnectionTracking) {
  for (const std::string_view text : {
           "ct()",
           "ct(commit)",
           "ct(nat)",
           "ct(table=3,zone=64001,nat)",
           "ct(zone=NXM_NX_REG0[0..15])",
           "ct(alg=tftp)",
           "ct(commit,force,table=4,zone=NXM_NX_REG0[0..15],nat(src=1.1.1.1-1.1.1.5:1-9,hash),exec(load:0x1->NXM_NX_CT_"
           "MARK[]),alg=ftp)",
           "ct(commit,nat(src))",
           "ct(commit,nat(dst=10.0.0.128-10.0.0.254,hash))",
           "ct(commit,nat(src=10.0.0.240,random))",
           "ct(commit,nat(src=10.0.0.240:32768-65535,persistent,random))",
           "ct(commit,nat(dst=10.132.0.39:8080))",
           "ct(commit,nat(src=[fe80::20c:29ff:fe88:1]-[fe80::20c:29ff:fe88:a18b]:255-4096,random))",
           "ct(commit,nat(src=fe80::20c:29ff:fe88:1-fe80::20c:29ff:fe88:a18b,random))",
           "ct(commit,nat(dst=[fd01::5]:443))",
           "ct(commit,table=22,zone=NXM_NX_REG13[0..15],nat(dst=10.132.0.39:8080),exec(set_field:0x2/"
           "0x2->ct_mark,move:NXM_NX_REG0[]->NXM_NX_CT_LABEL[0..31]))",
       })
    EXPECT_EQ(again(text), text);
  const ActionList list = parse_actions("ct(commit,zone=5,nat(dst=10.0.0.1:80))");
  ASSERT_EQ(list.size(), 1u);
  const auto& ct = std::get<Ct>(list[0].kind);
  EXPECT_TRUE(ct.commit);
  EXPECT_EQ(std::get<std::uint16_t>(ct.zone), 5);
  EXPECT_EQ(ct.nat->kind, Nat::Kind::dst);
  EXPECT_EQ(ct.nat->addresses->first, IpAddr::v4(0x0a000001));
  EXPECT_EQ(ct.nat->port_min, 80);
  EXPECT_FALSE(ct.nat->port_max);
}

TEST(Actions, Learn) {
  for (const std::string_view text : {
           "learn(table=1)",
           "learn(table=1,send_flow_rem,delete_learned)",
           "learn(table=1,limit=3,result_dst=NXM_NX_REG0[3])",
           "learn(table=2,idle_timeout=10,hard_timeout=20,fin_idle_timeout=2,fin_hard_timeout=4,priority=80,cookie="
           "0x123456789abcdef0,limit=1,"
           "NXM_OF_VLAN_TCI[0..11],NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],output:NXM_OF_IN_PORT[])",
           "learn(table=69,delete_learned,cookie=0x7b71d558,OXM_OF_METADATA[],eth_type=0x800,NXM_OF_IP_SRC[],ip_dst=1."
           "2.3.4,nw_proto=6,"
           "NXM_OF_TCP_SRC[]=NXM_OF_TCP_DST[],load:0x1->NXM_NX_REG10[7])",
           "learn(table=1,in_port=99,NXM_NX_REG1[3..5]=0x3,load:NXM_OF_IN_PORT[]->NXM_NX_REG1[16..31])",
       })
    EXPECT_EQ(again(text), text);
  const ActionList list = parse_actions("learn(table=9,NXM_OF_IP_SRC[],tcp_dst=80)");
  const auto& learn = std::get<Learn>(list.at(0).kind);
  ASSERT_EQ(learn.specs.size(), 2u);
  EXPECT_EQ(std::get<Subfield>(learn.specs[0].source), learn.specs[0].dest);
  EXPECT_EQ(std::get<U128>(learn.specs[1].source), U128{80});
  EXPECT_EQ(learn.priority, 32768);
}

TEST(Actions, TypedFormsBecomeNormal) {
  EXPECT_EQ(again("2"), "output:2");
  EXPECT_EQ(again("flood"), "FLOOD");
  EXPECT_EQ(again("strip_vlan output:0"), "strip_vlan,output:0");
  EXPECT_EQ(again("controller"), "CONTROLLER:65535");
  EXPECT_EQ(again("controller(max_len=123,reason=invalid_ttl,id=555)"), "controller(reason=invalid_ttl,max_len=123,id=555)");
  EXPECT_EQ(again("load(1->ct_mark)"), "load:0x1->NXM_NX_CT_MARK[]");
  EXPECT_EQ(again("output:reg1[16..31]"), "output:NXM_NX_REG1[16..31]");
  EXPECT_EQ(again("note:41.42.43,note"), "note:41.42.43.00.00.00,note:00.00.00.00.00.00");
  EXPECT_EQ(again("learn()"), "learn(table=1)");
  EXPECT_EQ(again("set_tunnel:0x123456789"), "set_tunnel64:0x123456789");
  EXPECT_EQ(again("multipath(eth_src, 50, hrw, 12, 0, reg0[0..3])"), "multipath(eth_src,50,hrw,12,0,NXM_NX_REG0[0..3])");
  EXPECT_EQ(again(""), "drop");
}

// Where ovs-ofctl reads a number by atoi(3) or keeps the lower half of a strtoul(3): as it prints them (3.1.0).
TEST(Actions, NumbersAsTheToolReadsThem) {
  EXPECT_EQ(again("learn(table=1,limit=0x10,priority=0x20,reg0=1)"), "learn(table=1,priority=0,reg0=0x1)");
  EXPECT_EQ(again("learn(table=1,limit=-1,priority=70000,reg0=1)"), "learn(table=1,priority=4464,limit=4294967295,reg0=0x1)");
  EXPECT_EQ(again("bundle(eth_src,0x10,hrw,ofport,members:4)"), "bundle(eth_src,0,hrw,ofport,members:4)");
  EXPECT_EQ(again("multipath(eth_src,-1,modulo_n,12,99999999,reg0[])"),
            "multipath(eth_src,65535,modulo_n,12,99999999,NXM_NX_REG0[])");
  EXPECT_EQ(again("multipath(eth_src,99999999999,modulo_n,12,4,reg0[])"), "multipath(eth_src,59391,modulo_n,12,4,NXM_NX_REG0[])");
  EXPECT_EQ(again("output(port=1,max_len=0x1000000ff)"), "output(port=1,max_len=255)");
}

TEST(Actions, WhatIsNotUnderstoodIsKeptAndTold) {
  for (const std::string_view text : {
           "frobnicate(1)",
           "output",
           "output:",
           "load:5",
           "load:0x10000->NXM_NX_REG0[0..15]",
           "set_field:1->eth_type",
           "set_field:1->nosuch",
           "mod_vlan_vid:6000",
           "mod_nw_tos(1)",
           "set_mpls_tc(8)",
           "push:eth_dst[]x",
           "ct(table=255)",
           "ct(force)",
           "ct(commit,nat(src=1.2.3.4x))",
           "ct(nat(persistent))",
           "nat(src)",
           "ct(commit,exec(push_vlan(0x8100)))",
           "conjunction(1,0/2)",
           "conjunction(1,1/65)",
           "check_pkt_larger(1500)->NXM_NX_REG0[]",
           "learn(table=255)",
           "learn(load:1234->eth_dst[0..5])",
           "resubmit(1,2,xyzzy)",
           "move:reg0[0..3]->reg1[0..4]",
           "controller(foo=bar)",
           "bundle(eth_src)",
           "multipath(xyzzy,50,modulo_n,1,0,NXM_NX_REG0[])",
           "sample(probability=0)",
           "clone(output:1",
           "drop,output:1",
           "conjunction(1,1/2),output:1",
           "fin_timeout(foo=1)",
           "apply_actions",
           ")",
           "(",
           "::",
           "\"x",
       }) {
    std::vector<TextError> errors;
    const ActionList list = parse_actions(text, errors);
    EXPECT_FALSE(errors.empty()) << text;
  }
  std::vector<TextError> errors;
  const ActionList list = parse_actions("output:1,frobnicate(a,b),output:2", errors);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(std::get<Opaque>(list[1].kind).text, "frobnicate(a,b)");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].column, 10u);
  EXPECT_EQ(format_actions(list), "output:1,frobnicate(a,b),output:2");
}

TEST(Actions, NestingIsBounded) {
  std::string text, end;
  for (int i = 0; i < 5000; ++i) text += "clone(", end += ')';
  std::vector<TextError> errors;
  parse_actions(text + "output:1" + end, errors);
  EXPECT_FALSE(errors.empty());
}

TEST(Actions, UnreadFlowIsOneOpaque) {
  const ActionList list = parse_actions(std::string(kUnreadFlow) + "priority=1,foo=2 actions=output:1,drop");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Opaque>(list[0].kind));
}

TEST(Subfields, ParseAndPrint) {
  EXPECT_EQ(format_subfield(*parse_subfield("reg0[0..15]")), "NXM_NX_REG0[0..15]");
  EXPECT_EQ(format_subfield(*parse_subfield("OXM_OF_METADATA[]")), "OXM_OF_METADATA[]");
  EXPECT_EQ(format_subfield(*parse_subfield("NXM_NX_XXREG1[96]")), "NXM_NX_XXREG1[96]");
  for (const std::string_view text : {"reg0[32]", "reg0[5..3]", "reg0[", "reg0[1", "foo[]", "", "reg0[x]", "reg0[0..99]"})
    EXPECT_FALSE(parse_subfield(text)) << text;
}

}  // namespace
}  // namespace egt::parsers
