// Who answers on a link. What a kernel (6.18) was seen to answer is in the tests of arp_ignore.
#include "../libtrace/engine/src/journey/topology.h"

#include <gtest/gtest.h>

namespace egt::engine {
namespace {

constexpr std::uint64_t kFront = 0x020000000001, kBack = 0x020000000002;

class WhoAnswers : public testing::Test {
 protected:
  WhoAnswers() {
    add("asker", "eth0", 0x020000000009, "10.0.0.9/24 fd00::9/64");
    add("other", "eth0", kFront, "10.0.0.1/24 fd00::1/64");
    add("other", "eth1", kBack, "10.1.0.1/24 fd00:1::1/64");
    host::Link lo;
    lo.name = "lo";
    lo.link_type = "loopback";
    lo.flags = {"LOOPBACK,UP"};
    lo.addresses.push_back({});
    lo.addresses.back().prefix = *Prefix::parse("203.0.113.7/32");
    cluster.ensure_node("other").host.links.value.push_back(lo);
  }

  void add(const std::string& node, const std::string& name, std::uint64_t mac, const std::string& addresses) {
    host::Host& host = cluster.ensure_node(node).host;
    host::Link link;
    link.name = name;
    link.mac = MacAddr{mac};
    link.link_type = "ether";
    link.flags = {"UP,LOWER_UP"};
    for (std::size_t at = 0; at < addresses.size();) {
      const std::size_t end = std::min(addresses.find(' ', at), addresses.size());
      link.addresses.emplace_back().prefix = *Prefix::parse(addresses.substr(at, end - at));
      at = end + 1;
    }
    host.links.present = true;
    host.links.value.push_back(std::move(link));
  }
  void add_route(const std::string& to, const std::string& device) {
    auto& routes = cluster.ensure_node("other").host.routes_v4;
    routes.present = true;
    host::Route& route = routes.value.emplace_back();
    route.to = *Prefix::parse(to);
    route.next_hops.push_back({std::nullopt, device, 1, false, false, false});
  }
  void set(const std::string& key, const std::string& value) {
    auto& sysctl = cluster.ensure_node("other").host.sysctl;
    sysctl.present = true;
    sysctl.value["net.ipv4.conf." + key] = {value, {}};
  }
  std::uint64_t answer(const std::string& address, const std::string& asker = "10.0.0.9") {
    Topology topology(cluster);
    const auto mac = topology.neighbours().resolve(*cluster.node("asker"), "eth0", *IpAddr::parse(address), IpAddr::parse(asker));
    return mac ? mac->mac.value : 0;
  }

