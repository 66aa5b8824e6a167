// Flows that somebody typed, as ovs-ofctl(8) takes or refuses them.
#include "ovs_ofctl/typed_flow.h"

#include <gtest/gtest.h>

#include "ovs_ofctl/flow_line.h"

namespace egt::parsers::ofctl {
namespace {

bool is_taken(const std::string& text) {
  FlowLine line;
  TextError error;
  std::vector<TextError> errors;
  if (!read_flow_line(text, line, error)) return false;
  const openflow::ActionList actions = parse_actions(line.actions, errors);
  return errors.empty() && !why_refused(line, actions);
}

TEST(TypedFlow, FieldsThatActionsTouchNeedTheirProtocol) {
  for (const char* flow : {
           "tcp,nw_frag=later actions=move:OXM_OF_PKT_REG0[0..7]->OXM_OF_TCP_SRC[0..7]",
           "ip actions=set_field:80->tcp_dst",
           "ip actions=load:0x1->NXM_NX_ND_TARGET[]",
           "actions=push:ip_src",
           "actions=output:ipv6_src[0..15]",
           "actions=set_field:0x1005->vlan_vid",
           "tcp actions=learn(table=1,load:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[])",
           "tcp actions=learn(table=1,NXM_OF_IPV6_SRC[])",
           "arp actions=ct(commit)",
           "ip actions=ct(commit,nat(src=fd00::1))",
           "udp actions=ct(commit,alg=ftp)",
           "ip actions=resubmit(,1,ct)",
       })
    EXPECT_FALSE(is_taken(flow)) << flow;
  for (const char* flow : {
           "tcp actions=set_field:80->tcp_dst",
           "actions=push_vlan:0x8100,set_field:0x1005->vlan_vid",
           "vlan_tci=0x1000/0x1000 actions=set_field:0x1005->vlan_vid",
           "tcp actions=learn(table=1,eth_type=0x800,load:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[])",
           "ip actions=ct(commit,nat(src=10.0.0.1),exec(set_field:1->ct_mark))",
           "ct_state=+new+trk,ip actions=resubmit(,1,ct)",
           "actions=encap(nsh(md_type=2,tlv(0x1000,10,0x12345678))),set_field:1->nsh_spi",
           "actions=mod_nw_ttl:5",
       })
    EXPECT_TRUE(is_taken(flow)) << flow;
}

TEST(TypedFlow, ActionsHaveTheirPlace) {
  for (const char* flow : {
           "actions=goto_table:2,output:1",
           "actions=write_metadata:1,clear_actions",
           "actions=set_field:1->ct_mark",
           "ip actions=ct(exec(set_field:1->reg0))",
           "ip actions=ct(exec(output:1))",
           "actions=clone(meter:1)",
           "actions=output:65535",
           "actions=output:65280",
           "actions=bundle_load(eth_src,0,hrw,ofport,NXM_OF_IP_SRC[],members:1)",
           "actions=delete_field:reg0",
       })
    EXPECT_FALSE(is_taken(flow)) << flow;
  EXPECT_TRUE(is_taken("actions=meter:1,output:1,clear_actions,write_actions(output:2),write_metadata:1,goto_table:2"));
  EXPECT_TRUE(is_taken("actions=delete_field:tun_metadata10"));
}

TEST(TypedFlow, ArgumentsAreInRange) {
  for (const char* flow : {
           "idle_timeout=65536 actions=drop",
           "icmp,icmp_type=256 actions=drop",
           "in_port=65536 actions=drop",
           "ct_state=0x100 actions=drop",
           "NXM_NX_REG0=1 actions=drop",
           "actions=push_vlan:0x800",
           "actions=encap(gre)",
           "actions=encap(mpls(ether_type=0x8847))",
           "actions=encap(nsh(md_type=3))",
           "actions=decap(packet_type(ns=1))",
           "actions=decap(ethernet)",
           "actions=sample(collector_set_id=1)",
           "actions=sample(probability=1,obs_point_id=xxreg0)",
           "ip actions=ct(alg=sip)",
           "actions=enqueue(1:2:3)",
           "actions=set_field:1->reg0[0..3]",
           "actions=set_field:1->NXM_NX_REG0[]",
           "actions=0xff",
           "actions=output:-1",
       })
    EXPECT_FALSE(is_taken(flow)) << flow;
}

TEST(TypedFlow, NumbersBehindAZeroAreOctal) {
  FlowLine line;
  TextError error;
  ASSERT_TRUE(read_flow_line("reg0=010 actions=drop", line, error));
  EXPECT_EQ(line.match[0].value, U128{8});
  EXPECT_FALSE(is_taken("reg0=08 actions=drop"));
  EXPECT_EQ(normal_flow_line(*parse_flow_line("ip actions=dec_ttl(010),goto_table:010")), "ip actions=dec_ttl(10),goto_table:10");
}

TEST(TypedFlow, DestinationsHaveAWireForm) {
  for (const char* flow : {
           "actions=learn(table=1,actset_output=1)",
           "actions=learn(table=1,load:1->tun_erspan_dir[])",
           "actions=multipath(eth_src,0,hrw,1,0,dp_hash)",
           "actions=multipath(eth_src,50,modulo_n,16,0,actset_output)",
           "actions=bundle_load(eth_src,0,hrw,ofport,reg0[0..3],members:1)",
           "ip actions=ct(zone=reg0)",
           "actions=check_pkt_larger(100)->dp_hash[0]",
       })
    EXPECT_FALSE(is_taken(flow)) << flow;
  for (const char* flow : {
           "actions=learn(table=1,in_port=1,load(1->NXM_NX_REG0[]))",
           "ip actions=ct(zone=reg0[0..15])",
           "tcp actions=multipath(eth_src,0,hrw,1,0,tp_dst)",
           "actions=check_pkt_larger:100->reg0[0]",
       })
    EXPECT_TRUE(is_taken(flow)) << flow;
}

TEST(TypedFlow, MatchesOfConnectionsAndServicesNeedTheirPacket) {
  for (const char* flow : {
           "ct_state=+trk,ct_nw_src=1.2.3.4 actions=drop",
           "nsh_spi=1 actions=drop",
           "nsh actions=drop",
           "igmp actions=drop",
           "NXM_NX_REG0=1/1 actions=drop",
           "ip,nw_ecn[]=1 actions=drop",
           "conj_id[0]=1 actions=drop",
           "table_id=1 actions=drop",
           "ip actions=ct(nat(src=1.2.3.4))",
           "ip actions=ct(exec(set_field:1->ct_mark))",
           "actions=clone(goto_table:1,clear_actions)",
           "actions=dec_nsh_ttl",
           "actions=meter:0",
           "actions=push_mpls:0x800",
       })
    EXPECT_FALSE(is_taken(flow)) << flow;
  for (const char* flow : {
           "ct_state=+trk+est,ip,ct_nw_src=1.2.3.4 actions=drop",
           "eth_type=0x894f,nsh_spi=1 actions=drop",
           "icmp,icmp_type[]=1 actions=drop",
           "ip4 actions=drop",
           "actions=exit(5),LOCAL(1)",
           "actions=Controller(id=1)",
       })
    EXPECT_TRUE(is_taken(flow)) << flow;
}

}  // namespace
}  // namespace egt::parsers::ofctl
