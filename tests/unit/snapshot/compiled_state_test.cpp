// What a compiled snapshot keeps of opening a snapshot and of reading its nodes: the same facts again, and no trust in bytes.
#include "snapshot/compiled_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "egtrace/parsers/compile.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/model_bytes.h"
#include "snapshot/seal_key.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;
using egt::testing::TemporaryDirectory;

constexpr const char* kStateAddresses =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
    "    inet 127.0.0.1/8 scope host lo\n"
    "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n"
    "    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
    "    inet 192.0.2.1/24 brd 192.0.2.255 scope global eth0\n"
    "3: ovs-system: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default qlen 1000\n"
    "    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff\n"
    "4: br-int: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default qlen 1000\n"
    "    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff\n";
constexpr const char* kStateRules =
    "*nat\n:PREROUTING ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:OUT - [0:0]\n"
    "-A POSTROUTING -s 10.0.0.0/8 -m comment --comment \"to the outside\" -j OUT\n"
    "-A OUT -m statistic --mode random --probability 0.5 -j SNAT --to-source 192.0.2.1\n-A OUT -m gibberish -j "
    "MASQUERADE\nCOMMIT\n";
constexpr const char* kRuleset =
    "table inet t {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1, 10.0.0.7 }\n\t}\n"
    "\tmap m {\n\t\ttype ipv4_addr : mark\n\t\telements = { 10.0.0.1 : 0x00000007 }\n\t}\n"
    "\tchain c {\n\t\ttype filter hook forward priority filter; policy drop;\n"
    "\t\tip saddr @s meta mark set ip daddr map @m accept\n\t\tct state established,related counter packets 1 bytes 2 "
    "accept\n\t}\n}\n";
constexpr const char* kStateFlows =
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x1, duration=1.5s, table=0, n_packets=7, n_bytes=0, priority=10,in_port=1 actions=resubmit(,1)\n"
    " cookie=0x4, duration=1.5s, table=1, n_packets=0, n_bytes=0, actions=drop\n";
constexpr const char* kInterfaces =
    "_uuid               : 6f0f1ab8-6f4e-4d46-8d24-8a5d1d3f0c01\nname                : \"veth1\"\nofport              : 1\ntype  "
    "              : \"\"\n"
    "external_ids        : {iface-id=shop_cart-1, ip_addresses=\"10.0.0.7/24\"}\noptions             : {}\n";
constexpr const char* kPods =
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: cart-1\n    namespace: shop\n    "
    "labels:\n      app: cart\n"
    "  spec:\n    nodeName: n1\n  status:\n    phase: Running\n    podIP: 10.0.0.7\n    podIPs:\n    - ip: 10.0.0.7\n";

void fill(const TemporaryDirectory& d) {
  for (const std::string node : {"n1", "n2"}) {
    d.file(node + "/hostname", node + "\n");
    d.file(node + "/ip_a", kStateAddresses);
    d.file(node + "/ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n");
    d.file(node + "/ip_route_show_table_all",
           "default via 192.0.2.254 dev eth0 proto static metric 100 encap mpls 7\n192.0.2.0/24 dev eth0 scope link\n");
    d.file(node + "/iptables-save_-c", kStateRules);
    d.file(node + "/nft_list_ruleset", kRuleset);
    d.file(node + "/ovs-ofctl_dump-flows_br-int", kStateFlows);
    d.file(node + "/ovs-vsctl_list_interface", kInterfaces);
    d.file(node + "/sysctl", "net.ipv4.ip_forward = 1\n");
  }
  d.file("k8s/pods.yaml", kPods);
}

std::string bytes_of(const cluster::Cluster& cluster, const cluster::Node& node, SourceId known) {
  ModelWriter out(*cluster.sources, known, {});
  out.put(node);
  out.put(cluster.objects);
  return out.take();
}

