// egtrace diff: what means the same is no difference, and what one side does not show is none either.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using nlohmann::json;

const char* const kIptables =
    "*nat\n:PREROUTING ACCEPT [5:300]\n:POSTROUTING ACCEPT [0:0]\n:SHOP - [0:0]\n"
    "[7:420] -A POSTROUTING -j SHOP\n[1:60] -A SHOP -s 10.0.0.1/32 -j SNAT --to-source 192.0.2.1\n"
    "[2:99] -A SHOP -s 10.0.0.2/32 -j SNAT --to-source 192.0.2.2\nCOMMIT\n";
const char* const kRoutes = "default via 192.0.2.254 dev eth0 proto static\n10.0.0.0/24 dev eth1 scope link\n";
const char* const kRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
const char* const kFlows =
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x1, duration=1.5s, table=0, n_packets=3, n_bytes=180, idle_age=9, priority=10,in_port=1 "
    "actions=output:2\n"
    " cookie=0x2, duration=1.5s, table=0, n_packets=0, n_bytes=0, idle_age=9, priority=0 actions=drop\n";

class Diff : public ::testing::Test {
 protected:
  Diff() {
    for (const char* side : {"before", "after"}) {
      write(side, "iptables-save", kIptables);
      write(side, "ip_route_show_table_all", kRoutes);
      write(side, "ip_rule", kRules);
      write(side, "ovs-ofctl_dump-flows_br-int", kFlows);
    }
  }
  void write(const std::string& side, const std::string& name, const std::string& text) const {
    egt::testing::write_file(d_.path() + "/" + side + "/w1/" + name, text);
  }
  Ran diff(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {EGTRACE_BINARY, "diff", "before", "after"};
    command.insert(command.end(), more.begin(), more.end());
    return egt::testing::run(command, "", d_.path());
  }
  static std::string with(std::string text, const std::string& old, const std::string& now) {
    return text.replace(text.find(old), old.size(), now);
  }

  egt::testing::TemporaryDirectory d_;
};

TEST_F(Diff, CountersAgesAndCookiesAreNone) {
  write("after", "iptables-save", with(with(kIptables, "[1:60]", "[900:54000]"), "[5:300]", "[8:1]"));
  write("after", "ovs-ofctl_dump-flows_br-int",
        with(with(kFlows, "cookie=0x1, duration=1.5s", "cookie=0x77, duration=99s"), "n_packets=3", "n_packets=44"));
  const Ran ran = diff();
  EXPECT_EQ(0, ran.status) << ran.err;
  EXPECT_EQ("no difference\n", ran.out);
}

TEST_F(Diff, TellsWhatCameWentAndChanged) {
  write("after", "iptables-save", with(kIptables, "--to-source 192.0.2.2", "--to-source 192.0.2.3"));
  write("after", "ip_route_show_table_all", std::string(kRoutes) + "10.9.0.0/16 via 192.0.2.9 dev eth0\n");
  write("after", "ip_rule", with(kRules, "32766:", "101:\tfrom 10.0.0.1 lookup 7\n32766:"));
  write("after", "ovs-ofctl_dump-flows_br-int", with(kFlows, "output:2", "output:3"));
  const Ran ran = diff();
  EXPECT_EQ(1, ran.status);
  EXPECT_EQ(
      "w1: routes\n  v4 rule 101\n    + from 10.0.0.1/32 lookup 7\n"
      "  v4 table main 10.9.0.0/16\n    + unicast via 192.0.2.9 dev eth0 metric 0\n"
      "\nw1: rules\n  iptables nat SHOP\n    - -A SHOP -s 10.0.0.2/32 -j SNAT --to-source 192.0.2.2\n"
      "    + -A SHOP -s 10.0.0.2/32 -j SNAT --to-source 192.0.2.3\n"
      "\nw1: flows\n  br-int table=0,priority=10,in_port=1\n    - actions=output:2\n    + actions=output:3\n",
      ran.out);
  const json document = json::parse(diff({"--only", "rules", "--format", "json"}).out);
  ASSERT_EQ(1U, document.at("differences").size());
  const json& rule = document["differences"][0];
  EXPECT_EQ(7, rule.at("evidence_before").at(0).at("line"));
  EXPECT_EQ("w1/iptables-save", rule.at("evidence_after").at(0).at("dump"));
}

