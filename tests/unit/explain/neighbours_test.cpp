// Next hops that do not answer, or whose MAC is another's, and frames that come back by a veth of the same node.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using nlohmann::json;

class Neighbours : public ::testing::Test {
 protected:
  json explained(const std::string& from, const std::string& to) const {
    const auto ran =
        egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", from, "--to", to, "--format", "json"});
    const json e = json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(e.is_discarded()) << ran.out << ran.err;
    return e;
  }
  void let_router_fail() {
    sample_.replace("master-02-demo/ip_neigh", "192.168.99.12 dev br-ex lladdr 52:54:00:3a:76:95 REACHABLE",
                    "192.168.99.12 dev br-ex FAILED");
  }
  void drop_requests_of_bridge() {
    sample_.append("master-02-demo/ovs-ofctl_dump-flows_br-ex",
                   " cookie=0x0, table=0, n_packets=0, priority=900,arp,in_port=LOCAL,arp_op=1 actions=drop\n");
  }

  egt::testing::Sample sample_;
};

// The kernel's table says that the router does not answer; a healthy way to it makes that a matter of the past.
TEST_F(Neighbours, FailedEntryOfANodeThatAnswers) {
  let_router_fail();
  EXPECT_NE("refused", explained("node:master-02-demo", "192.168.55.13:80")["outcome"]);
}

TEST_F(Neighbours, RequestThatThePortDoesNotForward) {
  let_router_fail();
  const std::string uplink = " 1(enp1s0): addr:00:50:56:8e:2a:32\n     config:     ";
  sample_.replace("master-02-demo/ovs-ofctl_show_br-ex", uplink + "0", uplink + "NO_FWD");
  const json e = explained("node:master-02-demo", "192.168.55.13:80");
  EXPECT_EQ("refused", e["outcome"]);
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_EQ("neighbour-discovery-lost", e["fault"]["reason"]);
}

// Of a tunnel in the userspace datapath the switch asks, by the flows that a host's request takes.
TEST_F(Neighbours, RequestOfASwitchThatAFlowDrops) {
  EXPECT_EQ("answered", explained("demo-web/web-2", "demo-web/web-3")["outcome"]);
  drop_requests_of_bridge();
  const json e = explained("demo-web/web-2", "demo-web/web-3");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_EQ("neighbour-discovery-lost", e["fault"]["reason"]);
  EXPECT_EQ("neighbour 192.168.99.25 on br-ex", e["fault"]["where"]);
  sample_.append("master-02-demo/ip_neigh", "192.168.99.25 dev br-ex lladdr 00:50:56:8e:2a:33 STALE\n");
  EXPECT_EQ("answered", explained("demo-web/web-2", "demo-web/web-3")["outcome"]);
}

// With routes and neighbours of the switch, and without its neighbours alone.
TEST_F(Neighbours, RequestOfASwitchWithRoutes) {
  drop_requests_of_bridge();
  sample_.write("master-02-demo/ovs-appctl_ovs.route.show",
                "Route Table:\nCached: 192.168.99.24/32 dev br-ex SRC 192.168.99.24 local\n"
                "Cached: 192.168.99.0/24 dev br-ex SRC 192.168.99.24\n");
  const auto lost = [&] {
    return explained("demo-web/web-2", "demo-web/web-3").at("fault").dump().find("neighbour-discovery-lost") != std::string::npos;
  };
  EXPECT_TRUE(lost());
  const std::string heading =
      "IP                                            MAC                 Bridge\n" + std::string(74, '=') + "\n";
  sample_.write("master-02-demo/ovs-appctl_tnl.arp.show", heading);
  EXPECT_TRUE(lost());
  sample_.append("master-02-demo/ovs-appctl_tnl.arp.show",
                 "192.168.99.25                                 00:50:56:8e:2a:33   br-ex\n");
  EXPECT_FALSE(lost());
}

// Of two faults the one that loses the packet itself is shown.
TEST_F(Neighbours, PortOfATunnelThatDoesNotForward) {
  const std::string uplink = " 1(enp1s0): addr:00:50:56:8e:2a:32\n     config:     ";
  sample_.replace("master-02-demo/ovs-ofctl_show_br-ex", uplink + "0", uplink + "NO_FWD");
  const json e = explained("demo-web/web-2", "demo-web/web-3");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("proven", e["confidence"]);
  EXPECT_EQ("port-no-forward", e["fault"]["reason"]);
}