TEST(ModelBytes, ComeBackAsTheyWere) {
  const TemporaryDirectory d;
  fill(d);
  auto cluster = read_snapshot({d.path(), {}, 0});
  ASSERT_TRUE(cluster);
  const cluster::Node& node = *cluster->nodes[0];
  const auto known = static_cast<SourceId>(cluster->sources->size());
  const std::string bytes = bytes_of(*cluster, node, known);
  ModelReader in(bytes, *cluster->sources, known, {}, nullptr);
  cluster::Node again;
  in.get(again);
  ASSERT_EQ(again.host.nft.value.tables.size(), 1U);
  EXPECT_EQ(again.host.nft.value.tables[0].sets.at("s")->elements.size(), 2U);
  EXPECT_EQ(again.host.links.value.size(), 4U);
  EXPECT_EQ(again.host.routes_v4.value.at(0).not_modelled, node.host.routes_v4.value.at(0).not_modelled);
  ASSERT_EQ(in.bridges.size(), 1U);
  EXPECT_EQ(in.bridges[0].flows, 2U);
  again.bridges[0].flows = std::move(cluster->nodes[0]->bridges[0].flows);
  if (in.bridges[0].ports_indexed) again.bridges[0].index_ports();
  cluster::Cluster other;
  in.get(other.objects);
  EXPECT_TRUE(in.at_end());
  ASSERT_NE(other.objects.pods.find("shop", "cart-1"), nullptr);
  EXPECT_EQ(other.objects.pods.find("shop", "cart-1")->labels.at("app"), "cart");
  ModelWriter out(*cluster->sources, known, {});
  out.put(again);
  out.put(other.objects);
  EXPECT_EQ(out.take(), bytes);
}

TEST(ModelBytes, CutOrChangedNothingElseIsRead) {
  const TemporaryDirectory d;
  fill(d);
  auto cluster = read_snapshot({d.path(), {}, 0});
  ASSERT_TRUE(cluster);
  const auto known = static_cast<SourceId>(cluster->sources->size());
  const std::string bytes = bytes_of(*cluster, *cluster->nodes[0], known);
  const auto read = [&](const std::string& what) {
    SourceTable sources;
    cluster::Node node;
    cluster::Objects objects;
    try {
      const std::string own = what;  // of its very size, so that a read behind it is noticed
      ModelReader in(own, sources, known, {own}, nullptr);
      in.get(node);
      in.get(objects);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  EXPECT_TRUE(read(bytes));
  for (std::size_t n = 0; n < bytes.size(); n += 13) EXPECT_FALSE(read(bytes.substr(0, n))) << n;
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    read(changed);
  }
}

constexpr const char* kRows =
    R"({"5e2a1f40-1111-4222-8333-444455556666":{"name":"GR_node-1","nat":["set",[["uuid","7d034a8e-22fa-4f16-a6a9-9c7ec0352a10"],)"
    R"(["uuid","01ce8e96-e345-5a19-8590-71294aa96e31"]]],"match":"inport == \"rtoj-GR_node-1\" && ip4"}})";
const std::string kRouter = "5e2a1f40-1111-4222-8333-444455556666";

// As a database shows them, and a logical flow of which the match stands in it with escapes.
cluster::Node node_with_rows(const std::string& match, int rows) {
  cluster::Node node;
  for (int i = 0; i < rows; ++i) {
    ovn::Row row;
    row.table = "Logical_Router";
    row.database = "NB";
    row.uuid = kRouter;
    row.columns = {{"_uuid", kRouter},
                   {"name", "GR_node-1"},
                   {"nat", "[01ce8e96-e345-5a19-8590-71294aa96e31, 7d034a8e-22fa-4f16-a6a9-9c7ec0352a10]"},
                   {"external_ids", "{kind=Node, owner=\"GR_node-1\", number=\"" + std::to_string(i) + "\"}"}};
    row.from = {1, static_cast<std::uint32_t>(i + 1)};
    node.ovn.rows.add(std::move(row));
  }
  ovn::LogicalFlow flow;
  flow.datapath = "GR_node-1";
  flow.match = match;
  flow.uuid = std::string_view(kRows).substr(2, 36);
  flow.uuid_prefix = 0x5e2a1f40;
  ovn::LogicalFlow other = flow;
  other.uuid_prefix = 7;  // of another one
  other.origin = {"northd.c:8453", "ff2a5a3e", 3};
  node.ovn.logical_flows = {flow, other};
  node.ovn.southbound = std::make_shared<ovn::Southbound>();
  node.ovn.southbound->logical_flows.edit().emplace_back().uuid = *ovn::Uuid::parse(kRouter);
  return node;
}

