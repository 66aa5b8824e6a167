// Rules in a pod's own network namespace, as istio-init writes them: what the pod sends goes to a proxy beside it, but for what that sends.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using nlohmann::json;

constexpr const char* kMeshAddresses =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 \n    inet 127.0.0.1/8 scope host lo\n"
    "       valid_lft forever preferred_lft forever\n"
    "2: net7@if714: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue state UP group default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:0d brd ff:ff:ff:ff:ff:ff link-netnsid 0 promiscuity 0 \n    veth \n"
    "    inet 10.132.0.13/23 brd 10.132.1.255 scope global net7\n       valid_lft forever preferred_lft forever\n";

constexpr const char* kMeshRules =
    "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n"
    ":ISTIO_INBOUND - [0:0]\n:ISTIO_IN_REDIRECT - [0:0]\n:ISTIO_OUTPUT - [0:0]\n:ISTIO_REDIRECT - [0:0]\n"
    "-A PREROUTING -p tcp -j ISTIO_INBOUND\n-A OUTPUT -j ISTIO_OUTPUT\n"
    "-A ISTIO_INBOUND -p tcp -m tcp --dport 15008 -j RETURN\n-A ISTIO_INBOUND -p tcp -m tcp --dport 15021 -j RETURN\n"
    "-A ISTIO_INBOUND -p tcp -j ISTIO_IN_REDIRECT\n-A ISTIO_IN_REDIRECT -p tcp -j REDIRECT --to-ports 15006\n"
    "-A ISTIO_OUTPUT -s 127.0.0.6/32 -o lo -j RETURN\n"
    "-A ISTIO_OUTPUT ! -d 127.0.0.1/32 -o lo -p tcp -m tcp ! --dport 15008 -m owner --uid-owner 1337 -j ISTIO_IN_REDIRECT\n"
    "-A ISTIO_OUTPUT -o lo -m owner ! --uid-owner 1337 -j RETURN\n-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN\n"
    "-A ISTIO_OUTPUT -d 127.0.0.1/32 -j RETURN\n-A ISTIO_OUTPUT -j ISTIO_REDIRECT\n"
    "-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001\nCOMMIT\n";

class PodRules : public ::testing::Test {
 protected:
  void write(const std::string& command, const std::string& text) {
    sample_.write("master-02-demo/netns/demo-egress_requester-2a/ip_netns_exec_demo-egress_requester-2a_" + command, text);
  }
  void rules(const std::string& text) {
    write("ip_-d_addr", kMeshAddresses);
    write("iptables-save", text);
  }
  json explained(const std::string& from, const std::string& to, const std::string& proto = "tcp") const {
    return json::parse(egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", from, "--to", to, "--proto", proto,
                                          "--format", "json"})
                           .out);
  }

  static constexpr const char* kPod = "demo-egress/requester-2a";
  egt::testing::Sample sample_;
};

TEST_F(PodRules, HandConnectionsToTheLocalProxy) {
  const json before = explained(kPod, "192.168.55.13:80");
  rules(kMeshRules);
  const json e = explained(kPod, "192.168.55.13:80");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  bool to_proxy = false, goes_on = false;
  for (const json& path : e.at("paths")) {
    const json stop = path.value("stopped_at", json());
    const std::string reason = stop.is_object() ? stop.value("reason", "") : "";
    to_proxy |= reason == "taken-by-local-proxy";
    goes_on |= reason != "taken-by-local-proxy" && path.at("confidence") != "proven";
  }
  EXPECT_TRUE(to_proxy) << e.dump(1);
  EXPECT_TRUE(goes_on) << e.dump(1);
  EXPECT_NE(e.dump().find("the connection goes to the local proxy at port 15001"), std::string::npos) << e.at("summary");
}

TEST_F(PodRules, LeaveOtherProtocolsAlone) {
  const json before = explained(kPod, "192.168.55.13", "icmp");
  rules(kMeshRules);
  EXPECT_EQ(explained(kPod, "192.168.55.13", "icmp").at("outcome"), before.at("outcome"));
}

TEST_F(PodRules, HandWhatComesToTheProxyFirst) {
  rules(kMeshRules);
  const json e = explained("demo-egress/requester-3a", std::string(kPod) + ":8080");
  EXPECT_NE(e.at("confidence"), "proven") << e.at("summary");
  EXPECT_NE(e.at("assumptions").dump().find("the proxy at port 15006"), std::string::npos) << e.at("assumptions");
}

TEST_F(PodRules, Drop) {
  rules(
      "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p tcp -m tcp --dport 80 -j "
      "DROP\nCOMMIT\n");
  const json e = explained(kPod, "192.168.55.13:80");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
}

// sendto() fails with EPERM; what a refusal of the pod's own stack comes to is not followed.
TEST_F(PodRules, FailInTheSocketOrRefuse) {
  const auto with = [&](const char* verdict) {
    rules(std::string(
              "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 192.168.55.13/32 -j ") +
          verdict + "\nCOMMIT\n");
  };
  with("DROP");
  EXPECT_EQ(explained(kPod, "192.168.55.13", "icmp").at("outcome"), "refused");
  EXPECT_EQ(explained(kPod, "192.168.55.13:80", "udp").at("outcome"), "refused");
  with("REJECT --reject-with icmp-port-unreachable");
  const json e = explained(kPod, "192.168.55.13:80");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
}

// OVN routes such a packet nowhere, and the pod hears of that.
TEST_F(PodRules, WriteTheHopLimit) {
  rules("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p tcp -j TTL --ttl-set 1\nCOMMIT\n");
  EXPECT_EQ(explained(kPod, "192.168.55.13:80").at("outcome"), "refused") << explained(kPod, "192.168.55.13:80").at("summary");
}

TEST_F(PodRules, ThatWriteAddressesAreNotFollowed) {
  write("ip_-d_addr", kMeshAddresses);
  write("nft_list_ruleset",
        "table inet x {\n\tchain c {\n\t\ttype filter hook output priority filter; policy accept;\n\t\ttcp dport 80 ip daddr set "
        "192.168.55.99\n\t}\n}\n");
  EXPECT_EQ(explained(kPod, "192.168.55.13:80").at("outcome"), "undecided");
}

TEST_F(PodRules, MarkForAnotherRoute) {
  rules("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p tcp -j MARK --set-mark 0x539\nCOMMIT\n");
  EXPECT_EQ(explained(kPod, "192.168.55.13:80").at("outcome"), "answered");  // no rule asks for it
  write(
      "ip_rule_list",
      "0:\tfrom all lookup local\n100:\tfrom all fwmark 0x539 lookup 133\n32766:\tfrom all lookup main\n32767:\tfrom all lookup "
      "default\n");
  EXPECT_EQ(explained(kPod, "192.168.55.13:80").at("outcome"), "undecided");
}

TEST_F(PodRules, HandWhatComesToATransparentProxy) {
  rules(
      "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p tcp -j TPROXY --on-port 15006 --on-ip 0.0.0.0 --tproxy-mark "
      "0x539/0xffffffff\nCOMMIT\n");
  const json e = explained("demo-egress/requester-3a", std::string(kPod) + ":8080");
  EXPECT_NE(e.at("confidence"), "proven") << e.at("summary");
  EXPECT_NE(e.at("assumptions").dump().find("the proxy at port 15006"), std::string::npos) << e.at("assumptions");
}

}  // namespace
