// What `lookup` finds, and what stands behind it, in a node that is made by hand.
#include "egtrace/explain/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "egtrace/explain/inspect.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/parsers/ovn_reader.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::explain {
namespace {

constexpr const char* kPolicy = "ff2a5a3e-0000-4000-8000-000000000001";
constexpr const char* kPort = "93f7000b-0000-4000-8000-000000000002";

ovn::Row row(const char* database, const char* table, const char* uuid, ovn::Columns columns,
             const std::map<std::string, std::string>& ids = {}) {
  ovn::Row r;
  r.database = database;
  r.table = table;
  r.uuid = uuid;
  r.columns = std::move(columns);
  std::string printed;
  for (const auto& [key, value] : ids) printed += (printed.empty() ? "\"" : ", \"") + key + "\"=\"" + value + '"';
  r.columns.set("external_ids", "{" + printed + "}");
  return r;
}

ovn::LogicalFlow flow(const char* uuid, std::uint32_t prefix, const char* match) {
  ovn::LogicalFlow f;
  f.datapath = "lr";
  f.table = 17;
  f.stage = "lr_in_policy";
  f.priority = 100;
  f.match = match;
  f.actions = "next;";
  f.uuid = uuid;
  f.uuid_prefix = prefix;
  return f;
}

struct Snapshot {
  cluster::Cluster cluster;
  cluster::Node& node = cluster.ensure_node("worker");

