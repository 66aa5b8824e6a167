// Dumps of one node that cannot all be of it.
#include <gtest/gtest.h>

#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using cluster::Inconsistency;
using egt::testing::TemporaryDirectory;

constexpr const char* kAbout[] = {"node", "bridge", "port", "routes", "neighbour", "netfilter"};

// "w1 bridge br-a; " and so on, each once.
std::string found(const TemporaryDirectory& d) {
  const auto cluster = read_snapshot({d.path(), {}, 1});
  if (!cluster) return cluster.error().message;
  std::string all;
  for (const auto& node : cluster->nodes)
    for (const Inconsistency& c : node->inconsistencies) {
      std::string one = node->name + " " + kAbout[static_cast<int>(c.about)];
      if (!c.name.empty()) one += " " + c.name;
      if (c.to) one += " " + c.to->to_string();
      if (all.find(one + ";") == std::string::npos) all += one + "; ";
    }
  return all;
}

std::string device(const std::string& name, const std::string& mac) {
  return "2: " + name +
         ": <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
         "    link/ether " +
         mac + " brd ff:ff:ff:ff:ff:ff\n";
}

std::string port(const std::string& number, const std::string& name, const std::string& mac) {
  return " " + number + "(" + name + "): addr:" + mac + "\n     config:     0\n     state:      0\n";
}
constexpr const char* kFeatures = "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000525400000001\n";

std::string flow(const std::string& match, int table = 0, const std::string& cookie = "0x7") {
  return " cookie=" + cookie + ", duration=1.5s, table=" + std::to_string(table) + ", n_packets=0, n_bytes=0, priority=10," +
         match + " actions=NORMAL\n";
}
constexpr const char* kReply = "NXST_FLOW reply (xid=0x4):\n";

constexpr const char* kMac1 = "52:54:00:00:00:01";
constexpr const char* kMac2 = "52:54:00:00:00:02";

// A node with the bridge br-a, of which `flows` are shown.
void add_node(const TemporaryDirectory& d, const std::string& name, const std::string& mac, const std::string& flows) {
  d.file(name + "/ip_-d_link", device("br-a", mac));
  d.file(name + "/ovs-ofctl_show_br-a", kFeatures + port("1", "eth0", mac) + port("LOCAL", "br-a", mac));
  d.file(name + "/ovs-ofctl_dump-flows_br-a", kReply + flows);
}

TEST(Contradictions, FlowsAskForPortsOfTheirBridge) {
  const auto with = [](const std::string& flows) {
    const TemporaryDirectory d;
    add_node(d, "w1", kMac1, flows);
    return found(d);
  };
  EXPECT_EQ("", with(flow("in_port=1") + flow("in_port=LOCAL")));
  EXPECT_EQ("", with(flow("in_port=1") + flow("in_port=9")));  // one that is gone
  EXPECT_EQ("w1 bridge br-a; ", with(flow("in_port=7") + flow("in_port=8") + flow("in_port=1")));
}

TEST(Contradictions, FlowsAskForMacsOfTheirNode) {
  const auto with = [](const std::string& mac) {
    const TemporaryDirectory d;
    add_node(d, "w1", kMac1, flow("in_port=1,dl_dst=" + mac));
    add_node(d, "w2", kMac2, flow("in_port=1"));
    return found(d);
  };
  EXPECT_EQ("", with(kMac1));
  EXPECT_EQ("", with("52:54:00:00:00:77"));  // nobody's
  EXPECT_EQ("w1 bridge br-a; ", with(kMac2));
}

TEST(Contradictions, FlowsOfLogicalDatapathsComeFromLogicalFlows) {
  const auto with = [](const std::string& cookie) {
    const TemporaryDirectory d;
    d.file("w1/ovs-ofctl_show_br-a", kFeatures + port("1", "eth0", kMac1) + port("LOCAL", "br-a", kMac1));
    d.file("w1/ovs-vsctl_show",
           "98fbdc1e-8725-45e0-bec4-31baf9f7c1af\n    Bridge br-a\n        Port t\n            Interface t\n"
           "                type: geneve\n                options: {remote_ip=\"192.0.2.2\"}\n");
    d.file("w1/ovs-ofctl_dump-flows_br-a", kReply + flow("in_port=1") + flow("metadata=0x1", 8, cookie));
    d.file("w1/ovn-sbctl_--uuid_lflow-list",
           "Datapath: \"sw\" (98fbdc1e-8725-45e0-bec4-31baf9f7c1af)  Pipeline: ingress\n"
           "  uuid=0x1234abcd, table=0 (ls_in_check_port_sec), priority=100  , match=(1), action=(next;)\n");
    return found(d);
  };
  EXPECT_EQ("", with("0x1234abcd"));
  EXPECT_EQ("w1 bridge br-a; ", with("0x1234abce"));
}

