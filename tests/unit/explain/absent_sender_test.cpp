// Senders that the snapshot does not place, though its dumps are whole.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"
#include "support/sample.h"

namespace {

namespace fs = std::filesystem;

class AbsentSender : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", directory_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  nlohmann::json explain(const std::string& from) const {
    const auto ran = egt::testing::run(
        {EGTRACE_BINARY, "explain", directory_.path(), "--from", from, "--to", "192.168.55.13:80", "--format", "json"});
    EXPECT_EQ(3, ran.status) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
  egt::testing::TemporaryDirectory directory_;
};

TEST_F(AbsentSender, NoPodHasTheAddress) {
  const auto e = explain("10.134.0.99");
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_EQ("no pod of the snapshot has 10.134.0.99; it is in the subnet of master-01-demo", e["summary"]);
  EXPECT_TRUE(e["paths"][0]["hops"].empty());
}

TEST_F(AbsentSender, ItsNodeIsNotDumped) {
  fs::remove_all(fs::path(directory_.path()) / "master-03-demo");
  const auto e = explain("demo-egress/requester-3a");
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_EQ("the snapshot has no dumps of master-03-demo, where the path of demo-egress/requester-3a begins", e["summary"]);
  ASSERT_EQ(1U, e["gaps"].size());
  EXPECT_EQ("master-03-demo", e["gaps"][0]["node"]);
}

// No dump is an excerpt: nothing is read off single lines.
TEST_F(AbsentSender, ObjectsAloneNameTheNode) {
  for (const auto& entry : fs::directory_iterator(directory_.path()))
    if (entry.path().filename() != "k8s") fs::remove_all(entry.path());
  const auto e = explain("demo-egress/requester-3a");
  EXPECT_EQ("the snapshot has no dumps of master-03-demo, where the path of demo-egress/requester-3a begins", e["summary"]);
  EXPECT_TRUE(e["paths"][0]["hops"].empty());
}

TEST_F(AbsentSender, ItsNodeHasNeitherSwitchNorDatabase) {
  const fs::path node = fs::path(directory_.path()) / "master-03-demo";
  for (const auto& entry : fs::directory_iterator(node))
    if (!entry.path().filename().string().starts_with("ip_")) fs::remove_all(entry.path());
  const auto e = explain("demo-egress/requester-3a");
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_EQ(
      "the snapshot has neither OpenFlow flows nor logical flows of master-03-demo, where the path of demo-egress/requester-3a "
      "begins",
      e["summary"]);
}

// Nothing answers its ARP requests, of which UDP sockets learn nothing.
TEST(PodWithoutPort, FailsToConnect) {
  egt::testing::Sample sample;
  sample.without_record("master-03-demo/ovs-vsctl_list_interface", "iface-id=demo-egress_requester-3a");
  const auto outcome = [&](const std::string& proto) {
    const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", sample.path(), "--from", "demo-egress/requester-3a", "--to",
                                        "192.168.55.13:80", "--proto", proto, "--format", "json"});
    const auto e = nlohmann::json::parse(ran.out);
    EXPECT_EQ("assumed", e["confidence"]);
    EXPECT_EQ("pod-without-port", e["fault"]["reason"]) << e["fault"];
    return e["outcome"];
  };
  EXPECT_EQ("refused", outcome("tcp"));
  EXPECT_EQ("unanswered", outcome("udp"));
}

// As it is on the default network, where OVN has the port; else what it would be called is open.
TEST(PodWithoutPort, OnAUserDefinedNetworkFailsToConnect) {
  egt::testing::Sample sample;
  sample.replace("k8s/pods.yaml", R"({"default":{"ip_addresses":["10.133.0.3/23"])",
                 R"({"demo-egress/blue":{"ip_addresses":["10.200.0.3/24"],"mac_address":"0a:58:0a:c8:00:03",)"
                 R"("gateway_ips":["10.200.0.1"],"role":"primary"},"default":{"ip_addresses":["10.133.0.3/23"])");
  const auto explain = [&](const std::string& proto) {
    const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", sample.path(), "--from", "demo-egress/requester-3b", "--to",
                                        "192.168.55.13:80", "--proto", proto, "--format", "json"});
    return nlohmann::json::parse(ran.out);
  };
  const auto open = explain("tcp");
  EXPECT_EQ("undecided", open["outcome"]);
  EXPECT_EQ("demo-egress/requester-3b is on user-defined network demo-egress/blue, and no dump shows its port there",
            open["summary"]);

  sample.append(
      "master-03-demo/ovn-sbctl_list_Port_Binding",
      "\n_uuid               : a111111a-2222-4333-8444-555555555555\nchassis             : []\n"
      "datapath            : a111111b-2222-4333-8444-555555555555\n"
      "logical_port        : demo.egress.blue_demo-egress_requester-3b\n"
      "mac                 : [\"0a:58:0a:c8:00:03 10.200.0.3\"]\ntunnel_key          : 3\ntype                : \"\"\n");
  const auto refused = explain("tcp");
  EXPECT_EQ("refused", refused["outcome"]);
  EXPECT_EQ("assumed", refused["confidence"]);
  EXPECT_EQ(
      "the dumps of master-03-demo show no port of Open vSwitch for demo-egress/requester-3b, which runs there, on network "
      "demo-egress/blue",
      refused["summary"]);
  EXPECT_EQ("unanswered", explain("udp")["outcome"]);
}

}  // namespace