TEST_F(Neighbours, SolicitationThatTheReceiverDrops) {
  const std::string drop =
      "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n"
      "-A INPUT -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j DROP\nCOMMIT\n";
  sample_.replace("router/ip_neigh", "fd55::13 dev enp7s0 lladdr 52:54:00:5a:30:9c REACHABLE", "fd55::13 dev enp7s0 FAILED");
  EXPECT_NE("refused", explained("demo-web/web-2", "[fd55::13]:80")["outcome"]);
  sample_.append("server/ip6tables-save", drop);
  for (const char* nft : {"server/nft_list_ruleset", "server/nft_-j_list_ruleset"}) sample_.remove(nft);
  const json e = explained("demo-web/web-2", "[fd55::13]:80");
  EXPECT_EQ("refused", e["outcome"]);
  EXPECT_EQ("neighbour-discovery-lost", e["fault"]["reason"]);
}

// Solicitations and advertisements with a MAC have 32 bytes behind the IPv6 header.
TEST_F(Neighbours, AdvertisementThatARuleDropsByItsLength) {
  sample_.replace("router/ip_neigh", "fd55::13 dev enp7s0 lladdr 52:54:00:5a:30:9c REACHABLE", "fd55::13 dev enp7s0 FAILED");
  for (const char* nft : {"server/nft_list_ruleset", "server/nft_-j_list_ruleset"}) sample_.remove(nft);
  const auto with = [&](const std::string& length) {
    sample_.write("server/nft_list_ruleset",
                  "table inet t {\n\tchain c {\n\t\ttype filter hook output priority filter; policy accept;\n\t\tip6 length " +
                      length + " drop\n\t}\n}\n");
    return explained("demo-web/web-2", "[fd55::13]:80").at("paths").at(0).dump();
  };
  EXPECT_NE(with("< 33").find("neighbour-discovery-lost"), std::string::npos);
  EXPECT_EQ(with("< 32").find("neighbour-discovery-lost"), std::string::npos);
}

// OVN answers a node for its pods, where no flow drops the request before.
TEST_F(Neighbours, RequestForAPodThatAFlowDrops) {
  EXPECT_EQ("proven", explained("node:master-03-demo", "10.133.0.9:80")["confidence"]);
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  sample_.append(flows, " cookie=0x0, table=0, n_packets=0, priority=200,arp,in_port=1,arp_op=1 actions=drop\n");
  const json e = explained("node:master-03-demo", "10.133.0.9:80");
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
  EXPECT_EQ("neighbour-discovery-lost", e["fault"]["reason"]);
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_NE(e.dump().find("arp,in_port=1,arp_op=1"), std::string::npos);
}

// The answer leaves by every port but the one of who asked.
TEST_F(Neighbours, ReplyForAPodThatAFlowSendsElsewhere) {
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  sample_.append(flows,
                 " cookie=0x0, table=0, n_packets=0, priority=200,arp,in_port=1,arp_op=1 "
                 "actions=load:0x2->NXM_OF_ARP_OP[],load:0xa850009->NXM_OF_ARP_SPA[],FLOOD\n");
  const json e = explained("node:master-03-demo", "10.133.0.9:80");
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
  EXPECT_EQ("neighbour-discovery-lost", e["fault"]["reason"]);
}

// What OVN learned for the next hop is nobody's MAC, and the next hop has another.
TEST_F(Neighbours, NextHopWithTheMacOfAStranger) {
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  const std::string entry = "reg0=0xc0a8630c,reg15=0x2,metadata=0x5 actions=mod_dl_dst:";
  sample_.replace(flows, entry + "52:54:00:3a:76:95", entry + "02:00:5e:00:53:02");
  const json e = explained("demo-web/web-3", "192.168.55.13:80");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("neighbour-is-stranger", e["fault"]["reason"]);
  EXPECT_EQ("assumed", e["confidence"]);
}

// The pod is behind another device, where its own entry is right.
TEST_F(Neighbours, NextHopWithTheMacOfAPod) {
  const std::string table = "master-03-demo/ip_neigh", pod = "0a:58:0a:85:00:09";
  sample_.replace(table, "192.168.99.12 dev br-ex lladdr 52:54:00:3a:76:95 STALE",
                  "192.168.99.12 dev br-ex lladdr " + pod + " PERMANENT");
  sample_.append(table, "10.133.0.9 dev ovn-k8s-mp0 lladdr " + pod + " STALE\n");
  const json e = explained("node:master-03-demo", "192.168.55.13:80");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("neighbour-is-stranger", e["fault"]["reason"]);
}

