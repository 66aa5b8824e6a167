// Flows as typed, and what ovs-ofctl itself says to them: whether it takes them, and that what is printed here means the
// same to it. Skipped where ovs-ofctl is not installed.
#include <gtest/gtest.h>

#include "egtrace/packet/flow_key.h"
#include "ovs_ofctl/typed_flow.h"
#include "support/run.h"

namespace egt::parsers::ofctl {
namespace {

using testing::Ran;

bool has_tool() { return testing::run({"ovs-ofctl", "--version"}).status == 0; }

// The flow as ovs-ofctl sends and reads it again; empty where it refuses it.
std::string shown(const std::string& flow) {
  for (const char* version : {"OpenFlow10,OpenFlow11,OpenFlow13", "OpenFlow15"}) {
    const Ran ran = testing::run({"ovs-ofctl", "-O", version, "--", "parse-flow", flow});
    const std::size_t at = ran.out.find(" ADD ");
    if (ran.status == 0 && at != std::string::npos && ran.out.find("***") == std::string::npos) return ran.out.substr(at);
  }
  return {};
}

// As printed here; empty where it is refused.
std::string printed(const std::string& flow) {
  const auto line = parse_flow_line(flow);
  if (!line) return {};
  std::vector<TextError> errors;
  const openflow::ActionList actions = parse_actions(line->actions, errors);
  return errors.empty() && !why_refused(*line, actions) ? normal_flow_line(*line) : std::string{};
}

void compare(const std::vector<std::string>& flows) {
  for (const std::string& flow : flows) {
    const std::string here = printed(flow), there = shown(flow);
    EXPECT_EQ(here.empty(), there.empty()) << flow << (here.empty() ? " is refused here" : " is taken here");
    if (!here.empty() && !there.empty()) EXPECT_EQ(shown(here), there) << flow << " is printed as " << here;
  }
}

TEST(ToolOvsOfctl, TakesTheSameActions) {
  if (!has_tool()) GTEST_SKIP() << "ovs-ofctl is not installed";
  compare({
      "actions=output:010",
      "actions=LOCAL(5)",
      "actions=Controller(id=1)",
      "actions=exit(63)",
      "actions=drop,drop",
      "actions=drop,output:1",
      "actions=output:reg0[0..15]",
      "actions=enqueue(1,2)",
      "actions=enqueue:1:2:3",
      "actions=push_mpls:0x8847",
      "actions=push_mpls:0x800",
      "actions=push_vlan:0x800",
      "actions=meter:0",
      "actions=meter:1",
      "actions=meter:-1",
      "actions=write_metadata:1/08",
      "actions=write_metadata:010",
      "ip actions=mod_nw_ttl:08",
      "actions=mod_vlan_vid:4096",
      "ip actions=mod_nw_tos:3",
      "ip actions=set_field:3->nw_tos",
      "mpls actions=set_field:1/1->mpls_tc",
      "icmp6 actions=set_field:1/1->icmpv6_type",
      "actions=goto_table:0x10",
      "actions=goto_table:010",
      "actions=resubmit(,0x10)",
      "actions=resubmit(,010)",
      "ip actions=dec_ttl(0x10)",
      "actions=dec_nsh_ttl",
      "actions=encap(nsh),dec_nsh_ttl",
      "actions=encap(nsh(md_type=2,tlv(0x1000,0x10,0x12)))",
      "actions=controller(reason=implicit_miss)",
      "actions=check_pkt_larger:100->reg0[0]",
      "actions=check_pkt_larger(100)->dp_hash[0]",
      "actions=clone(write_actions(output:1))",
      "actions=clone(meter:1)",
      "actions=clone(conjunction(1,1/2),output:1)",
      "actions=conjunction(1,1/2),note:00",
      "actions=write_actions(clear_actions)",
      "actions=bundle_load(eth_src,0,hrw,ofport,reg0[0..3],members:1)",
      "actions=bundle_load(eth_src,0,hrw,ofport,reg0,members:1)",
      "actions=multipath(eth_src,0,hrw,1,0,dp_hash)",
      "actions=multipath(eth_src,50,modulo_n,16,0,actset_output)",
      "actions=multipath(eth_src,50,modulo_n,16,0,reg0[0..3])",
      "tcp actions=multipath(eth_src,50,modulo_n,16,0,tp_dst)",
      "actions=learn(table=1,actset_output=1)",
      "actions=learn(table=1,load:1->tun_erspan_dir[])",
      "actions=learn(table=1,in_port=1)",
      "actions=learn(table=1,load(1->NXM_NX_REG0[]))",
      "actions=learn(table=1,load:in_port->reg0[0..15])",
      "ip actions=ct(zone=reg0)",
      "ip actions=ct(zone=reg0[0..15])",
      "ip actions=ct(nat(src=1.2.3.4))",
      "ip actions=ct(nat)",
      "ip actions=ct(exec(set_field:1->ct_mark))",
      "ip actions=ct(commit,nat(src=[1.2.3.4]:80))",
      "ip actions=ct(commit,nat(src=1.2.3.4:0x10))",
      "ipv6 actions=ct(commit,nat(src=[fd00::1]:80-90,random))",
  });
}

TEST(ToolOvsOfctl, TakesTheSameMatches) {
  if (!has_tool()) GTEST_SKIP() << "ovs-ofctl is not installed";
  compare({
      "ip4 actions=drop",
      "ipv4,tcp_src=1 actions=drop",
      "nsh actions=drop",
      "igmp actions=drop",
      "table_id=1 actions=drop",
      "reg0=010 actions=drop",
      "reg0=08 actions=drop",
      "NXM_NX_REG0=1/1 actions=drop",
      "NXM_NX_REG0[0..3]=1 actions=drop",
      "ip,nw_ecn[]=1 actions=drop",
      "ip,NXM_OF_IP_TOS[0]=1 actions=drop",
      "icmp,icmp_type[]=1 actions=drop",
      "conj_id[]=1 actions=drop",
      "conj_id[0]=1 actions=drop",
      "mpls,mpls_label[0..3]=1 actions=drop",
      "dl_vlan[]=1 actions=drop",
      "ct_state=0x1/0x101 actions=drop",
      "ct_state=+trk,ct_nw_src=1.2.3.4 actions=drop",
      "ct_state=+trk+est,ip,ct_nw_src=1.2.3.4 actions=drop",
      "ct_state=+trk+est,ct_ipv6_src=::1 actions=drop",
      "nsh_spi=1 actions=drop",
      "eth_type=0x894f,nsh_spi=1 actions=drop",
      "ip,nw_tos=4,nw_ttl=5,nw_frag=later actions=drop",
      "cookie=1/1 actions=drop",
      "idle_timeout=65536 actions=drop",
      "priority=010 actions=drop",
      "priority=65536 actions=drop",
  });
}

// Each field by each of its names, whole and in part.
TEST(ToolOvsOfctl, TakesTheSameFields) {
  if (!has_tool()) GTEST_SKIP() << "ovs-ofctl is not installed";
  std::vector<std::string> flows;
  for (const char* name :
       {"reg0", "xreg1", "xxreg0", "metadata", "pkt_mark", "tun_id", "dp_hash", "conj_id", "recirc_id", "eth_src", "eth_type",
        "vlan_tci", "ct_mark", "ct_label", "ct_zone", "tun_flags", "tun_metadata0", "packet_type"}) {
    flows.push_back(std::string("actions=push:") + name + "[0]");
    flows.push_back(std::string("actions=load:1->") + name + "[0]");
    flows.push_back(std::string("actions=move:reg0[0]->") + name + "[0]");
    flows.push_back(std::string("actions=set_field:1->") + name);
    flows.push_back(std::string("actions=learn(table=1,") + name + "[0]=1)");
  }
  compare(flows);
}

}  // namespace
}  // namespace egt::parsers::ofctl