std::string show(const std::string& ports_of_a, const std::string& ports_of_b, bool second = true) {
  return "98fbdc1e-8725-45e0-bec4-31baf9f7c1af\n    Bridge br-a\n" + ports_of_a + (second ? "    Bridge br-b\n" : "") +
         ports_of_b;
}
std::string interface(const std::string& name, const std::string& more = "") {
  return "        Port " + name + "\n            Interface " + name + "\n" + more;
}

TEST(Contradictions, APortIsOfOneBridge) {
  const auto with = [](bool second) {
    const TemporaryDirectory d;
    const std::string internal = "                type: internal\n";
    d.file("w1/ovs-vsctl_show",
           show(interface("br-a", internal) + interface("eth0"), interface("br-b", internal) + interface("eth1"), second));
    d.file("w1/ovs-ofctl_dump-flows_br-b", kReply + flow("ip"));
    return found(d);
  };
  EXPECT_EQ("", with(true));
  EXPECT_EQ("w1 bridge br-a; w1 bridge br-b; ", with(false));  // the line "Bridge br-b" is lost
}

TEST(Contradictions, ATunnelHasOneEnd) {
  const auto with = [](const std::string& listed, const std::string& encap) {
    const TemporaryDirectory d;
    d.file("w1/ovs-vsctl_show",
           show(interface("t", "                type: geneve\n                options: {key=flow, remote_ip=\"192.0.2.2\"}\n"),
                "", false));
    d.file("w1/ovs-vsctl_list_interface",
           "_uuid               : 68a29798-ffad-422d-93b7-f5066275cb5b\nname                : t\nofport              : 3\n"
           "options             : {key=flow, remote_ip=\"" +
               listed + "\"}\ntype                : geneve\n");
    d.file("w1/ovn-sbctl_show",
           "Chassis own\n    hostname: w1\n    Encap geneve\n        ip: \"192.0.2.1\"\n"
           "Chassis other\n    hostname: w2\n    Encap geneve\n        ip: \"" +
               encap + "\"\n        options: {csum=\"true\"}\n");
    return found(d);
  };
  EXPECT_EQ("", with("192.0.2.2", "192.0.2.2"));
  EXPECT_EQ("w1 port t; ", with("192.0.2.3", "192.0.2.2"));
  EXPECT_EQ("w1 port t; ", with("192.0.2.2", "192.0.2.3"));
}

TEST(Contradictions, ATunnelBeginsAtItsNode) {
  const auto with = [](const std::string& address) {
    const TemporaryDirectory d;
    d.file("w1/ovs-vsctl_show", show(interface("t",
                                               "                type: geneve\n                options: {key=flow, "
                                               "local_ip=\"192.0.2.1\", remote_ip=\"192.0.2.2\"}\n"),
                                     "", false));
    d.file("w1/ip_a", device("br-a", kMac1) + "    inet " + address +
                          "/24 scope global br-a\n       valid_lft forever preferred_lft forever\n");
    return found(d);
  };
  EXPECT_EQ("", with("192.0.2.1"));
  EXPECT_EQ("w1 port t; ", with("192.0.2.3"));
}

TEST(Contradictions, APodHasTheAddressesOfItsPort) {
  const auto with = [](const std::string& address) {
    const TemporaryDirectory d;
    d.file("w1/ovs-vsctl_show", show(interface("p"), "", false));
    d.file("w1/ovs-vsctl_list_interface",
           "_uuid               : 68a29798-ffad-422d-93b7-f5066275cb5b\nname                : p\nofport              : 3\n"
           "external_ids        : {iface-id=shop_web, ip_addresses=\"" +
               address + "\"}\ntype                : \"\"\n");
    d.file("k8s/pods.yaml",
           "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\nspec:\n  nodeName: w1\n"
           "status:\n  podIP: 10.1.0.5\n  podIPs:\n  - ip: 10.1.0.5\n");
    return found(d);
  };
  EXPECT_EQ("", with("10.1.0.5/24"));
  EXPECT_EQ("w1 port p; ", with("10.1.0.6/24"));
}

