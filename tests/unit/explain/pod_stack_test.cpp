// A pod's own network namespace decides where its packets go, as its kernel was seen to (Linux 6.18: errors of connect() and bind()).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using nlohmann::json;

constexpr const char* kAddresses =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 \n    inet 127.0.0.1/8 scope host lo\n"
    "       valid_lft forever preferred_lft forever\n"
    "2: net7@if714: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue state UP group default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:0d brd ff:ff:ff:ff:ff:ff link-netnsid 0 promiscuity 0 \n    veth \n"
    "    inet 10.132.0.13/23 brd 10.132.1.255 scope global net7\n       valid_lft forever preferred_lft forever\n";
constexpr const char* kRoutes =
    "default via 10.132.0.1 dev net7 \n10.132.0.0/23 dev net7 proto kernel scope link src 10.132.0.13 \n"
    "local 10.132.0.13 dev net7 table local proto kernel scope host src 10.132.0.13 \n"
    "broadcast 10.132.1.255 dev net7 table local proto kernel scope link src 10.132.0.13 \n"
    "local 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1 \n";
constexpr const char* kRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";

class PodStack : public ::testing::Test {
 protected:
  void write(const std::string& command, const std::string& text) {
    sample_.write("master-02-demo/netns/demo-egress_requester-2a/ip_netns_exec_demo-egress_requester-2a_" + command, text);
  }
  static std::string changed(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
  }
  void stack(const std::string& addresses, const std::string& routes) {
    write("ip_-d_addr", addresses);
    write("ip_rule_list", kRules);
    write("ip_route_show_table_all", routes);
  }
  json explained(const std::string& from, const std::string& to, const std::string& bytes = "60") const {
    return json::parse(egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", from, "--to", to, "--proto",
                                          "icmp", "--size", bytes, "--df", "--format", "json"})
                           .out);
  }
  // Of the host's end of the pod's veth.
  void set_host_mtu(const std::string& bytes) {
    const std::string begin = "714: ce3e4c21937ca06@if713: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu ";
    for (const char* dump : {"master-02-demo/ip_-d_link", "master-02-demo/ip_-d_addr"})
      sample_.replace(dump, begin + "1400", begin + bytes);
  }
  static std::string reason(const json& e) {
    const json& path = e.at("paths").at(0);
    return path.contains("stopped_at") ? path.at("stopped_at").value("reason", "") : "";
  }

  static constexpr const char* kPod = "demo-egress/requester-2a";
  egt::testing::Sample sample_;
};

TEST_F(PodStack, OfTheUsualKindChangesNothing) {
  const json before = explained(kPod, "192.168.55.13");
  stack(kAddresses, kRoutes);
  const json now = explained(kPod, "192.168.55.13");
  EXPECT_EQ(before.at("summary"), now.at("summary"));
  EXPECT_EQ(before.at("confidence"), now.at("confidence"));
}

TEST_F(PodStack, WithoutARouteRefuses) {
  stack(kAddresses, changed(kRoutes, "default via 10.132.0.1 dev net7 \n", ""));
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "proven");
  EXPECT_EQ(reason(e), "no-route");
  EXPECT_NE(e.dump().find("ENETUNREACH"), std::string::npos);
}

TEST_F(PodStack, WhoseDeviceIsDownRefuses) {
  stack(changed(kAddresses, "MULTICAST,UP,LOWER_UP", "MULTICAST"),
        "local 10.132.0.13 dev net7 table local proto kernel scope host src 10.132.0.13 \n"
        "local 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1 \n");
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(reason(e), "no-route");
  const json to = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(to.at("outcome"), "unanswered") << to.at("summary");
  EXPECT_EQ(reason(to), "device-down");
}

TEST_F(PodStack, WhoseDeviceIsDownRefusesWithoutItsRoutes) {
  write("ip_-d_addr", changed(kAddresses, "MULTICAST,UP,LOWER_UP", "MULTICAST"));
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(reason(e), "device-down");
}

TEST_F(PodStack, WithoutTheAddressTakesNothing) {
  stack(changed(kAddresses, "inet 10.132.0.13/23", "inet 10.132.0.99/23"), kRoutes);
  const json to = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(to.at("outcome"), "unanswered") << to.at("summary");
  EXPECT_EQ(reason(to), "address-not-of-pod");
}