// Of another address with that MAC no dump shows the owner: it is not the next hop.
TEST_F(Neighbours, NextHopWithTheMacOfAnUnknownNeighbour) {
  const std::string table = "master-03-demo/ip_neigh", dummy = "0a:58:a9:fe:00:04";
  sample_.replace(table, "192.168.99.12 dev br-ex lladdr 52:54:00:3a:76:95 STALE",
                  "192.168.99.12 dev br-ex lladdr " + dummy + " PERMANENT");
  sample_.append(table, "192.168.99.77 dev br-ex lladdr " + dummy + " PERMANENT\n");
  const json e = explained("node:master-03-demo", "192.168.55.13:80");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("neighbour-is-stranger", e["fault"]["reason"]);
}

// An egress IP of the nodes' own network is no device's address: OVN answers for it where the object assigns it.
TEST_F(Neighbours, EgressIpForWhichFlowsAnswer) {
  const auto reason = [&] {
    const json e = explained("external:192.168.55.13", "192.168.99.201:80");
    return e.at("paths").at(0).at("stopped_at").value("reason", "");
  };
  sample_.append("master-02-demo/ovs-ofctl_dump-flows_br-ex",
                 " cookie=0x7, duration=26.322s, table=0, n_packets=0, n_bytes=0, idle_age=26, priority=900,arp,in_port=1,"
                 "arp_tpa=192.168.99.201,arp_op=1 actions=move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],mod_dl_src:00:50:56:8e:2a:32,"
                 "load:0x2->NXM_OF_ARP_OP[],move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],load:0x50568e2a32->NXM_NX_ARP_SHA[],"
                 "move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[],load:0xc0a863c9->NXM_OF_ARP_SPA[],IN_PORT\n");
  EXPECT_EQ("neighbour-unknown", reason());
  sample_.append(
      "k8s/egressips.yaml",
      "---\napiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata:\n  name: near\nspec:\n  egressIPs:\n  - 192.168.99.201\n"
      "  namespaceSelector: {}\nstatus:\n  items:\n  - egressIP: 192.168.99.201\n    node: master-02-demo\n");
  EXPECT_NE("neighbour-unknown", reason());
}

TEST_F(Neighbours, VethWhoseOtherEndIsOnTheSameNode) {
  const auto device = [](const std::string& number, const std::string& name, const std::string& peer, const std::string& mac) {
    return number + ": " + name + "@" + peer +
           ": <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
           "    link/ether " +
           mac +
           " brd ff:ff:ff:ff:ff:ff promiscuity 0  allmulti 0 minmtu 68 maxmtu 65535\n"
           "    veth addrgenmode eui64 numtxqueues 2 numrxqueues 2\n";
  };
  const std::string links =
      device("8", "back1", "back0", "02:00:00:00:00:08") + device("9", "back0", "back1", "02:00:00:00:00:09");
  sample_.append("server/ip_-d_link", links);
  sample_.append("server/ip_-d_addr",
                 links + "    inet 198.18.5.1/24 scope global back0\n       valid_lft forever preferred_lft forever\n");
  sample_.append("server/ip_neigh", "198.18.5.77 dev back0 lladdr 02:00:5e:00:53:02 PERMANENT\n");
  sample_.replace(
      "server/ip_route_show_table_all", "default via 192.168.55.12 dev enp1s0",
      "192.168.0.0/16 via 198.18.5.77 dev back0\n198.18.5.0/24 dev back0 proto kernel scope link src 198.18.5.1\n"
      "local 198.18.5.1 dev back0 table local proto kernel scope host src 198.18.5.1\ndefault via 192.168.55.12 dev enp1s0");
  const json e = explained("demo-web/web-3", "192.168.55.13:80");
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("mac-not-of-device", e["fault"]["reason"]);
  EXPECT_EQ("server", e["fault"]["node"]);
}

// The route that the kernel makes of an address was deleted: one dump without it may have lost it, two have not.
TEST_F(Neighbours, ConnectedRouteThatTwoDumpsLack) {
  const std::string all = "router/ip_route_show_table_all", main_table = "router/ip_route";
  sample_.without_lines(all, "192.168.55.0/24 dev enp7s0");
  EXPECT_EQ("undecided", explained("demo-web/web-3", "192.168.55.13:80")["outcome"]);
  sample_.copy(all, main_table).without_lines(main_table, " table ").without_lines(main_table, ":");
  const json e = explained("demo-web/web-3", "192.168.55.13:80");
  EXPECT_NE("undecided", e["outcome"]) << e["summary"];
  EXPECT_EQ("router", e["fault"]["node"]);
}

}  // namespace
