// What EgressFirewalls, AdminNetworkPolicies and NetworkPolicies ask of one connection.
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
  cluster::PolicyRuling admin(PolicyDirection direction, const char* from = "10.1.0.5", const char* to = "10.1.0.9",
                              std::uint16_t port = 5432) {
    return policy_ruling(cluster_.objects, question(from, to, "TCP", port), direction);
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
  EXPECT_EQ(firewall("10.1.0.9", "TCP", 80).firewall, nullptr);   // a pod
  EXPECT_EQ(firewall("10.1.0.77", "TCP", 80).firewall, nullptr);  // none that is known, in their network
}

TEST_F(Policies, ANameThatNothingResolvesLeavesTheRulesBehindItOpen) {
  add(kPods), add(kFirewall);
  EXPECT_EQ(firewall("192.0.2.1", "TCP", 80).ruling, Ruling::denied);
  EXPECT_EQ(firewall("203.0.113.1", "TCP", 80).ruling, Ruling::open);
  cluster::Node node;
  node.ovn.address_sets.edit().push_back(
      {"a1", {"198.51.100.7"}, {{"k8s.ovn.org/owner-type", "EgressFirewallDNS"}, {"k8s.ovn.org/name", "www.example.com."}}, {}});
  EXPECT_EQ(firewall_ruling(cluster_.objects, &node, question("10.1.0.5", "198.51.100.7", "TCP", 80)).ruling, Ruling::allowed);
  EXPECT_EQ(firewall_ruling(cluster_.objects, &node, question("10.1.0.5", "203.0.113.1", "TCP", 80)).rule, 4u);
}

std::string admin_policy(const std::string& name, int priority, const std::string& rules) {
  return "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: " + name +
         "}\nspec:\n  priority: " + std::to_string(priority) +
         "\n  subject: {namespaces: {matchLabels: {tier: front}}}\n  egress:\n" + rules;
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
  add(admin_policy("early", 5,
                   "  - {name: db, action: Allow, " + kToBack + ", ports: [{portNumber: {protocol: TCP, port: 5432}}]}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress).admin->name, "early");
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::allowed);
  EXPECT_EQ(admin(PolicyDirection::egress).admin_rule().name, "db");
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
  add(admin_policy("out", 5,
                   "  - {action: Allow, to: [{nodes: {matchLabels: {gpu: \"yes\"}}}]}\n  - {action: Deny, to: [{networks: "
                   "[192.168.9.0/24]}]}\n"));
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
  add("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: some, namespace: data}\nspec: {podSelector: {}, "
      "policyTypes: [Ingress]}\n");
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::denied);  // as it has no rule
  EXPECT_EQ(admin(PolicyDirection::ingress).admin, nullptr);
  EXPECT_EQ(admin(PolicyDirection::ingress).isolating.front()->name, "some");
}

TEST_F(Policies, LabelsOfANamespaceWithoutItsObjectLeaveItOpen) {
  add("apiVersion: v1\nkind: Pod\nmetadata: {name: lone, namespace: alone}\nspec: {nodeName: n}\nstatus: {podIP: 10.1.0.7, "
      "podIPs: [{ip: 10.1.0.7}]}\n");
  add(kPods);
  add(admin_policy("out", 5, "  - {action: Deny, to: [{namespaces: {matchLabels: {tier: back}}}]}\n"));
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "10.1.0.7").ruling, Ruling::open);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.5", "10.1.0.5").ruling, Ruling::none);
}

// ---- NetworkPolicy

std::string network_policy(const std::string& spec, const std::string& annotations = "") {
  return "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: data" + annotations +
         "}\nspec: {podSelector: {}, " + spec + "}\n";
}

