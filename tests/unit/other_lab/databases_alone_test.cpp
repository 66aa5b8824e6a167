// What clients saw, against what the databases and Kubernetes objects of the lab show without a dump of any switch or host:
// what a must-gather holds (tests/lab/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

const std::string kLab = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/databases-";

json explained(const std::string& scenario, const json& asked) {
  const Ran ran = run({EGTRACE_BINARY, "explain", kLab + scenario + ".tar.xz", "--from", asked.at("from"), "--to", asked.at("to"),
                       "--proto", asked.at("proto"), "--format", "json"});
  return json::parse(ran.out);
}

class DatabasesAlone : public ::testing::TestWithParam<std::string> {};

TEST_P(DatabasesAlone, TellWhatTheClientSees) {
  for (const json& asked : json::parse(read_file(kLab + GetParam() + ".json"))) {
    const json shown = explained(GetParam(), asked);
    // Who listens no database shows.
    const bool may_be_closed =
        shown.at("outcome") == "answered" && shown.at("listener") == "unknown" && asked.at("outcome") == "refused";
    if (!may_be_closed) {
      EXPECT_EQ(shown.at("outcome"), asked.at("outcome")) << asked;
    }
    EXPECT_NE(shown.at("confidence"), "proven") << asked;
  }
}

INSTANTIATE_TEST_SUITE_P(Lab, DatabasesAlone,
                         ::testing::Values("plain", "acl-ingress-reject", "egressip-primary", "central", "udn-layer3",
                                           "udn-layer2-mixed", "udn-layer3-local", "udn-layer2-local"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ACLs as OVN-Kubernetes writes them for policies name the rule of the object that stops the packet.
TEST(DatabasesAlone, NameTheRuleOfThePolicy) {
  const auto cause = [](const char* to) {
    return explained("central", {{"from", "vault/safe-a"}, {"to", to}, {"proto", "tcp"}})
        .at("cause")
        .at("claim")
        .get<std::string>();
  };
  EXPECT_EQ(cause("192.0.2.9:80"), "EgressFirewall vault/default rule 2 is Deny 0.0.0.0/0");
  EXPECT_EQ(cause("10.77.2.6:8080"), "AdminNetworkPolicy closed-shelves denies this packet: ingress rule 0 (from-vault)");
}

TEST(DatabasesAlone, KeepWhatPoliciesAsk) {
  const Ran ran = run({EGTRACE_BINARY, "check", kLab + "central.tar.xz", "--from-objects", "--format", "json"});
  EXPECT_NE(ran.out.find("EgressFirewall vault/default rule 2 denies vault/safe-a to 0.0.0.0/0"), std::string::npos)
      << ran.out << ran.err;
  EXPECT_NE(ran.out.find("AdminNetworkPolicy closed-shelves ingress rule 0 denies vault/safe-a to depot/shelf-a"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.status, 0) << ran.out;
}

// What leaves for a pod of another network nobody delivers, as far as databases show.
TEST(DatabasesAlone, LeaveOpenWhoTakesAPodsAddressOutside) {
  const json shown = explained("udn-layer3", {{"from", "mason-team/chisel-g"}, {"to", "10.84.2.12:8080"}, {"proto", "tcp"}});
  EXPECT_EQ(shown.at("outcome"), "undecided");
  EXPECT_EQ(shown.at("paths")[0].at("stopped_at").at("reason"), "pod-address-outside") << shown.at("paths")[0].at("stopped_at");
}

// All rows of a database file are in a few lines: evidence names the table and the row.
TEST(DatabasesAlone, NameTheRowsBehindSteps) {
  const json shown = explained("plain", {{"from", "stock/crate-k"}, {"to", "10.72.2.12:8080"}, {"proto", "tcp"}});
  std::size_t rows = 0;
  for (const json& hop : shown.at("paths")[0].at("hops"))
    for (const json& line : hop.at("evidence")) {
      if (!line.contains("table") || line["table"] != "Logical_Flow") continue;
      ++rows;
      EXPECT_EQ(line["uuid"].get<std::string>().size(), 36U) << line;
      EXPECT_NE(line["text"].get<std::string>().find(line["uuid"].get<std::string>()), std::string::npos) << line;
    }
  EXPECT_GT(rows, 10U);
}

// The management port k8s-PREFIX_NODE is the host's, in a VRF that is presumed as OVN-Kubernetes makes it.
TEST(DatabasesAlone, PresumeTheVrfOfANetworkInLocalGatewayMode) {
  const json shown = explained("udn-layer2-local", {{"from", "flock-a/ewe-g"}, {"to", "192.0.2.44:80"}, {"proto", "tcp"}});
  EXPECT_EQ(shown.at("outcome"), "answered") << shown.at("summary");
  EXPECT_EQ(shown.at("confidence"), "assumed");
  const json& path = shown.at("paths")[0];
  EXPECT_EQ(path.at("source_seen").at("ip"), "10.72.9.11") << path.at("source_seen");
  EXPECT_NE(path.at("sightings").dump().find("ovn-k8s-mp4"), std::string::npos) << path.at("sightings");
  const Ran found = run({EGTRACE_BINARY, "triage", kLab + "udn-layer2-local.tar.xz", "--format", "json"});
  EXPECT_EQ(json::parse(found.out).at("findings"), json::array()) << found.out;
}

// Of an advertised network, of one without tunnels of OVN or with an Uplink of its own, more decides than databases show.
TEST(DatabasesAlone, LeaveOpenTheVrfsOfNetworksOutOfTheOrdinary) {
  const auto with_network = [](const std::string& spec, const std::string& more = {}) {
    TemporaryDirectory folder;
    run({"tar", "-C", folder.path(), "-xf", kLab + "udn-layer3-local.tar.xz"});
    std::ofstream(folder.path() + "/databases-udn-layer3-local/k8s/network.yaml")
        << "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata:\n  name: stone\n  namespace: "
           "mason-team\nspec:\n"
           "  config: '{\"name\": \"mason-team_stone\", \"type\": \"ovn-k8s-cni-overlay\", \"topology\": \"layer3\", \"role\": "
           "\"primary\""
        << spec << "}'\n"
        << more;
    const Ran ran = run({EGTRACE_BINARY, "explain", folder.path(), "--from", "mason-team/chisel-g", "--to", "198.51.100.44:80",
                         "--format", "json"});
    return json::parse(ran.out);
  };
  EXPECT_EQ(with_network("").at("outcome"), "answered");
  const json evpn = with_network(", \"transport\": \"evpn\"");
  EXPECT_EQ(evpn.at("outcome"), "undecided");
  EXPECT_EQ(evpn.at("paths")[0].at("stopped_at").at("reason"), "network-host-unknown") << evpn.at("summary");
  EXPECT_NE(evpn.at("summary").get<std::string>().find("whose transport is EVPN"), std::string::npos) << evpn.at("summary");
  const json routed = with_network(", \"transport\": \"no-overlay\"");
  EXPECT_EQ(routed.at("outcome"), "undecided");
  EXPECT_NE(routed.at("summary").get<std::string>().find("whose transport is no-overlay"), std::string::npos)
      << routed.at("summary");
}

// A localnet, or a network's Uplink, leads to a bridge that no database shows: nothing is said to be dropped for want of it.
TEST(DatabasesAlone, LeaveOpenTheBridgesOfOtherLocalnets) {
  const json shown = explained("secondary", {{"from", "docks/winch-m@docks/bulk"}, {"to", "172.31.33.1"}, {"proto", "icmp"}});
  EXPECT_EQ(shown.at("outcome"), "undecided") << shown.at("summary");
  EXPECT_EQ(shown.at("paths")[0].at("stopped_at").at("reason"), "patch-peer-missing") << shown.at("summary");
  EXPECT_NE(shown.at("gaps").dump().find("patch-br-int-to-harbour.bulk_ovn_localnet_port"), std::string::npos)
      << shown.at("gaps");
  const Ran found = run({EGTRACE_BINARY, "triage", kLab + "secondary.tar.xz", "--format", "json"});
  EXPECT_EQ(json::parse(found.out).at("findings"), json::array()) << found.out;
}

// allocateLoadBalancerNodePorts: false and externalTrafficPolicy: Local: the node with an endpoint sends to it past the ClusterIP, and the
// endpoint sees its client (OVN-KUBE-ETP, or chain services-etp-no-nodeport where other nodes have no iptables).
TEST(DatabasesAlone, PresumeLocalServicesWithoutNodePorts) {
  TemporaryDirectory folder;
  run({"tar", "-C", folder.path(), "-xf", kLab + "services-no-nodeport.tar.xz"});
  const std::string root = folder.path() + "/databases-services-no-nodeport/";
  std::ofstream(root + "k8s/services.yaml")
      << "apiVersion: v1\nkind: Service\nmetadata:\n  name: saw-lb\n  namespace: mill\nspec:\n  type: LoadBalancer\n"
         "  clusterIP: 10.149.7.9\n  clusterIPs: [10.149.7.9]\n  allocateLoadBalancerNodePorts: false\n"
         "  externalTrafficPolicy: Local\n  selector: {app: saw}\n  ports:\n  - {port: 8080, targetPort: 8080, protocol: TCP}\n"
         "status:\n  loadBalancer:\n    ingress:\n    - ip: 10.62.200.6\n";
  const auto expect_endpoint = [&](const char* rules) {
    const Ran ran = run({EGTRACE_BINARY, "explain", folder.path(), "--from", "203.0.113.40", "--to", "10.62.200.6:8080",
                         "--arrive-at", "alder", "--format", "json"});
    const json shown = json::parse(ran.out);
    EXPECT_EQ(shown.at("outcome"), "answered") << shown.at("summary");
    EXPECT_EQ(shown.at("paths")[0].at("source_seen").at("ip"), "203.0.113.40");
    EXPECT_EQ(shown.at("paths")[0].at("destination_seen").at("ip"), "10.148.3.11");
    EXPECT_NE(shown.at("assumptions").dump().find(rules), std::string::npos) << shown.at("assumptions");
  };
  expect_endpoint("as OVN-Kubernetes does it, with iptables");
  std::ofstream(root + "larch/nft_list_ruleset") << "table inet ovn-kubernetes {\n\tchain services-prerouting {\n\t\ttype nat "
                                                    "hook prerouting priority dstnat; policy accept;\n"
                                                    "\t}\n}\n";
  expect_endpoint("as OVN-Kubernetes does it, with nft alone");
}

// OVN 26.03 comes with releases of OVN-Kubernetes that use no iptables; before, they do.
TEST(DatabasesAlone, PresumeTheRulesOfTheRelease) {
  const auto assumed = [](const char* scenario, const char* from, const char* to) {
    return explained(scenario, {{"from", from}, {"to", to}, {"proto", "tcp"}}).at("assumptions").dump();
  };
  EXPECT_NE(assumed("udn-layer2-mixed", "broom/broom-g", "10.72.9.12:9100").find("as OVN-Kubernetes does it, with nft alone"),
            std::string::npos)
      << assumed("udn-layer2-mixed", "broom/broom-g", "10.72.9.12:9100");
  EXPECT_NE(assumed("plain", "stock/crate-k", "10.72.2.12:8080").find("as OVN-Kubernetes does it, with iptables"),
            std::string::npos);
}

// The host marks its connections to such a service, by chain OVN-KUBE-ITP or by nft alone, and a policy rule sends them by the management port.
TEST(DatabasesAlone, PresumeServicesOfTheirNodeAlone) {
  TemporaryDirectory folder;
  run({"tar", "-C", folder.path(), "-xf", kLab + "services-no-nodeport.tar.xz"});
  const std::string root = folder.path() + "/databases-services-no-nodeport/";
  std::ofstream(root + "k8s/services.yaml")
      << "apiVersion: v1\nkind: Service\nmetadata:\n  name: saw\n  namespace: mill\nspec:\n  clusterIP: 10.149.7.9\n"
         "  clusterIPs: [10.149.7.9]\n  internalTrafficPolicy: Local\n  selector: {app: saw}\n"
         "  ports:\n  - {port: 8080, targetPort: 8080, protocol: TCP}\n";
  const auto expect_mark = [&](const char* rules) {
    const Ran ran =
        run({EGTRACE_BINARY, "explain", folder.path(), "--from", "node:alder", "--to", "10.149.7.9:8080", "--format", "json"});
    EXPECT_NE(ran.out.find("0x0 becomes 0x1745ec"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(rules), std::string::npos) << ran.out;
  };
  expect_mark("as OVN-Kubernetes does it, with iptables");
  std::ofstream(root + "larch/nft_list_ruleset") << "table inet ovn-kubernetes {\n\tchain services-prerouting {\n\t\ttype nat "
                                                    "hook prerouting priority dstnat; policy accept;\n\t}\n}\n";
  expect_mark("as OVN-Kubernetes does it, with nft alone");
}

// What comes to the NodePort of a service in a user-defined network is marked for the VRF of that network.
TEST(DatabasesAlone, PresumeTheMarksOfServicesInNetworks) {
  TemporaryDirectory folder;
  run({"tar", "-C", folder.path(), "-xf", kLab + "udn-layer3-local.tar.xz"});
  const std::string root = folder.path() + "/databases-udn-layer3-local/";
  std::ofstream(root + "slate/nft_list_ruleset") << "table inet ovn-kubernetes {\n\tchain services-prerouting {\n\t\ttype nat "
                                                    "hook prerouting priority dstnat; policy accept;\n\t}\n}\n";
  const auto shown = [&](const char* name_space) {
    std::ofstream(root + "k8s/services.yaml")
        << "apiVersion: v1\nkind: Service\nmetadata:\n  name: tools\n  namespace: " << name_space
        << "\nspec:\n  type: NodePort\n  clusterIP: 10.98.7.9\n  clusterIPs: [10.98.7.9]\n  selector: {app: chisel}\n"
           "  ports:\n  - {port: 80, targetPort: 8080, nodePort: 31080, protocol: TCP}\n";
    return run({EGTRACE_BINARY, "explain", folder.path(), "--from", "node:granite", "--to", "10.61.4.11:31080", "--format",
                "json"})
        .out;
  };
  EXPECT_NE(shown("mason-team").find("0x0 becomes 0x100"), std::string::npos) << shown("mason-team");
  EXPECT_EQ(shown("kiln").find("0x0 becomes 0x100"), std::string::npos);
}

// Chain udn-isolation lets kubelet alone connect to the default network's addresses of pods on a user-defined network.
TEST(DatabasesAlone, PresumeTheIsolationOfPodsFromTheirNode) {
  const json shown = explained("udn-layer2-local", {{"from", "node:gorse"}, {"to", "10.150.1.31:8080"}, {"proto", "tcp"}});
  EXPECT_NE(shown.at("outcome"), "answered") << shown.at("summary");
  EXPECT_NE(shown.dump().find("udn-isolation"), std::string::npos) << shown.at("summary");
  EXPECT_EQ(explained("udn-layer2-local", {{"from", "node:gorse"}, {"to", "10.150.1.11:8080"}, {"proto", "tcp"}}).at("outcome"),
            "answered");
}

TEST(DatabasesAlone, SayWhatTheyRestOn) {
  const json shown = explained("plain", {{"from", "stock/crate-k"}, {"to", "10.72.2.12:8080"}, {"proto", "tcp"}});
  const std::string assumed = shown.at("assumptions").dump();
  EXPECT_NE(assumed.find("ovn-controller on kiwi has realised its logical flows"), std::string::npos) << assumed;
  EXPECT_NE(assumed.find("the host kiwi is set up as OVN-Kubernetes does it"), std::string::npos) << assumed;
}

}  // namespace
}  // namespace egt::testing
