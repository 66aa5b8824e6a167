// A primary user-defined network in the local gateway mode: its pods leave by the network's management port and the host.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string lab(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name; }

json findings(const std::string& snapshot) {
  return json::parse(run({EGTRACE_BINARY, "triage", snapshot, "--format", "json"}).out).at("findings");
}

std::string claim(const std::string& snapshot, const std::string& id) {
  for (const json& f : findings(snapshot))
    if (f.at("id") == id) return f.at("claim").get<std::string>();
  return {};
}

void edit(const std::string& path, const std::string& old, const std::string& now) {
  std::string text = read_file(path);
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
  write_file(path, text);
}

// The lab's kernel has no VRFs: a rule by the management port's device stands in for one. This is the same node as a kernel with VRFs
// shows it.
void with_vrf(const std::string& node) {
  for (const char* rules : {"/ip_rule", "/ip_-4_rule_list"})
    edit(node + rules, "from all iif ovn-k8s-mp3 lookup 1012", "from all lookup [l3mdev-table]");
  edit(node + "/ip_route_show_table_all", "dev ovn-k8s-mp3 table local", "dev ovn-k8s-mp3 table 1012");
  std::string settings = read_file(node + "/sysctl");
  std::string of_vrf = std::regex_replace(settings, std::regex("ovn-k8s-mp3"), "mp3-udn-vrf");
  write_file(node + "/sysctl", settings + of_vrf);
  for (const bool details : {false, true}) {
    const std::string path = node + (details ? "/ip_-d_link" : "/ip_a");
    std::string text = std::regex_replace(read_file(path), std::regex("(: ovn-k8s-mp3: <[^>]*> mtu 1400 qdisc [a-z_]+) state"),
                                          "$1 master mp3-udn-vrf state");
    text +=
        "900: mp3-udn-vrf: <NOARP,MASTER,UP,LOWER_UP> mtu 65575 qdisc noqueue state UP group default qlen 1000\n"
        "    link/ether 8a:2b:4c:9e:00:03 brd ff:ff:ff:ff:ff:ff";
    if (details)
      text +=
          " promiscuity 0  allmulti 0 minmtu 1280 maxmtu 65575 \n    vrf table 1012 addrgenmode eui64 numtxqueues 1 numrxqueues "
          "1 ";
    write_file(path, text + "\n");
  }
}

TEST(LocalGatewayNetworks, NothingIsWrongWhereNothingIs) { EXPECT_EQ(findings(lab("udn-local-gateway.tar.xz")), json::array()); }

TEST(LocalGatewayNetworks, AVrfDecidesAsTheRuleOfItsDevice) {
  const TemporaryDirectory place;
  ASSERT_EQ(run({"tar", "-C", place.path(), "-xf", lab("udn-local-gateway.tar.xz")}).status, 0);
  const std::string snapshot = place.path() + "/udn-local-gateway";
  for (const char* node : {"/granite", "/slate"}) with_vrf(snapshot + node);
  const Ran ran = run({EGTRACE_BINARY, "check", snapshot, lab("udn-local-gateway.yaml")});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_EQ(findings(snapshot), json::array());
}

TEST(LocalGatewayNetworks, RepliesThatDoNotReturnToTheNetworkAreAFinding) {
  const std::string text = claim(lab("udn-local-rule-missing.tar.xz"), "network-masquerade");
  EXPECT_NE(text.find("granite does not route 169.254.0.16 to ovn-k8s-mp3, but to br-ex: pods of network mason-team_stone"),
            std::string::npos)
      << text;
}

TEST(LocalGatewayNetworks, AMasqueradeAddressThatLeavesIsAFinding) {
  const std::string text = claim(lab("udn-local-masquerade-missing.tar.xz"), "network-masquerade");
  EXPECT_NE(
      text.find(
          "granite does not masquerade what pods of network mason-team_stone send by ovn-k8s-mp3: it leaves as 169.254.0.16"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace egt::testing
