// What stands at the devices that a refusal passes on its way back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace {

// A client, and a router that has no route to what it asks for.
class RefusalPath : public ::testing::Test {
 protected:
  std::string printed(const std::string& format) const {
    return egt::testing::run({EGTRACE_BINARY, "explain", directory_.path(), "--from", "node:client", "--to", "198.51.100.9:80",
                              "--format", format})
        .out;
  }
  nlohmann::json explained(const std::string& queue_of_router, const std::string& filters_of_client = "") const {
    machine("client", "52:54:00:00:00:01", "10.9.0.1", "noqueue", "default via 10.9.0.2 dev eth0\n");
    machine("router", "52:54:00:00:00:02", "10.9.0.2", queue_of_router, "");
    if (!filters_of_client.empty()) write("client", "tc_filter_show_dev_eth0_ingress", filters_of_client);
    return nlohmann::json::parse(printed("json"));
  }

  static bool assumes(const nlohmann::json& e, const std::string& what) {
    return e["assumptions"].dump().find(what) != std::string::npos;
  }

 private:
  void machine(const std::string& name, const std::string& mac, const std::string& address, const std::string& queue,
               const std::string& routes) const {
    write(name, "hostname", name + "\n");
    write(name, "ip_-d_addr",
          fmt::format("2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc {} state UP group default qlen 1000\n"
                      "    link/ether {} brd ff:ff:ff:ff:ff:ff\n    inet {}/24 scope global eth0\n",
                      queue, mac, address));
    write(name, "ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
    write(name, "ip_route_show_table_all",
          fmt::format("{0}10.9.0.0/24 dev eth0 proto kernel scope link src {1}\n"
                      "local {1} dev eth0 table local proto kernel scope host src {1}\n",
                      routes, address));
    write(name, "sysctl", "net.ipv4.ip_forward = 1\nnet.ipv4.conf.eth0.forwarding = 1\n");
  }
  void write(const std::string& name, const std::string& file, const std::string& text) const {
    egt::testing::write_file(directory_.path() + "/" + name + "/" + file, text);
  }

  egt::testing::TemporaryDirectory directory_;
};

TEST_F(RefusalPath, NothingStandsThere) {
  const auto e = explained("noqueue");
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
  EXPECT_FALSE(assumes(e, "queueing discipline"));
}

// The router sends nothing but its error by the device.
TEST_F(RefusalPath, QueueMayDropIt) {
  const auto e = explained("htb");
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_TRUE(assumes(e, "queueing discipline of eth0 on router")) << e["assumptions"];
}

TEST_F(RefusalPath, FilterMayDropIt) {
  const auto e = explained("noqueue",
                           "filter protocol all pref 49152 bpf chain 0 \n"
                           "filter protocol all pref 49152 bpf chain 0 handle 0x1 drop.o:[tc] direct-action id 7 jited \n");
  EXPECT_TRUE(assumes(e, "tc filter (bpf) on eth0 of client")) << e["assumptions"];
}

// Captures are asked for what the client sends.
TEST_F(RefusalPath, IsNotSeen) { EXPECT_EQ(2U, explained("noqueue")["paths"][0]["sightings"].size()); }

TEST_F(RefusalPath, IsShownApartFromThePacket) {
  const auto hops = explained("noqueue")["paths"][0]["hops"];
  EXPECT_FALSE(hops.front().contains("of_refusal"));
  EXPECT_EQ("client", hops.back()["node"]);
  EXPECT_TRUE(hops.back().value("of_refusal", false)) << hops;
  EXPECT_NE(std::string::npos, printed("text").find("\nclient (back to the sender)\n")) << printed("text");
}

}  // namespace
