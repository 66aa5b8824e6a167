#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ovsdb/record.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kAddressSets = R"(_uuid               : 9ec327ab-0113-471f-8c64-134d68e18cbb
addresses           : ["10.132.0.13", "10.133.0.9"]
external_ids        : {ip-family=v4, "k8s.ovn.org/name"=egressip-served-pods}
name                : a4548040316634674295

_uuid               : 3a20f26c-3c67-4084-aa94-6b3e918741a9
addresses           : []
external_ids        : {}
name                : a1
)";

constexpr const char* kBridges = R"(_uuid               : 4e4a943b-cd14-4218-92b0-2ef134b7ee32
datapath_type       : netdev
external_ids        : {ct-zone-pod_a="19", ct-zone-x_snat="0"}
fail_mode           : secure
mcast_snooping_enable: false
name                : br-int
ports               : [04b32c13-bffb-49a4-9abe-ca9ca9b2866a]
)";
constexpr const char* kPorts = R"(_uuid               : 04b32c13-bffb-49a4-9abe-ca9ca9b2866a
interfaces          : [603b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e]
name                : eth7
tag                 : 42
trunks              : []
vlan_mode           : []
)";
constexpr const char* kInterfaces = R"(_uuid               : 603b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e
external_ids        : {attached_mac="0a:58:0a:84:00:0d", iface-id=ns_pod}
link_state          : up
mac_in_use          : "9a:05:73:26:9b:99"
mtu                 : 1400
name                : eth7
ofport              : 5
options             : {}
type                : ""

_uuid               : 703b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e
external_ids        : {}
mac_in_use          : []
mtu                 : []
name                : gone
ofport              : -1
options             : {key=flow, remote_ip="192.168.1.2"}
type                : geneve
)";

Formats formats() { return Formats(ovsdb_formats()); }

TEST(List, PrintsBackAndFindsTheDatabaseByColumns) {
  Formats f = formats();
  for (const auto& [text, kind] : {std::pair{kAddressSets, "ovn-nbctl list"},
                                   {kBridges, "ovs-vsctl list"},
                                   {kPorts, "ovs-vsctl list"},
                                   {kInterfaces, "ovs-vsctl list"}}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), kind);
    const Printed run = f.reprint(dump);
    EXPECT_EQ(run.out, text);
    EXPECT_TRUE(run.report.not_understood.empty());
    EXPECT_TRUE(run.report.diagnostics.empty());
    EXPECT_EQ(run.report.lines, run.report.understood + run.report.ignored);
  }
}

TEST(List, ContentCountsMoreThanTheName) {
  Formats f = formats();
  EXPECT_EQ(f.kind(f.dump(kInterfaces, "ovn-nbctl_list_nat")), "ovs-vsctl list");
  Recognition how;
  f.recognise(f.dump(kAddressSets, "ovn-nbctl list address_set"), &how);
  EXPECT_EQ(how.topic, "NB Address_Set");
}

TEST(List, EmptyListingIsCompleteWhenItsCommandIsKnown) {
  Formats f = formats();
  cluster::Cluster c;
  f.load(f.dump("", "ovn-nbctl_list_load_balancer"), c);
  EXPECT_EQ(c.node("n")->ovn.complete_tables.count("NB Load_Balancer"), 1u);
  EXPECT_EQ(f.kind(f.dump("", "")), "(none)");
}

TEST(List, AnErrorMessageIsNoEmptyTable) {
  Formats f = formats();
  cluster::Cluster c;
  const Dump dump = f.dump("ovn-nbctl: unix:/var/run/ovn/ovnnb_db.sock: database connection failed\n", "ovn-nbctl_list_nat");
  EXPECT_EQ(f.kind(dump), "(none)");
}

TEST(List, InterfacesFindTheirBridgeInAnyOrder) {
  Formats f = formats();
  std::vector<std::pair<const char*, const char*>> dumps = {
      {kBridges, "ovs-vsctl list bridge"}, {kPorts, "ovs-vsctl list port"}, {kInterfaces, "ovs-vsctl list interface"}};
  std::sort(dumps.begin(), dumps.end());
  do {
    cluster::Cluster c;
    for (const auto& [text, command] : dumps) f.load(f.dump(text, command), c);
    const cluster::Node* node = c.node("n");
    const openflow::Bridge* bridge = node->bridge("br-int");
    ASSERT_TRUE(bridge);
    EXPECT_EQ(bridge->fail_mode, "secure");
    ASSERT_EQ(bridge->interfaces.size(), 1u);
    const openflow::Interface& i = bridge->interfaces[0];
    EXPECT_EQ(i.ofport, 5u);
    EXPECT_EQ(i.tag, 42);
    EXPECT_EQ(i.mtu, 1400u);
    EXPECT_EQ(i.external_ids.at("iface-id"), "ns_pod");
    EXPECT_EQ(node->ovn.ct_zones.at("pod_a"), 19);
    ASSERT_EQ(node->unplaced_interfaces.size(), 1u);
    EXPECT_FALSE(node->unplaced_interfaces[0].ofport);
  } while (std::next_permutation(dumps.begin(), dumps.end()));
}

