// Pods on secondary networks: a localnet in a VLAN behind another bridge, an overlay of layer 2, and macvlan, of which OVN knows nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string harbour(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz"; }

json of_harbour(const std::vector<std::string>& args) {
  std::vector<std::string> all = {EGTRACE_BINARY};
  all.insert(all.end(), args.begin(), args.end());
  for (const char* more : {"--format", "json"}) all.emplace_back(more);
  return json::parse(run(all).out);
}

json walked_in_harbour(const std::string& name, const std::string& from, const std::string& to) {
  return of_harbour({"explain", harbour(name), "--from", from, "--to", to});
}

std::string stopped_by(const json& e) { return e.at("paths")[0].at("stopped_at").value("reason", ""); }

bool assumes(const json& e, const std::string& part) { return e.at("assumptions").dump().find(part) != std::string::npos; }

TEST(SecondaryNetworks, NothingIsWrongWhereNothingIs) {
  const json findings = of_harbour({"triage", harbour("secondary-networks")}).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

// The pod's subnets decide by which network it sends, as in its own routing table.
TEST(SecondaryNetworks, AreChosenByTheSubnetsOfThePod) {
  const std::string lab = "secondary-networks";
  EXPECT_EQ(walked_in_harbour(lab, "docks/winch-m", "172.31.33.12:8080").at("packet").at("src"), "172.31.33.11");
  EXPECT_EQ(walked_in_harbour(lab, "docks/winch-m", "10.40.0.6:8080").at("packet").at("src"), "10.40.0.5");
  const json outside = walked_in_harbour(lab, "docks/winch-m", "203.0.113.90:80");
  EXPECT_EQ(outside.at("packet").at("src"), "10.176.1.21");
  EXPECT_FALSE(assumes(outside, "by network")) << outside.at("assumptions");
}

TEST(SecondaryNetworks, ALocalnetCrossesThePhysicalNetworkInItsVlan) {
  const json e = walked_in_harbour("secondary-networks", "docks/winch-m", "172.31.33.12:8080");
  EXPECT_EQ(e.at("outcome"), "answered") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "assumed");
  EXPECT_TRUE(assumes(e, "the physical network behind mole ens6 carries the frame to pier ens6")) << e.at("assumptions");
  EXPECT_TRUE(assumes(e, "docks/winch-m sends to 172.31.33.12 by network docks/bulk")) << e.at("assumptions");
  const json router =
      of_harbour({"explain", harbour("secondary-networks"), "--from", "docks/winch-m", "--to", "172.31.33.1", "--proto", "icmp"});
  EXPECT_EQ(router.at("outcome"), "answered") << router.at("summary");
}

TEST(SecondaryNetworks, OfLayer2AreWalkedByTheOverlay) {
  const json e = walked_in_harbour("secondary-networks", "docks/winch-m@docks/rope", "10.40.0.6:8080");
  EXPECT_EQ(e.at("outcome"), "answered");
  EXPECT_EQ(e.at("confidence"), "proven") << e.at("assumptions").dump(1);
}

// A macvlan is no port of OVN: the packet is not walked by the default network instead.
TEST(SecondaryNetworks, OfOtherPluginsAreNamed) {
  for (const char* from : {"docks/winch-m", "docks/winch-m@docks/store", "docks/winch-m@store"})
    for (const char* to : {"172.31.44.22:8080", "172.31.44.1:80"}) {
      const json e = walked_in_harbour("secondary-networks", from, to);
      EXPECT_EQ(e.at("outcome"), "undecided") << from << " " << to;
      EXPECT_EQ(stopped_by(e), "network-not-of-ovn") << e.at("summary");
      EXPECT_NE(e.at("summary").get<std::string>().find("docks/store by CNI plugin macvlan"), std::string::npos)
          << e.at("summary");
      EXPECT_NE(e.at("gaps").dump().find("network namespace"), std::string::npos) << e.at("gaps");
    }
}

TEST(SecondaryNetworks, WithoutARouteAreNotWalked) {
  const json e = walked_in_harbour("secondary-networks", "docks/winch-m@docks/rope", "203.0.113.90:80");
  EXPECT_EQ(e.at("outcome"), "undecided");
  EXPECT_EQ(stopped_by(e), "network-without-gateway") << e.at("summary");
}

// What comes by the localnet from elsewhere is answered by the pod's default route: with an address that the default network drops.
TEST(SecondaryNetworks, RepliesGoByThePodsRoutes) {
  const json e = walked_in_harbour("secondary-networks", "crane/hook-p", "172.31.33.12:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_NE(e.at("summary").get<std::string>().find("ls_in_apply_port_sec in pier"), std::string::npos) << e.at("summary");
}

TEST(SecondaryNetworks, ANodeWithoutTheBridgeIsAFinding) {
  const json e = walked_in_harbour("localnet-mapping-missing", "docks/winch-m", "172.31.33.12:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(stopped_by(e), "localnet-not-mapped");
  const json findings = of_harbour({"triage", harbour("localnet-mapping-missing")}).at("findings");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].at("id"), "localnet-not-mapped") << findings.dump(1);
  EXPECT_EQ(findings[0].at("node"), "pier");
}