// The same switch and the same rules, printed by other commands and releases.
TEST_F(Diff, DialectsAreNone) {
  const std::string head = "cookie=0x1, duration=1.5s, table=";
  write("before", "ovs-ofctl_show_br-int",
        "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000b6b2b6b2b6b2\nn_tables:254, n_buffers:0\n"
        "capabilities: FLOW_STATS TABLE_STATS PORT_STATS QUEUE_STATS ARP_MATCH_IP\nactions: output\n"
        " 5(3f2a91c0aa11e2b): addr:aa:55:aa:55:00:05\n     config:     0\n     state:      0\n"
        "     speed: 0 Mbps now, 0 Mbps max\nOFPT_GET_CONFIG_REPLY (xid=0x4): frags=normal miss_send_len=0\n");
  write("before", "ovs-ofctl_dump-flows_br-int",
        "NXST_FLOW reply (xid=0x4):\n " + head +
            "0, n_packets=3, n_bytes=180, priority=100,ip,in_port=3f2a91c0aa11e2b,"
            "nw_src=10.0.0.0/8 actions=load:0x5->NXM_NX_REG0[0..7],mod_dl_src:0a:58:0a:85:00:01,resubmit(,8)\n " +
            head + "8, n_packets=3, n_bytes=180, priority=0 actions=strip_vlan,output:\"3f2a91c0aa11e2b\"\n");
  write("after", "ovs-ofctl_-O_OpenFlow15_dump-flows_br-int",
        "OFPST_FLOW reply (OF1.5) (xid=0x2):\n " + head +
            "8, n_packets=0, n_bytes=0, priority=0 "
            "actions=pop_vlan,output:5\n " +
            head +
            "0, n_packets=0, n_bytes=0, priority=100,ip,in_port=5,"
            "nw_src=10.0.0.0/255.0.0.0 "
            "actions=set_field:0a:58:0a:85:00:01->eth_src,set_field:0x5/0xff->reg0,resubmit(,8)\n");
  std::filesystem::remove(d_.path() + "/after/w1/ovs-ofctl_dump-flows_br-int");
  write("after", "iptables-save",
        with(with(kIptables, "-s 10.0.0.1/32 -j", "-s 10.0.0.1 -j"), "-s 10.0.0.2/32", "--source 10.0.0.2/255.255.255.255"));
  const Ran ran = diff({"--only", "flows", "--only", "rules"});
  EXPECT_EQ("no difference\n", ran.out) << ran.err;
  EXPECT_EQ(0, ran.status);
}

TEST_F(Diff, TellsTheOrderOfRules) {
  const std::string first = "[1:60] -A SHOP -s 10.0.0.1/32 -j SNAT --to-source 192.0.2.1\n";
  write("after", "iptables-save", with(with(kIptables, first, ""), "COMMIT", first + "COMMIT"));
  const Ran ran = diff();
  EXPECT_EQ(1, ran.status);
  EXPECT_NE(std::string::npos, ran.out.find("iptables nat SHOP (order)"));
}

TEST_F(Diff, WhatIsNotToldIsNotGone) {
  std::filesystem::remove(d_.path() + "/after/w1/iptables-save");
  const Ran ran = diff();
  EXPECT_EQ(3, ran.status);
  EXPECT_NE(std::string::npos, ran.out.find("no difference\n"));
  EXPECT_NE(std::string::npos, ran.out.find("w1: rules of iptables: the second snapshot does not show all of them\n"));
}

TEST(DiffOfPaths, TellsWhoLeavesOtherwise) {
  const egt::testing::TemporaryDirectory d;
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary", after = d.path() + "/after";
  std::filesystem::copy(sample, after, std::filesystem::copy_options::recursive);
  const std::string node = after + "/master-02-demo/";
  for (const char* other : {"nft_list_ruleset", "nft_-j_list_ruleset", "iptables_-t_nat_-S"})
    std::filesystem::remove(node + other);
  std::string rules = egt::testing::read_file(node + "iptables-save");
  const std::size_t at = rules.find("-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s 10.133.0.9/32");
  ASSERT_NE(std::string::npos, at);
  rules.erase(at, rules.find('\n', at) + 1 - at);
  egt::testing::write_file(node + "iptables-save", rules);
  const Ran ran = egt::testing::run({EGTRACE_BINARY, "diff", sample, after, "--only", "paths", "--to", "192.168.55.13:80"});
  EXPECT_EQ(1, ran.status) << ran.err;
  EXPECT_EQ(
      "paths\n  demo-egress/requester-3a to 192.168.55.13:80\n"
      "    - answered as 192.168.66.100 by master-02-demo br-ex\n"
      "    + unanswered as 10.133.0.9 by master-02-demo br-ex; router: policy routing:\n"
      "      no route to 10.133.0.9\n",
      ran.out);
  // With the rule at hand the path is what follows from it.
  const Ran all = egt::testing::run({EGTRACE_BINARY, "diff", sample, after, "--to", "192.168.55.13:80"});
  EXPECT_EQ(
      "master-02-demo: rules\n  iptables nat OVN-KUBE-EGRESS-IP-MULTI-NIC\n"
      "    - -A OVN-KUBE-EGRESS-IP-MULTI-NIC -s 10.133.0.9/32 -o br-ex -j SNAT\n      --to-source 192.168.66.100\n"
      "    changes the path of\n      demo-egress/requester-3a to 192.168.55.13:80\n"
      "        - answered as 192.168.66.100 by master-02-demo br-ex\n"
      "        + unanswered as 10.133.0.9 by master-02-demo br-ex; router: policy\n"
      "          routing: no route to 10.133.0.9\n",
      all.out.substr(0, all.out.find("\nnot compared")));
  const json document =
      json::parse(egt::testing::run({EGTRACE_BINARY, "diff", sample, after, "--to", "192.168.55.13:80", "--format", "json"}).out);
  EXPECT_EQ("paths", document.at("differences").at(0).at("topic"));
  EXPECT_EQ("rules", document["differences"][0].at("caused_by").at("topic"));
}

}  // namespace
