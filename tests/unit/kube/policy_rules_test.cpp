// What EgressFirewalls and AdminNetworkPolicies ask of one connection.
#include "egtrace/cluster/policy_rules.h"

#include <gtest/gtest.h>

#include "egtrace/cluster/resolved_names.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

using cluster::PolicyDirection;
using cluster::PolicyQuestion;
using cluster::Ruling;

constexpr const char* kPods = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Namespace
  metadata: {name: shop, labels: {tier: front}}
- apiVersion: v1
  kind: Namespace
  metadata: {name: data, labels: {tier: back}}
- apiVersion: v1
  kind: Pod
  metadata: {name: cart, namespace: shop, labels: {app: cart}}
  spec: {nodeName: n}
  status: {podIP: 10.1.0.5, podIPs: [{ip: 10.1.0.5}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: db, namespace: data, labels: {app: db}}
  spec: {nodeName: n}
  status: {podIP: 10.1.0.9, podIPs: [{ip: 10.1.0.9}]}
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-a, labels: {gpu: "yes"}, annotations: {k8s.ovn.org/node-subnets: '{"default":["10.1.0.0/24"]}'}}
  status: {addresses: [{type: InternalIP, address: 192.168.9.11}]}
- apiVersion: v1
  kind: Node
  metadata: {name: cpu-a}
  status: {addresses: [{type: InternalIP, address: 192.168.9.12}]}
)";

constexpr const char* kFirewall = R"(apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: shop}
spec:
  egress:
  - {type: Allow, to: {cidrSelector: 192.0.2.0/24}, ports: [{protocol: TCP, port: 443}]}
  - {type: Deny, to: {cidrSelector: 192.0.2.0/24}}
  - {type: Deny, to: {nodeSelector: {matchLabels: {gpu: "yes"}}}}
  - {type: Allow, to: {dnsName: WWW.example.com}}
  - {type: Deny, to: {cidrSelector: 0.0.0.0/0}}
)";
constexpr const char* kResolver = R"(apiVersion: network.openshift.io/v1alpha1
kind: DNSNameResolver
metadata: {name: dns-67b687cfb5, namespace: openshift-ovn-kubernetes}
spec: {name: www.example.com.}
status: {resolvedNames: [{dnsName: www.example.com., resolvedAddresses: [{ip: 198.51.100.7, ttlSeconds: 30}]}]}
)";

class Policies : public ::testing::Test {
 protected:
  void add(std::string text) { formats_.load(formats_.dump(std::move(text)), cluster_); }
  PolicyQuestion question(const char* from, const char* to, const char* protocol, std::uint16_t port) {
    const auto pod = [&](const IpAddr& a) {
      for (const cluster::Pod& p : cluster_.objects.pods)
        if (p.addresses.front().address == a) return &p;
      return static_cast<const cluster::Pod*>(nullptr);
    };
    const IpAddr source = *IpAddr::parse(from), destination = *IpAddr::parse(to);
    return {pod(source), pod(destination), source, destination, protocol, port};
  }
  cluster::FirewallRuling firewall(const char* to, const char* protocol, std::uint16_t port) {
    return firewall_ruling(cluster_.objects, nullptr, question("10.1.0.5", to, protocol, port));
  }
  cluster::AdminRuling admin(PolicyDirection direction, const char* from = "10.1.0.5", const char* to = "10.1.0.9",
                             std::uint16_t port = 5432) {
    return admin_ruling(cluster_.objects, question(from, to, "TCP", port), direction);
  }

  Formats formats_{kube_formats()};
  cluster::Cluster cluster_;
};

TEST_F(Policies, TheFirstMatchingRuleOfAnEgressFirewallDecides) {
  add(kPods), add(kFirewall), add(kResolver);
  EXPECT_EQ(firewall("192.0.2.1", "TCP", 443).rule, 0u);
  EXPECT_EQ(firewall("192.0.2.1", "TCP", 443).ruling, Ruling::allowed);
  EXPECT_EQ(firewall("192.0.2.1", "UDP", 443).rule, 1u);
  EXPECT_EQ(firewall("192.0.2.1", "UDP", 443).ruling, Ruling::denied);
  EXPECT_EQ(firewall("192.168.9.11", "TCP", 22).rule, 2u);
  EXPECT_EQ(firewall("198.51.100.7", "TCP", 80).rule, 3u);
  EXPECT_EQ(firewall("192.168.9.12", "TCP", 22).rule, 4u);
  EXPECT_EQ(firewall("2001:db8::1", "TCP", 80).ruling, Ruling::none);
}

TEST_F(Policies, AnEgressFirewallIsAboutTheOutside) {
  add(kPods), add(kFirewall), add(kResolver);
  EXPECT_EQ(firewall("10.1.0.9", "TCP", 80).firewall, nullptr);    // a pod
  EXPECT_EQ(firewall("10.1.0.77", "TCP", 80).firewall, nullptr);   // none that is known, in their network
}