// Dumps of the pods' interfaces alone do not show that there is no patch port.
TEST(SecondaryNetworks, ANodeWithoutDumpsOfItsBridgesIsOpen) {
  TemporaryDirectory folder;
  run({"tar", "-C", folder.path(), "-xf", harbour("localnet-mapping-missing")});
  const std::string pier = folder.path() + "/localnet-mapping-missing/pier/";
  std::filesystem::remove(pier + "conf.db");
  std::filesystem::remove(pier + "ovs-ofctl_show_br-int");
  const std::string list = pier + "ovs-vsctl_-f_json_list_interface";
  json rows = json::parse(read_file(list)), kept = json::array();
  for (const json& row : rows.at("data"))
    if (row.dump().find("\"iface-id\"") != std::string::npos) kept.push_back(row);
  rows["data"] = kept;
  write_file(list, rows.dump());
  std::string show = "Bridge br-int\n";
  for (const char* port : {"d41073d0c68070a", "\"3a4f2682bd74029\"", "b0a6a1b46074b50", "ecb79f5d1e5cf60"})
    show += fmt::format("        Port {0}\n            Interface {0}\n", port);
  write_file(pier + "ovs-vsctl_show", "fa5578c7-95e4-451b-8753-b322783074da\n    " + show);
  const json e = of_harbour({"explain", folder.path(), "--from", "docks/winch-m", "--to", "172.31.33.12:8080"});
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(stopped_by(e), "pod-address-outside");
  EXPECT_NE(e.at("gaps").dump().find("ovs-vsctl show"), std::string::npos) << e.at("gaps");
  EXPECT_EQ(of_harbour({"triage", folder.path()}).dump().find("localnet-not-mapped"), std::string::npos);
}

TEST(SecondaryNetworks, AVlanThatTheBridgeDoesNotTakeIsLost) {
  const json e = walked_in_harbour("localnet-vlan-not-trunked", "docks/winch-m", "172.31.33.12:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
  EXPECT_EQ(e.at("paths")[0].at("stopped_at").at("node"), "pier") << e.at("paths")[0].at("stopped_at");
}

// Without subnets OVN knows the MACs of ports alone: the pod's own devices show its address.
TEST(SecondaryNetworks, WithMacsAloneAreWalkedByThePodsOwnAddresses) {
  const json e = walked_in_harbour("localnet-mac-only", "wharf/reel-b@wharf/bulk", "wharf/reel-f@wharf/bulk");
  EXPECT_EQ(e.at("packet").at("src"), "172.31.53.11") << e.dump(1);
  EXPECT_EQ(e.at("outcome"), "answered") << e.at("summary");
  EXPECT_TRUE(assumes(e, "the physical network behind bollard ens6 carries the frame to fender ens6")) << e.at("assumptions");
  EXPECT_EQ(walked_in_harbour("localnet-mac-only", "wharf/reel-b", "172.31.53.12:8080").at("packet").at("src"), "172.31.53.11");
  const json outside = walked_in_harbour("localnet-mac-only", "wharf/reel-b", "192.0.2.90:80");
  EXPECT_FALSE(assumes(outside, "by network")) << outside.at("assumptions");
}

TEST(SecondaryNetworks, WithMacsAloneSayWhatIsNeeded) {
  TemporaryDirectory folder;
  run({"tar", "-C", folder.path(), "-xf", harbour("localnet-mac-only")});
  for (const char* node : {"bollard/ip_netns_exec_jty-pod-reel-b", "fender/ip_netns_exec_jty-pod-reel-f"})
    std::filesystem::remove(folder.path() + "/localnet-mac-only/" + node + "_ip_-d_address_show");
  const Ran ran =
      run({EGTRACE_BINARY, "explain", folder.path(), "--from", "wharf/reel-b@wharf/bulk", "--to", "172.31.53.12:8080"});
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_NE(ran.err.find("on network wharf/bulk; add `ip addr`"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("add `ip addr` of the pod's network namespace"), std::string::npos) << ran.err;
  // Nothing shows whether the pod's route to the address is by that network.
  const json unnamed = of_harbour({"explain", folder.path(), "--from", "wharf/reel-b", "--to", "192.0.2.90:80"});
  EXPECT_TRUE(assumes(unnamed, "by network default")) << unnamed.at("assumptions");
}

TEST(SecondaryNetworks, DefinitionsAreFound) {
  const std::string lab = harbour("secondary-networks");
  const Ran by_name = run({EGTRACE_BINARY, "lookup", lab, "docks/bulk"});
  for (const char* part : {"network attachment docks/bulk", "topology: localnet", "vlan: 33", "physical network: cargo"})
    EXPECT_NE(by_name.out.find(part), std::string::npos) << part << "\n" << by_name.out;
  const Ran by_address = run({EGTRACE_BINARY, "lookup", lab, "172.31.44.22"});
  EXPECT_NE(by_address.out.find("pod docks/winch-p"), std::string::npos) << by_address.out;
  EXPECT_NE(by_address.out.find("docks/store (secondary, other CNI, net3)"), std::string::npos) << by_address.out;
}

}  // namespace
}  // namespace egt::testing