  Snapshot() {
    ovn::Ovn& o = node.ovn;
    for (const ovn::Row& one :
         {row("NB", "Logical_Router_Policy", kPolicy,
              {{"priority", "100"}, {"match", "\"ip4.src == 10.133.0.9\""}, {"action", "reroute"}, {"router", "lr"}},
              {{"k8s.ovn.org/owner-type", "EgressIP"}, {"k8s.ovn.org/name", "prod_shop/cart-1"}}),
          row("SB", "Port_Binding", kPort, {{"logical_port", "shop_cart-1"}, {"tunnel_key", "3"}},
              {{"namespace", "shop"}, {"pod", "true"}}),
          row("NB", "Address_Set", "aaaaaaaa-0000-4000-8000-000000000003",
              {{"name", "a123"}, {"addresses", "[\"10.133.0.9\"]"}})})
      o.rows.add(one);
    ovn::LogicalFlow policy = flow("7d8c250c-0000-4000-8000-000000000004", 0x7d8c250c, "ip4.src == 10.133.0.9");
    policy.origin = {"northd.c:1", "ff2a5a3e"};
    o.logical_flows = {policy, flow("7d8c250d-0000-4000-8000-000000000005", 0x7d8c250d, "ip4.src == $a123"),
                       flow("7d8c250e-0000-4000-8000-000000000006", 0x7d8c250e, "1")};
    o.southbound = std::make_shared<ovn::Southbound>();
    o.datapaths.push_back({"lr", "bbbbbbbb-0000-4000-8000-000000000007", 2, true, {}});
    o.has_logical_flows = true;
    o.language = parsers::ovn_lang::language();
    openflow::Bridge bridge;
    bridge.name = "br-int";
    bridge.flows.emplace([](std::string_view) { return openflow::ActionList{}; });
    add(bridge, 25, 0x7d8c250c);
    add(bridge, 25, 0x7d8c250d);
    add(bridge, 73, 0x93f7000b);
    node.bridges.push_back(std::move(bridge));
  }
  static void add(openflow::Bridge& bridge, std::uint8_t table, std::uint64_t cookie) {
    openflow::Match match;
    match.require(FieldId::metadata, 2);
    match.require(FieldId::reg0, cookie);
    bridge.flows->add(table, 100, cookie, 0, match.view(), "resubmit(,26)", {});
  }
  std::vector<std::string> kinds(const char* term) const {
    std::vector<std::string> all;
    for (const LookupMatch& m : look_up(cluster, term).matches) all.push_back(m.kind);
    return all;
  }
};

std::string fact(const LookupMatch& m, const std::string& name) {
  for (const auto& [key, value] : m.facts)
    if (key == name) return value;
  return {};
}

TEST(Lookup, FindsTheRowAndTheObjectBehindACookie) {
  const Snapshot s;
  for (const char* term : {"0x7d8c250c", "cookie=0x7d8c250c", "7d8c250c", "7d8c250c-0000"}) {
    const Lookup found = look_up(s.cluster, term);
    const auto match =
        std::find_if(found.matches.begin(), found.matches.end(), [](const LookupMatch& m) { return m.kind == "logical flow"; });
    ASSERT_NE(match, found.matches.end()) << term;
    EXPECT_NE(fact(*match, "made for").find("EgressIP prod for pod shop/cart-1"), std::string::npos);
    ASSERT_EQ(match->used_by.size(), 1u);
    EXPECT_NE(match->used_by[0].what.find("table 25"), std::string::npos);
  }
}

TEST(Lookup, FindsTheFlowsOfANorthboundRow) {
  const Snapshot s;
  const Lookup found = look_up(s.cluster, "ff2a5a");
  ASSERT_FALSE(found.matches.empty());
  EXPECT_EQ(found.matches[0].kind, "Logical_Router_Policy");
  EXPECT_EQ(found.matches[0].used_by.size(), 1u);
}

// Logical flows of releases and lists without hints are joined with rows by what both say.
TEST(Lookup, FindsTheRuleOfAnEgressQosBehindAMark) {
  Snapshot s;
  s.node.ovn.rows.add(row("NB", "QoS", "ffffffff-0000-4000-8000-00000000000b",
                          {{"action", "{dscp=46}"},
                           {"direction", "to-lport"},
                           {"match", "\"(ip4.dst == 192.0.2.0/24) && ip4.src == $a7\""},
                           {"priority", "999"}},
                          {{"k8s.ovn.org/owner-type", "EgressQoS"}, {"k8s.ovn.org/name", "shop"}, {"priority", "999"}}));
  ovn::LogicalFlow marks =
      flow("7d8c250f-0000-4000-8000-00000000000c", 0x7d8c250f, "(ip4.dst == 192.0.2.0/24) && ip4.src == $a7");
  marks.stage = "ls_out_qos", marks.priority = 999, marks.ingress = false, marks.actions = "ip.dscp = 46; next;";
  s.node.ovn.logical_flows = {marks};
  const Lookup found = look_up(s.cluster, "7d8c250f");
  const auto match =
      std::find_if(found.matches.begin(), found.matches.end(), [](const LookupMatch& m) { return m.kind == "logical flow"; });
  ASSERT_NE(match, found.matches.end());
  EXPECT_NE(fact(*match, "made for").find("EgressQoS of namespace shop, rule 1"), std::string::npos) << fact(*match, "made for");
}

TEST(Lookup, FindsPhysicalFlowsOfAPort) {
  const Snapshot s;
  for (const char* term : {"0x93f7000b", "shop_cart-1"}) {
    const Lookup found = look_up(s.cluster, term);
    const auto match =
        std::find_if(found.matches.begin(), found.matches.end(), [](const LookupMatch& m) { return m.kind == "Port_Binding"; });
    ASSERT_NE(match, found.matches.end()) << term;
    EXPECT_EQ(fact(*match, "object"), "pod shop/cart-1");
    ASSERT_EQ(match->used_by.size(), 1u);
  }
}

TEST(Lookup, FindsWhatMentionsAnAddressOrASet) {
  const Snapshot s;
  const auto kinds = s.kinds("10.133.0.9");
  EXPECT_NE(std::find(kinds.begin(), kinds.end(), "Address_Set"), kinds.end());
  EXPECT_NE(std::find(kinds.begin(), kinds.end(), "Logical_Router_Policy"), kinds.end());
  EXPECT_TRUE(s.kinds("0.133.0.9").empty() || s.kinds("0.133.0.9").front() == "value");
  const Lookup set = look_up(s.cluster, "$a123");
  ASSERT_EQ(set.matches.size(), 1u);
  ASSERT_EQ(set.matches[0].used_by.size(), 1u);
  EXPECT_NE(set.matches[0].used_by[0].what.find("7d8c250d"), std::string::npos);
}

TEST(Lookup, FindsTheLoadBalancerOfAnAddressAndPort) {
  Snapshot s;
  s.node.ovn.rows.add(
      row("NB", "Load_Balancer", "cccccccc-0000-4000-8000-000000000008",
          {{"name", "web"}, {"vips", R"({"172.30.0.1:80"="10.133.0.9:8080", "[fd00::1]:80"="[fd00::9]:8080"})"}}));
  openflow::Bridge& bridge = s.node.bridges.front();
  openflow::Match match;
  match.require(FieldId::ip_dst, 0xac1e0001);
  match.require(FieldId::tp_dst, 80);
  bridge.flows->add(14, 120, 1, 0, match.view(), "resubmit(,26)", {});
  cluster::Service web;
  web.namespace_ = "shop", web.name = "web";
  web.cluster_ips = {*IpAddr::parse("172.30.0.1")};
  web.ports.emplace_back().port = 80;
  s.cluster.objects.services.add(web);
  const std::vector<std::string> all{"service", "Load_Balancer", "OpenFlow flows that match on it", "value"};
  EXPECT_EQ(s.kinds("172.30.0.1:80"), all);
  for (const char* other : {"172.30.0.1:8080", "172.30.0.1:8"})  // whose address it is, and no more
    EXPECT_EQ(s.kinds(other), std::vector<std::string>{"value"}) << other;
  EXPECT_EQ(s.kinds("10.133.0.9:8080"), std::vector<std::string>{"Load_Balancer"});
  EXPECT_EQ(s.kinds("[fd00::1]:80"), std::vector<std::string>{"Load_Balancer"});
}

// A node that is no node of a cluster: all that is known of an address is what rules, routes and connections say.
TEST(Lookup, FindsAnAddressInWhateverDecides) {
  const egt::testing::TemporaryDirectory d;
  d.file("r1/ip_rule",
         "0:\tfrom all lookup local\n100:\tfrom 192.0.2.7 lookup 5\n200:\tfrom 192.0.2.0/24 lookup 6\n300:\tfrom 192.0.2.70 "
         "lookup 7\n");
  d.file("r1/ip_route_show_table_all", "default via 10.0.0.254 dev eth0 \n192.0.2.0/29 via 10.0.0.9 dev eth0 \n");
  d.file("r1/iptables-save", "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -s 192.0.2.7/32 -j DROP\nCOMMIT\n");
  d.file("r1/nft_list_ruleset",
         "table ip t {\n\tchain c {\n\t\tip saddr 192.0.2.7 drop\n\t\tip saddr 192.0.2.1-192.0.2.9 drop\n\t}\n}\n");
  d.file("r1/conntrack_-L",
         "tcp      6 100 ESTABLISHED src=192.0.2.7 dst=10.0.0.1 sport=1 dport=80 src=10.0.0.1 dst=192.0.2.7 sport=80 dport=1 "
         "[ASSURED] mark=0 use=1\n");
  d.file(
      "r1/ovs-ofctl_dump-flows_br-x",
      " cookie=0x1, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip,nw_src=192.0.2.7 actions=drop\n"
      " cookie=0x2, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip,nw_src=192.0.2.0/24 actions=drop\n"
      " cookie=0x3, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip actions=load:0xc0000207->NXM_NX_REG0[],drop\n"
      " cookie=0x4, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip,nw_src=192.0.2.70 actions=drop\n");
  const auto cluster = parsers::read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster);
  const auto shown = [&](const char* term) {
    std::vector<std::string> all;
    for (const LookupMatch& m : look_up(*cluster, term).matches) {
      all.push_back(m.kind);
      for (const LookupUse& u : m.used_by) all.push_back(u.what + " " + std::to_string(u.evidence.at(0).line));
    }
    return all;
  };
  std::vector<std::string> found = shown("192.0.2.7");
  for (const char* kind : {"policy rules that concern it", "routes that concern it", "iptables rules that concern it",
                           "nft rules that concern it", "connections that concern it", "OpenFlow flows that match on it",
                           "OpenFlow flows that match on a prefix of it", "OpenFlow flows whose actions name it", "holds it 4"})
    EXPECT_NE(found.end(), std::find(found.begin(), found.end(), kind)) << kind;
  const auto rules = std::find(found.begin(), found.end(), "policy rules that concern it");
  EXPECT_EQ((std::vector<std::string>{"names it 2", "holds it 3"}), std::vector<std::string>(rules + 1, rules + 3));
  EXPECT_EQ(found.end(), std::find(found.begin(), found.end(), "names it 4"));
}