TEST_F(Policies, ANameThatNothingResolvesLeavesTheRulesBehindItOpen) {
  add(kPods), add(kFirewall);
  EXPECT_EQ(firewall("192.0.2.1", "TCP", 80).ruling, Ruling::denied);
  EXPECT_EQ(firewall("203.0.113.1", "TCP", 80).ruling, Ruling::open);
  cluster::Node node;
  node.ovn.address_sets.push_back({"a1", {"198.51.100.7"}, {{"k8s.ovn.org/owner-type", "EgressFirewallDNS"}, {"k8s.ovn.org/name", "www.example.com."}}, {}});
  EXPECT_EQ(firewall_ruling(cluster_.objects, &node, question("10.1.0.5", "198.51.100.7", "TCP", 80)).ruling, Ruling::allowed);
  EXPECT_EQ(firewall_ruling(cluster_.objects, &node, question("10.1.0.5", "203.0.113.1", "TCP", 80)).rule, 4u);
}

std::string admin_policy(const std::string& name, int priority, const std::string& rules) {
  return "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: " + name +
         "}\nspec:\n  priority: " + std::to_string(priority) + "\n  subject: {namespaces: {matchLabels: {tier: front}}}\n  egress:\n" + rules;
}
const std::string kToBack = "to: [{namespaces: {matchLabels: {tier: back}}}]";
constexpr const char* kBaseline = R"(apiVersion: policy.networking.k8s.io/v1alpha1
kind: BaselineAdminNetworkPolicy
metadata: {name: default}
spec:
  subject: {namespaces: {}}
  ingress:
  - {name: closed, action: Deny, from: [{namespaces: {}}]}
)";

TEST_F(Policies, AdminNetworkPoliciesDecideInTheOrderOfTheirPriorities) {
  add(kPods);
  add(admin_policy("late", 50, "  - {action: Deny, " + kToBack + "}\n"));
  add(admin_policy("early", 5, "  - {name: db, action: Allow, " + kToBack + ", ports: [{portNumber: {protocol: TCP, port: 5432}}]}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress).policy->name, "early");
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::allowed);
  EXPECT_EQ(admin(PolicyDirection::egress).decisive().name, "db");
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "10.1.0.9", 80).ruling, Ruling::denied);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.9", "10.1.0.5").ruling, Ruling::none);
}

TEST_F(Policies, ThoseOfOnePriorityThatDisagreeAreOpen) {
  add(kPods);
  add(admin_policy("one", 5, "  - {action: Deny, " + kToBack + "}\n"));
  add(admin_policy("two", 5, "  - {action: Allow, " + kToBack + "}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::open);
}

TEST_F(Policies, NetworksAndNodesArePeers) {
  add(kPods);
  add(admin_policy("out", 5, "  - {action: Allow, to: [{nodes: {matchLabels: {gpu: \"yes\"}}}]}\n  - {action: Deny, to: [{networks: [192.168.9.0/24]}]}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "192.168.9.11").rule, 0u);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "192.168.9.12").rule, 1u);
}

TEST_F(Policies, NamedPortsAndNewerPeersLeaveItOpen) {
  add(kPods);
  add(admin_policy("named", 5, "  - {action: Deny, " + kToBack + ", ports: [{namedPort: web}]}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::open);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "192.0.2.1").ruling, Ruling::none);
}

TEST_F(Policies, TheBaselineDecidesWhereNothingElseDoes) {
  add(kPods), add(kBaseline);
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::denied);
  add(admin_policy("pass", 5, "  - {action: Pass, " + kToBack + "}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::none);
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::denied);
  add("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: some, namespace: data}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n");
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::open);   // its rules decide
}

TEST_F(Policies, NamesResolveByResolversOvnAndHostsFiles) {
  add(kResolver);
  cluster::Node& node = cluster_.ensure_node("n");
  EXPECT_EQ(addresses_of_host(cluster_, "www.example.com").addresses.size(), 1u);
  EXPECT_FALSE(addresses_of_host(cluster_, "db.example.com").is_listed);
  node.host.hosts.push_back({*IpAddr::parse("192.0.2.8"), {"db.example.com", "db"}, {}});
  ovn::Row dns;
  dns.table = "DNS";
  dns.columns["records"] = "{\"api.example.com\"=\"192.0.2.9 2001:db8::9\", \"db.example.com\"=\"192.0.2.8\"}";
  node.ovn.rows.push_back(dns);
  EXPECT_EQ(addresses_of_host(cluster_, "DB.example.com.").addresses.size(), 1u);
  EXPECT_EQ(addresses_of_host(cluster_, "db", "n").addresses.size(), 1u);
  EXPECT_FALSE(addresses_of_host(cluster_, "db", "other").is_listed);
  EXPECT_EQ(addresses_of_host(cluster_, "api.example.com").addresses.size(), 2u);
}

}  // namespace
}  // namespace egt::parsers