// Of the two datapaths that a database may have that which the bridges use.
TEST(List, LimitsOfConnections) {
  constexpr const char* kDatapath =
      "_uuid                : {0}\ncapabilities         : {{}}\nct_zone_default_limit: {1}\nct_zones             : {{{2}}}\n"
      "datapath_version     : \"\"\nexternal_ids         : {{}}\n";
  const std::string kernel = "11111111-1111-1111-1111-111111111111", userspace = "22222222-2222-2222-2222-222222222222",
                    zone = "33333333-3333-3333-3333-333333333333";
  const auto datapath = [&](const std::string& uuid, const char* most, const std::string& zones) {
    return fmt::format(fmt::runtime(kDatapath), uuid, most, zones);
  };
  Formats f = formats();
  cluster::Cluster c;
  f.load(f.dump(kBridges, "ovs-vsctl list bridge"), c);
  f.load(f.dump("_uuid               : " + zone +
                    "\nexternal_ids        : {}\nlimit               : 500\ntimeout_policy      : []\n",
                "ovs-vsctl list ct_zone"),
         c);
  f.load(f.dump(datapath(kernel, "7", "") + "\n" + datapath(userspace, "1000", "12=" + zone), "ovs-vsctl list datapath"), c);
  f.load(
      f.dump(
          "_uuid               : 44444444-4444-4444-4444-444444444444\nbridges             : []\ndatapaths           : {netdev=" +
              userspace + ", system=" + kernel + "}\novs_version         : \"3.5.0\"\n",
          "ovs-vsctl list open_vswitch"),
      c);
  const openflow::ConntrackLimits& limits = c.node("n")->datapath.configured;
  ASSERT_TRUE(limits.of_others && limits.zone(12));
  EXPECT_EQ(limits.of_others->value, 1000u);
  EXPECT_EQ(limits.zone(12)->limit, 500u);
  EXPECT_FALSE(limits.zone(12)->count);
}

TEST(List, ASingleRecordOfAnExcerptIsLoaded) {
  Formats f = formats();
  cluster::Cluster c;
  const Dump dump = f.dump(
      "# the set\n  _uuid : fc1a4799-828f-4d11-9ce3-e84a94d67c79\n  addresses : [\"10.132.0.13\"]\n"
      "  name : a115\n",
      "", true);
  const Report report = f.load(dump, c);
  EXPECT_TRUE(report.not_understood.empty());
  ASSERT_EQ(c.node("n")->ovn.address_sets.size(), 1u);
  EXPECT_EQ(c.node("n")->ovn.address_sets[0].name, "a115");
  EXPECT_EQ(c.node("n")->ovn.address_sets[0].from.line, 2u);
  EXPECT_TRUE(c.node("n")->ovn.complete_tables.empty());
}

TEST(List, GoesOnBehindALineThatIsNotUnderstood) {
  Formats f = formats();
  cluster::Cluster c;
  std::string text = kAddressSets;
  text.replace(text.find("[\"10.132.0.13\""), 14, "[\"10.132.0.13 ");
  const Dump dump = f.dump(text, "ovn-nbctl list address_set");
  const Report report = f.load(dump, c);
  ASSERT_EQ(report.not_understood.size(), 1u);
  EXPECT_EQ(report.not_understood[0].line, 2u);
  EXPECT_TRUE(c.node("n")->ovn.complete_tables.empty());
  EXPECT_EQ(f.reprint(dump).out, text);
}

TEST(List, JsonPrintsBackAndTellsTheSame) {
  Formats f = formats();
  const std::string text =
      R"({"data":[[["uuid","603b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e"],["map",[["iface-id","a \"b\" ä"]]],"eth7",5,["set",[]],true,0.5,["set",[["uuid","703b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e"],["uuid","803b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e"]]]]],"headings":["_uuid","external_ids","name","ofport","mac_in_use","lacp_current","link_speed","mirrors"]})"
      "\n";
  const Dump dump = f.dump(text, "ovs-vsctl_-f_json_list_interface");
  const Printed run = f.reprint(dump);
  EXPECT_EQ(run.out, text);
  EXPECT_TRUE(run.report.diagnostics.empty());
  cluster::Cluster c;
  f.load(dump, c);
  ASSERT_EQ(c.node("n")->unplaced_interfaces.size(), 1u);
  EXPECT_EQ(c.node("n")->unplaced_interfaces[0].ofport, 5u);
}

