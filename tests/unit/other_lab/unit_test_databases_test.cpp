// Databases with the rows that the unit tests of OVN-Kubernetes expect, and the objects that they make (tests/lab/ovn-kubernetes): all is read
// and decoded, and a packet stays in its network.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

struct UnitTestScenario {
  std::string name;
  std::vector<std::string> nodes;
  std::string from, to;         // two pods of the same network on different nodes
  std::string router;           // that the packet passes; empty: none, by a switch alone
  std::string outcome, reason;  // why it stops, where it does
};

const std::vector<std::string> kTestNodes{"test-node", "test-node2"}, kConnectNodes{"node1", "node2"};
const std::string kBlueNet = "@namespace1/blue-net";

const UnitTestScenario kUnitTestScenarios[] = {
    {"layer3-primary", kTestNodes, "namespace1/mypod", "namespace1/mypod2:8080", "isolatednet_ovn_cluster_router", "answered",
     ""},
    {"layer3-secondary", kTestNodes, "namespace1/egress-pod" + kBlueNet, "namespace1/egress-pod2" + kBlueNet,
     "isolatednet_ovn_cluster_router", "answered", ""},
    {"layer3-advertised", kTestNodes, "namespace1/mypod", "namespace1/mypod2:8080", "isolatednet_ovn_cluster_router", "answered",
     ""},
    {"layer2-primary", kTestNodes, "namespace1/mypod-0", "namespace1/mypod-1:8080", "", "answered", ""},
    {"layer2-secondary", kTestNodes, "namespace1/egress-pod-0" + kBlueNet, "namespace1/egress-pod-1" + kBlueNet, "", "answered",
     ""},
    {"localnet", kTestNodes, "awips/virt-launcher-vm1@awips/mgmt", "awips/virt-launcher-vm2@awips/mgmt", "", "undecided",
     "patch-peer-missing"},
    {"evpn-layer2", kTestNodes, "namespace1/mypod-0", "namespace1/mypod-1:8080", "", "undecided", "evpn-not-followed"},
    {"evpn-layer3", kTestNodes, "namespace1/mypod", "namespace1/mypod2:8080", "isolatednet_ovn_cluster_router", "undecided",
     "network-host-unknown"},
    {"no-overlay",
     {"worker1", "worker2"},
     "greenamespace/pod1",
     "greenamespace/pod2:8080",
     "bluenet_ovn_cluster_router",
     "undecided",
     "pod-address-outside"},
    {"connect", kConnectNodes, "ns-a/pod-a1", "ns-a/pod-a2:8080", "netA_ovn_cluster_router", "answered", ""},
};

std::string unit_test_snapshot(const std::string& name) {
  return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/ovnk-" + name + ".tar.xz";
}

json unit_test_answer(std::vector<std::string> args) {
  args.insert(args.begin(), EGTRACE_BINARY);
  for (const char* more : {"--format", "json"}) args.emplace_back(more);
  const Ran ran = run(args);
  return json::parse(ran.out, nullptr, false);
}

// The switches and routers on the packet's way.
std::set<std::string> unit_test_datapaths(const json& path) {
  std::set<std::string> names;
  for (const json& hop : path.at("hops"))
    if (const json flow = hop.value("lflow", json()); flow.is_object()) names.insert(flow.at("datapath").get<std::string>());
  return names;
}

std::set<std::string> datapaths_of_default_network(const std::vector<std::string>& nodes) {
  std::set<std::string> names{"ovn_cluster_router", "transit_switch", "join"};
  for (const std::string& node : nodes) names.insert({node, "GR_" + node});
  return names;
}

json unit_test_walk(const UnitTestScenario& s, const std::string& from, const std::string& to) {
  return unit_test_answer({"explain", unit_test_snapshot(s.name), "--from", from, "--to", to});
}

