// What NAT statements decide.
#include "netfilter_support.h"

namespace egt::engine {
namespace {

std::string nat_chain(Hook hook, const std::string& rule) {
  return in_chain(hook == Hook::postrouting ? "nat hook postrouting priority srcnat; policy accept;"
                                            : "nat hook prerouting priority dstnat; policy accept;",
                  rule);
}
std::optional<NatDecision> decide(Hook hook, const std::string& rule) {
  Scene s(nat_chain(hook, rule));
  return s.run(hook, Stage::nat).nat;
}

TEST(NetfilterNat, DestinationWithPort) {
  const auto d = decide(Hook::prerouting, "tcp dport 80 dnat ip to 192.0.2.7:8080");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->address->to_string(), "192.0.2.7");
  EXPECT_EQ(d->port, 8080);
  EXPECT_FALSE(d->source);
  EXPECT_FALSE(d->port_uncertain);
}

TEST(NetfilterNat, PortRanges) {
  EXPECT_EQ(decide(Hook::prerouting, "dnat ip to 192.0.2.7:70-90")->port, 80);        // inside: kept
  EXPECT_EQ(decide(Hook::prerouting, "dnat ip to 192.0.2.7:8000-8010")->port, 8000);  // outside: the first
  const auto snat = decide(Hook::postrouting, "meta l4proto tcp masquerade to :1024-2048");
  EXPECT_TRUE(snat->port_uncertain);
  EXPECT_FALSE(snat->address);
}

TEST(NetfilterNat, MapsDecideOrDoNotApply) {
  EXPECT_FALSE(decide(Hook::postrouting, "snat ip to ip saddr map { 10.0.0.6 : 192.0.2.1 }"));
  EXPECT_EQ(decide(Hook::postrouting, "snat ip to ip saddr map { 10.0.0.5 : 192.0.2.1 }")->address->to_string(), "192.0.2.1");
  const auto d = decide(Hook::prerouting, "dnat ip to ip daddr . tcp dport map { 10.0.0.9 . 80 : 192.0.2.7 . 8443 }");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->port, 8443);
}

TEST(NetfilterNat, OtherFamiliesPass) { EXPECT_FALSE(decide(Hook::postrouting, "snat ip6 to fd00::1")); }

TEST(NetfilterNat, PrefixesMapOneToOne) {
  const auto d = decide(Hook::postrouting, "snat ip prefix to ip saddr map { 10.0.0.0/24 : 192.0.2.0/24 }");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->address->to_string(), "192.0.2.5");
}

TEST(NetfilterNat, RangesAreAsked) {
  Scene s(nat_chain(Hook::postrouting, "snat ip to 192.0.2.1-192.0.2.3"));
  s.chooser.answers = {1};
  const auto d = s.run(Hook::postrouting, Stage::nat).nat;
  ASSERT_TRUE(d);
  EXPECT_EQ(d->address->to_string(), "192.0.2.2");
  ASSERT_EQ(s.chooser.asked.size(), 1U);
  EXPECT_EQ(s.chooser.asked[0].options.size(), 3U);
}

}  // namespace
}  // namespace egt::engine