TEST_F(Policies, ARuleOfANetworkPolicyLetsThroughItsPeersToItsPorts) {
  add(kPods);
  add(
      network_policy("policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}, {from: [{namespaceSelector: {matchLabels: "
                     "{tier: front}}, podSelector: "
                     "{matchLabels: {app: cart}}}], ports: [{port: 5432}, {port: 8000, endPort: 8010}]}]"));
  const cluster::PolicyRuling allowed = admin(PolicyDirection::ingress);
  EXPECT_EQ(allowed.ruling, Ruling::allowed);
  EXPECT_EQ(allowed.network->name, "web");
  EXPECT_EQ(allowed.rule, 1u);
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 8005).ruling, Ruling::allowed);
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 8011).ruling, Ruling::denied);
  EXPECT_EQ(admin(PolicyDirection::egress).ruling, Ruling::none);
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.9", "10.1.0.5").ruling, Ruling::none);  // of its namespace alone
}

TEST_F(Policies, OfSeveralNetworkPoliciesAnyRuleLetsThrough) {
  add(kPods);
  add("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: data}\nspec: {podSelector: "
      "{}}\n");
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::denied);  // without policyTypes: ingress
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.9", "10.1.0.5").ruling, Ruling::none);
  add(network_policy("policyTypes: [Ingress], ingress: [{}]"));
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::allowed);
}

TEST_F(Policies, NetworksLessTheirExceptions) {
  add(kPods);
  add(network_policy("policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/29]}}]}]"));
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.9", "10.2.0.1").ruling, Ruling::allowed);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.9", "10.1.0.5").ruling, Ruling::denied);
  EXPECT_EQ(admin(PolicyDirection::egress, "10.1.0.9", "192.0.2.1").ruling, Ruling::denied);
}

TEST_F(Policies, AdminNetworkPoliciesComeFirstAndTheirPassLeavesItToNetworkPolicies) {
  add(kPods), add(kBaseline);
  add(network_policy("policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]"));
  add("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: first}\nspec:\n  priority: 5\n"
      "  subject: {namespaces: {matchLabels: {tier: back}}}\n  ingress:\n"
      "  - {action: Allow, from: [{namespaces: {}}], ports: [{portNumber: {protocol: TCP, port: 443}}]}\n"
      "  - {action: Pass, from: [{namespaces: {}}]}\n");
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 443).admin->name, "first");
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 80).ruling, Ruling::denied);
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 80).admin, nullptr);
}

TEST_F(Policies, WhatObjectsDoNotDecideOfNetworkPoliciesIsOpen) {
  const auto ruling = [&](const std::string& spec, const char* from = "10.1.0.5", const char* protocol = "TCP",
                          std::uint16_t port = 80, const std::string& annotations = "") {
    cluster_ = {};
    add(kPods), add(network_policy(spec, annotations));
    return policy_ruling(cluster_.objects, question(from, "10.1.0.9", protocol, port), PolicyDirection::ingress).ruling;
  };
  const std::string closed = "policyTypes: [Ingress]";
  EXPECT_EQ(ruling(closed), Ruling::denied);
  EXPECT_EQ(ruling(closed, "10.1.0.5", "ICMP", 0), Ruling::open);  // a setting of OVN-Kubernetes
  EXPECT_EQ(ruling(closed, "192.168.9.12"), Ruling::open);         // its own node, of which nothing is known
  EXPECT_EQ(ruling(closed, "203.0.113.7"), Ruling::denied);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{ports: [{port: web}]}]"), Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{ports: [{port: web}]}]", "10.1.0.5", "UDP"), Ruling::denied);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{from: [{newer: {}}]}]"), Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], newer: 1"), Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{}]", "10.1.0.5", "TCP", 80,
                   ", annotations: {k8s.ovn.org/acl-stateless: \"true\"}"),
            Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}]}]", "100.64.0.4"), Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: x}}}]}]", "203.0.113.7"),
            Ruling::denied);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]", "0.0.0.0"), Ruling::open);
  EXPECT_EQ(ruling("policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]", "0.0.0.0"), Ruling::allowed);
}

// OVN-Kubernetes makes ACLs of all rules, and those of a direction that the policy does not isolate work where another one does.
TEST_F(Policies, RulesOfADirectionThatAPolicyDoesNotIsolateAreOpen) {
  add(kPods);
  add(network_policy("policyTypes: [Egress], ingress: [{}]"));
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::none);
  add("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: data}\nspec: {podSelector: "
      "{}}\n");
  EXPECT_EQ(admin(PolicyDirection::ingress).ruling, Ruling::open);
}

