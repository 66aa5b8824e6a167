// VLANs, bonds, macvlan and ipvlan devices and Linux bridges on the path between two nodes of one link.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

using nlohmann::json;

constexpr const char* kLeft = "52:54:00:00:00:01";
constexpr const char* kRight = "52:54:00:00:00:02";

// As ip -d addr prints devices.
struct Device {
  std::string name, mac, details, address{}, master{};
};

std::string printed(unsigned index, const Device& d) {
  std::string text = fmt::format(
      "{}: {}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue {}state UP group default qlen 1000\n    link/ether {} "
      "brd ff:ff:ff:ff:ff:ff\n",
      index, d.name, d.master.empty() ? "" : "master " + d.master + " ", d.mac);
  if (!d.details.empty()) text += "    " + d.details + "\n";
  if (!d.address.empty()) text += fmt::format("    inet {}/24 scope global {}\n", d.address, d.name.substr(0, d.name.find('@')));
  return text;
}

std::string vlan(unsigned id) { return fmt::format("vlan protocol 802.1Q id {} <REORDER_HDR>", id); }

class StackedDevices : public ::testing::Test {
 protected:
  void node(const std::string& name, const std::vector<Device>& devices) {
    std::string links =
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/loopback "
        "00:00:00:00:00:00 brd 00:00:00:00:00:00\n";
    std::string routes;
    for (unsigned i = 0; i < devices.size(); ++i) {
      links += printed(i + 2, devices[i]);
      if (devices[i].address.empty()) continue;
      const std::string device = devices[i].name.substr(0, devices[i].name.find('@'));
      routes += fmt::format(
          "10.9.0.0/24 dev {0} proto kernel scope link src {1} \nlocal {1} dev {0} table local proto kernel scope host src {1} "
          "\n",
          device, devices[i].address);
    }
    write(name, "hostname", name + "\n");
    write(name, "ip_-d_addr", links);
    write(name, "ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
    write(name, "ip_route_show_table_all", routes);
    write(name, "sysctl", "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\n");
  }
  void left(const std::vector<Device>& devices) { node("left", devices); }
  void right() { node("right", {{"eth0", kRight, "", "10.9.0.2"}}); }
  void right_on_vlan(unsigned id) {
    node("right", {{"eth0", kRight, "", ""}, {fmt::format("eth0.{}@eth0", id), kRight, vlan(id), "10.9.0.2"}});
  }

  json explained(const std::vector<std::string>& question = {"--from", "node:left", "--to", "10.9.0.2:80"}) const {
    std::vector<std::string> call{EGTRACE_BINARY, "explain", directory_.path(), "--format", "json"};
    call.insert(call.end(), question.begin(), question.end());
    return json::parse(egt::testing::run(call).out);
  }
  json from_right() const { return explained({"--from", "node:right", "--to", "10.9.0.1:80"}); }

  static std::string seen(const json& path) {
    std::string all;
    for (const json& s : path["sightings"])
      all += (all.empty() ? "" : " ") + s["device"].get<std::string>() + (s["dir"] == "in" ? "<" : ">");
    return all;
  }
  static std::string request(const json& e) { return seen(e["paths"][0]); }
  static std::string reply(const json& e) { return seen(e["paths"][0]["reply"]["paths"][0]); }

  void write(const std::string& node, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(directory_.path() + "/" + node);
    std::ofstream(directory_.path() + "/" + node + "/" + file) << text;
  }

 private:
  egt::testing::TemporaryDirectory directory_;
};

TEST_F(StackedDevices, VlanBehindAnAccessPort) {
  left({{"eno1", kLeft, "", ""}, {"eno1.100@eno1", kLeft, vlan(100), "10.9.0.1"}});
  right();
  const json e = explained();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("eno1.100> eno1> eth0<", request(e));
  EXPECT_EQ("eth0> eno1< eno1.100<", reply(e));
  EXPECT_NE(std::string::npos, e["assumptions"].dump().find("without tag"));
  EXPECT_EQ("eth0> eno1< eno1.100<", request(from_right()));
}

TEST_F(StackedDevices, OneVlanAtBothEnds) {
  left({{"eno1", kLeft, "", ""}, {"eno1.100@eno1", kLeft, vlan(100), "10.9.0.1"}});
  right_on_vlan(100);
  const json e = explained();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("eno1.100> eno1> eth0< eth0.100<", request(e));
  EXPECT_EQ(std::string::npos, e["assumptions"].dump().find("VLAN"));
}

TEST_F(StackedDevices, OtherVlanAtTheOtherEnd) {
  left({{"eno1", kLeft, "", ""}, {"eno1.100@eno1", kLeft, vlan(100), "10.9.0.1"}});
  right_on_vlan(200);
  const json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]);
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_EQ("vlan-without-device", e["fault"]["reason"]) << e["fault"];
}