// ---- objects

struct Objects : Snapshot {
  Objects() {
    cluster::NamespaceObject shop;
    shop.name = "shop";
    shop.labels = {{"team", "red"}};
    cluster.objects.namespaces.add(shop);
    cluster::EgressIp billing;
    billing.name = "billing-out";
    billing.addresses = {*IpAddr::parse("192.0.2.100")};
    billing.namespaces.present = billing.pods.present = true;
    billing.namespaces.match_labels = {{"team", "red"}};
    billing.status.push_back({*IpAddr::parse("192.0.2.100"), "worker"});
    cluster.objects.egress_ips.add(billing);
    cluster.objects.pods.add(pod("shop", "cart-1", "10.133.0.9"));
    cluster.objects.pods.add(pod("pod", "other", "10.133.0.10"));
    cluster::Service front;
    front.namespace_ = "shop", front.name = "front";
    front.ports.push_back({"http", "TCP", 80, 31999, ""});
    cluster.objects.services.add(front);
    node.ovn.rows.add(row("NB", "NAT", "dddddddd-0000-4000-8000-000000000009",
                          {{"type", "snat"}, {"external_ip", "\"192.0.2.100\""}, {"logical_ip", "\"10.133.0.9\""}}));
    node.ovn.rows.add(row("NB", "Load_Balancer", "eeeeeeee-0000-4000-8000-00000000000a",
                          {{"name", "Service_shop/front"}, {"vips", R"({"192.0.2.1:31999"="10.133.0.9:8080"})"}},
                          {{"k8s.ovn.org/kind", "Service"}, {"k8s.ovn.org/owner", "shop/front"}}));
    openflow::Group& group = node.bridges.front().groups[12];
    group.id = 12;
    group.type = openflow::Group::Type::select;
    group.buckets.push_back({0, 100, {}, {}, {}, "resubmit(,24)"});
    for (const char* actions : {"group:12", "group:120"}) {
      openflow::Match match;
      match.require(FieldId::metadata, 3);
      node.bridges.front().flows->add(30, 1, 0, 0, match.view(), actions, {});
    }
  }
  static cluster::Pod pod(const char* name_space, const char* name, const char* address) {
    cluster::Pod p;
    p.namespace_ = name_space, p.name = name, p.node = "worker";
    p.addresses = {*Prefix::parse(address)};
    return p;
  }
};

