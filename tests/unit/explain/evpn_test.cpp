// EVPN carries packets of a network in VXLAN of the host's own, which no dump that is read shows: it is named, and nobody at the other end is
// said to receive them. Devices as go-controller/pkg/node/controllers/evpn makes them; `ip -d` prints them so on a kernel with VLAN filtering.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

using nlohmann::json;

struct EvpnNode {
  std::string name, mac, vtep, routed_mac, subnet;
};
const EvpnNode kEvpnLeft{"left", "52:54:00:00:00:01", "172.18.0.2", "0e:00:00:00:00:01", "10.2.1"};
const EvpnNode kEvpnRight{"right", "52:54:00:00:00:02", "172.18.0.3", "0e:00:00:00:00:02", "10.2.2"};

class Evpn : public ::testing::Test {
 protected:
  // `details`: lines that `ip addr` without -d does not have.
  void snapshot(bool details, const std::string& more_devices = {}) const {
    node(kEvpnLeft, kEvpnRight, details, more_devices);
    node(kEvpnRight, kEvpnLeft, details, more_devices);
  }

  json explained(const std::vector<std::string>& question) const {
    std::vector<std::string> call{EGTRACE_BINARY, "explain", directory_.path(), "--format", "json", "--arrive-at", "left"};
    call.insert(call.end(), question.begin(), question.end());
    return json::parse(egt::testing::run(call).out);
  }
  json routed() const { return explained({"--from", "10.2.1.5", "--to", "10.2.2.2:80", "--in-dev", "ovn-k8s-mp1"}); }

  static std::string last_device(const json& e) {
    const json& seen = e.at("paths")[0].at("sightings");
    return seen.back().at("device");
  }

 private:
  static std::string detail(bool shown, const std::string& line) { return shown ? "    " + line + "\n" : std::string(); }

  static std::string device(unsigned index, const std::string& name, const std::string& mac, const std::string& master = {}) {
    return fmt::format(
        "{}: {}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue {}state UP group default qlen 1000\n"
        "    link/ether {} brd ff:ff:ff:ff:ff:ff\n",
        index, name, master.empty() ? master : "master " + master + " ", mac);
  }

  void node(const EvpnNode& own, const EvpnNode& other, bool details, const std::string& more_devices) const {
    const std::string last = own.mac.substr(15);
    std::string links =
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/loopback "
        "00:00:00:00:00:00 brd 00:00:00:00:00:00\n";
    links += device(2, "eth0", own.mac) + fmt::format("    inet {}/24 scope global eth0\n", own.vtep);
    links += device(3, "evbr-vt", "0a:00:00:00:00:" + last) + detail(details, "bridge forward_delay 1500 vlan_filtering 1");
    links += device(4, "evx4-vt", "0a:10:00:00:00:" + last, "evbr-vt") +
             detail(details, fmt::format("vxlan external vnifilter local {} srcport 0 0 dstport 4789 nolearning", own.vtep)) +
             detail(details, "bridge_slave state forwarding priority 32 cost 100");
    links += fmt::format(
        "5: blue: <NOARP,MASTER,UP,LOWER_UP> mtu 65575 qdisc noqueue state UP group default qlen 1000\n    link/ether "
        "0a:20:00:00:00:{} brd ff:ff:ff:ff:ff:ff\n    vrf table 1005\n",
        last);
    links += device(6, "svl3-blue@evbr-vt", own.routed_mac, "blue") +
             detail(details, "vlan protocol 802.1Q id 12 <REORDER_HDR>") + "    vrf_slave table 1005\n";
    links += device(7, "ovn-k8s-mp1", "0a:30:00:00:00:" + last, "blue") + "    vrf_slave table 1005\n" +
             fmt::format("    inet {}.2/24 scope global ovn-k8s-mp1\n", own.subnet);
    write(own.name, "ip_-d_addr", links + more_devices);
    write(own.name, "hostname", own.name + "\n");
    write(
        own.name, "ip_rule",
        "0:\tfrom all lookup local\n1000:\tfrom all lookup [l3mdev-table]\n32766:\tfrom all lookup main\n32767:\tfrom all lookup "
        "default\n");
    write(own.name, "ip_route_show_table_all",
          fmt::format("172.18.0.0/24 dev eth0 proto kernel scope link src {0}\n"
                      "local {0} dev eth0 table local proto kernel scope host src {0}\n"
                      "{1}.0/24 dev ovn-k8s-mp1 table 1005 proto kernel scope link src {1}.2\n"
                      "local {1}.2 dev ovn-k8s-mp1 table 1005 proto kernel scope host src {1}.2\n"
                      "{2}.0/24 via {3} dev svl3-blue table 1005 proto bgp metric 20 onlink\n",
                      own.vtep, own.subnet, other.subnet, other.vtep));
    write(own.name, "ip_neigh",
          fmt::format("{0} dev svl3-blue lladdr {1} extern_learn NOARP proto zebra\n{0} dev eth0 lladdr {2} REACHABLE\n",
                      other.vtep, other.routed_mac, other.mac));
    write(own.name, "sysctl", "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\n");
  }

  void write(const std::string& node, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(directory_.path() + "/" + node);
    std::ofstream(directory_.path() + "/" + node + "/" + file) << text;
  }
  egt::testing::TemporaryDirectory directory_;
};

void expect_evpn_named(const json& e) {
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  const json& stop = e.at("paths")[0].at("stopped_at");
  EXPECT_EQ(stop.value("reason", ""), "evpn-not-followed") << e.at("summary");
  EXPECT_NE(e.at("summary").get<std::string>().find("EVPN carries what leaves by svl3-blue"), std::string::npos)
      << e.at("summary");
  EXPECT_NE(e.at("gaps").dump().find("bridge fdb show"), std::string::npos) << e.at("gaps");
}

TEST_F(Evpn, NamesTheVtepThatARouteLeadsTo) {
  snapshot(true);
  const json e = routed();
  expect_evpn_named(e);
  EXPECT_NE(e.at("summary").get<std::string>().find("to VTEP 172.18.0.3"), std::string::npos) << e.at("summary");
}

// The MAC of the route's next hop is the other node's: no wire leads there.
TEST_F(Evpn, IsKnownByItsNamesWithoutKindsOfDevices) {
  snapshot(false);
  expect_evpn_named(routed());
}

// With two VXLAN devices and a port of Open vSwitch, none of the bridge's ports is the only one.
TEST_F(Evpn, OfBothFamiliesAndWithSwitchedNetworks) {
  snapshot(true,
           "8: evx6-vt: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue master evbr-vt state UNKNOWN group default\n"
           "    link/ether 0a:11:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    vxlan external vnifilter local fd00::2 dstport 4789\n"
           "9: ovl2-red: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue master evbr-vt state UNKNOWN group default\n"
           "    link/ether 0a:12:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    openvswitch\n");
  expect_evpn_named(routed());
}

// What comes from br-int by a network's port for a MAC of no device here, the bridge sends into VXLAN.
TEST_F(Evpn, SwitchesToMacsOfOtherNodes) {
  snapshot(true,
           "8: ovl2-red: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue master evbr-vt state UNKNOWN group default\n"
           "    link/ether 0a:12:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n");
  const json e = explained({"--from", "10.3.0.5", "--to", "10.3.0.6:80", "--in-dev", "ovl2-red", "--dmac", "0a:58:0a:03:00:06"});
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(e.at("paths")[0].at("stopped_at").value("reason", ""), "evpn-not-followed") << e.at("summary");
  EXPECT_NE(e.at("summary").get<std::string>().find("leaves by ovl2-red"), std::string::npos) << e.at("summary");
}

}  // namespace