TEST_F(StackedDevices, TwoTags) {
  const auto stack = [](const char* nic, const char* mac, const char* address) {
    return std::vector<Device>{{nic, mac, "", ""},
                               {std::string("outer@") + nic, mac, "vlan protocol 802.1ad id 10 <REORDER_HDR>", ""},
                               {"inner@outer", mac, vlan(20), address}};
  };
  left(stack("eno1", kLeft, "10.9.0.1"));
  node("right", stack("eth0", kRight, "10.9.0.2"));
  EXPECT_EQ("inner> outer> eno1> eth0< outer< inner<", request(explained()));
}

TEST_F(StackedDevices, KindTakenFromTheName) {
  left({{"eno1", kLeft, "", ""}, {"eno1.100@eno1", kLeft, "", "10.9.0.1"}});
  right();
  const json e = explained();
  EXPECT_EQ("eno1.100> eno1> eth0<", request(e));
  EXPECT_NE(std::string::npos, e["assumptions"].dump().find("its name says so")) << e["assumptions"];
}

class Bonded : public StackedDevices {
 protected:
  static std::vector<Device> bond(const std::string& mode, const std::string& first, const std::string& second) {
    return {{"eno1", kLeft, "bond_slave state " + first + " mii_status UP link_failure_count 0", "", "bond0"},
            {"eno2", kLeft, "bond_slave state " + second + " mii_status UP link_failure_count 0", "", "bond0"},
            {"bond0", kLeft, "bond mode " + mode + " miimon 100 updelay 0", ""}};
  }
};

TEST_F(Bonded, VlanByTheActiveLeg) {
  auto devices = bond("active-backup active_slave eno2", "BACKUP", "ACTIVE");
  devices.push_back({"bond0.100@bond0", kLeft, vlan(100), "10.9.0.1"});
  left(devices);
  right();
  const json e = explained();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("bond0.100> bond0> eno2> eth0<", request(e));
  EXPECT_EQ("eth0> eno2< bond0< bond0.100<", reply(e));
}

TEST_F(Bonded, OnePathWhereTwoLegsWork) {
  auto devices = bond("802.3ad", "ACTIVE", "ACTIVE");
  devices.back().address = "10.9.0.1";
  left(devices);
  right();
  EXPECT_EQ(1u, from_right()["paths"].size());
  EXPECT_EQ("eth0> eno1< bond0<", request(from_right()));
}

TEST_F(Bonded, NoLegWorks) {
  auto devices = bond("active-backup", "BACKUP", "BACKUP");
  devices.back().address = "10.9.0.1";
  left(devices);
  right();
  EXPECT_EQ("no-carrier", explained()["fault"]["reason"]);
}

TEST_F(Bonded, MacvlanOnABond) {
  auto devices = bond("802.3ad", "ACTIVE", "ACTIVE");
  devices.push_back({"mv0@bond0", "52:54:00:00:00:77", "macvlan mode bridge", "10.9.0.1"});
  left(devices);
  right();
  const json e = from_right();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("eth0> eno1< bond0< mv0<", request(e));
  EXPECT_EQ("mv0> bond0> eno1> eth0<", reply(e));
}

TEST_F(Bonded, EntryByAVlanDevice) {
  auto devices = bond("active-backup active_slave eno1", "ACTIVE", "BACKUP");
  devices.push_back({"bond0.100@bond0", kLeft, vlan(100), "10.9.0.1"});
  left(devices);
  EXPECT_EQ(
      "eno1< bond0< bond0.100<",
      request(explained({"--from", "external:10.9.0.2", "--to", "10.9.0.1:80", "--arrive-at", "left", "--in-dev", "bond0.100"})));
}

TEST_F(StackedDevices, Ipvlan) {
  left({{"eno1", kLeft, "", ""}, {"iv0@eno1", kLeft, "ipvlan mode l2 bridge", "10.9.0.1"}});
  right();
  EXPECT_EQ("eth0> eno1< iv0<", request(from_right()));
}