TEST(Contradictions, SettingsAreOfTheNodesDevices) {
  const auto with = [](const std::string& settings) {
    const TemporaryDirectory d;
    const std::string valid = "       valid_lft forever preferred_lft forever\n";
    d.file("w1/ip_a", device("eth0", kMac1) + "    inet 192.0.2.1/24 scope global eth0\n" + valid + device("eth1.7", kMac2) +
                          "    inet 198.51.100.1/24 scope global eth1.7\n" + valid);
    d.file("w1/sysctl", "net.ipv4.ip_forward = 1\n" + settings);
    return found(d);
  };
  const std::string all = "net.ipv4.conf.all.forwarding = 1\nnet.ipv4.conf.default.forwarding = 1\n",
                    one = "net.ipv4.conf.eth0.forwarding = 1\n";
  EXPECT_EQ("", with(all));
  EXPECT_EQ("", with(one));
  EXPECT_EQ("", with(all + one + "net.ipv4.conf.eth1/7.forwarding = 1\n"));
  EXPECT_EQ("w1 node; ", with(all + one));
}

TEST(Contradictions, ADeviceHasOneMac) {
  const auto with = [](const std::string& mac) {
    const TemporaryDirectory d;
    d.file("w1/ip_-d_link", device("eth0", kMac1));
    d.file("w1/ip_a",
           device("eth0", mac) + "    inet 192.0.2.1/24 scope global eth0\n       valid_lft forever preferred_lft forever\n");
    return found(d);
  };
  EXPECT_EQ("", with(kMac1));
  EXPECT_EQ("w1 node; ", with(kMac2));
}

TEST(Contradictions, AnIndexIsOfOneDevice) {
  const auto with = [](const std::string& name) {
    const TemporaryDirectory d;
    d.file("w1/ip_-d_link", device("br-a", kMac1));
    d.file("w1/ip_addr", device(name, kMac1) + "    inet 192.0.2.10/24 scope global " + name +
                             "\n       valid_lft forever preferred_lft forever\n");
    return found(d);
  };
  EXPECT_EQ("", with("br-a"));
  EXPECT_EQ("w1 node; ", with("enp9s0"));
}

TEST(Contradictions, ABridgeIsADeviceOfItsNode) {
  const TemporaryDirectory d;
  add_node(d, "w1", kMac1, flow("in_port=1"));
  d.file("r1/ip_-d_link", device("eth0", kMac2));
  d.file("r1/ovs-ofctl_show_br-a", kFeatures + port("2", "eth0", kMac1) + port("LOCAL", "br-a", kMac1));
  d.file("r2/ip_-d_link", device("eth0", "52:54:00:00:00:03"));
  d.file("r2/ovn-sbctl_show", "Chassis other\n    hostname: w2\n    Encap geneve\n        ip: \"192.0.2.2\"\n");
  EXPECT_EQ("r1 node; ", found(d));
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_TRUE(cluster->node("r1")->bridges.empty());
  EXPECT_NE(std::vector{cluster::Role::cluster_node}, cluster->node("r1")->roles);
  EXPECT_NE(std::vector{cluster::Role::cluster_node}, cluster->node("r2")->roles);
  EXPECT_EQ(std::vector{cluster::Role::cluster_node}, cluster->node("w1")->roles);
}

std::string rules(const std::string& rule, const std::string& policy = "[0:0]", const std::string& tool = "v1.8.9") {
  return "# Generated by iptables-save " + tool + " on Sun Mar  1 10:00:00 2026\n*filter\n:INPUT ACCEPT " + policy +
         "\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n" + rule + "\nCOMMIT\n# Completed on Sun Mar  1 10:00:00 2026\n";
}