TEST(Lookup, FindsWhatAnEgressIpDoes) {
  const Objects s;
  for (const char* term : {"billing-out", "EgressIP/billing-out", "eip/billing-out", "egressips.k8s.ovn.org/billing-out"})
    EXPECT_EQ(s.kinds(term), (std::vector<std::string>{"egress IP", "pod", "NAT"})) << term;
  EXPECT_EQ(fact(look_up(s.cluster, "billing-out").matches[0], "assigned"), "192.0.2.100 on worker");
  EXPECT_TRUE(s.kinds("svc/billing-out").empty());
}

TEST(Lookup, FindsPoliciesOfAnEgressIpByTheirOwnerWhereNoObjectIsDumped) {
  const Snapshot s;
  for (const char* term : {"prod", "EgressIP/prod"})
    EXPECT_EQ(s.kinds(term), std::vector<std::string>{"Logical_Router_Policy"}) << term;
}

TEST(Lookup, FindsAPodThatNoObjectShows) {
  const Snapshot s;
  for (const char* term : {"shop/cart-1", "pod/shop/cart-1", "pod/cart-1"})
    EXPECT_EQ(s.kinds(term), (std::vector<std::string>{"Logical_Router_Policy", "Port_Binding"})) << term;
}

TEST(Lookup, FindsTheServiceOfANodePort) {
  const Objects s;
  for (const char* term : {"31999", "nodeport=31999", "Service/shop/front", "svc/front", "svc:shop/front"})
    EXPECT_EQ(s.kinds(term).at(0) + s.kinds(term).at(1), "serviceLoad_Balancer") << term;
}

TEST(Lookup, TakesANamespaceForAKindAsWell) {
  const Objects s;
  EXPECT_EQ(look_up(s.cluster, "pod/cart-1").matches.at(0).name, "shop/cart-1");
  EXPECT_EQ(look_up(s.cluster, "pod/other").matches.at(0).name, "pod/other");
  EXPECT_EQ(look_up(s.cluster, "po/cart-1", "shop").matches.at(0).name, "shop/cart-1");
  EXPECT_TRUE(look_up(s.cluster, "po/cart-1", "pod").matches.empty());
}

TEST(Lookup, FindsAGroupWithItsBucketsAndFlows) {
  const Objects s;
  for (const char* term : {"group/12", "group:12", "group=12"}) {
    const Lookup found = look_up(s.cluster, term);
    ASSERT_EQ(found.matches.front().kind, "group") << term;
    EXPECT_EQ(fact(found.matches.front(), "bucket"), "0: weight 100, resubmit(,24)");
    EXPECT_EQ(found.matches.front().used_by.size(), 1u);
  }
}