TEST_F(StackedDevices, VlanOfABridge) {
  left({{"eno1", kLeft, "bridge_slave state forwarding priority 32", "", "br0"},
        {"br0", kLeft, "bridge forward_delay 1500", ""},
        {"br0.100@br0", kLeft, vlan(100), "10.9.0.1"}});
  right_on_vlan(100);
  const json e = from_right();
  EXPECT_EQ(1u, e["paths"].size());
  EXPECT_EQ("eth0.100> eth0> eno1< br0< br0.100<", request(e));
  EXPECT_EQ("br0.100> br0> eno1> eth0< eth0.100<", reply(e));
}

constexpr const char* kFiltering = "bridge forward_delay 1500 vlan_filtering 1 vlan_protocol 802.1Q";

// Without `bridge vlan show` nothing shows which VLANs the ports of such a bridge carry.
TEST_F(StackedDevices, ABridgeThatFiltersVlansProvesNothing) {
  left({{"eno1", kLeft, "bridge_slave state forwarding priority 32", "", "br0"}, {"br0", kLeft, kFiltering, "10.9.0.1"}});
  right();
  EXPECT_EQ("assumed", from_right().at("confidence"));
  EXPECT_NE(std::string::npos, from_right().at("assumptions").dump().find("lets the frame pass at port eno1"));
}

// __allowed_ingress(), br_allowed_egress() and br_handle_vlan() of net/bridge/br_vlan.c.
class FilteringBridge : public StackedDevices {
 protected:
  void with_vlans(const std::string& rows, bool on_vlan_device = false) {
    std::vector<Device> devices{{"eno1", kLeft, "bridge_slave state forwarding priority 32", "", "br0"},
                                {"br0", kLeft, kFiltering, on_vlan_device ? "" : "10.9.0.1"}};
    if (on_vlan_device) devices.push_back({"br0.100@br0", kLeft, vlan(100), "10.9.0.1"});
    left(devices);
    write("left", "bridge_vlan_show", "port              vlan-id  \n" + rows);
  }
};

TEST_F(FilteringBridge, CarriesFramesWithoutATagInThePortsOwnVlan) {
  with_vlans("eno1              7 PVID Egress Untagged\nbr0               7 PVID Egress Untagged\n");
  right();
  const json e = from_right();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ(std::string::npos, e["assumptions"].dump().find("br0"));
  EXPECT_EQ("eth0> eno1< br0<", request(e));
  EXPECT_NE(std::string::npos, e.dump().find("bridge br0 carries the frame from eno1 to br0 in VLAN 7"));
}

TEST_F(FilteringBridge, DropsWhatItsDeviceDoesNotHave) {
  with_vlans("eno1              7 PVID Egress Untagged\nbr0               1 PVID Egress Untagged\n");
  right();
  const json e = from_right();
  EXPECT_EQ("unanswered", e["outcome"]);
  for (const json& a : e["assumptions"]) EXPECT_EQ("right has no netfilter rules that concern the packet", a["what"]);
  EXPECT_EQ("bridge-vlan-missing", e["fault"]["reason"]);
  EXPECT_NE(std::string::npos, e["fault"].dump().find("bridge br0 filters VLANs, and br0 does not carry VLAN 7"));
}

TEST_F(FilteringBridge, DropsFramesWithoutATagWhereThePortHasNoVlanForThem) {
  with_vlans("eno1              7\nbr0               7 PVID Egress Untagged\n");
  right();
  EXPECT_EQ("bridge-without-pvid", from_right()["fault"]["reason"]);
}

TEST_F(FilteringBridge, DropsAtAPortThatTheListLeavesOut) {
  with_vlans("br0               1 PVID Egress Untagged\n");
  right();
  const json e = explained();
  EXPECT_EQ("bridge-vlan-missing", e["fault"]["reason"]);
  EXPECT_NE(std::string::npos, e["fault"].dump().find("eno1 does not carry VLAN 1"));
  const json list = {{"dump", "left/bridge_vlan_show"}, {"line", 0}, {"text", ""}};  // of which no line is the port's
  const json& evidence = e["fault"]["evidence"];
  EXPECT_NE(evidence.end(), std::find(evidence.begin(), evidence.end(), list)) << evidence;
}

TEST_F(FilteringBridge, CarriesTagsOfAVlanDeviceOnIt) {
  with_vlans("eno1              1 PVID Egress Untagged\n                  100-110\nbr0               100\n", true);
  right_on_vlan(100);
  const json e = from_right();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("eth0.100> eth0> eno1< br0< br0.100<", request(e));
  EXPECT_EQ("br0.100> br0> eno1> eth0< eth0.100<", reply(e));
}