TEST(Contradictions, RulesAskForDevicesOfTheirNode) {
  const auto with = [](const std::string& first, const std::string& second) {
    const TemporaryDirectory d;
    d.file("w1/ip_-d_link", device("br-a", kMac1));
    d.file("r1/ip_-d_link", device("eth0", kMac2));
    d.file("w1/iptables-save_-c", rules(first));
    d.file("r1/iptables-save_-c", rules(second));
    return found(d);
  };
  EXPECT_EQ("", with("[0:0] -A FORWARD -i br-a -j DROP", "[0:0] -A FORWARD -i eth0 -j DROP"));
  EXPECT_EQ("", with("[0:0] -A FORWARD -i br-a -j DROP", "[0:0] -A FORWARD -i wg0 -j DROP"));
  EXPECT_EQ("r1 netfilter; ", with("[0:0] -A FORWARD -i br-a -j DROP", "[1:9] -A FORWARD -i br-a -j DROP"));
}

TEST(Contradictions, WhatIptablesShowsNftDoes) {
  const auto with = [](const std::string& tool, const std::string& listing) {
    const TemporaryDirectory d;
    std::string text = rules("[0:0] -A FORWARD -p udp -j DROP");
    d.file("w1/iptables-save_-c", text.replace(text.find("v1.8.9"), 6, tool));
    d.file("w1/nft_list_ruleset", listing);
    return found(d);
  };
  const std::string table =
                        "table ip filter {\n\tchain FORWARD {\n\t\ttype filter hook forward priority filter; policy accept;\n"
                        "\t\tmeta l4proto udp counter packets 0 bytes 0 drop\n\t}\n}\n",
                    other = "table inet own {\n\tchain c {\n\t}\n}\n";
  EXPECT_EQ("", with("v1.8.9 (nf_tables)", table + other));
  EXPECT_EQ("w1 netfilter; ", with("v1.8.9 (nf_tables)", other));
  EXPECT_EQ("", with("v1.8.9", other));
}

TEST(Contradictions, IptablesAndNftShowTheSameRules) {
  const auto with = [](const std::string& saved, const std::string& listed) {
    const TemporaryDirectory d;
    d.file("w1/iptables-save_-c", rules(saved, "[0:0]", "v1.8.9 (nf_tables)"));
    d.file("w1/nft_list_ruleset",
           "table ip filter {\n\tchain FORWARD {\n\t\ttype filter hook forward priority filter; policy accept;\n" + listed +
               "\t}\n}\n");
    return found(d);
  };
  EXPECT_EQ("", with("[0:0] -A FORWARD -s 10.0.0.0/8 ! -i eth+ -j DROP",
                     "\t\tiifname != \"eth*\" ip saddr 10.0.0.0/8 counter packets 1 bytes 2 drop\n"));
  EXPECT_EQ("", with("[0:0] -A FORWARD -m iprange --src-range 10.0.0.1-10.0.0.9 -j DROP",
                     "\t\txt match \"iprange\" counter packets 0 bytes 0 drop\n"));
  EXPECT_EQ("", with("[0:0] -A FORWARD -p tcp -m tcp --dport 80 -j REJECT",
                     "\t\tmeta l4proto tcp tcp dport 80 counter packets 0 bytes 0 xt target \"REJECT\"\n"));
  for (const char* other : {"ip saddr 10.0.0.0/9 drop", "ip daddr 10.0.0.0/8 drop", "iifname \"eth0\" ip saddr 10.0.0.0/8 drop",
                            "ip saddr 10.0.0.0/8 accept"})
    EXPECT_EQ("w1 netfilter; ", with("[0:0] -A FORWARD -s 10.0.0.0/8 -j DROP", "\t\t" + std::string(other) + "\n")) << other;
  EXPECT_EQ("w1 netfilter; ", with("[0:0] -A FORWARD -p udp -j DROP", ""));
}

TEST(Contradictions, TwoListingsOfIptablesShowTheSameRules) {
  const auto with = [](const std::string& listed) {
    const TemporaryDirectory d;
    d.file("w1/iptables-save_-c",
           rules("[0:0] -A FORWARD -p tcp -m tcp --dport 80 -s 10.0.0.1/32 -j DROP", "[0:0]", "v1.8.9 (nf_tables)"));
    d.file("w1/iptables_-S", "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n" + listed);
    return found(d);
  };
  EXPECT_EQ("", with("-A FORWARD -s 10.0.0.1/32 -p tcp -m tcp --dport 80 -j DROP\n"));
  EXPECT_EQ("w1 netfilter; ", with("-A FORWARD -s 10.0.0.2/32 -p tcp -m tcp --dport 80 -j DROP\n"));
  EXPECT_EQ("w1 netfilter; ", with("-A FORWARD -s 10.0.0.1/32 -p tcp -m tcp --dport 81 -j DROP\n"));
  EXPECT_EQ("w1 netfilter; ", with(""));
}

