// What stands beside rules and routes on the path of a packet: switches of devices and of the kernel, programs, queues, meters.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/sample.h"

namespace {

class DeviceSwitch : public ::testing::Test {
 protected:
  nlohmann::json explained(const std::vector<std::string>& more = {"--to", "192.168.55.13:80"}) const {
    std::vector<std::string> words{EGTRACE_BINARY,   "explain",  sample_.path(), "--from", "demo-egress/requester-3a",
                                   "--no-conntrack", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(egt::testing::run(words).out);
  }

  void at_server(const std::string& what, const std::string& with) {
    for (const char* dump : {"server/ip_-d_link", "server/ip_-d_addr"}) sample_.replace(dump, what, with);
  }

  // Still answered by what the dumps show, but no longer proven.
  void expect_assumed(const std::string& what) {
    const nlohmann::json e = explained();
    EXPECT_EQ("answered", e["outcome"]) << e["fault"];
    EXPECT_EQ("assumed", e["confidence"]);
    EXPECT_NE(std::string::npos, e.dump().find(what)) << e["assumptions"];  // of the request or of the reply
  }

  void expect_fault(const nlohmann::json& e, const std::string& reason) {
    EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
    EXPECT_EQ(reason, e["fault"].value("reason", "")) << e["fault"];
  }

  egt::testing::Sample sample_;
};

TEST_F(DeviceSwitch, ProgramOfXdp) {
  at_server("mtu 1500 qdisc", "mtu 1500 xdp qdisc");
  expect_assumed("the XDP program on enp1s0 of server");
}

TEST_F(DeviceSwitch, ProgramOfXdpWithItsNumber) {
  at_server("mtu 1500 qdisc", "mtu 1500 xdpgeneric/id:17 qdisc");
  expect_assumed("the XDP program on enp1s0 of server");
}

TEST_F(DeviceSwitch, QueueThatMayDrop) {
  at_server("qdisc noqueue state UP", "qdisc netem state UP");
  expect_assumed("the queueing discipline of enp1s0 on server");
}

TEST_F(DeviceSwitch, QueueThatDropsWhereFull) {
  at_server("qdisc noqueue state UP", "qdisc fq_codel state UP");
  EXPECT_EQ("proven", explained()["confidence"]);
}

TEST_F(DeviceSwitch, Meter) {
  sample_.replace("master-02-demo/ovs-ofctl_dump-flows_br-ex", "in_port=LOCAL actions=ct(commit,zone=64000,exec(load:0x2",
                  "in_port=LOCAL actions=meter:3,ct(commit,zone=64000,exec(load:0x2");
  expect_assumed("meter 3 of master-02-demo");
}

// OpenFlow 1.0 shows no meter.
TEST_F(DeviceSwitch, MeterOfTheLogicalFlow) {
  const std::string flow = "uuid=0x3dad4295, table=11(ls_in_qos          ), priority=0    , match=(1), action=(";
  const std::string dump = "master-03-demo/ovn-sbctl_--uuid_lflow-list";
  sample_.copy(dump + ".gz", dump).remove(dump + ".gz").replace(dump, flow + "next;)", flow + "set_meter(100000, 2000); next;)");
  expect_assumed("the meter of a QoS rule of master-03-demo");
}

// As long as no flow can show it; ovs-ofctl shows it in OpenFlow 1.3 and later.
TEST_F(DeviceSwitch, MeterThatTheDumpOfFlowsCannotShow) {
  sample_.write("master-02-demo/ovs-ofctl_-O_OpenFlow15_dump-meters_br-ex",
                "OFPST_METER_CONFIG reply (OF1.5) (xid=0x2):\nmeter=9 pktps bands=\ntype=drop rate=1\n");
  expect_assumed("no meter of br-ex on master-02-demo drops the packet");
  sample_.replace("master-02-demo/ovs-ofctl_dump-flows_br-ex",
                  "NXST_FLOW reply (xid=0x4):", "OFPST_FLOW reply (OF1.5) (xid=0x2):");
  EXPECT_EQ("proven", explained()["confidence"]);
}

TEST_F(DeviceSwitch, FullTableOfConnections) {
  sample_.append("master-02-demo/sysctl", "net.netfilter.nf_conntrack_count = 262144\nnet.netfilter.nf_conntrack_max = 262144\n");
  expect_assumed("conntrack of master-02-demo makes room");
}

TEST_F(DeviceSwitch, TableOfConnectionsWithRoom) {
  sample_.append("master-02-demo/sysctl", "net.netfilter.nf_conntrack_count = 262143\nnet.netfilter.nf_conntrack_max = 262144\n");
  EXPECT_EQ("proven", explained()["confidence"]);
}

TEST_F(DeviceSwitch, ArpOff) {
  at_server("enp1s0@if706: <BROADCAST,", "enp1s0@if706: <BROADCAST,NOARP,");
  sample_.without_lines("server/ip_neigh", "192.168.55.12");
  expect_fault(explained(), "arp-off");
}

// The frame of a bridge's own device has the device's MAC as destination, which flows may write over.
TEST_F(DeviceSwitch, ArpOffOnTheDeviceOfABridge) {
  const std::string node = "master-03-demo/";
  for (const char* dump : {"ip_-d_link", "ip_-d_addr"})
    sample_.replace(node + dump, ": br-ex: <BROADCAST,", ": br-ex: <BROADCAST,NOARP,");
  sample_.without_lines(node + "ip_neigh", "dev br-ex");
  const auto sent = [&] {
    const std::vector<std::string> words{EGTRACE_BINARY, "explain",          sample_.path(),   "--from",   "node:master-03-demo",
                                         "--to",         "192.168.55.13:80", "--no-conntrack", "--format", "json"};
    return nlohmann::json::parse(egt::testing::run(words).out);
  };
  expect_fault(sent(), "arp-off");
  sample_.append(node + "ovs-ofctl_dump-flows_br-ex",
                 " cookie=0x0, table=0, n_packets=0, n_bytes=0, priority=600,ip,in_port=LOCAL,nw_dst=192.168.55.13 "
                 "actions=set_field:52:54:00:3a:76:95->eth_dst,output:1\n");
  EXPECT_EQ("answered", sent()["outcome"]) << sent()["fault"];
}

// Open vSwitch joins patch ports where each names the other.
TEST_F(DeviceSwitch, PatchPortWhosePeerNamesAnother) {
  const std::vector<std::string> words{EGTRACE_BINARY, "explain",          sample_.path(),   "--from",   "ns-red/red-3",
                                       "--to",         "192.168.55.13:80", "--no-conntrack", "--format", "json"};
  const auto explained_from_red = [&] { return nlohmann::json::parse(egt::testing::run(words).out); };
  EXPECT_EQ("answered", explained_from_red()["outcome"]);
  for (const char* dump : {"ovs-vsctl_list_interface", "ovs-vsctl_show"})
    sample_.replace(std::string("master-03-demo/") + dump, "{peer=patch-br-int-to-br-ex_master-03-demo}", "{peer=nobody}");
  const nlohmann::json e = explained_from_red();
  expect_fault(e, "patch-peer-missing");
}

// Without the flow that asks conntrack, br-ex gives a reply to the host and to OVN alike. Over TCP the host resets what it does not
// know: the client sees the server's answer first, then that the server resets what it sends.
TEST_F(DeviceSwitch, ReplyOfWhichTheHostGetsACopy) {
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-ex";
  sample_.without_lines(flows, "priority=50,ip,in_port=1");
  const auto asked = [&](const std::string& proto) {
    const std::vector<std::string> words{EGTRACE_BINARY,     "explain", sample_.path(), "--from",         "ns-red/red-3", "--to",
                                         "192.168.55.13:80", "--proto", proto,          "--no-conntrack", "--format",     "json"};
    return nlohmann::json::parse(egt::testing::run(words).out);
  };
  EXPECT_EQ("answered", asked("udp")["outcome"]) << asked("udp")["summary"];
  const auto answer = asked("tcp");
  EXPECT_EQ("refused", answer["outcome"]) << answer["summary"];
  EXPECT_EQ("assumed", answer["confidence"]);
  EXPECT_NE(std::string::npos, answer["summary"].get<std::string>().find("resets the connection")) << answer["summary"];
  // Where OVN comes first, its conntrack has translated what the host gets: it goes on to the pod.
  sample_.replace(flows, "dl_dst=00:50:56:8e:2a:33 actions=LOCAL,output:2", "dl_dst=00:50:56:8e:2a:33 actions=output:2,LOCAL");
  EXPECT_EQ("answered", asked("tcp")["outcome"]);
}

// OVN answers for the gateway in the switch, or for all addresses of pods (arp_proxy of the router port), or its router does. A pod
// that hears none has no next hop.
TEST_F(DeviceSwitch, ArpOfAPodThatNoFlowAnswers) {
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  const auto asked = [&] {
    const std::vector<std::string> words{EGTRACE_BINARY, "explain",          sample_.path(),   "--from",   "ns-red/red-3",
                                         "--to",         "192.168.55.13:80", "--no-conntrack", "--format", "json"};
    return nlohmann::json::parse(egt::testing::run(words).out);
  };
  sample_.without_lines(flows, "metadata=0x1,dl_dst=ff:ff:ff:ff:ff:ff,arp_tpa=10.133.0.1,arp_op=1 actions=move");
  EXPECT_EQ("answered", asked()["outcome"]) << asked()["summary"];
  sample_.without_lines(flows, "priority=30,arp,reg0=0/0x40000,metadata=0x1,arp_tpa=10.132.0.0/14");
  EXPECT_EQ("answered", asked()["outcome"]) << asked()["summary"];
  sample_.without_lines(flows, "metadata=0x4,arp_spa=10.133.0.0/23,arp_tpa=10.133.0.1,arp_op=1");
  const auto lost = asked();
  EXPECT_EQ("refused", lost["outcome"]) << lost["summary"];
  EXPECT_EQ("neighbour-discovery-lost", lost["fault"]["reason"]);
  EXPECT_EQ("assumed", lost["confidence"]);
}

// The packet goes to the MAC that the pod hears.
TEST_F(DeviceSwitch, ArpOfAPodThatAFlowAnswersWithAnotherMac) {
  const std::string flows = "master-03-demo/ovs-ofctl_dump-flows_br-int";
  sample_.copy(flows + ".gz", flows).remove(flows + ".gz");
  sample_.append(flows,
                 " cookie=0x0, table=0, n_packets=0, n_bytes=0, priority=600,arp,arp_tpa=10.133.0.1,arp_op=1 "
                 "actions=move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],mod_dl_src:0a:58:0a:85:00:99,load:0x2->NXM_OF_ARP_OP[],"
                 "move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],load:0xa580a850099->NXM_NX_ARP_SHA[],"
                 "move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[],load:0xa850001->NXM_OF_ARP_SPA[],IN_PORT\n");
  const std::vector<std::string> words{EGTRACE_BINARY, "explain",          sample_.path(),   "--from",   "ns-red/red-3",
                                       "--to",         "192.168.55.13:80", "--no-conntrack", "--format", "json"};
  const auto answer = nlohmann::json::parse(egt::testing::run(words).out);
  EXPECT_EQ("unanswered", answer["outcome"]) << answer["summary"];
}

TEST_F(DeviceSwitch, EchoIgnored) {
  sample_.append("server/sysctl", "net.ipv4.icmp_echo_ignore_all = 1\n");
  expect_fault(explained({"--to", "192.168.55.13", "--proto", "icmp"}), "echo-ignored");
  EXPECT_EQ("answered", explained()["outcome"]);
}

TEST_F(DeviceSwitch, EchoesOfWhichNoDumpTells) {
  const std::vector<std::string> ping{"--to", "192.168.55.13", "--proto", "icmp"};
  const nlohmann::json e = explained(ping);
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_NE(std::string::npos, e.dump().find("server answers echo requests"));
  sample_.append("server/sysctl", "net.ipv4.icmp_echo_ignore_all = 0\n");
  EXPECT_EQ(std::string::npos, explained(ping).dump().find("answers echo requests"));
}

TEST_F(DeviceSwitch, DefaultTtlOfASendingHost) {
  sample_.append("server/sysctl", "net.ipv4.ip_default_ttl = 1\n");
  const auto sent = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{EGTRACE_BINARY,        "explain", sample_.path(), "--from",    "node:server", "--to",
                                   "node:master-02-demo", "--proto", "icmp",         "--one-way", "--format",    "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(egt::testing::run(words).out);
  };
  EXPECT_EQ("ttl-exceeded", sent({})["fault"].value("reason", "")) << sent({})["summary"];
  EXPECT_NE("ttl-exceeded", sent({"--ttl", "64"})["fault"].is_null() ? "" : sent({"--ttl", "64"})["fault"].value("reason", ""));
}

TEST_F(DeviceSwitch, DefaultTtlOfTheServer) {
  sample_.append("server/sysctl", "net.ipv4.ip_default_ttl = 1\n");
  const nlohmann::json e = explained();
  expect_fault(e, "ttl-exceeded");
  EXPECT_EQ("reply", e["fault"]["direction"]);
  EXPECT_EQ("router", e["fault"]["node"]);
}

// A UDP socket of all addresses has its reply routed before it has a source.
TEST_F(DeviceSwitch, RuleOnTheSourceOfAServersReplies) {
  sample_.append("server/ip_rule", "70:\tfrom 192.168.55.13 unreachable\n");
  expect_fault(explained(), "unreachable");
  EXPECT_EQ("undecided", explained({"--to", "192.168.55.13:80", "--proto", "udp"})["outcome"]);
}

}  // namespace
