#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kList = R"(apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.132.0.13/23","fd01:0:0:1::d/64"],"mac_address":"0a:58:0a:84:00:0d","gateway_ips":["10.132.0.1"]}}'
    labels:
      app: requester
      "on": "true"
    name: a
    namespace: demo
  spec:
    nodeName: node-1
  status:
    phase: Running
    podIP: 10.132.0.13
    podIPs:
    - ip: 10.132.0.13
    - ip: fd01:0:0:1::d
- apiVersion: v1
  kind: Pod
  metadata:
    name: ended
    namespace: demo
  spec: {nodeName: node-1, hostNetwork: true}
  status:
    phase: Succeeded
    podIP: 10.132.0.14
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: other
kind: List
metadata:
  resourceVersion: ""
)";

constexpr const char* kDocuments = R"(---
# what the cluster has
apiVersion: v1
kind: Node
metadata:
  name: node-1
  annotations:
    k8s.ovn.org/node-subnets: '{"default":["10.132.0.0/23"],"blue":["10.20.0.0/24"]}'
    k8s.ovn.org/host-cidrs: '["192.168.99.23/24","192.168.66.23/24"]'
status:
  addresses:
  - {type: InternalIP, address: 192.168.99.23}
  - {type: Hostname, address: node-1}
  conditions:
  - {type: MemoryPressure, status: "Unknown", reason: NodeStatusUnknown}
  - {type: Ready, status: "Unknown", reason: NodeStatusUnknown}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata:
  name: eip
  annotations: {k8s.ovn.org/egressip-mark: "50001"}
spec:
  egressIPs: [192.168.99.100]
  namespaceSelector:
    matchExpressions:
    - {key: env, operator: In, values: [prod, "1"]}
status:
  items:
  - egressIP: 192.168.99.100
    node: node-1
---
apiVersion: k8s.ovn.org/v1
kind: EgressService
metadata: {name: svc, namespace: demo}
spec: {sourceIPBy: Network, network: "100"}
status: {host: ALL}
---
apiVersion: v1
kind: Service
metadata: {name: svc, namespace: demo}
spec:
  clusterIP: 172.30.0.1
  clusterIPs: [172.30.0.1, "fd02::1"]
  externalIPs: [198.51.100.1]
  ports:
  - {port: 80, targetPort: http, nodePort: 31080, protocol: UDP}
  - {port: 81, targetPort: 8081}
  selector: {app: web}
  type: LoadBalancer
  externalTrafficPolicy: Local
status:
  loadBalancer: {ingress: [{ip: 203.0.113.1}]}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: not-ours, namespace: demo}
...
)";

constexpr const char* kJson = R"({
  "apiVersion": "v1",
  "items": [
    {"metadata": {"name": "a", "namespace": "demo", "labels": {"app": "x"}},
     "spec": {"nodeName": "node-1", "template": {"metadata": {"name": "inner"}}},
     "status": {"podIP": "10.0.0.5"}},
    {
      "metadata": {"name": "b", "namespace": "demo"}
    }
  ],
  "kind": "PodList"
}
)";

Formats formats() { return Formats(kube_formats()); }

TEST(Kube, PodsOfAList) {
  Formats f = formats();
  cluster::Cluster c;
  const Dump dump = f.dump(kList);
  EXPECT_EQ(f.kind(dump), "kubernetes");
  const Report report = f.load(dump, c);
  EXPECT_TRUE(report.not_understood.empty());
  EXPECT_EQ(report.lines, report.understood + report.ignored);
  ASSERT_EQ(c.objects.pods.size(), 2u);
  const cluster::Pod& pod = c.objects.pods[0];
  EXPECT_EQ(pod.from.line, 11u);
  EXPECT_EQ(pod.node, "node-1");
  ASSERT_EQ(pod.addresses.size(), 2u);
  EXPECT_EQ(pod.addresses[0].to_string(), "10.132.0.13/23");
  EXPECT_EQ(pod.gateways.at(0).to_string(), "10.132.0.1");
  EXPECT_EQ(pod.mac->to_string(), "0a:58:0a:84:00:0d");
  EXPECT_EQ(pod.labels.at("on"), "true");
  EXPECT_TRUE(c.objects.pods[1].addresses.empty());
  EXPECT_TRUE(c.objects.pods[1].host_network);
}