TEST(ModelBytes, NameThePlacesOfTextsAndUuids) {
  const std::string match = "inport == \"rtoj-GR_node-1\" && ip4";
  const cluster::Node node = node_with_rows(match, 40);
  const auto words = std::make_shared<const WordPlaces>(std::vector<std::string_view>{kRows});
  SourceTable sources;
  ModelWriter out(sources, 9, {kRows}, words);
  out.put(node);
  const std::string bytes = out.take();
  EXPECT_EQ(bytes.find("inport"), std::string::npos);
  EXPECT_EQ(bytes.find("5e2a1f40"), std::string::npos);
  EXPECT_EQ(bytes.find("GR_node-1"), std::string::npos);
  EXPECT_LT(bytes.size(), 40U * 40 + 600);
  ModelReader in(bytes, sources, 9, {kRows}, nullptr);
  cluster::Node again;
  in.get(again);
  EXPECT_TRUE(in.at_end());
  ASSERT_EQ(again.ovn.rows.size(), 40U);
  EXPECT_EQ(again.ovn.rows[39].columns, node.ovn.rows[39].columns);
  EXPECT_EQ(again.ovn.rows[39].uuid, kRouter);
  EXPECT_EQ(again.ovn.rows[39].from, node.ovn.rows[39].from);
  ASSERT_EQ(again.ovn.logical_flows.size(), 2U);
  EXPECT_EQ(again.ovn.logical_flows[0].match, match);
  EXPECT_EQ(again.ovn.logical_flows[0].uuid_prefix, 0x5e2a1f40U);
  EXPECT_EQ(again.ovn.logical_flows[1].uuid_prefix, 7U);
  EXPECT_EQ(again.ovn.southbound->logical_flows.get().at(0).uuid.to_string(), kRouter);
  EXPECT_FALSE(again.ovn.logical_flows[0].origin);
  ASSERT_TRUE(again.ovn.logical_flows[1].origin);
  EXPECT_EQ(again.ovn.logical_flows[1].origin->source, "northd.c:8453");
  EXPECT_EQ(again.ovn.logical_flows[1].origin->stage_hint, "ff2a5a3e");
  EXPECT_EQ(again.ovn.logical_flows[1].origin->group, 3U);
  EXPECT_EQ(again.ovn.logical_flows.prefixes(), (std::vector<std::uint32_t>{0x5e2a1f40, 7}));
  ModelWriter once_more(sources, 9, {kRows}, words);
  once_more.put(again);
  EXPECT_EQ(once_more.take(), bytes);
}

// Rows of a table that are sources of their own, behind the source of the dump.
void add_sources_of_rows(SourceTable& sources, std::size_t rows) {
  sources.add("nb.db", kRows, nullptr);
  std::vector<QuotedRow> quoted;
  for (std::size_t i = 0; i < rows; ++i)
    quoted.push_back({std::string_view(kRows).substr(i), static_cast<std::uint32_t>(20 + i)});
  sources.add_rows("nb.db", "Logical_Router", rows, std::move(quoted), nullptr);
}

cluster::Node node_with_quoted_rows(const std::string& match, int rows) {
  cluster::Node node = node_with_rows(match, rows);
  for (std::uint32_t i = 0; ovn::Row & row : node.ovn.rows.table("NB", "Logical_Router").rows().edit())
    row.from = {2 + i, 20 + i}, ++i;
  return node;
}

