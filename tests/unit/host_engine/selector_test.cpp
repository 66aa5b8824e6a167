// Policy rules that ask for code points and ports, and what fragments show of them. Seen with Linux 6.18.
#include <gtest/gtest.h>

#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

// What the only rule of its own matches leaves by out1, anything else by out0.
TestHost two_ways(bool v4 = true) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", v4 ? "10.1.0.1/24" : "fd00:1::1/64");
  h.link("out0", "02:00:00:00:00:02", v4 ? "10.2.0.1/24" : "fd00:2::1/64");
  h.link("out1", "02:00:00:00:00:03", v4 ? "10.3.0.1/24" : "fd00:3::1/64");
  h.routes(v4 ? "10.9.0.0/16 via 10.2.0.9 dev out0\n10.9.0.0/16 via 10.3.0.9 dev out1 table 7"
              : "fd00:9::/64 via fd00:2::9 dev out0\nfd00:9::/64 via fd00:3::9 dev out1 table 7");
  h.neighbour(v4 ? "10.2.0.9" : "fd00:2::9", "out0", "52:54:00:00:00:01");
  h.neighbour(v4 ? "10.3.0.9" : "fd00:3::9", "out1", "52:54:00:00:00:02");
  h.rules(v4 ? "100: from all lookup 7" : "100: from ::/0 lookup 7").local_table();
  return h;
}

host::PolicyRule& own_rule(TestHost& h, bool v4 = true) {
  auto& rules = v4 ? h.host().rules_v4.value : h.host().rules_v6.value;
  for (host::PolicyRule& r : rules)
    if (r.priority == 100) return r;
  return rules.front();
}

std::string device_of(TestHost& h, FlowKey packet, std::uint32_t tos = 0, std::uint32_t fragment = 0) {
  packet.set(FieldId::nw_tos, tos);
  packet.set(FieldId::ip_frag, fragment);
  Lab lab(h);
  return lab.receive("in0", packet).device;
}

FlowKey web(std::uint16_t from) { return udp("10.1.0.5", "10.9.0.1", from, 80); }

TEST(Selectors, CodePointIsTheWholeOneOrThatUnderTheMask) {
  TestHost h = two_ways();
  own_rule(h).dscp = 46;
  EXPECT_EQ(device_of(h, web(5), 0xb8), "out1");
  EXPECT_EQ(device_of(h, web(5), 0xbb), "out1");  // ECN does not count
  EXPECT_EQ(device_of(h, web(5), 0x18), "out0");  // the same as far as "tos" would look
  own_rule(h).dscp = 2, own_rule(h).dscp_mask = 3;
  EXPECT_EQ(device_of(h, web(5), 0xb8), "out1");
  EXPECT_EQ(device_of(h, web(5), 0xbc), "out0");
  own_rule(h).dscp = 0, own_rule(h).dscp_mask = 0x3f;  // unlike tos 0, this asks for something
  EXPECT_EQ(device_of(h, web(5), 0), "out1");
  EXPECT_EQ(device_of(h, web(5), 0xb8), "out0");
}

TEST(Selectors, CodePointOfIpv6) {
  TestHost h = two_ways(false);
  own_rule(h, false).dscp = 46;
  EXPECT_EQ(device_of(h, udp("fd00:1::5", "fd00:9::1", 5, 80), 0xb8), "out1");
  EXPECT_EQ(device_of(h, udp("fd00:1::5", "fd00:9::1", 5, 80), 0x18), "out0");
}

TEST(Selectors, PortsUnderAMask) {
  TestHost h = two_ways();
  own_rule(h).sport = host::PortRange{0x100, 0x100, 0xff00};
  EXPECT_EQ(device_of(h, web(0x100)), "out1");
  EXPECT_EQ(device_of(h, web(0x1ff)), "out1");
  EXPECT_EQ(device_of(h, web(0x200)), "out0");
}

TEST(Fragments, ShowRulesNoPorts) {
  TestHost h = two_ways();
  h.iptables("*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n");
  own_rule(h).dport = host::PortRange{80, 80};
  EXPECT_EQ(device_of(h, web(5)), "out1");
  EXPECT_EQ(device_of(h, web(5), 0, ip_frag::any), "out0");
  EXPECT_EQ(device_of(h, web(5), 0, ip_frag::any | ip_frag::later), "out0");
}

TEST(Fragments, ArePutTogetherWhereConnectionsAreTracked) {
  TestHost h = two_ways();
  h.iptables("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n");
  own_rule(h).dport = host::PortRange{80, 80};
  FlowKey first = web(5);
  first.set(FieldId::ip_frag, ip_frag::any);
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", first);
  EXPECT_EQ(o.device, "out1");
  EXPECT_EQ(o.packet.u32(FieldId::ip_frag), ip_frag::any);  // as it came
  EXPECT_FALSE(lab.proven());
  FlowKey later = first;
  later.set(FieldId::ip_frag, ip_frag::any | ip_frag::later);
  EXPECT_EQ(lab.receive("in0", later).kind, Kind::inconclusive);
}

// xt_udp.c, nft_payload.c: a rule that asks for what is not there does not match, turned around or not.
TEST(Fragments, LaterOnesHaveNoPortsForRules) {
  TestHost h = two_ways();
  own_rule(h).table = "main";
  h.iptables("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -p udp -m udp ! --dport 53 -j DROP\nCOMMIT\n");
  FlowKey packet = web(5);
  packet.set(FieldId::ip_frag, ip_frag::any);
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", packet).kind, Kind::dropped);
  packet.set(FieldId::ip_frag, ip_frag::any | ip_frag::later);
  EXPECT_EQ(lab.receive("in0", packet).kind, Kind::transmit);
}

TEST(Fragments, TheHostPutsTogetherWhatItKeeps) {
  TestHost h = two_ways();
  FlowKey packet = udp("10.1.0.5", "10.2.0.1", 5, 80);
  packet.set(FieldId::ip_frag, ip_frag::any);
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", packet);
  EXPECT_EQ(o.kind, Kind::delivered);
  EXPECT_EQ(o.packet.u32(FieldId::ip_frag), 0u);
  packet.set(FieldId::ip_frag, ip_frag::any | ip_frag::later);
  EXPECT_EQ(lab.receive("in0", packet).kind, Kind::inconclusive);
}

// rt6_multipath_hash(): of a fragment the protocol is that of its header, and ports do not count.
TEST(Fragments, MayTakeAnotherNextHopThanTheRestOfTheirFlow) {
  TestHost h = two_ways(false);
  own_rule(h, false).table = "9";
  h.routes("fd00:9::/64 nexthop via fd00:2::9 dev out0 weight 1 nexthop via fd00:3::9 dev out1 weight 1 table 9");
  FlowKey packet = udp("fd00:1::5", "fd00:9::1", 5, 80);
  Lab lab(h);
  lab.chooser.script = {0, 1};
  EXPECT_EQ(lab.receive("in0", packet).device, "out0");
  packet.set(FieldId::ip_frag, ip_frag::any);
  EXPECT_EQ(lab.receive("in0", packet).device, "out1");
  packet.set(FieldId::ip_frag, ip_frag::any | ip_frag::later);
  EXPECT_EQ(lab.receive("in0", packet).device, "out1");
  EXPECT_EQ(lab.chooser.points.size(), 2u);
}

}  // namespace
}  // namespace egt::test
