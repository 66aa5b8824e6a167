// A pod whose primary network is a user-defined one is never walked on the default network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/sample.h"

namespace {

class UserDefinedNetwork : public ::testing::Test {
 protected:
  UserDefinedNetwork() {
    const std::string of_requester = "\"gateway_ip\":\"10.132.0.1\",\"role\":\"";
    sample_.replace("k8s/pods.yaml", "\"ip_address\":\"10.132.0.13/23\"," + of_requester + "primary\"}}'",
                    "\"ip_address\":\"10.132.0.13/23\"," + of_requester +
                        "infrastructure-locked\"},\"demo-egress/blue\":"
                        "{\"ip_addresses\":[\"10.20.0.5/16\"],\"mac_address\":\"0a:58:0a:14:00:05\",\"role\":\"primary\"}}'");
  }

  nlohmann::json shown(std::vector<std::string> args) const {
    args.insert(args.begin(), EGTRACE_BINARY);
    for (const char* more : {"--format", "json"}) args.emplace_back(more);
    return nlohmann::json::parse(egt::testing::run(args).out);
  }
  nlohmann::json explained(const std::string& from, const std::string& to) const {
    return shown({"explain", sample_.path(), "--from", from, "--to", to});
  }

  egt::testing::Sample sample_;
};

TEST_F(UserDefinedNetwork, OfTheSender) {
  const auto e = explained("demo-egress/requester-2a", "192.168.55.13:80");
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_NE(std::string::npos, e["summary"].get<std::string>().find("demo-egress/blue")) << e["summary"];
}

TEST_F(UserDefinedNetwork, OfTheReceiver) {
  EXPECT_EQ("undecided", explained("demo-egress/requester-3a", "demo-egress/requester-2a")["outcome"]);
}

TEST_F(UserDefinedNetwork, OthersAreWalked) {
  EXPECT_NE("undecided", explained("demo-egress/requester-3a", "192.168.55.13:80")["outcome"]);
}

// Without Pod objects only the ports show that there is another network.
TEST_F(UserDefinedNetwork, PerhapsWhereNoObjectShowsRoles) {
  sample_.remove("k8s/pods.yaml");
  const std::string port = "master-02-demo/ovs-vsctl_list_interface", id = "iface-id=demo-egress_requester-2a";
  EXPECT_NE("undecided", explained("demo-egress/requester-2a", "192.168.55.13:80")["outcome"]);
  sample_.append(
      port,
      "\n_uuid               : 68a29798-ffad-422d-93b7-f5066275cb5b\nname                : other0\nofport              : 99\n"
      "external_ids        : {attached_mac=\"0a:58:0a:14:00:05\", iface-id=demo-egress.blue_demo-egress_requester-2a}\ntype      "
      "          : \"\"\n");
  sample_.replace("master-02-demo/ovs-vsctl_show", "        Port f8eb639f65131d1\n",
                  "        Port other0\n            Interface other0\n        Port f8eb639f65131d1\n");
  const auto e = explained("demo-egress/requester-2a", "192.168.55.13:80");
  EXPECT_EQ("undecided", e["outcome"]) << e["summary"];
  EXPECT_EQ("primary-network-unknown", e["paths"][0]["stopped_at"]["reason"]);
}

TEST_F(UserDefinedNetwork, AuditLeavesItsRowsOpen) {
  const auto rows = shown({"audit", sample_.path()})["rows"];
  int of_pod = 0;
  for (const auto& row : rows)
    if (row["pod"] == "requester-2a") {
      ++of_pod;
      EXPECT_EQ("undecided", row["outcome"]) << row;
    }
  EXPECT_LT(0, of_pod);
}

TEST_F(UserDefinedNetwork, TriageBlamesNothingOnIt) {
  for (const auto& f : shown({"triage", sample_.path()})["findings"])
    for (const auto& pod : f.value("pods", nlohmann::json::array())) EXPECT_NE("demo-egress/requester-2a", pod) << f;
}

}  // namespace