TEST_F(FilteringBridge, TakesTheTagOffAtAnAccessPort) {
  with_vlans("eno1              100 PVID Egress Untagged\nbr0               100\n", true);
  right();
  const json e = from_right();
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_EQ("eth0> eno1< br0< br0.100<", request(e));
  EXPECT_EQ("br0.100> br0> eno1> eth0<", reply(e));
}

TEST_F(FilteringBridge, LeavesOpenWhatAnExcerptDoesNotShow) {
  with_vlans("eno1              7 PVID Egress Untagged\n");
  write("left", "bridge_vlan_show", "");
  write("left", "bridge_vlan_show_dev_eno1", "port              vlan-id  \neno1              7 PVID Egress Untagged\n");
  right();
  EXPECT_EQ("assumed", from_right().at("confidence"));
}

TEST_F(FilteringBridge, DropsWhereSpanningTreeKeepsTheVlanOut) {
  with_vlans(
      "eno1              7 PVID Egress Untagged\n                    state blocking mcast_router 1\nbr0               7 PVID "
      "Egress Untagged\n");
  right();
  EXPECT_EQ("bridge-vlan-blocked", from_right()["fault"]["reason"]);
}

// What is not for the host goes to another port, whether the bridge's own device has that VLAN or not.
TEST_F(FilteringBridge, OwnVlansDoNotDecideAboutOthersFrames) {
  with_vlans("eno1              7 PVID Egress Untagged\nbr0               1 PVID Egress Untagged\n");
  right();
  const json e = explained(
      {"--from", "10.9.0.2", "--to", "10.9.0.3:80", "--arrive-at", "left", "--in-dev", "eno1", "--dmac", "52:54:00:00:00:99"});
  EXPECT_EQ("undecided", e["outcome"]) << e["fault"];
  EXPECT_EQ(std::string::npos, e.dump().find("does not carry VLAN"));
}

// With net.ipv4.nexthop_compat_mode = 0 the route names an object.
TEST_F(StackedDevices, RouteByANextHopObject) {
  left({{"eno1", kLeft, "", "10.9.0.1"}});
  right();
  const auto with_objects = [&](const std::string& objects) {
    write("left", "ip_route_show_table_all",
          "10.9.0.0/24 nhid 4 proto kernel \nlocal 10.9.0.1 dev eno1 table local proto kernel scope host src 10.9.0.1 \n");
    write("left", "ip_nexthop", objects);
    return explained();
  };
  EXPECT_EQ("undecided", with_objects("id 5 dev eno1 scope link \n")["outcome"]);
  const json e = with_objects("id 4 dev eno1 scope link \n");
  EXPECT_EQ("answered", e["outcome"]) << e["fault"];
  EXPECT_NE(std::string::npos, e["paths"][0]["hops"].dump().find("left/ip_nexthop"));
  EXPECT_NE("answered", with_objects("id 4 blackhole \n")["outcome"]);
}

TEST_F(StackedDevices, RouteByADummy) {
  left({{"eno1", kLeft, "", ""}, {"dum0", kLeft, "dummy", "10.9.0.1"}});
  right();
  EXPECT_EQ("dummy-device", explained()["fault"]["reason"]);
}

// A Linux bridge forwards what is for none of its own devices (br_handle_frame_finish() of the kernel); it was said to drop it.
TEST_F(StackedDevices, ABridgeForwardsFramesForOthers) {
  left({{"eno1", kLeft, "", "10.9.0.1"}});
  node("right", {{"br0", kRight, "bridge forward_delay 1500", "10.9.0.2"},
                 {"eno1", "52:54:00:00:00:12", "", "", "br0"},
                 {"vnet0", "fe:54:00:00:00:13", "tun type tap", "", "br0"}});
  const std::vector<std::string> question{"--from",      "10.9.0.1", "--to",     "10.9.0.3:80",
                                          "--arrive-at", "right",    "--in-dev", "eno1"};
  const auto sent_to = [&](const char* mac) {
    std::vector<std::string> all = question;
    all.insert(all.end(), {"--dmac", mac});
    return explained(all);
  };
  const json other = sent_to("52:54:00:00:00:99");
  EXPECT_EQ("undecided", other["outcome"]) << other["summary"];
  EXPECT_EQ("bridge-forwards", other["paths"][0]["stopped_at"].value("reason", "")) << other["summary"];
  EXPECT_NE(std::string::npos, other["gaps"].dump().find("bridge fdb show br br0")) << other["gaps"];
}

}  // namespace
