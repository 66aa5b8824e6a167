// Rules that rewrite headers, packets that are too long, errors about connections, and rules that nearly match.
#include <gtest/gtest.h>

#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

TestHost rewriting_router() {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").link("out0", "02:00:00:00:00:02", "10.1.0.1/24");
  h.routes("default via 10.1.0.9 dev out0");
  h.neighbour("10.1.0.9", "out0", "52:54:00:00:00:01").neighbour("10.0.0.5", "in0", "52:54:00:00:00:05");
  return h;
}

TEST(Rewrite, TtlAndDscpOfForwardedPackets) {
  TestHost h = rewriting_router();
  h.iptables(R"(*mangle
:PREROUTING ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
-A PREROUTING -s 10.0.0.0/24 -j TTL --ttl-set 32
-A FORWARD -s 10.0.0.0/24 -j TTL --ttl-inc 2
-A FORWARD -o out0 -j DSCP --set-dscp 0x0a
-A FORWARD -o out0 -j TOS --set-tos 0x02/0x03
COMMIT
)")
      .local_table();
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  ASSERT_EQ(out.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(out.packet.u32(FieldId::nw_ttl), 33u);
  EXPECT_EQ(tos_of(out.packet), 0x2au);
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
}

TEST(Rewrite, TooLongForTheDevice) {
  TestHost h = rewriting_router();
  h.at("out0").mtu = 1400;
  h.local_table();
  engine::NetworkState network_state;
  engine::Record record;
  ScriptedChooser chooser;
  Neighbours neighbours;
  FlowKey packet = tcp("10.0.0.5", "9.9.9.9", 4000, 80);
  engine::HostEngine engine(h.node, network_state, record, chooser, neighbours, {1500, {}});
  const HostOutcome out = engine.receive("in0", packet);
  ASSERT_EQ(out.kind, Kind::rejected);
  EXPECT_EQ(out.reject_with, "icmp-frag-needed");
  EXPECT_EQ(out.answer_mtu, 1400u);
  ASSERT_TRUE(out.answer);
  EXPECT_EQ(out.answer->packet.u32(FieldId::icmp_code), 4u);
}

TEST(Rewrite, TellsTheRuleThatNearlyMatched) {
  TestHost h = rewriting_router();
  h.iptables(R"(*nat
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s 10.0.0.0/24 -o other0 -j SNAT --to-source 10.1.0.7
-A POSTROUTING -s 10.9.0.0/24 -o out0 -j SNAT --to-source 10.1.0.8
-A POSTROUTING -o docker0 -j MASQUERADE
COMMIT
)")
      .local_table();
  Lab lab(h);
  lab.record.wants_misses = true;
  engine::HostEngine engine(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  const HostOutcome out = engine.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  ASSERT_EQ(out.kind, Kind::transmit);
  ASSERT_EQ(lab.record.misses.size(), 1u);
  const engine::RuleMiss& miss = lab.record.misses.front();
  EXPECT_EQ(miss.rule.chain, "POSTROUTING");
  ASSERT_EQ(miss.actual.size(), 1u);
  ASSERT_TRUE(miss.actual.front());
  EXPECT_EQ(std::get<netfilter::Text>(*miss.actual.front()).value, "out0");
}

}  // namespace
}  // namespace egt::test