// Events and the like are shown by their kind and not read; a kind that is not plain text is.
TEST(Kube, PassesOverKindsThatNobodyWants) {
  Formats f = formats();
  cluster::Cluster c;
  const Report report =
      f.load(f.dump("apiVersion: v1\nkind: List\nitems:\n"
                    "- apiVersion: v1\n  kind: Event\n  involvedObject:\n    kind: Pod\n    name: x\n  message: [not closed\n"
                    "- kind: 'Pod'\n  apiVersion: v1\n  metadata: {name: a, namespace: n}\n  spec: {nodeName: w}\n"
                    "- apiVersion: v1\n  metadata: {name: b, namespace: n}\n  kind: Pod\n"
                    "---\n# a remark\napiVersion: v1\nkind: ConfigMap\ndata: {a: [}\n"
                    "---\n{kind: Pod, apiVersion: v1, metadata: {name: c, namespace: n}}\n"),
             c);
  EXPECT_TRUE(report.not_understood.empty());
  EXPECT_EQ(report.lines, report.understood + report.ignored);
  ASSERT_EQ(c.objects.pods.size(), 3u);
  EXPECT_EQ(c.objects.pods[2].name, "c");
}

TEST(Kube, SeveralDocuments) {
  Formats f = formats();
  cluster::Cluster c;
  const Report report = f.load(f.dump(kDocuments), c);
  EXPECT_TRUE(report.not_understood.empty());
  ASSERT_EQ(c.objects.nodes.size(), 1u);
  EXPECT_EQ(c.objects.nodes[0].from.line, 6u);
  EXPECT_EQ(c.objects.nodes[0].addresses.size(), 2u);
  EXPECT_EQ(c.objects.nodes[0].ready, std::optional(false));  // Unknown is not True
  EXPECT_EQ(c.objects.nodes[0].why_not_ready, "NodeStatusUnknown");
  ASSERT_EQ(c.objects.nodes[0].pod_subnets.size(), 1u);
  ASSERT_EQ(c.objects.egress_ips.size(), 1u);
  const cluster::EgressIp& eip = c.objects.egress_ips[0];
  EXPECT_EQ(eip.mark, 50001u);
  EXPECT_EQ(eip.status.at(0).node, "node-1");
  EXPECT_TRUE(eip.namespaces.matches({{"env", "prod"}}));
  EXPECT_FALSE(eip.namespaces.matches({}));
  EXPECT_TRUE(eip.pods.matches({}));
  ASSERT_EQ(c.objects.egress_services.size(), 1u);
  EXPECT_EQ(c.objects.egress_services[0].host, "ALL");
  EXPECT_EQ(c.objects.egress_services[0].network, "100");
  ASSERT_EQ(c.objects.services.size(), 1u);
  const cluster::Service& service = c.objects.services[0];
  EXPECT_EQ(service.cluster_ips.size(), 2u);
  EXPECT_EQ(service.load_balancer_ips.at(0).to_string(), "203.0.113.1");
  EXPECT_EQ(service.ports.at(0).node_port, 31080);
  EXPECT_EQ(service.ports.at(0).target_port, "http");
  EXPECT_EQ(service.ports.at(1).protocol, "TCP");
  EXPECT_EQ(service.external_traffic_policy, "Local");
}

constexpr const char* kImplications = R"(apiVersion: v1
kind: List
items:
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
  ports: [{name: http, port: 8080, protocol: TCP}, {port: 53, protocol: UDP}]
  endpoints:
  - {addresses: [10.1.0.5], nodeName: node-1, targetRef: {kind: Pod, name: a, namespace: shop}}
  - {addresses: [10.1.0.6], nodeName: node-2, conditions: {ready: false, serving: true, terminating: true}}
  - {addresses: [10.1.0.7], nodeName: node-2, conditions: {ready: false}}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: shop}
  spec: {clusterIP: 172.30.0.9, ports: [{name: http, port: 80, targetPort: http}]}