TEST_F(PodStack, TakesNothingFromItsOwnAddress) {
  stack(changed(kAddresses, "scope global net7\n", "scope global net7\n    inet 10.133.0.9/32 scope global net7\n"), kRoutes);
  const json to = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(to.at("outcome"), "unanswered") << to.at("summary");
  EXPECT_EQ(reason(to), "own-source");
  EXPECT_NE(to.at("assumptions").dump().find("accept_local"), std::string::npos) << to.at("assumptions");
}

// A socket that is bound to no address sends from the one that the pod has; what is bound to the pod's address in OVN fails.
// A second device, by which the pod would answer.
TEST_F(PodStack, TakesBySourceWhatItsReversePathFilterLets) {
  stack(kAddresses,
        changed(kRoutes, "10.132.0.0/23 dev net7", "10.133.0.0/23 dev net8 proto kernel scope link\n10.132.0.0/23 dev net7"));
  const json open = explained("demo-egress/requester-3a", kPod);
  const std::string assumed = open.at("assumptions").dump();
  EXPECT_NE(assumed.find("net.ipv4.conf.net7.rp_filter in demo-egress/requester-2a is 0"), std::string::npos) << assumed;
  write("sysctl_-a", "net.ipv4.conf.all.rp_filter = 1\nnet.ipv4.conf.net7.rp_filter = 0\n");
  const json strict = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(strict.at("outcome"), "unanswered") << strict.at("summary");
  EXPECT_EQ(reason(strict), "reverse-path-other-device");
  write("sysctl_-a", "net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.net7.rp_filter = 2\n");
  const json loose = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(loose.at("outcome"), "undecided") << loose.at("summary");  // of the reply, which leaves by net8
  EXPECT_EQ(loose.at("assumptions").dump().find("rp_filter"), std::string::npos) << loose.at("assumptions");
}

TEST_F(PodStack, TakesNoFrameOfAVlanThatItLacks) {
  const std::string flows = "master-02-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  sample_.replace(flows, "priority=100,reg15=0x5,metadata=0x1 actions=output:5",
                  "priority=100,reg15=0x5,metadata=0x1 actions=mod_vlan_vid:77,output:5");
  const json unknown = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(reason(unknown), "vlan-without-device") << unknown.at("summary");
  EXPECT_NE(unknown.at("assumptions").dump().find("demo-egress/requester-2a has no device for VLAN 77"), std::string::npos);
  stack(kAddresses, kRoutes);
  const json none = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(none.at("outcome"), "unanswered") << none.at("summary");
  EXPECT_EQ(reason(none), "vlan-without-device");
  EXPECT_EQ(none.at("confidence"), "proven") << none.at("assumptions");
  const std::string upper =
      "3: net7.77@net7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue state UP group default qlen 1000\n"
      "    link/ether 0a:58:0a:84:00:0d brd ff:ff:ff:ff:ff:ff promiscuity 0 \n    vlan protocol 802.1Q id 77 <REORDER_HDR> \n";
  stack(kAddresses + upper, kRoutes);
  EXPECT_EQ(explained("demo-egress/requester-3a", kPod).at("outcome"), "answered");
  const std::string by_name =
      "3: net7.77@net7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue state UP group default qlen 1000\n"
      "    link/ether 0a:58:0a:84:00:0d brd ff:ff:ff:ff:ff:ff\n";
  stack(kAddresses + by_name, kRoutes);
  EXPECT_EQ(explained("demo-egress/requester-3a", kPod).at("outcome"), "answered");
  sample_.replace(flows, "mod_vlan_vid:77,output:5", "mod_vlan_vid:77,mod_vlan_vid:0,output:5");
  stack(kAddresses, kRoutes);
  EXPECT_EQ(explained("demo-egress/requester-3a", kPod).at("outcome"), "answered");
}

TEST_F(PodStack, SendsFromTheAddressThatItHas) {
  stack(changed(kAddresses, "inet 10.132.0.13/23", "inet 10.132.0.99/23"), kRoutes);
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_NE(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "assumed");
  EXPECT_NE(e.at("assumptions").dump().find("sends from 10.132.0.99"), std::string::npos) << e.at("assumptions");
}

TEST_F(PodStack, WithoutAnyAddressRefuses) {
  stack(
      changed(kAddresses,
              "    inet 10.132.0.13/23 brd 10.132.1.255 scope global net7\n       valid_lft forever preferred_lft forever\n", ""),
      "default dev net7 scope link \n");
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(reason(e), "source-not-own");
}