TEST(Contradictions, TwoNodesDoNotCountAlike) {
  const auto with = [](const std::string& counters) {
    const TemporaryDirectory d;
    for (const std::string node : {"w1", "w2"})
      d.file(node + "/iptables-save_-c", rules(counters + " -A FORWARD -p udp -j DROP\n[9:540] -A FORWARD -p tcp -j ACCEPT"));
    return found(d);
  };
  EXPECT_EQ("", with("[0:0]"));
  EXPECT_EQ("", with("[9:540]"));    // idle machines may have seen the same few packets
  EXPECT_EQ("", with("[17:1234]"));  // … and several numbers of them
  EXPECT_EQ("w1 netfilter; w2 netfilter; ", with("[17213:1234567]"));
}

TEST(Contradictions, TablesOfRoutesAreHeldAgainstEachOther) {
  const std::string connected = "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.10 \n",
                    local = "local 192.0.2.10 dev eth0 table local proto kernel scope host src 192.0.2.10 \n";
  const auto with = [&](const std::string& gateway, const std::string& other) {
    const TemporaryDirectory d;
    d.file("w1/ip_route", gateway + connected);
    d.file("w1/ip_route_show_table_all", "10.0.0.0/8 via 192.0.2.9 dev eth0 table 7 \n" + other + connected + local);
    return found(d);
  };
  const std::string one = "default via 192.0.2.1 dev eth0 \n", two = "default via 192.0.2.2 dev eth0 \n";
  EXPECT_EQ("", with(one, one));
  EXPECT_EQ("w1 routes 0.0.0.0/0; ", with(one, two));
  EXPECT_EQ("w1 routes 0.0.0.0/0; ", with(one, ""));
}

// Patch ports join bridges of one datapath.
TEST(Contradictions, NeighboursHaveOneMac) {
  const auto with = [](const std::string& mac, const std::string& state) {
    const TemporaryDirectory d;
    d.file("w1/ip_neigh", std::string("192.0.2.1 dev eth0 lladdr ") + kMac1 + " REACHABLE \n192.0.2.2 dev eth0 FAILED \n");
    d.file("w1/ip_-s_-s_neigh_show", "192.0.2.1 dev eth0 lladdr " + mac + " ref 1 used 12/2/2 probes 1 " + state + "\n" +
                                         "192.0.2.2 dev eth0 lladdr " + kMac2 + " used 1/2/2 probes 1 STALE\n");
    return found(d);
  };
  EXPECT_EQ("", with(kMac1, "STALE"));
  EXPECT_EQ("w1 neighbour 192.0.2.1/32; ", with(kMac2, "REACHABLE"));
}

TEST(Contradictions, BridgesBehindPatchPortsAreOfOneDatapath) {
  const auto with = [](const std::string& type) {
    const TemporaryDirectory d;
    const auto patch = [](const std::string& name, const std::string& peer) {
      return interface(name, "                type: patch\n                options: {peer=" + peer + "}\n");
    };
    d.file("w1/ovs-vsctl_show", show("        datapath_type: netdev\n" + patch("p-a", "p-b"),
                                     "        datapath_type: " + type + "\n" + patch("p-b", "p-a")));
    return found(d);
  };
  EXPECT_EQ("", with("netdev"));
  EXPECT_EQ("w1 bridge br-a; w1 bridge br-b; ", with("system"));
}

// A list of bridges that is cut does not show the type of those behind the cut.
TEST(CutDumps, BridgesBehindPatchPortsHaveTheTypeOfTheOthers) {
  const TemporaryDirectory d;
  d.file("w1/ovs-vsctl_show", "b5e1a7a2-0000-4000-8000-000000000001\n    Bridge br-a\n        datapath_type: netdev\n" +
                                  interface("p-a", "                type: patch\n                options: {peer=p-b}\n") +
                                  "        Port ");
  d.file("w1/ovs-ofctl_show_br-b", kFeatures + port("1", "p-b", kMac1) + port("LOCAL", "br-b", kMac2));
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster);
  const openflow::Bridge* bridge = cluster->nodes[0]->bridge("br-b");
  ASSERT_NE(nullptr, bridge);
  EXPECT_EQ("netdev", bridge->datapath_type);
}