TEST(ModelBytes, KeepTheRowsThatAreQuoted) {
  const cluster::Node node = node_with_quoted_rows("ip4", 3);
  SourceTable sources;
  add_sources_of_rows(sources, 3);
  ModelWriter out(sources, 1, {kRows});
  out.put(node);
  const std::string bytes = out.take();
  SourceTable own;
  own.add("nb.db", kRows, nullptr);
  own.add("another", "text", nullptr);
  ModelReader in(bytes, own, 1, {kRows}, nullptr);
  cluster::Node again;
  in.get(again);
  EXPECT_TRUE(in.at_end());
  for (std::uint32_t i = 0; i < 3; ++i) {
    const ovn::Row& row = again.ovn.rows[i];
    EXPECT_EQ(row.from, (Provenance{3 + i, 20 + i}));
    EXPECT_EQ(own.at(row.from.source).table, "Logical_Router");
    EXPECT_EQ(own.at(row.from.source).text, std::string_view(kRows).substr(i));
    EXPECT_EQ(own.line_text(row.from), own.line_text({1, 1}).substr(i));
  }
}

TEST(ModelBytes, ChangedPlacesLeadNowhereElse) {
  const std::string match = "inport == \"rtoj-GR_node-1\" && ip4";
  const cluster::Node node = node_with_quoted_rows(match, 3);
  SourceTable sources;
  add_sources_of_rows(sources, 3);
  ModelWriter out(sources, 1, {kRows}, std::make_shared<const WordPlaces>(std::vector<std::string_view>{kRows}));
  out.put(node);
  const std::string bytes = out.take();
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 2; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    const std::string dump = kRows;  // of their very sizes, so that a read behind them is noticed
    try {
      SourceTable own;
      own.add("nb.db", dump, nullptr);
      ModelReader in(changed, own, 1, {dump}, nullptr);
      cluster::Node again;
      in.get(again);
      for (const ovn::Rows::Table& table : again.ovn.rows.tables())
        EXPECT_EQ(table.rows().size(), table.rows().prefixes().size());
      for (const ovn::Row& row : again.ovn.rows)
        if (row.from.known()) own.line_text(row.from);
      for (const ovn::LogicalFlow& flow : again.ovn.logical_flows) EXPECT_LE(flow.match.size(), dump.size() + changed.size());
      for (const ovn::AddressSet& set : again.ovn.address_sets) EXPECT_LE(set.name.size(), dump.size() + changed.size());
      if (again.ovn.southbound) again.ovn.southbound->logical_flows.get();
    } catch (const std::runtime_error&) {
    }
  }
}

TEST(MentionedWords, SayNoOnlyWhereNothingIs) {
  const std::string text =
      "external_ids : {attached_mac=\"0a:58:0a:84:00:32\", iface-id=shop_cart-1, ip_addresses=\"10.0.0.7/24\"} fd00::7";
  const std::string bytes = MentionedWords::bytes_of({text, ""});
  const MentionedWords words{bytes};
  for (const char* shown : {"shop_cart-1", "10.0.0.7", "fd00::7", "0a:58:0a:84:00:32", "cart-1"})
    EXPECT_TRUE(words.may_have(shown)) << shown;
  for (const char* shown : {"shop_cart-2", "10.0.0.70", "fd00::8", "cart"}) EXPECT_FALSE(words.may_have(shown)) << shown;
  EXPECT_FALSE(MentionedWords{}.may_have("cart"));
}

class CompiledState : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_STATE_HOME", (d.path() + "/state").c_str(), 1);
    fill(snapshot);
    egt = d.path() + "/s.egt";
    const auto done = compile_snapshot({snapshot.path(), {}, 0}, egt);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::size_t sections() const {
    const auto content = read_content(egt);
    const auto opened = content ? open_compiled(*content, seal_key(Missing::leave)) : Result<OpenedCompiled>(Error{"unread"});
    return opened && opened->sections ? opened->sections->size() : 0;
  }
  static std::string facts(const std::string& path, bool when_needed) {
    SnapshotRequest request{path, {}, 0};
    request.when_needed = when_needed;
    const auto opened = open_snapshot(request);
    if (!opened) return opened.error().message;
    std::string all;
    for (const auto& node : opened->cluster.nodes)
      all += bytes_of(opened->cluster, *node, static_cast<SourceId>(opened->cluster.sources->size()));
    for (const cluster::DumpInfo& dump : opened->cluster.dumps) {
      ModelWriter out(*opened->cluster.sources, dump.source, {});
      cluster::DumpInfo without_ends = dump;
      out.put(without_ends);
      all += out.take();
    }
    for (const Diagnostic& said : opened->cluster.diagnostics) all += format_diagnostic(said, *opened->cluster.sources);
    return all;
  }

  TemporaryDirectory d, snapshot;
  std::string egt;
};