// Values of a row's map, as OVSDB writes it: ["map", [[key, value], ...]].
std::string value_in_map(const json& map, const std::string& key) {
  if (map.is_array() && map.size() == 2 && map[0] == "map")
    for (const json& pair : map[1])
      if (pair.at(0) == key) return pair.at(1);
  return {};
}

void add_names_of_row(const std::string& table, const json& row, std::set<std::string>& names) {
  static const std::set<std::string> kNamed{"Logical_Switch", "Logical_Router", "Logical_Switch_Port", "Logical_Router_Port",
                                            "Port_Group",     "Address_Set",    "Load_Balancer_Group"};
  if (kNamed.contains(table) && row.contains("name")) names.insert(row.at("name").get<std::string>());
  if (table == "Port_Binding" && row.contains("logical_port")) names.insert(row.at("logical_port").get<std::string>());
  if (row.contains("external_ids")) names.insert(value_in_map(row.at("external_ids"), "k8s.ovn.org/id"));
}

std::set<std::string> names_in_database(const std::string& path) {
  std::set<std::string> names;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    const json transaction = json::parse(line);
    for (const auto& [table, rows] : transaction.items())
      for (const json& row : rows)
        if (row.is_object()) add_names_of_row(table, row, names);
  }
  return names;
}

// Ids of networks and nodes, and keys of tunnels, in annotations.
std::set<std::string> numbers_in_annotations(const std::string& text) {
  static const std::regex kAnnotation("k8s.ovn.org/[a-z0-9-]*(network-id|node-id|tunnel)[a-z0-9-]*: (.*)"), kNumber("[0-9]+");
  std::set<std::string> numbers;
  for (std::sregex_iterator a(text.begin(), text.end(), kAnnotation), end; a != end; ++a) {
    const std::string value = (*a)[2];
    for (std::sregex_iterator n(value.begin(), value.end(), kNumber); n != end; ++n) numbers.insert(n->str());
  }
  return numbers;
}

void PrintTo(const UnitTestScenario& scenario, std::ostream* out) { *out << scenario.name; }

class UnitTestDatabases : public ::testing::TestWithParam<UnitTestScenario> {};

TEST_P(UnitTestDatabases, AreReadWhole) {
  const json shown = unit_test_answer({"inspect", "-v", unit_test_snapshot(GetParam().name)});
  ASSERT_EQ(shown.at("nodes").size(), 2U);
  const auto expect_read = [](const json& dump) {
    EXPECT_NE(dump.at("kind"), "unknown") << dump;
    EXPECT_EQ(dump.at("not_understood"), json::array()) << dump;
  };
  for (const json& node : shown.at("nodes"))
    for (const json& dump : node.at("dumps")) expect_read(dump);
  for (const json& dump : shown.at("objects")) expect_read(dump);
}

TEST_P(UnitTestDatabases, NamesAreDecoded) {
  const TemporaryDirectory folder;
  ASSERT_EQ(run({"tar", "-C", folder.path(), "-xf", unit_test_snapshot(GetParam().name)}).status, 0);
  const std::string root = folder.path() + "/ovnk-" + GetParam().name + "/";
  std::set<std::string> names;
  for (const std::string& node : GetParam().nodes)
    for (const char* database : {"/ovnnb_db.db", "/ovnsb_db.db"}) names.merge(names_in_database(root + node + database));
  for (const char* objects : {"k8s/nodes.yaml", "k8s/networkattachmentdefinitions.yaml"})
    names.merge(numbers_in_annotations(read_file(root + objects)));
  for (const std::string& node : GetParam().nodes) names.erase(node);  // a switch has the node's own name
  names.erase("");
  EXPECT_GT(names.size(), 60U);
  std::vector<std::string> call{"decode"};
  call.insert(call.end(), names.begin(), names.end());
  const json decoded = unit_test_answer(call);
  for (const json& value : decoded.at("values")) EXPECT_NE(value.at("meanings"), json::array()) << value;
}