TEST(Lookup, FindsRulesRoutesAndChainsOfAnEgressIp) {
  const egt::testing::TemporaryDirectory d;
  d.file("k8s/egressips.yaml",
         "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata:\n  name: billing-out\nspec:\n  egressIPs: [192.0.2.100]\n"
         "  namespaceSelector:\n    matchLabels: {kubernetes.io/metadata.name: shop}\n");
  d.file("k8s/pods.yaml",
         "apiVersion: v1\nkind: Pod\nmetadata:\n  name: cart-1\n  namespace: shop\nspec:\n  nodeName: r1\n"
         "status:\n  phase: Running\n  podIP: 10.133.0.9\n  podIPs: [{ip: 10.133.0.9}]\n");
  d.file("r1/ip_rule", "0:\tfrom all lookup local\n6000:\tfrom 10.133.0.9 lookup 1004\n6000:\tfrom 10.133.0.90 lookup 1005\n");
  d.file("r1/ip_route_show_table_all",
         "default via 10.0.0.254 dev eth0 table 1004 \ndefault via 10.0.0.254 dev eth0 table 1005 \ndefault via 10.0.0.1 dev "
         "eth0 \n");
  d.file("r1/nft_list_ruleset",
         "table ip t {\n\tchain egress { # handle 3\n\t\tip saddr 10.133.0.9 snat to 192.0.2.100\n\t}\n}\n");
  const auto cluster = parsers::read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster);
  std::vector<std::string> lines;
  for (const LookupMatch& m : look_up(*cluster, "billing-out").matches)
    for (const LookupUse& u : m.used_by) lines.push_back(u.what);
  EXPECT_EQ(lines, (std::vector<std::string>{"default via 10.0.0.254 dev eth0 table 1004", "6000:\tfrom 10.133.0.9 lookup 1004",
                                             "chain egress: ip saddr 10.133.0.9 snat to 192.0.2.100"}));
}

// However many there are.
TEST(Lookup, LeavesNothingOut) {
  Objects s;
  for (int i = 0; i < 300; ++i)
    s.node.ovn.rows.add(row("NB", "NAT", "", {{"external_ip", "\"192.0.2.100\""}, {"logical_ip", "\"10.133.0.9\""}}));
  EXPECT_EQ(look_up(s.cluster, "billing-out").matches.size(), 303u);
}

TEST(Lookup, NamesWhatResemblesAThingThatIsNotThere) {
  const Snapshot s;
  const Lookup found = look_up(s.cluster, "wroker");
  EXPECT_TRUE(found.matches.empty());
  EXPECT_EQ(found.similar, std::vector<std::string>{"worker"});
}

TEST(Inspect, TellsWhetherTheNodeDoesWhatOvnSays) {
  Snapshot s;
  s.add(s.node.bridges[0], 25, 0xdead0001);
  const Inspection report = inspect(s.cluster);
  ASSERT_EQ(report.agreements.size(), 1u);
  EXPECT_EQ(report.agreements[0].missing, 1u);  // match 1 must have a flow
  EXPECT_EQ(report.agreements[0].orphaned, 1u);
}

TEST(Inspect, NeedsNoFlowDump) {
  Snapshot s;
  s.node.bridges[0].flows.reset();
  EXPECT_TRUE(inspect(s.cluster).agreements.empty());
}

// The flow dump of another node shares no cookie with this one's database.
TEST(Inspect, TellsFlowsOfAnotherNode) {
  Snapshot s;
  for (std::uint32_t i = 0; i < 30; ++i) s.node.ovn.logical_flows.edit().push_back(flow("", 0x1000 + i, "1"));
  openflow::Bridge strange;
  strange.name = "br-int";
  strange.flows.emplace([](std::string_view) { return openflow::ActionList{}; });
  for (std::uint32_t i = 0; i < 30; ++i) Snapshot::add(strange, 25, 0x2000 + i);
  s.node.bridges[0] = std::move(strange);
  const Inspection report = inspect(s.cluster);
  ASSERT_EQ(report.agreements.size(), 1u);
  EXPECT_EQ(report.agreements[0].orphaned, 30u);
}

}  // namespace
}  // namespace egt::explain