TEST_F(PodStack, KeepsWhatGoesToAnyOfItsAddresses) {
  EXPECT_EQ(explained(kPod, "192.168.55.13").at("summary").dump().find("by lo"), std::string::npos);
  stack(changed(kAddresses, "scope global net7\n", "scope global net7\n    inet 192.168.55.13/32 scope global net7\n"), kRoutes);
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("confidence"), "assumed");
  EXPECT_NE(e.at("summary").dump().find("whose kernel delivers the packet by lo"), std::string::npos) << e.at("summary");
  EXPECT_EQ(e.at("assumptions").at(0).at("evidence").size(), 1U);
}

TEST_F(PodStack, SendsToTheNextHopOfItsRoute) {
  stack(kAddresses, changed(kRoutes, "default via 10.132.0.1 ", "default via 10.132.0.77 "));
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(reason(e), "pod-next-hop-unknown");
}

TEST_F(PodStack, SendsByADeviceOfItsOwn) {
  stack(
      kAddresses +
          std::string("3: tun0: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1400 qdisc noqueue state UNKNOWN group default qlen 500\n"
                      "    link/none \n    inet 10.8.0.2/24 scope global tun0\n       valid_lft forever preferred_lft forever\n"),
      changed(kRoutes, "default via 10.132.0.1 dev net7 ", "default dev tun0 scope link "));
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(reason(e), "pod-sends-by-other");
}

TEST_F(PodStack, SendsToTheMacOfItsNeighbour) {
  stack(kAddresses, kRoutes);
  write("ip_-s_-s_neigh_show", "10.132.0.1 dev net7 lladdr 0a:58:0a:84:00:77 used 5/5/5 probes 0 PERMANENT\n");
  const json e = explained(kPod, "192.168.55.13");
  EXPECT_NE(e.at("outcome"), "answered") << e.at("summary");
}

TEST_F(PodStack, WhoseDeviceHasAnotherMacTakesNoFrame) {
  stack(changed(kAddresses, "0a:58:0a:84:00:0d", "0a:58:0a:84:00:ee"), kRoutes);
  const json to = explained("demo-egress/requester-3a", kPod);
  EXPECT_EQ(to.at("outcome"), "unanswered") << to.at("summary");
  EXPECT_EQ(reason(to), "mac-not-of-pod");
}

// The launcher of a VM hands packets on by a bridge: what the VM has does not stand there.
TEST_F(PodStack, OfAVirtualMachineShowsNothing) {
  stack(changed(kAddresses, "mtu 1400 qdisc noqueue state UP", "mtu 1400 qdisc noqueue master k6t-eth0 state UP"), "");
  EXPECT_EQ(explained(kPod, "192.168.55.13").at("outcome"), "answered");
}

// As the kernel was seen to: what the other end of a veth does not take is lost (is_skb_forwardable()).
TEST_F(PodStack, SendsMoreThanTheHostsEndTakes) {
  set_host_mtu("600");
  json e = explained(kPod, "192.168.55.13", "1380");
  EXPECT_EQ(e.at("outcome"), "refused");
  EXPECT_EQ(e.at("confidence"), "assumed");
  stack(kAddresses, kRoutes);
  e = explained(kPod, "192.168.55.13", "1380");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "proven");
  EXPECT_EQ(reason(e), "mtu-exceeded");
  EXPECT_EQ(reason(explained(kPod, "192.168.55.13", "605")), "mtu-exceeded");
  EXPECT_NE(e.at("paths").at(0).dump(), explained(kPod, "192.168.55.13", "604").at("paths").at(0).dump());
}

TEST_F(PodStack, TakesNoMoreThanItsDevice) {
  stack(changed(kAddresses, "mtu 1400", "mtu 600"), kRoutes);
  EXPECT_TRUE(explained("demo-egress/requester-3a", kPod, "604").at("paths").at(0).at("stopped_at").is_null());
  const json e = explained("demo-egress/requester-3a", kPod, "605");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(reason(e), "mtu-exceeded");
}

TEST_F(PodStack, SendsNoMoreThanItsRoute) {
  stack(kAddresses, changed(kRoutes, "dev net7 \n", "dev net7 mtu 1000 \n"));
  EXPECT_NE(explained(kPod, "192.168.55.13", "1000").at("outcome"), "refused");
  const json e = explained(kPod, "192.168.55.13", "1001");
  EXPECT_EQ(e.at("outcome"), "refused") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "proven");
}

}  // namespace
