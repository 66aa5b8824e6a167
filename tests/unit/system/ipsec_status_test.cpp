// What libreswan says of its connections: 4.10 with the connections of ovs-monitor-ipsec(8) as it ran, established ones as its own tests print
// them (the kernel at hand has no ESP), and release 5, which has no numbers in front.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

using host::IpsecState;

const std::string kStatus =
    "000 using kernel interface: xfrm\n000  \n000 interface hbv0 UDP 10.72.20.11:4500\n000 interface hbv0 UDP "
    "10.72.20.11:500\n000  \n"
    "000 pluto_version=4.10, pluto_vendorid=OE-Libreswan-4.10, audit-log=yes\n000  \n000 Connection list:\n000  \n"
    "000 \"ovn-a-0-in-1\": 10.72.20.11/32:UDP/6081===10.72.20.11...10.72.20.12===10.72.20.12/32:UDP/0-65535; erouted; eroute "
    "owner: #2\n"
    "000 \"ovn-a-0-in-1\":     oriented; my_ip=unset; their_ip=unset; my_updown=ipsec _updown;\n"
    "000 \"ovn-a-0-in-1\":   newest IKE SA: #1; newest IPsec SA: #2; conn serial: $3;\n"
    "000 \"ovn-a-0-out-1\": 10.72.20.11/32:UDP/0-65535===10.72.20.11...10.72.20.12===10.72.20.12/32:UDP/6081; prospective "
    "erouted; eroute "
    "owner: #0\n"
    "000 \"ovn-a-0-out-1\":   newest IKE SA: #0; newest IPsec SA: #0; conn serial: $4;\n"
    "000 \"ovn-b-0-out-1\": 2001:db8:1:2::45[@west]...2001:db8:1:2::23[@east]; unrouted; eroute owner: #0\n"
    "000  \n000 Total IPsec connections: loaded 3, active 1\n000  \n"
    "000 #1: \"ovn-a-0-in-1\":500 STATE_V2_ESTABLISHED_IKE_SA (established IKE SA); REKEY in 28134s; REPLACE in 28798s; newest; "
    "idle;\n"
    "000 #2: \"ovn-a-0-in-1\":500 STATE_V2_ESTABLISHED_CHILD_SA (established Child SA); REKEY in 28000s; newest; eroute owner; "
    "IKE SA #1; "
    "idle;\n000  \n000 Bare Shunt list:\n000  \n";
const std::string kTraffic =
    "006 #2: \"ovn-a-0-in-1\", type=ESP, add_time=1234567890, inBytes=64, outBytes=64, maxBytes=2^63B, id='@east'\n";

TEST(IpsecStatus, IsReadAndPrintedBack) {
  Formats f(system_formats());
  for (const std::string& text : {kStatus, kTraffic}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), "ipsec status");
    const Printed printed = f.reprint(dump);
    EXPECT_EQ(printed.out, text);
    EXPECT_TRUE(printed.report.not_understood.empty());
    f.torment(text, "ipsec status");
  }
  EXPECT_EQ(nlohmann::json::parse(f.json(f.dump(kStatus))).at("connections").size(), 3U);
}

TEST(IpsecStatus, HasConnectionsWithTheirStates) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(f.dump(kStatus, "ipsec status"), cluster);
  const auto& part = cluster.node("n")->host.ipsec_connections;
  EXPECT_FALSE(part.partial);
  ASSERT_EQ(part.value.size(), 3U);
  EXPECT_EQ(part.value[0].name, "ovn-a-0-in-1");
  EXPECT_EQ(part.value[0].local.to_string(), "10.72.20.11");
  EXPECT_EQ(part.value[0].remote.to_string(), "10.72.20.12");
  EXPECT_EQ(part.value[0].state, IpsecState::established);
  EXPECT_EQ(part.value[0].from.line, 10U);
  EXPECT_EQ(part.value[1].state, IpsecState::on_demand);
  EXPECT_EQ(part.value[2].remote.to_string(), "2001:db8:1:2::23");
  EXPECT_EQ(part.value[2].state, IpsecState::loaded);
}

// Of that list alone nothing is known of connections that carry nothing.
TEST(IpsecStatus, OfTrafficShowsWhatIsEstablished) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(f.dump(kTraffic, "ipsec trafficstatus"), cluster);
  const auto& part = cluster.node("n")->host.ipsec_connections;
  EXPECT_TRUE(part.partial);
  ASSERT_EQ(part.value.size(), 1U);
  EXPECT_EQ(part.value[0].state, IpsecState::established);
  f.load(f.dump(kStatus, "ipsec status"), cluster);
  EXPECT_FALSE(part.partial);
  ASSERT_EQ(part.value.size(), 3U);
  EXPECT_EQ(part.value[0].remote.to_string(), "10.72.20.12");
}

TEST(IpsecStatus, OfReleaseFiveHasNoNumbers) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(
      f.dump(
          "Connection list:\n\n\"west\": 192.0.1.0/24===192.1.2.45[@west]...192.1.2.23[@east]===192.0.2.0/24; unrouted; "
          "my_ip=unset; "
          "their_ip=unset;\n\"west\":   host: oriented; local: 192.1.2.45; remote: 192.1.2.23;\n\n"
          "#1: \"west\":500 ESTABLISHED_IKE_SA (established IKE SA); REKEY in 9s; newest; idle;\n"
          "#2: \"west\":500 ESTABLISHED_CHILD_SA (established Child SA); REKEY in 9s; newest; eroute owner; IKE SA #1; idle;\n",
          "ipsec status"),
      cluster);
  const auto& all = cluster.node("n")->host.ipsec_connections.value;
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].remote.to_string(), "192.1.2.23");
  EXPECT_EQ(all[0].state, IpsecState::established);
}

}  // namespace
}  // namespace egt::parsers