TEST_P(UnitTestDatabases, KeepAPacketInItsNetwork) {
  const UnitTestScenario& s = GetParam();
  const json shown = unit_test_walk(s, s.from, s.to);
  EXPECT_EQ(shown.at("outcome"), s.outcome) << shown.at("summary");
  EXPECT_NE(shown.at("confidence"), "proven") << shown.at("summary");
  const json& path = shown.at("paths")[0];
  if (!s.reason.empty()) {
    EXPECT_EQ(path.at("stopped_at").at("reason"), s.reason) << shown.at("summary");
  }
  const std::set<std::string> passed = unit_test_datapaths(path);
  EXPECT_FALSE(passed.empty());
  for (const std::string& other : datapaths_of_default_network(s.nodes)) EXPECT_FALSE(passed.contains(other)) << other;
  EXPECT_EQ(passed.contains(s.router), !s.router.empty()) << shown.at("summary");
}

TEST_P(UnitTestDatabases, HaveNoFault) {
  const json shown = unit_test_answer({"triage", unit_test_snapshot(GetParam().name)});
  for (const json& finding : shown.at("findings")) EXPECT_NE(finding.at("severity"), "error") << finding.dump(1);
}

INSTANTIATE_TEST_SUITE_P(OvnKubernetes, UnitTestDatabases, ::testing::ValuesIn(kUnitTestScenarios), [](const auto& scenario) {
  std::string name = scenario.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// A secondary network is taken only where it is asked for, by its name or by the pod's route.
TEST(UnitTestNetworks, SecondaryOnesAreChosen) {
  for (const auto& [name, from, to] : {std::tuple("layer2-secondary", "namespace1/egress-pod-0", "namespace1/egress-pod-1"),
                                       std::tuple("layer3-secondary", "namespace1/egress-pod", "namespace1/egress-pod2")}) {
    const UnitTestScenario s{name, kTestNodes, from, to, "", "", ""};
    const auto passed = unit_test_datapaths(unit_test_walk(s, from, to).at("paths")[0]);
    EXPECT_TRUE(passed.contains("test-node")) << name;
    const auto chosen = unit_test_answer(
        {"explain", unit_test_snapshot(name), "--from", from, "--to", to + kBlueNet, "--network", "namespace1/blue-net"});
    EXPECT_FALSE(unit_test_datapaths(chosen.at("paths")[0]).contains("test-node")) << chosen.at("summary");
  }
}

TEST(UnitTestNetworks, TheClustersOwnStaysBesideThem) {
  const auto passed = unit_test_datapaths(
      unit_test_walk({"layer3-primary", kTestNodes, "", "", "", "", ""}, "namespace2/plain", "namespace2/plain2").at("paths")[0]);
  EXPECT_TRUE(passed.contains("ovn_cluster_router"));
  for (const std::string& name : passed) EXPECT_EQ(name.find("isolatednet"), std::string::npos) << name;
}

// A ClusterNetworkConnect's router, whose port on another node answers for its MAC there: no dump shows the answer.
TEST(UnitTestNetworks, ConnectedOnesMeetAtTheirRouter) {
  const UnitTestScenario s{"connect", kConnectNodes, "", "", "", "", ""};
  const json near = unit_test_walk(s, "ns-a/pod-a1", "ns-b/pod-b1:8080");
  EXPECT_EQ(near.at("outcome"), "answered") << near.at("summary");
  EXPECT_TRUE(unit_test_datapaths(near.at("paths")[0]).contains("connect_router_cnc1"));
  const json far = unit_test_walk(s, "ns-a/pod-a1", "ns-b/pod-b2:8080");
  EXPECT_EQ(far.at("outcome"), "undecided") << far.at("summary");
  EXPECT_EQ(far.at("paths")[0].at("stopped_at").at("reason"), "mac-binding-missing") << far.at("summary");
}

}  // namespace
}  // namespace egt::testing
