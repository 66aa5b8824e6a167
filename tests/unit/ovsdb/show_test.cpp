#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kVswitch = R"~(98fbdc1e-8725-45e0-bec4-31baf9f7c1af
    Manager "ptcp:6640"
        is_connected: true
    Bridge br-ex
        fail_mode: standalone
        datapath_type: netdev
        Port "bond 0"
            tag: 42
            Interface "eth 0"
                error: "could not open network device eth 0 (No such device)"
            Interface "3f7826f95f8dd53"
                type: patch
                options: {peer=patch-br-int-to-br-ex_n}
    Bridge br-int
        fail_mode: secure
        Port ovn-dd8dc8-0
            Interface ovn-dd8dc8-0
                type: geneve
                options: {csum="true", key=flow, local_ip="192.168.99.24", remote_ip="192.168.99.23"}
    ovs_version: "3.1.0"
)~";

constexpr const char* kSouthboundShown = R"(Chassis "dd8dc8c9-e8e2-538e-a128-c7917516f30f"
    hostname: master-01
    Encap geneve
        ip: "192.168.99.23"
        options: {csum="true"}
    Port_Binding tstor-master-01
)";

constexpr const char* kNorthbound = R"(
switch e43dd95c-bb1d-456b-b760-7e5e1cb167f6 (join) (aka second name)
    port jtor-GR_n (aka the port)
        type: router
        router-port: rtoj-GR_n
    port with blanks
        parent: other port
        tag: 10
        addresses: ["0a:58:0a:84:00:27 10.132.0.39 fd01:0:0:1::27", "unknown"]
router e9654850-4930-4167-b9bf-97242d7358f4 (GR_n)
    port rtoj-GR_n
        mac: "0a:58:64:40:00:03"
        ipv6-lla: "fe80::858:64ff:fe40:3"
        networks: ["100.64.0.3/16", "fd98::3/64"]
        gateway chassis: [hv2 hv1]
    nat 0adacc1d-a983-48f8-b994-445b2cee6bdc
        external ip: "192.168.99.24"
        external port(s): "1000-2000"
        logical ip: "10.132.0.13"
        type: "snat"
)";

Formats show_formats() { return Formats(ovsdb_formats()); }

TEST(Show, PrintsBack) {
  Formats f = show_formats();
  for (const auto& [text, kind] :
       {std::pair{kVswitch, "ovs-vsctl show"}, {kSouthboundShown, "ovn-sbctl show"}, {kNorthbound, "ovn-nbctl show"}}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), kind);
    const Printed run = f.reprint(dump);
    EXPECT_EQ(run.out, text);
    EXPECT_TRUE(run.report.not_understood.empty());
    EXPECT_TRUE(run.report.diagnostics.empty()) << run.report.diagnostics.front().message;
  }
}

TEST(Show, BridgesHaveTheirInterfaces) {
  Formats f = show_formats();
  cluster::Cluster c;
  f.load(f.dump(kVswitch), c);
  const cluster::Node* node = c.node("n");
  EXPECT_EQ(node->ovs_version, "3.1.0");
  ASSERT_TRUE(node->bridge("br-ex"));
  EXPECT_EQ(node->bridge("br-ex")->fail_mode, "standalone");
  const auto place = node->port("3f7826f95f8dd53");
  ASSERT_TRUE(place.port);
  EXPECT_EQ(place.bridge->name, "br-ex");
  EXPECT_EQ(place.port->options.at("peer"), "patch-br-int-to-br-ex_n");
  EXPECT_EQ(place.port->tag, 42);
  EXPECT_EQ(place.port->from.line, 11u);
  EXPECT_EQ(node->port("ovn-dd8dc8-0").port->options.at("remote_ip"), "192.168.99.23");
}

TEST(Show, AListOfInterfacesAddsToIt) {
  Formats f = show_formats();
  for (const bool list_first : {false, true}) {
    cluster::Cluster c;
    const Dump list = f.dump(
        "_uuid               : 603b4c60-4c4c-4bed-ba47-6fa8d1d1bf1e\n"
        "external_ids        : {iface-id=ns_pod}\nname                : ovn-dd8dc8-0\n"
        "ofport              : 3\ntype                : geneve\n",
        "ovs-vsctl list interface");
    if (list_first) f.load(list, c);
    f.load(f.dump(kVswitch), c);
    if (!list_first) f.load(list, c);
    const auto place = c.node("n")->port("ovn-dd8dc8-0");
    ASSERT_TRUE(place.port);
    EXPECT_EQ(place.port->ofport, 3u);
    EXPECT_EQ(place.port->external_ids.at("iface-id"), "ns_pod");
    EXPECT_TRUE(c.node("n")->unplaced_interfaces.empty());
  }
}

TEST(Show, NorthboundPortsAndNat) {
  Formats f = show_formats();
  cluster::Cluster c;
  f.load(f.dump(kNorthbound), c);
  const ovn::Ovn& ovn = c.node("n")->ovn;
  ASSERT_EQ(ovn.ports.size(), 3u);
  EXPECT_EQ(ovn.ports[0].peer, "rtoj-GR_n");
  EXPECT_EQ(ovn.ports[1].name, "with blanks");
  EXPECT_EQ(ovn.ports[1].mac->to_string(), "0a:58:0a:84:00:27");
  EXPECT_EQ(ovn.ports[2].peer, "jtor-GR_n");
  EXPECT_TRUE(ovn.ports[2].on_router);
  EXPECT_EQ(ovn.ports[2].addresses.size(), 2u);
  EXPECT_EQ(ovn.datapaths.size(), 2u);
  ASSERT_EQ(ovn.rows.size(), 1u);
  EXPECT_EQ(ovn.rows[0].columns.find("external_ip"), "\"192.168.99.24\"");
  EXPECT_EQ(ovn.rows[0].columns.find("type"), "snat");
  EXPECT_EQ(ovn.rows[0].columns.find("router"), "GR_n");
}

TEST(Show, SouthboundChassis) {
  Formats f = show_formats();
  cluster::Cluster c;
  f.load(f.dump(kSouthboundShown), c);
  const ovn::Ovn& ovn = c.node("n")->ovn;
  ASSERT_EQ(ovn.chassis.size(), 1u);
  EXPECT_EQ(ovn.chassis[0].hostname, "master-01");
  EXPECT_EQ(ovn.chassis[0].encap_ips.at(0).to_string(), "192.168.99.23");
  ASSERT_EQ(ovn.ports.size(), 1u);
  EXPECT_EQ(ovn.ports[0].chassis, ovn.chassis[0].name);
}

TEST(Show, SurvivesCutAndGarbledInput) {
  Formats f = show_formats();
  for (const char* text : {kVswitch, kSouthboundShown, kNorthbound}) f.torment(text, "");
  std::string deep;
  for (std::size_t i = 0; i < 200; ++i) deep += std::string(i, ' ') + "Port p\n";
  f.torment(deep, "ovs-vsctl show");
}

}  // namespace
}  // namespace egt::parsers
