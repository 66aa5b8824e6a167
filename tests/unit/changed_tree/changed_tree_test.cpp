// What `egtrace parse` prints comes from the tree, not from the input: a tree that was changed prints changed text.
#include <gtest/gtest.h>

#include "egtrace/parsers/ovs_ofctl.h"
#include "iproute2/lower.h"
#include "iproute2/text.h"
#include "iptables/document.h"
#include "kube/layout.h"
#include "nft/print.h"
#include "nft/reader.h"
#include "ovn/lflow_line.h"
#include "ovn/router_lines.h"
#include "ovsdb/record.h"
#include "ovsdb/show.h"
#include "system/conntrack_line.h"
#include "system/dpctl_line.h"
#include "system/sysctl_line.h"

namespace egt::parsers {
namespace {

Dump dump_of(std::string_view text) {
  Dump dump;
  dump.text = text;
  return dump;
}

Line line_of(std::string_view text) { return {text, "\n", 1}; }

TEST(ChangedTree, FlowLine) {
  auto line = parse_flow_line(" cookie=0x1, table=5, n_packets=7, priority=9,tcp,nw_src=10.0.0.1 actions=resubmit(,6)");
  ASSERT_TRUE(line);
  line->stats[2].value = 8;
  line->priority = 10;
  line->match[1].value = 0x0a000002;
  line->actions = "drop";
  EXPECT_EQ(format_flow_line(*line), " cookie=0x1, table=5, n_packets=8, priority=10,tcp,nw_src=10.0.0.2 actions=drop");
}

TEST(ChangedTree, Actions) {
  auto actions = parse_actions("load:0x1->NXM_NX_REG15[],resubmit(,26)");
  std::swap(actions.front(), actions.back());
  EXPECT_EQ(format_actions(actions), "resubmit(,26),load:0x1->NXM_NX_REG15[]");
}

TEST(ChangedTree, Iptables) {
  const Dump dump =
      dump_of("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -s 10.0.0.1/32 -j SNAT --to-source 192.0.2.1\nCOMMIT\n");
  Report report;
  auto document = iptables::parse_document(dump, iptables::traits_of(dump), report);
  ASSERT_EQ(document.lines.size(), 4u);
  auto& rule = std::get<iptables::RuleLine>(document.lines[2].item).rule;
  rule.chain = "EGRESS";
  rule.source->negate = true;
  std::get<iptables::ChainLine>(document.lines[1].item).policy = "DROP";
  std::string out;
  iptables::print_document(document, out);
  EXPECT_EQ(out, "*nat\n:POSTROUTING DROP [0:0]\n-A EGRESS ! -s 10.0.0.1/32 -j SNAT --to-source 192.0.2.1\nCOMMIT\n");
}

TEST(ChangedTree, Kubernetes) {
  kube::LayoutReader reader;
  auto line = reader.read("  - egressIP: 'it''s'   # kept");
  ASSERT_TRUE(line.key && line.value);
  EXPECT_EQ(line.key->value, "egressIP");
  EXPECT_EQ(line.value->value, "it's");
  line.value->value = "192.0.2.'1'";
  line.key->value = "node";
  line.indent = 4;
  EXPECT_EQ(kube::print(line), "    - node: '192.0.2.''1'''   # kept");
}

TEST(ChangedTree, Nft) {
  auto reading = nft::read_listing("table ip nat {\n\tchain post {\n\t\tip saddr 10.0.0.1 masquerade\n\t}\n}\n");
  auto& table = std::get<nft::Table>(reading.document.items.at(0));
  table.name = "filter";
  auto& chain = std::get<nft::Chain>(table.items.at(0));
  auto& rule = std::get<nft::Rule>(chain.rules.at(0));
  std::get<nft::Literal>(std::get<nft::Match>(rule.statements.at(0).node).right.node).text = "10.0.0.2";
  rule.comment = "why";
  std::string out;
  nft::print(reading.document, out);
  EXPECT_EQ(out, "table ip filter {\n\tchain post {\n\t\tip saddr 10.0.0.2 masquerade comment \"why\"\n\t}\n}\n");
}

template <class Change>
std::string changed_ip(std::string_view text, iproute2::LineParser parser, Change change) {
  const Dump dump = dump_of(text);
  Report report;
  auto document = iproute2::parse_text(dump, parser, false, report);
  change(document.lines.at(0));
  std::string out;
  iproute2::print_text(document, out);
  return out;
}

TEST(ChangedTree, IpRule) {
  EXPECT_EQ(changed_ip("30:\tfrom all fwmark 0x1745ec lookup 7\n", iproute2::parse_rule_line,
                       [](iproute2::TextLine& l) {
                         l.head = 31;
                         l.words.list.back().value = std::string("8");
                       }),
            "31:\tfrom all fwmark 0x1745ec lookup 8\n");
}

TEST(ChangedTree, IpRoute) {
  EXPECT_EQ(changed_ip("default via 10.0.0.1 dev eth0 metric 100\n", iproute2::parse_route_line,
                       [](iproute2::TextLine& l) { l.words.list.pop_back(); }),
            "default via 10.0.0.1 dev eth0\n");
}

TEST(ChangedTree, IpNeighbour) {
  EXPECT_EQ(changed_ip("10.0.0.1 dev eth0 lladdr 0a:58:0a:00:00:01 REACHABLE\n", iproute2::parse_neighbour_line,
                       [](iproute2::TextLine& l) { l.words.list.front().value = *IpAddr::parse("10.0.0.2"); }),
            "10.0.0.2 dev eth0 lladdr 0a:58:0a:00:00:01 REACHABLE\n");
}

TEST(ChangedTree, Sysctl) {
  auto line = system::parse_sysctl_line("net.ipv4.ip_forward = 1");
  line.value = "0";
  std::string out;
  print_sysctl_line(line, out);
  EXPECT_EQ(out, "net.ipv4.ip_forward = 0");
}

TEST(ChangedTree, Conntrack) {
  auto line = system::parse_conntrack_line(
      "tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 src=10.0.0.2 dst=10.0.0.1 sport=2 "
      "dport=1 "
      "[ASSURED] mark=0 use=1");
  line.state = "CLOSE";
  line.timeout = 9;
  std::string out;
  print_conntrack_line(line, out);
  EXPECT_EQ(out,
            "tcp      6 9 CLOSE src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 src=10.0.0.2 dst=10.0.0.1 sport=2 dport=1 "
            "[ASSURED] mark=0 use=1");
}

TEST(ChangedTree, DatapathConntrack) {
  auto line = system::parse_dpctl_line(
      "tcp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=1,dport=2),reply=(src=10.0.0.2,dst=10.0.0.1,sport=2,dport=1),zone=9");
  line.proto_name = "udp";
  std::string out;
  print_dpctl_line(line, out);
  EXPECT_EQ(out, "udp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=1,dport=2),reply=(src=10.0.0.2,dst=10.0.0.1,sport=2,dport=1),zone=9");
}

TEST(ChangedTree, DatabaseList) {
  auto line = ovsdb::parse_list_line(line_of("name                : \"a-b\""));
  line.column.name = "options";
  line.column.value = *ovsdb::parse_datum("{key=value}");
  std::string out;
  ovsdb::print_list_line(line.column, out);
  EXPECT_EQ(out, "options             : {key=value}");
}

TEST(ChangedTree, DatabaseTable) {
  auto table = ovsdb::parse_json_table(R"({"data":[["a",["set",[]]]],"headings":["name","tag"]})");
  ASSERT_TRUE(table);
  table->headings[1] = "trunks";
  std::string out;
  ovsdb::print_json_table(*table, out);
  EXPECT_EQ(out, R"({"data":[["a",["set",[]]]],"headings":["name","trunks"]})");
}

TEST(ChangedTree, DatabaseShow) {
  auto item = ovsdb::parse_show_line(line_of("    Bridge br-int"), ovsdb::ShowStyle::database);
  ASSERT_TRUE(item);
  item->word = "Port";
  std::string out;
  ovsdb::print_show_line(*item, ovsdb::ShowStyle::database, out);
  EXPECT_EQ(out, "    Port br-int");
}

TEST(ChangedTree, LogicalFlow) {
  auto line = ovn_text::parse_lflow_line("  table=12(lr_in_policy       ), priority=100  , match=(ip4), action=(next;)");
  line.flow.priority = 7;
  line.flow.actions = "drop;";
  std::string out;
  print_lflow_line(line, out);
  EXPECT_EQ(out, "  table=12(lr_in_policy       ), priority=7    , match=(ip4), action=(drop;)");
}

TEST(ChangedTree, RouterPolicy) {
  constexpr std::string_view kLine =
      "       100                                ip4.src == 10.0.0.1         reroute                100.88.0.3";
  auto policy = ovn_text::parse_policy_line(kLine);
  ASSERT_TRUE(policy);
  policy->nexthops.push_back("100.88.0.4");
  std::string out;
  print_policy_line(*policy, out);
  EXPECT_EQ(out, std::string(kLine) + ", 100.88.0.4");
}

}  // namespace
}  // namespace egt::parsers