- apiVersion: k8s.ovn.org/v1
  kind: AdminPolicyBasedExternalRoute
  metadata: {name: gateway}
  spec:
    from: {namespaceSelector: {matchLabels: {env: prod}}}
    nextHops: {static: [{ip: 192.0.2.9}], dynamic: []}
- apiVersion: k8s.ovn.org/v1
  kind: EgressFirewall
  metadata: {name: default, namespace: shop}
  spec:
    egress:
    - {type: Allow, to: {cidrSelector: 192.0.2.0/24}, ports: [{protocol: TCP, port: 443}]}
    - {type: Deny, to: {cidrSelector: 192.0.2.0/24}}
    - {type: Allow, to: {dnsName: www.example.com}}
    - {type: Deny, to: {cidrSelector: 0.0.0.0/0}}
- apiVersion: policy.networking.k8s.io/v1alpha1
  kind: AdminNetworkPolicy
  metadata: {name: first}
  spec:
    priority: 7
    subject: {pods: {namespaceSelector: {matchLabels: {env: prod}}, podSelector: {matchLabels: {app: x}}}}
    ingress: [{action: Allow}, {action: Pass}]
- apiVersion: policy.networking.k8s.io/v1alpha1
  kind: BaselineAdminNetworkPolicy
  metadata: {name: default}
  spec: {subject: {namespaces: {}}, egress: [{action: Deny}]}
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: deny, namespace: shop}
  spec: {podSelector: {}, policyTypes: [Egress]}
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: web, namespace: shop}
  spec:
    podSelector: {matchLabels: {app: web}}
    policyTypes: [Ingress, Egress]
    ingress:
    - from:
      - podSelector: {matchLabels: {app: cart}}
      - namespaceSelector: {matchLabels: {env: prod}}
      ports: [{port: 8080}, {protocol: UDP, port: 53, endPort: 60}, {port: web}, {protocol: SCTP}]
    egress:
    - to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.128/25]}}]
    - {}
    - to: [{serviceSelector: {}}]
- apiVersion: v1
  kind: Namespace
  metadata: {name: shop, labels: {env: prod}}
)";