TEST_F(CompiledState, HasASectionOfEachNode) { EXPECT_EQ(sections(), 3U); }

TEST_F(CompiledState, SaysWhatTheDumpsSay) {
  const std::string shown = facts(snapshot.path(), false);
  EXPECT_EQ(facts(egt, false), shown);
  ::setenv("XDG_STATE_HOME", (d.path() + "/of_another").c_str(), 1);
  EXPECT_EQ(sections(), 0U);
  EXPECT_EQ(facts(egt, false), shown);
}

// Only what its dumps show says which node a directory without folders is of.
TEST_F(CompiledState, KeepsANodeThatItsDumpsName) {
  const TemporaryDirectory flat;
  flat.file("hostname", "n1\n");
  flat.file("ip_a", kStateAddresses);
  flat.file("flows.txt", kStateFlows);
  flat.file("interfaces.txt", kInterfaces);
  ASSERT_TRUE(compile_snapshot({flat.path(), {}, 0}, egt));
  EXPECT_EQ(sections(), 2U);
  const std::string shown = facts(flat.path(), false);
  EXPECT_NE(shown.find("n1"), std::string::npos);
  EXPECT_EQ(facts(egt, false), shown);
  SnapshotRequest request{egt, {}, 0};
  request.when_needed = true;
  const auto opened = open_snapshot(request);
  ASSERT_TRUE(opened);
  ASSERT_EQ(opened->cluster.nodes.size(), 1U);
  EXPECT_EQ(opened->cluster.nodes.front().name(), "n1");
  EXPECT_FALSE(opened->cluster.nodes.front().is_read());
}

// The places are those of this snapshot's dumps, wherever they stand in the next one.
TEST_F(CompiledState, KeepsWhatComparingFlowsCameTo) {
  const CompareFlows compare = [](const cluster::Cluster& cluster, const cluster::Node& node) -> std::optional<ovn::Agreement> {
    if (node.dumps.empty()) return std::nullopt;
    return ovn::Agreement{{{cluster.dumps.at(node.dumps.front()).source, 7}}, {}};
  };
  ASSERT_TRUE(compile_snapshot({snapshot.path(), {}, 0}, egt, compare));
  const auto opened = open_snapshot({egt, {}, 0});
  ASSERT_TRUE(opened);
  for (const auto& node : opened->cluster.nodes) {
    ASSERT_TRUE(node->agreement) << node.name();
    ASSERT_EQ(node->agreement->has_value(), !node->dumps.empty()) << node.name();
    if (node->dumps.empty()) continue;
    const Provenance shown{opened->cluster.dumps.at(node->dumps.front()).source, 7};
    EXPECT_EQ((*node->agreement)->missing, std::vector<Provenance>{shown}) << node.name();
  }
  const auto of_text = open_snapshot({snapshot.path(), {}, 0});
  ASSERT_TRUE(of_text);
  EXPECT_FALSE(of_text->cluster.nodes.front()->agreement);
}

TEST_F(CompiledState, TellsNodesApartWithoutReadingThem) {
  SnapshotRequest request{egt, {}, 0};
  request.when_needed = true;
  const auto opened = open_snapshot(request);
  ASSERT_TRUE(opened);
  const cluster::NodeHandle& node = opened->cluster.nodes.at(0);
  EXPECT_EQ(node.links().value.size(), 4U);
  EXPECT_TRUE(node.may_have_port("shop_cart-1"));
  EXPECT_TRUE(node.may_have_port("10.0.0.7"));
  EXPECT_FALSE(node.may_have_port("shop_cart-2"));
  EXPECT_FALSE(node.is_read());
}

}  // namespace
}  // namespace egt::parsers