  cluster::Cluster cluster;
};

TEST_F(WhoAnswers, AnyDeviceOfTheNodeForAnyOfItsAddresses) {
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.1.0.1"), kFront);     // by the device that was asked
  EXPECT_EQ(answer("203.0.113.7"), kFront);  // of lo
  EXPECT_EQ(answer("10.0.0.77"), 0u);
}

TEST_F(WhoAnswers, OnlyTheDeviceThatHasItWhereArpIgnoreSaysSo) {
  set("all.arp_ignore", "1");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.1.0.1"), 0u);
  EXPECT_EQ(answer("203.0.113.7"), 0u);
  set("eth0.arp_ignore", "8");
  EXPECT_EQ(answer("10.0.0.1"), 0u);
}

// arp_ignore 2 and 3: inet_confirm_addr().
TEST_F(WhoAnswers, OnlyToAskersOfItsSubnetOrNotOfScopeHost) {
  set("eth0.arp_ignore", "2");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.0.0.1", "10.1.0.9"), 0u);
  EXPECT_EQ(answer("10.1.0.1"), 0u);
  set("eth0.arp_ignore", "3");
  EXPECT_EQ(answer("10.1.0.1"), kFront);
  cluster.ensure_node("other").host.links.value.back().addresses.back().scope = "host";
  EXPECT_EQ(answer("203.0.113.7"), 0u);
}

// An address whose subnet is its peer's is nowhere on a subnet of its own.
TEST_F(WhoAnswers, PointToPointAddressesAreNotConfirmed) {
  cluster.ensure_node("other").host.links.value.front().addresses.front().peer = IpAddr::parse("10.6.0.2");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  for (const char* value : {"1", "2", "3"}) {
    set("eth0.arp_ignore", value);
    EXPECT_EQ(answer("10.0.0.1"), 0u) << value;
  }
}

// Two devices of the node on the link: each answers for both of its addresses, until something distinguishes one not to.
TEST_F(WhoAnswers, SeveralDevicesOfOneNode) {
  add("other", "eth2", kBack, "10.0.0.2/24");
  EXPECT_EQ(answer("10.0.0.1"), 0u);
  set("all.arp_filter", "1");
  add_route("10.0.0.0/24", "eth0");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.0.0.2"), kFront);  // asked by eth2, it would answer by eth0, and so keeps silent there
  set("all.arp_filter", "0");
  EXPECT_EQ(answer("10.0.0.2"), 0u);
  set("all.rp_filter", "0");
  set("eth2.rp_filter", "1");
  EXPECT_EQ(answer("10.0.0.2"), kFront);
}

TEST_F(WhoAnswers, NobodyWhoseReversePathFilterRefusesTheAsker) {
  set("all.rp_filter", "0");
  set("eth0.rp_filter", "1");
  add_route("10.0.0.0/24", "eth0");
  add_route("172.16.0.0/16", "eth1");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.0.0.1", "172.16.0.9"), 0u);
}

// arp_process(): the question is routed first.
TEST_F(WhoAnswers, NobodyWhomPolicyRulesLeadElsewhere) {
  auto& rules = cluster.ensure_node("other").host.rules_v4;
  rules.present = true;
  host::PolicyRule& main = rules.value.emplace_back();
  main.family = Family::v4, main.priority = 32766, main.table = "main";
  host::PolicyRule& local = rules.value.emplace_back(main);
  local.priority = 32768, local.table = "local";
  add_route("10.9.0.0/16", "eth1");
  EXPECT_EQ(answer("10.0.0.1"), kFront);
  EXPECT_EQ(answer("10.0.0.1", ""), kFront);
  add_route("10.0.0.0/24", "eth0");
  EXPECT_EQ(answer("10.0.0.1"), 0u);
  EXPECT_EQ(answer("10.0.0.1", ""), kFront);  // a probe asks the local table alone
}

TEST_F(WhoAnswers, OfIpv6NeverAnotherDevice) {
  EXPECT_EQ(answer("fd00::1"), kFront);
  EXPECT_EQ(answer("fd00:1::1"), 0u);
}

TEST_F(WhoAnswers, ProxiesForWhatTheySendOn) {
  add_route("10.7.0.0/16", "eth1");
  EXPECT_EQ(answer("10.7.0.1"), 0u);
  set("eth0.proxy_arp", "1");
  EXPECT_EQ(answer("10.7.0.1"), kFront);
  add_route("10.7.0.0/24", "eth0");  // the asker could send there itself
  EXPECT_EQ(answer("10.7.0.1"), 0u);
  EXPECT_EQ(answer("10.7.1.1"), kFront);
  set("eth0.forwarding", "0");
  EXPECT_EQ(answer("10.7.1.1"), 0u);
}

// A private VLAN: its members reach each other by the node alone (arp_fwd_pvlan()).
TEST_F(WhoAnswers, ProxiesForNeighboursOfAPrivateVlan) {
  add_route("10.0.0.0/24", "eth0");
  EXPECT_EQ(answer("10.0.0.77"), 0u);
  set("eth0.proxy_arp_pvlan", "1");
  EXPECT_EQ(answer("10.0.0.77"), kFront);
  add_route("10.7.0.0/16", "eth1");
  EXPECT_EQ(answer("10.7.0.1"), 0u);
}

TEST_F(WhoAnswers, ProbesAreAnsweredForOwnAddressesAlone) {
  add_route("10.7.0.0/16", "eth1");
  set("eth0.proxy_arp", "1");
  EXPECT_EQ(answer("10.7.0.1"), kFront);
  EXPECT_EQ(answer("10.7.0.1", ""), 0u);
  EXPECT_EQ(answer("10.0.0.1", ""), kFront);
}

TEST_F(WhoAnswers, ProxyEntries) {
  host::Neighbour entry;
  entry.address = *IpAddr::parse("10.8.0.1");
  entry.device = "eth0";
  entry.proxy = true;
  cluster.ensure_node("other").host.neighbours.value.push_back(entry);
  EXPECT_EQ(answer("10.8.0.1"), kFront);
}

}  // namespace
}  // namespace egt::engine