TEST(Kube, PromisesAboutTraffic) {
  Formats f = formats();
  cluster::Cluster c;
  EXPECT_TRUE(f.load(f.dump(kImplications), c).not_understood.empty());
  const cluster::Objects& o = c.objects;
  const cluster::EndpointSlice* slice = o.endpoint_slices.find("shop", "web-1");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(slice->from.line, 6u);
  EXPECT_EQ(slice->ports.at(0).port, 8080);
  EXPECT_EQ(slice->endpoints.at(0).pod, "a");
  EXPECT_TRUE(slice->endpoints.at(1).serving);
  EXPECT_FALSE(slice->endpoints.at(2).serving);
  ASSERT_NE(o.external_routes.find("gateway"), nullptr);
  EXPECT_EQ(o.external_routes.find("gateway")->next_hops.at(0).to_string(), "192.0.2.9");
  EXPECT_FALSE(o.external_routes.find("gateway")->has_dynamic_hops);
  EXPECT_TRUE(o.network_policies.find("shop", "deny")->egress);
  EXPECT_FALSE(o.network_policies.find("shop", "deny")->ingress);
  EXPECT_TRUE(o.network_policies.find("shop", "deny")->egress_rules.empty());
  ASSERT_EQ(o.network_policies.in("shop").size(), 2u);
  const cluster::NetworkPolicy& web = *o.network_policies.in("shop")[1];
  ASSERT_EQ(web.ingress_rules.size(), 1u);
  const cluster::NetworkRule& in = web.ingress_rules[0];
  EXPECT_FALSE(in.all_peers || in.all_ports || in.has_open_peers || in.has_open_ports || web.is_open);
  ASSERT_EQ(in.peers.size(), 2u);
  EXPECT_EQ(in.peers[0].namespaces.match_labels.at("kubernetes.io/metadata.name"), "shop");
  EXPECT_TRUE(in.peers[1].pods.matches({}));
  ASSERT_EQ(in.ports.size(), 3u);
  EXPECT_TRUE(in.ports[0].contains("TCP", 8080) && !in.ports[0].contains("TCP", 8081));
  EXPECT_TRUE(in.ports[1].contains("UDP", 60) && !in.ports[1].contains("TCP", 60));
  EXPECT_TRUE(in.ports[2].contains("SCTP", 1));
  ASSERT_EQ(in.named_ports.size(), 1u);
  EXPECT_EQ(in.named_ports[0].name, "web");
  ASSERT_EQ(web.egress_rules.size(), 3u);
  EXPECT_EQ(web.egress_rules[0].peers.at(0).except.at(0).to_string(), "192.0.2.128/25");
  EXPECT_TRUE(web.egress_rules[1].all_peers && web.egress_rules[1].all_ports && !web.egress_rules[1].has_open_peers);
  EXPECT_TRUE(web.egress_rules[2].has_open_peers);
  const cluster::AdminNetworkPolicy* admin = o.admin_network_policies.find("first");
  ASSERT_NE(admin, nullptr);
  EXPECT_EQ(admin->priority, 7u);
  ASSERT_EQ(admin->ingress.size(), 2u);
  EXPECT_EQ(admin->ingress[0].action, cluster::AdminRule::Action::allow);
  EXPECT_EQ(admin->ingress[1].action, cluster::AdminRule::Action::pass);
  EXPECT_TRUE(o.admin_network_policies.find("default")->baseline);
  cluster::Pod pod;
  pod.namespace_ = "shop";
  EXPECT_FALSE(selects(*admin, o, pod));
  pod.labels["app"] = "x";
  EXPECT_TRUE(selects(*admin, o, pod));
  EXPECT_TRUE(selects(*o.admin_network_policies.find("default"), o, pod));
}

TEST(Kube, EndpointsThatTakeConnections) {
  Formats f = formats();
  const auto addresses = [&](std::string text) {
    cluster::Cluster c;
    f.load(f.dump(std::move(text)), c);
    const cluster::Backing backing = backing_of(*c.objects.services.find("shop", "web"), c.objects);
    std::string all = backing.shown ? "" : "unknown";
    for (const cluster::BackingEndpoint& b : backing.endpoints) all += b.endpoint->address.to_string() + " ";
    return all;
  };
  std::string text = kImplications;
  EXPECT_EQ(addresses(text), "10.1.0.5 ");
  text.replace(text.find("nodeName: node-1,"), 17, "conditions: {ready: false},");
  EXPECT_EQ(addresses(text), "10.1.0.6 ");  // none is ready, but this one still serves while it ends
  text.replace(text.find("service-name: web"), 17, "service-name: xyz");
  EXPECT_EQ(addresses(text), "unknown");
}

TEST(Kube, JsonListWhoseItemsHaveNoKind) {
  Formats f = formats();
  cluster::Cluster c;
  const Report report = f.load(f.dump(kJson), c);
  EXPECT_TRUE(report.not_understood.empty());
  ASSERT_EQ(c.objects.pods.size(), 2u);
  EXPECT_EQ(c.objects.pods[0].from.line, 4u);
  EXPECT_EQ(c.objects.pods[0].addresses.at(0).to_string(), "10.0.0.5/32");
  EXPECT_EQ(c.objects.pods[1].from.line, 8u);
}