TEST_F(Policies, PortsWithNamesAreThoseOfTheReceiver) {
  add("apiVersion: v1\nkind: Pod\nmetadata: {name: db, namespace: data, labels: {app: db}}\nspec: {nodeName: n, containers: "
      "[{name: c, ports: [{name: web, "
      "containerPort: 8080}]}]}\nstatus: {podIP: 10.1.0.9, podIPs: [{ip: 10.1.0.9}]}\n");
  add(kPods);
  add(network_policy("policyTypes: [Ingress], ingress: [{ports: [{port: web}]}]"));
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 8080).ruling, Ruling::allowed);
  EXPECT_EQ(admin(PolicyDirection::ingress, "10.1.0.5", "10.1.0.9", 80).ruling,
            Ruling::open);  // older releases let all of TCP through
}

TEST_F(Policies, PodsOfOtherNetworksAreOpen) {
  const auto on_blue = [](const char* name, const char* name_space, const char* address) {
    return std::string("apiVersion: v1\nkind: Pod\nmetadata: {name: ") + name + ", namespace: " + name_space +
           ", annotations: {k8s.ovn.org/pod-networks: '{\"default\":{\"ip_addresses\":[\"10.1.0.5" +
           address[std::string(address).size() - 4] +
           "/24\"],\"role\":\"infrastructure-locked\"},\"data/blue\":{\"ip_addresses\":[\"" + address +
           "\"],\"role\":\"primary\"}}'}}\nspec: {nodeName: n}\nstatus: {podIP: 10.1.0.50}\n";
  };
  add(on_blue("a", "data", "10.9.0.6/24")), add(on_blue("b", "data", "10.9.1.7/24"));
  add(kPods);
  add(network_policy("policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}], ports: [{port: 443}]}]"));
  const cluster::Pod *a = cluster_.objects.pods.find("data", "a"), *b = cluster_.objects.pods.find("data", "b");
  const auto ruling = [&](const cluster::Pod* from, const char* source, std::uint16_t port) {
    return policy_ruling(cluster_.objects, {from, b, *IpAddr::parse(source), *IpAddr::parse("10.9.1.7"), "TCP", port},
                         PolicyDirection::ingress)
        .ruling;
  };
  ASSERT_NE(a->primary(), nullptr);
  EXPECT_EQ(ruling(a, "10.9.0.6", 443), Ruling::allowed);
  EXPECT_EQ(ruling(a, "10.9.0.6", 80), Ruling::denied);
  EXPECT_EQ(ruling(cluster_.objects.pods.find("shop", "cart"), "10.1.0.5", 80), Ruling::open);
}

TEST_F(Policies, NamesResolveByResolversOvnAndHostsFiles) {
  add(kResolver);
  cluster::Node& node = cluster_.ensure_node("n");
  EXPECT_EQ(addresses_of_host(cluster_, "www.example.com").addresses.size(), 1u);
  EXPECT_FALSE(addresses_of_host(cluster_, "db.example.com").is_listed);
  node.host.hosts.push_back({*IpAddr::parse("192.0.2.8"), {"db.example.com", "db"}, {}});
  ovn::Row dns;
  dns.database = "SB";
  dns.table = "DNS";
  dns.columns.set("records", "{\"api.example.com\"=\"192.0.2.9 2001:db8::9\", \"db.example.com\"=\"192.0.2.8\"}");
  node.ovn.rows.add(dns);
  EXPECT_EQ(addresses_of_host(cluster_, "DB.example.com.").addresses.size(), 1u);
  EXPECT_EQ(addresses_of_host(cluster_, "db", "n").addresses.size(), 1u);
  EXPECT_FALSE(addresses_of_host(cluster_, "db", "other").is_listed);
  EXPECT_EQ(addresses_of_host(cluster_, "api.example.com").addresses.size(), 2u);
}

}  // namespace
}  // namespace egt::parsers