// The switch of the userspace datapath copies the kernel's addresses and routes, and sends tunnels by them.
TEST(Contradictions, TheSwitchHasTheRoutesOfItsNode) {
  const std::string local = "Cached: 192.0.2.10/32 dev br-a SRC 192.0.2.10 local\n",
                    connected = "Cached: 192.0.2.0/24 dev br-a SRC 192.0.2.10\n",
                    far = "Cached: 198.51.100.0/24 dev br-a GW 192.0.2.1 SRC 192.0.2.10\n";
  const auto with = [&](const std::string& routes_of_switch) {
    const TemporaryDirectory d;
    d.file("w1/ovs-vsctl_show",
           show("        datapath_type: netdev\n" +
                    interface("t", "                type: geneve\n                options: {remote_ip=\"192.0.2.2\"}\n"),
                "", false));
    d.file("w1/ip_-d_addr",
           device("br-a", kMac1) + "    inet 192.0.2.10/24 scope global br-a\n       valid_lft forever preferred_lft forever\n");
    d.file("w1/ip_route",
           "192.0.2.0/24 proto kernel scope link dev br-a src 192.0.2.10 \n198.51.100.0/24 via 192.0.2.1 dev br-a \n");
    d.file("w1/ovs-appctl_ovs.route.show", "Route Table:\n" + routes_of_switch);
    return found(d);
  };
  EXPECT_EQ("", with(local + connected + far));
  EXPECT_EQ("", with(local + connected + far + "User: 203.0.113.0/24 dev br-a GW 192.0.2.1 SRC 192.0.2.10\n"));
  EXPECT_EQ("w1 port t; ", with(connected + far));
  EXPECT_EQ("w1 port t; ", with(local + connected));
  EXPECT_EQ("w1 port t; ", with(local + "Cached: 192.0.2.0/24 dev lo SRC 192.0.2.10\n" + far));
  EXPECT_EQ("w1 port t; ", with(local + connected + far + "Cached: 192.0.2.77/32 dev br-a SRC 192.0.2.77 local\n"));
}

TEST(Contradictions, WhatBreaksOffIsNoFact) {
  const auto neighbours = [](const std::string& text) {
    const TemporaryDirectory d;
    d.file("w1/ip_neigh", text);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    return cluster ? cluster->nodes.at(0)->host.neighbours.value.size() : 0;
  };
  const std::string one = "192.0.2.1 dev eth0 lladdr 52:54:00:00:00:01 REACHABLE \n";
  EXPECT_EQ(2U, neighbours(one + "192.0.2.2 dev eth0 lladdr 52:54:00:00:00:02 REACHABLE \n"));
  EXPECT_EQ(1U, neighbours(one + "192.0.2.2 dev eth0 lladdr 52:54:00:00:00:02 REACH"));
}

// Cut between two lines; whoever deletes the kernel's rule for table local puts it elsewhere.
TEST(CutDumps, RulesWithoutThatOfTableLocalAreAPart) {
  const auto is_part = [](const std::string& rules) {
    const TemporaryDirectory d;
    d.file("w1/ip_rule", rules);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    return cluster && cluster->nodes.at(0)->host.rules_v4.partial;
  };
  const std::string local = "0:\tfrom all lookup local\n", main = "32766:\tfrom all lookup main\n";
  const std::string other = "100:\tfrom 10.0.0.0/8 lookup 7\n", last = "32767:\tfrom all lookup default\n";
  EXPECT_FALSE(is_part(local + other + main + last));
  EXPECT_FALSE(is_part("1:\tfrom all lookup local\n" + main));
  EXPECT_TRUE(is_part(other + main + last));
  EXPECT_TRUE(is_part(local + other));
  EXPECT_FALSE(is_part(local + other + last)) << "that of table main was deleted";
  EXPECT_TRUE(is_part(other + last));
}

}  // namespace
}  // namespace egt::parsers