TEST(Kube, WhatStandsBeforeACutIsKept) {
  Formats f = formats();
  cluster::Cluster c;
  const std::string list = kList;
  const Report report = f.load(f.dump(list.substr(0, list.find("phase: Succeeded") + 5)), c);
  EXPECT_EQ(c.objects.pods.size(), 2u);
  EXPECT_FALSE(report.diagnostics.empty());
  cluster::Cluster quoted;
  const Report in_quotes = f.load(f.dump(list.substr(0, list.find("fd01:0:0:1::d/64"))), quoted);
  EXPECT_FALSE(in_quotes.diagnostics.empty());
  EXPECT_TRUE(quoted.objects.pods.empty());  // its name stands behind the cut
  cluster::Cluster d;
  std::string json =
      R"({"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}},{"apiVersion":"v1","ki)";
  const Report cut = f.load(f.dump(json), d);
  EXPECT_EQ(d.objects.namespaces.size(), 1u);
  EXPECT_EQ(cut.not_understood.size(), 1u);
}

TEST(Kube, ABrokenItemCostsItselfOnly) {
  Formats f = formats();
  cluster::Cluster c;
  std::string text = kList;
  text.replace(text.find("nodeName: node-1, hostNetwork"), 8, "[[[: {  ");
  const Report report = f.load(f.dump(text), c);
  EXPECT_EQ(report.not_understood.size(), 1u);
  EXPECT_EQ(report.not_understood[0].line, 27u);
  ASSERT_EQ(c.objects.pods.size(), 1u);
}

TEST(Kube, TheFirstOfSeveralStays) {
  Formats f = formats();
  cluster::Cluster c;
  f.load(f.dump(kImplications), c);
  f.load(f.dump(kImplications), c);
  EXPECT_EQ(c.objects.services.size(), 1u);
  EXPECT_EQ(c.objects.services[0].from.source, 1u);
}

TEST(Kube, BombsAreRefused) {
  Formats f = formats();
  std::string bomb = "apiVersion: v1\nkind: Pod\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += before + (k < 9 ? "," : "]\n");
  }
  cluster::Cluster c;
  EXPECT_FALSE(f.load(f.dump(bomb), c).not_understood.empty());
  const std::string deep = "apiVersion: v1\nkind: Pod\na: " + std::string(5000, '[');
  EXPECT_FALSE(f.load(f.dump(deep), c).not_understood.empty());
  const std::string json = R"({"apiVersion":"v1","kind":"Pod","a":)" + std::string(100000, '[');
  EXPECT_FALSE(f.load(f.dump(json), c).not_understood.empty());
}

TEST(Kube, IsPrintedBack) {
  Formats f = formats();
  const Printed run = f.reprint(f.dump(kDocuments));
  EXPECT_EQ(run.out, kDocuments);
  EXPECT_TRUE(run.report.diagnostics.empty());
  EXPECT_NE(f.json(f.dump(kDocuments)).find("\"EgressIP\""), std::string::npos);
}

TEST(Kube, OtherYamlIsNotTaken) {
  Formats f = formats();
  EXPECT_EQ(f.kind(f.dump("version: 1\nexpect:\n- name: x\n")), "(none)");
  EXPECT_EQ(f.kind(f.dump("{\"data\":[],\"headings\":[]}")), "(none)");
}

TEST(Kube, SelectorsAsKubernetesHasThem) {
  cluster::LabelSelector s;
  EXPECT_FALSE(s.matches({}));
  s.present = true;
  EXPECT_TRUE(s.matches({}));
  s.expressions = {{"a", "NotIn", {"1"}}, {"b", "Exists", {}}, {"c", "DoesNotExist", {}}};
  EXPECT_TRUE(s.matches({{"b", ""}}));
  EXPECT_FALSE(s.matches({{"b", ""}, {"a", "1"}}));
  EXPECT_FALSE(s.matches({{"b", ""}, {"c", ""}}));
  EXPECT_FALSE(s.matches({}));
}

TEST(Kube, SurvivesCutAndGarbledInput) {
  Formats f = formats();
  for (const char* text : {kList, kDocuments, kJson}) f.torment(text, "");
}

}  // namespace
}  // namespace egt::parsers
