// Matches: from text to words and back, in the forms of lib/match.c.
#include <gtest/gtest.h>

#include "egtrace/parsers/datapath_flow.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers {
namespace {

std::string normal(std::string_view text) {
  const auto m = parse_match(text);
  return m ? format_match(m->view()) : "error: " + m.error().message;
}

// Terms that Open vSwitch 3.1.0 printed for flows that it held.
TEST(Match, PrintsAsOpenVSwitchDoes) {
  for (const std::string_view text : {
           "",
           "ip",
           "tcp,nw_src=192.168.0.3,tp_dst=80",
           "tcp,tp_src=0x1230/0xfff0",
           "udp6,tp_dst=0x1000/0x1000",
           "sctp6,tp_src=5",
           "ip,nw_proto=47",
           "ipv6,nw_proto=47",
           "arp,arp_spa=1.1.1.1,arp_tpa=2.0.0.0/8,arp_op=2,arp_sha=00:00:00:00:00:01,arp_tha=00:00:00:00:00:02/"
           "00:00:00:00:00:03",
           "rarp,arp_op=3",
           "icmp,icmp_type=8,icmp_code=0",
           "icmp6,icmp_type=135,icmp_code=0,nd_target=fe80::/64,nd_sll=00:11:22:33:44:55",
           "icmp6,icmp_type=0x0/0xe0",
           "icmp,icmp_type=8,icmp_code=0x0/0xf0",
           "ipv6,ipv6_src=::1/::ff,ipv6_label=0x00005/0x000ff",
           "ipv6,ipv6_label=0x12345",
           "ip,nw_src=10.0.0.0/255.0.255.0",
           "ct_state=new|trk,udp6",
           "ct_state=+est-rel+rpl-inv+trk,ct_mark=0/0x1,ip",
           "ct_state=0,ip",
           "ct_zone=5,ct_mark=0x1/0x3,ct_label=0x1/0xff,ip",
           "tcp,tcp_flags=syn|ack",
           "tcp,tcp_flags=+syn-ack",
           "tcp,tcp_flags=0",
           "tcp,nw_tos=8,nw_ecn=1,nw_ttl=5,nw_frag=first",
           "ip,nw_frag=not_later",
           "mpls,mpls_label=3,mpls_tc=2,mpls_bos=1",
           "dl_vlan=4,dl_vlan_pcp=2,dl_type=0x88cc",
           "dl_vlan_pcp=7",
           "vlan_tci=0x0000",
           "vlan_tci=0x0000/0x1fff",
           "vlan_tci=0x1000/0x1000",
           "in_port=LOCAL,dl_vlan=9,dl_src=00:0a:e4:25:6b:b0",
           "in_port=CONTROLLER",
           "in_port=ANY",
           "dl_dst=01:00:00:00:00:00/01:00:00:00:00:00",
           "tun_id=0x1234000056780000/0xffff0000ffff0000",
           "tun_src=0.0.0.0/0.0.0.1",
           "tun_gbp_id=0x0/0x1",
           "tun_flags=-oam,dl_vlan=5",
           "tun_metadata0=0",
           "pkt_mark=0x3f0,reg0=0/0x1,reg9=0x20/0x20,metadata=0x5,nw_src=1.2.3.4",
           "conj_id=5,actset_output=3,reg0=0",
           "packet_type=(1,0x894f),nsh_flags=0,nsh_ttl=5,nsh_mdtype=1,nsh_np=3,nsh_spi=0x1234,nsh_si=255,nsh_c1=0x11",
       })
    EXPECT_EQ(normal(text), text);
}

// As the switch holds them, whose tables of masks are distinguished by every bit.
TEST(Match, TypesOfIcmpAndFlowLabelsTakeAllBitsOfTheirPlace) {
  const auto icmp = parse_match("icmp6,icmp_type=136,icmp_code=0"), udp = parse_match("udp6,tp_src=53,tp_dst=80");
  ASSERT_TRUE(icmp && udp);
  for (const FieldId port : {FieldId::tp_src, FieldId::tp_dst})
    EXPECT_EQ(mask_of(icmp->view(), port), mask_of(udp->view(), port));
  EXPECT_EQ(mask_of(parse_match("icmp,icmp_type=0x0/0xe0")->view(), FieldId::tp_src), 0xe0U);
}

TEST(Match, TypedFormsBecomeNormal) {
  EXPECT_EQ(normal("eth_type=0x800,ip_proto=6"), "tcp");
  EXPECT_EQ(normal("priority=4,ip,nw_proto=6"), "tcp");
  EXPECT_EQ(normal("ip6"), "ipv6");
  EXPECT_EQ(normal("xxreg1=1"), "reg4=0,reg5=0,reg6=0,reg7=0x1");
  EXPECT_EQ(normal("xreg4=0x100000002"), "reg8=0x1,reg9=0x2");
  EXPECT_EQ(normal("tcp,tp_src[6..10]=19"), "tcp,tp_src=0x4c0/0x7c0");
  EXPECT_EQ(normal("dl_vlan=65535"), "vlan_tci=0x0000");
  EXPECT_EQ(normal("vlan_tci=0x1123/0x1fff"), "dl_vlan=291");
  EXPECT_EQ(normal("in_port=local dl_vlan=9"), "in_port=LOCAL,dl_vlan=9");
  EXPECT_EQ(normal("ipv6,ipv6_dst=2001:db8:3c4d:1:2:3:4:5/127"), "ipv6,ipv6_dst=2001:db8:3c4d:1:2:3:4:4/127");
  EXPECT_EQ(normal("ip,nw_src=0.0.0.0/0"), "ip");
  EXPECT_EQ(normal("tcp,tcp_flags=0xfff"), "tcp,tcp_flags=fin|syn|rst|psh|ack|urg|ece|cwr|ns|[200]|[400]|[800]");
  EXPECT_EQ(normal("reg20=0x5"), "reg20=0x5");
}

TEST(Match, RefusesWhatIsNoMatch) {
  for (const std::string_view text : {"foo=1", "nw_src=1.2.3", "nw_src=1.2.3.4/33", "tp_dst=70000", "reg0=0x100000000", "tcp=5",
                                      "dl_vlan=9/0x1", "ip,nw_ecn=1/1", "tcp_flags=+ack-ack", "ct_state=+foo", "in_port=\"x",
                                      "nw_src=", "nw_src", "tcp,udp", "reg0=1,reg0=2", "reg0[=", "=", "[", "ipv6_src=1.2.3.4"})
    EXPECT_FALSE(parse_match(text)) << text;
}

TEST(Match, TellsTheColumn) {
  const auto m = parse_match("tcp,nw_src=1.2.3.4,tp_dst=x");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().column, 27u);
}

