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
    lo.flags = {"LOOPBACK", "UP"};
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
    link.flags = {"UP", "LOWER_UP"};
    for (std::size_t at = 0; at < addresses.size();) {
      const std::size_t end = std::min(addresses.find(' ', at), addresses.size());
      link.addresses.emplace_back().prefix = *Prefix::parse(addresses.substr(at, end - at));
      at = end + 1;
    }
    host.links.present = true;
    host.links.value.push_back(std::move(link));
  }
  void set(const std::string& key, const std::string& value) {
    auto& sysctl = cluster.ensure_node("other").host.sysctl;
    sysctl.present = true;
    sysctl.value["net.ipv4.conf." + key] = {value, {}};
  }
  std::uint64_t answer(const std::string& address) {
    Topology topology(cluster);
    const auto mac = topology.resolve(*cluster.node("asker"), "eth0", *IpAddr::parse(address));
    return mac ? mac->value : 0;
  }

  cluster::Cluster cluster;
};

TEST_F(WhoAnswers, AnyDeviceOfTheMachineForAnyOfItsAddresses) {
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

TEST_F(WhoAnswers, OfIpv6NeverAnotherDevice) {
  EXPECT_EQ(answer("fd00::1"), kFront);
  EXPECT_EQ(answer("fd00:1::1"), 0u);
}

TEST_F(WhoAnswers, ProxiesForWhatTheySendOn) {
  host::Host& host = cluster.ensure_node("other").host;
  host::Route route;
  route.to = *Prefix::parse("10.7.0.0/16");
  route.table = "main";
  route.next_hops.push_back({std::nullopt, "eth1", 1, false, false, false});
  host.routes_v4.present = true;
  host.routes_v4.value.push_back(route);
  EXPECT_EQ(answer("10.7.0.1"), 0u);
  set("eth0.proxy_arp", "1");
  EXPECT_EQ(answer("10.7.0.1"), kFront);
  set("eth0.forwarding", "0");
  EXPECT_EQ(answer("10.7.0.1"), 0u);
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