TEST(List, ACutJsonTableIsReported) {
  Formats f = formats();
  cluster::Cluster c;
  const Dump dump = f.dump(R"({"data":[[["uuid","603b4c60-4c4c)", "ovs-vsctl_-f_json_list_interface");
  EXPECT_EQ(f.kind(dump), "ovs-vsctl list");
  EXPECT_EQ(f.load(dump, c).not_understood.size(), 1u);
}

TEST(List, PortBindingsGetTheirDatapathsNames) {
  Formats f = formats();
  cluster::Cluster c;
  f.load(f.dump(R"(_uuid               : 11111111-2222-3333-4444-000000000001
chassis             : 11111111-2222-3333-4444-00000000000c
datapath            : 11111111-2222-3333-4444-00000000000d
logical_port        : rtoj-GR_x
mac                 : ["0a:58:64:40:00:03 100.64.0.3/16 fd98::3/64"]
options             : {peer=jtor-GR_x}
tunnel_key          : 1
type                : l3gateway
)",
                "ovn-sbctl list Port_Binding"),
         c);
  f.load(f.dump(R"(_uuid               : 11111111-2222-3333-4444-00000000000d
external_ids        : {logical-router="11111111-2222-3333-4444-00000000000e", name=GR_x}
load_balancers      : []
tunnel_key          : 4
)",
                "ovn-sbctl list Datapath_Binding"),
         c);
  f.load(f.dump(R"(_uuid               : 11111111-2222-3333-4444-00000000000c
encaps              : [11111111-2222-3333-4444-00000000000f]
external_ids        : {}
hostname            : node-x
name                : "11111111-2222-3333-4444-0000000000aa"
other_config        : {is-remote="true"}
)",
                "ovn-sbctl list Chassis"),
         c);
  f.load(f.dump(R"(_uuid               : 11111111-2222-3333-4444-00000000000f
chassis_name        : "11111111-2222-3333-4444-0000000000aa"
ip                  : "192.0.2.7"
options             : {csum="true"}
type                : geneve
)",
                "ovn-sbctl list Encap"),
         c);
  const ovn::Ovn& ovn = c.node("n")->ovn;
  ASSERT_EQ(ovn.ports.size(), 1u);
  EXPECT_TRUE(ovn.has_ports);
  EXPECT_EQ(ovn.ports[0].datapath, "GR_x");
  EXPECT_TRUE(ovn.ports[0].on_router);
  EXPECT_EQ(ovn.ports[0].peer, "jtor-GR_x");
  EXPECT_EQ(ovn.ports[0].chassis, "11111111-2222-3333-4444-0000000000aa");
  ASSERT_EQ(ovn.ports[0].addresses.size(), 2u);
  EXPECT_EQ(ovn.ports[0].addresses[0].to_string(), "100.64.0.3/16");
  ASSERT_EQ(ovn.datapaths.size(), 1u);
  EXPECT_EQ(ovn.datapaths[0].tunnel_key, 4u);
  ASSERT_EQ(ovn.chassis.size(), 1u);
  EXPECT_EQ(ovn.chassis[0].hostname, "node-x");
  EXPECT_TRUE(ovn.chassis[0].is_remote);
  ASSERT_EQ(ovn.chassis[0].encap_ips.size(), 1u);
}

TEST(List, TreeAsJson) {
  Formats f = formats();
  const std::string json = f.json(f.dump(kAddressSets, "ovn-nbctl list address_set"));
  EXPECT_NE(json.find("\"table\": \"Address_Set\""), std::string::npos);
  EXPECT_NE(json.find("\"ip-family\": \"v4\""), std::string::npos);
}

TEST(List, SurvivesCutAndGarbledInput) {
  Formats f = formats();
  f.torment(std::string(kBridges) + "\n" + kInterfaces, "ovs-vsctl list interface");
  f.torment(
      R"({"data":[[["uuid","603b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e"],["map",[["a","b"]]],5]],"headings":["_uuid","options","ofport"]})",
      "ovs-vsctl -f json list interface");
  f.torment("{\"data\":" + std::string(2000, '['), "ovs-vsctl -f json list interface");
}

}  // namespace
}  // namespace egt::parsers