TEST(Match, PortNamesNeedNumbers) {
  EXPECT_FALSE(parse_match("in_port=\"veth-a\""));
  const auto ports = [](std::string_view name) { return name == "veth-a" ? std::optional<std::uint32_t>(7) : std::nullopt; };
  const auto m = parse_match("in_port=\"veth-a\"", ports);
  ASSERT_TRUE(m);
  EXPECT_EQ(format_match(m->view()), "in_port=7");
}

TEST(FlowKeyText, SetsWhatIsGiven) {
  const auto k = parse_flow_key("in_port=3,tcp,nw_src=10.0.0.1,tp_dst=80,ct_state=trk|new,metadata=0x2");
  ASSERT_TRUE(k);
  EXPECT_EQ(k->u32(FieldId::in_port), 3u);
  EXPECT_EQ(k->u32(FieldId::eth_type), ethertype::ipv4);
  EXPECT_EQ(k->u32(FieldId::nw_proto), ip_proto::tcp);
  EXPECT_EQ(k->u32(FieldId::ip_src), 0x0a000001u);
  EXPECT_EQ(k->u32(FieldId::tp_dst), 80u);
  EXPECT_EQ(k->u32(FieldId::ct_state), ct_state::trk | ct_state::new_);
  EXPECT_EQ(k->u64(FieldId::metadata), 2u);
  EXPECT_EQ(k->u32(FieldId::nw_ttl), 0u);
  EXPECT_FALSE(parse_flow_key("tcp,nw_dst=oops"));
}

TEST(FlowKeyText, ReadsNumbersAsTheSwitch) {
  const auto k =
      parse_flow_key("metadata=18446744073709551615,xreg0=-1,tun_src=10.0.0.1,tun_tos=88,ip,nw_ttl=010,nw_src=10.0.0.2");
  ASSERT_TRUE(k);
  EXPECT_EQ(k->u64(FieldId::metadata), ~std::uint64_t{0});
  EXPECT_EQ(k->u64(FieldId::xreg0), ~std::uint64_t{0});
  EXPECT_EQ(k->u32(FieldId::tun_tos), 88u) << "printed as 58";
  EXPECT_EQ(k->u32(FieldId::nw_ttl), 8u);
}

TEST(FlowKeyText, ReservedPortsPrecedePortsOfTheirName) {
  const auto ports = [](std::string_view name) { return name == "LOCAL" ? std::optional<std::uint32_t>(7) : std::nullopt; };
  const auto reserved = parse_flow_key("in_port=LOCAL", ports), named = parse_flow_key("in_port=\"LOCAL\"", ports);
  ASSERT_TRUE(reserved && named);
  EXPECT_EQ(reserved->u32(FieldId::in_port), openflow::port::local);
  EXPECT_EQ(named->u32(FieldId::in_port), 7u);
}

TEST(FlowKeyText, RefusesInTheWordsOfTheSwitch) {
  const auto refusal = [](std::string_view text) {
    const auto k = parse_flow_key(text);
    if (k) return std::string("taken");
    return k.error().message.substr(text.size() + 2);
  };
  EXPECT_EQ(refusal("metadata=18446744073709551616"),
            "bad value for metadata (18446744073709551616: value too large for 8-byte field metadata)");
  EXPECT_EQ(refusal("tun_tos=300"), "bad value for tun_tos (300: value too large for 1-byte field tun_tos)");
  EXPECT_EQ(refusal("in_port=0x1"), "bad value for in_port (0x1: invalid or unknown port for in_port)");
  EXPECT_EQ(refusal("dl_dst=*"), "bad value for dl_dst (*: wildcards not allowed here)");
  EXPECT_EQ(refusal("igmp_type=0x11"), "unknown field igmp_type");
  EXPECT_EQ(refusal("vlan_tci1=5"), "unknown field vlan_tci1");
  EXPECT_EQ(refusal("dl_type=0x800/1"), "bad value for dl_type (0x800/1: invalid mask for field eth_type)");
  EXPECT_EQ(refusal("dl_type=0x800/"), "bad value for dl_type (0x800/: bad syntax for eth_type mask)");
  EXPECT_EQ(refusal("packet_type=5"), "bad value for packet_type (5: bad syntax for packet type missing '(')");
  EXPECT_EQ(refusal("packet_type=(1 0x800)"), "bad value for packet_type (1 0x800): bad syntax for packet type missing ',')");
  EXPECT_EQ(refusal("packet_type=(1,,0x800)"), "bad value for packet_type (,0x800): bad syntax for packet type ns_type)");
}

TEST(FlowKeyText, TunnelHeadersOfTheDatapath) {
  const auto read = parse_datapath_flow(
      "tunnel(tun_id=0x5,src=10.0.0.1,dst=10.0.0.2,ttl=64,vxlan(gbp(id=5,flags=0x8)),flags(key)),in_port(1),eth()", 1);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key.u32(FieldId::tun_gbp_id), 5u);
  EXPECT_EQ(read->key.u32(FieldId::tun_gbp_flags), 8u);
  const auto frame = parse_datapath_flow("in_port(1),eth(),eth_type(0x8100),vlan(vid=1,pcp=0),encap()", 1);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->key.u32(FieldId::eth_type), 0x05ffu) << "802.2 in a VLAN";
  const auto nested = parse_datapath_flow("in_port(1),eth_type(0x8100),vlan(vid=1,pcp=0),encap(oops(1))", 1);
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().message, "syntax error at encap(oops(1))");
}

}  // namespace
}  // namespace egt::parsers
