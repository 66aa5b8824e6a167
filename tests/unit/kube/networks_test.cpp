// Objects about networks of pods, in the form in which OVN-Kubernetes, Multus and frr-k8s have them.
#include <gtest/gtest.h>

#include "egtrace/cluster/pod_networks.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kNetworks = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: cart
    namespace: shop
    annotations:
      k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.128.0.7/23"],"mac_address":"0a:58:0a:80:00:07","gateway_ips":["10.128.0.1"],"routes":[{"dest":"10.128.0.0/14","nextHop":"10.128.0.1"}],"role":"primary"},"shop/bulk":{"ip_addresses":["192.0.2.7/24"],"mac_address":"0a:58:c0:00:02:07","role":"secondary"},"shop/far":{"ip_addresses":["10.60.1.7/24"],"mac_address":"0a:58:0a:3c:01:07","routes":[{"dest":"10.60.0.0/16","nextHop":"10.60.1.1"}],"role":"secondary"}}'
      k8s.v1.cni.cncf.io/network-status: '[{"name":"ovn-kubernetes","interface":"eth0","ips":["10.128.0.7"],"default":true},{"name":"shop/bulk","interface":"net1","ips":["192.0.2.7"]},{"name":"shop/store","interface":"net2","ips":["198.51.100.7"],"mac":"02:00:00:00:00:07"}]'
  spec: {nodeName: node-1}
  status: {phase: Running, podIP: 10.128.0.7}
- apiVersion: k8s.cni.cncf.io/v1
  kind: NetworkAttachmentDefinition
  metadata: {name: bulk, namespace: shop}
  spec:
    config: '{"cniVersion":"0.3.1","name":"bulk-net","type":"ovn-k8s-cni-overlay","topology":"localnet","subnets":"192.0.2.0/24","vlanID":33,"physicalNetworkName":"cargo","netAttachDefName":"shop/bulk"}'
- apiVersion: k8s.cni.cncf.io/v1
  kind: NetworkAttachmentDefinition
  metadata: {name: store, namespace: shop}
  spec:
    config: '{"cniVersion":"0.3.1","name":"store","plugins":[{"type":"macvlan","master":"ens7","ipam":{"type":"whereabouts","range":"198.51.100.0/24"}},{"type":"sbr"}]}'
- apiVersion: k8s.ovn.org/v1
  kind: ClusterUserDefinedNetwork
  metadata: {name: blue, labels: {tenant: blue}}
  spec:
    network:
      topology: Layer3
      transport: NoOverlay
      layer3: {role: Primary, subnets: [{cidr: 22.100.0.0/16, hostSubnet: 24}]}
  status: {conditions: [{type: NetworkCreated, status: "True"}, {type: TransportAccepted, status: "False", message: no RouteAdvertisements}]}
- apiVersion: k8s.ovn.org/v1
  kind: UserDefinedNetwork
  metadata: {name: green, namespace: shop}
  spec:
    topology: Layer2
    layer2: {role: Secondary, subnets: ["10.40.0.0/16"]}
- apiVersion: k8s.ovn.org/v1
  kind: RouteAdvertisements
  metadata: {name: tenants}
  spec:
    advertisements: [PodNetwork]
    networkSelectors:
    - networkSelectionType: ClusterUserDefinedNetworks
      clusterUserDefinedNetworkSelector: {networkSelector: {matchLabels: {tenant: blue}}}
  status: {conditions: [{type: Accepted, status: "True"}]}
- apiVersion: frrk8s.metallb.io/v1beta1
  kind: FRRConfiguration
  metadata: {name: ovnk-generated-7kq2x, namespace: openshift-frr-k8s}
  spec:
    nodeSelector: {matchLabels: {kubernetes.io/hostname: node-1}}
    bgp: {routers: [{asn: 64512, prefixes: [22.100.1.0/24], neighbors: [{address: 203.0.113.1, asn: 64512}]}]}
)";

struct NetworkObjects {
  NetworkObjects() {
    Formats f(kube_formats());
    f.load(f.dump(kNetworks), cluster);
    pod = cluster.objects.pods.find("shop", "cart");
  }
  cluster::Cluster cluster;
  const cluster::Pod* pod = nullptr;
};

TEST(KubeNetworks, OfAPodAreListedOnceEach) {
  const NetworkObjects o;
  ASSERT_NE(o.pod, nullptr);
  ASSERT_EQ(o.pod->other_networks.size(), 3U);
  EXPECT_EQ(o.pod->other_networks[0].device, "net1");
  EXPECT_TRUE(o.pod->other_networks[0].of_ovn);
  const cluster::PodAttachment& store = o.pod->other_networks[2];
  EXPECT_EQ(store.network, "shop/store");
  EXPECT_FALSE(store.of_ovn);
  EXPECT_EQ(plugin_of(o.cluster.objects, store), "macvlan");
}

TEST(KubeNetworks, AreDefined) {
  const NetworkObjects o;
  const cluster::NetworkDefinition* bulk = definition_of(o.cluster.objects, "shop/bulk");
  ASSERT_NE(bulk, nullptr);
  EXPECT_EQ(bulk->topology, "localnet");
  EXPECT_EQ(bulk->physical, "cargo");
  EXPECT_EQ(bulk->vlan, 33);
  const cluster::NetworkDefinition* blue = o.cluster.objects.user_defined_networks.find("blue");
  ASSERT_NE(blue, nullptr);
  EXPECT_EQ(blue->network, "cluster_udn_blue");
  EXPECT_EQ(blue->transport, cluster::Transport::no_overlay);
  EXPECT_EQ(blue->transport_accepted, false);
  EXPECT_EQ(blue->why_not_accepted, "no RouteAdvertisements");
  EXPECT_EQ(blue->role, "primary");
  EXPECT_NE(definition_of(o.cluster.objects, "shop/green"), nullptr);
}

const cluster::SeenNetworks kNothingSeen{
    [](const std::string&, const IpAddr&) { return false; },
    [](const cluster::Pod&, const cluster::PodAttachment&) { return std::vector<Prefix>(); }};

TEST(KubeNetworks, ThePodsRoutesChooseOne) {
  const NetworkObjects o;
  const auto network = [&](const char* to) -> std::string {
    const cluster::PodWay way = way_towards(o.cluster.objects, *o.pod, *IpAddr::parse(to), kNothingSeen);
    return way.on != nullptr ? way.on->network : "default";
  };
  EXPECT_EQ(network("192.0.2.200"), "shop/bulk");
  EXPECT_EQ(network("198.51.100.9"), "shop/store");  // by the subnet of its definition
  EXPECT_EQ(network("10.60.9.1"), "shop/far");
  EXPECT_EQ(network("10.128.5.5"), "default");
  EXPECT_EQ(network("203.0.113.9"), "default");
  EXPECT_FALSE(has_route_by(o.cluster.objects, *o.pod, o.pod->other_networks[0], *IpAddr::parse("203.0.113.9"), kNothingSeen));
}

// Of a network without subnets: what others have there, and what the pod's own devices show.
TEST(KubeNetworks, WithoutSubnetsAreChosenByWhatIsSeen) {
  cluster::Pod pod;
  pod.addresses = {*Prefix::parse("10.128.0.7/23")};
  pod.gateways = {*IpAddr::parse("10.128.0.1")};
  cluster::PodAttachment mac_only, other_plugin;
  mac_only.network = "shop/wire";
  other_plugin.network = "shop/fabric";
  other_plugin.of_ovn = false;
  other_plugin.addresses = {*Prefix::parse("192.0.2.7/32")};
  pod.other_networks = {mac_only, other_plugin};
  const auto way = [&](const char* to, const cluster::SeenNetworks& seen) {
    return way_towards(cluster::Objects(), pod, *IpAddr::parse(to), seen);
  };
  const cluster::SeenNetworks seen{[](const std::string& network, const IpAddr& address) {
                                     return network == "shop/fabric" && address == *IpAddr::parse("192.0.2.9");
                                   },
                                   [](const cluster::Pod&, const cluster::PodAttachment& on) {
                                     return on.network == "shop/wire" ? std::vector{*Prefix::parse("172.31.53.11/24")}
                                                                      : std::vector<Prefix>();
                                   }};
  EXPECT_TRUE(way("172.31.53.12", kNothingSeen).unsure);
  EXPECT_EQ(way("172.31.53.12", kNothingSeen).on, nullptr);
  ASSERT_NE(way("172.31.53.12", seen).on, nullptr);
  EXPECT_EQ(way("172.31.53.12", seen).on->network, "shop/wire");
  ASSERT_NE(way("192.0.2.9", seen).on, nullptr);
  EXPECT_EQ(way("192.0.2.9", seen).on->network, "shop/fabric");
  EXPECT_EQ(way("192.0.2.10", seen).on, nullptr);
}

TEST(KubeNetworks, ShowWhatIsNotAccepted) {
  cluster::Cluster cluster;
  Formats f(kube_formats());
  f.load(
      f.dump("apiVersion: v1\nkind: List\nitems:\n"
             "- apiVersion: k8s.ovn.org/v1alpha1\n  kind: NetworkQoS\n  metadata: {name: gold, namespace: shop}\n  status:\n"
             "    conditions: [{type: Ready-In-Zone-node-1, status: \"True\", message: ok}, {type: Ready-In-Zone-node-2, status: "
             "\"False\", message: failed to set up}]\n"
             "- apiVersion: k8s.ovn.org/v1\n  kind: VTEP\n  metadata: {name: rack}\n  spec: {cidrs: [192.0.2.0/24]}\n  status:\n"
             "    conditions: [{type: Accepted, status: \"True\", message: ok}]\n"),
      cluster);
  const auto& objects = cluster.objects.network_objects;
  ASSERT_EQ(objects.size(), 2U);
  ASSERT_EQ(objects[0].facts.size(), 1U);
  EXPECT_EQ(objects[0].facts[0].second, "Ready-In-Zone-node-2: failed to set up");
  EXPECT_TRUE(objects[1].facts.empty());
}

// What IPsec's pods of OVN-Kubernetes ask for: others' requests are none of it.
TEST(KubeNetworks, ShowCertificatesThatAreNotIssued) {
  cluster::Cluster cluster;
  Formats f(kube_formats());
  const auto request = [](const char* name, const char* signer, const char* status) {
    return std::string("- apiVersion: certificates.k8s.io/v1\n  kind: CertificateSigningRequest\n  metadata: {name: ") + name +
           "}\n  spec: {request: TUlJ, usages: [ipsec tunnel], signerName: " + signer + "}\n  status: " + status + "\n";
  };
  const char* const own = "network.openshift.io/signer";
  f.load(f.dump("apiVersion: v1\nkind: List\nitems:\n" + request("a", own, "{}") +
                request("b", own, "{conditions: [{type: Approved, status: \"True\"}]}") +
                request("c", own, "{conditions: [{type: Denied, status: \"True\", message: no such node}]}") +
                request("d", own, "{certificate: LS0t, conditions: [{type: Approved, status: \"True\"}]}") +
                request("e", "kubernetes.io/kubelet-serving", "{}")),
         cluster);
  const auto& objects = cluster.objects.network_objects;
  ASSERT_EQ(objects.size(), 4U);
  EXPECT_EQ(objects[0].facts.at(0).second, "not approved");
  EXPECT_EQ(objects[1].facts.at(0).second, "approved and not signed");
  EXPECT_EQ(objects[2].facts.at(0).second, "denied: no such node");
  EXPECT_TRUE(objects[3].facts.empty());
}

TEST(KubeNetworks, AreAdvertisedByTheirLabels) {
  const NetworkObjects o;
  const cluster::RouteAdvertisement* ra = advertisement_of(o.cluster.objects, "shop/blue");
  ASSERT_NE(ra, nullptr);
  EXPECT_EQ(ra->name, "tenants");
  EXPECT_EQ(advertisement_of(o.cluster.objects, ""), nullptr);
  EXPECT_EQ(advertisement_of(o.cluster.objects, "shop/green"), nullptr);
  ASSERT_EQ(o.cluster.objects.network_objects.size(), 1U);
  EXPECT_EQ(o.cluster.objects.network_objects[0].prefixes.size(), 1U);
}

// OVN-Kubernetes writes a condition for each zone.
TEST(KubeNetworks, AnEgressQosHasRulesAndAStatusOfEachZone) {
  Formats f(kube_formats());
  cluster::Cluster cluster;
  f.load(f.dump(R"(apiVersion: k8s.ovn.org/v1
kind: EgressQoS
metadata: {name: default, namespace: shop}
spec:
  egress:
  - {dscp: 46, dstCIDR: 192.0.2.0/24, podSelector: {matchLabels: {app: voice}}}
  - {dscp: 10}
status:
  conditions:
  - {type: Ready-In-Zone-node-1, status: "True", message: EgressQoS Rules applied}
  - {type: Ready-In-Zone-node-2, status: "False", message: "EgressQoS Rules not correctly applied: no switch"}
)"),
         cluster);
  ASSERT_EQ(cluster.objects.network_objects.size(), 1U);
  const std::vector<cluster::QosRule>& rules = cluster.objects.network_objects[0].qos_rules;
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].dscp, 46U);
  EXPECT_EQ(rules[0].to, Prefix::parse("192.0.2.0/24"));
  EXPECT_TRUE(rules[0].pods.matches({{"app", "voice"}}));
  EXPECT_FALSE(rules[0].pods.matches({}));
  EXPECT_FALSE(rules[1].to);
  EXPECT_TRUE(rules[1].pods.matches({}));
  using Facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(cluster.objects.network_objects[0].facts,
            (Facts{{"not accepted", "Ready-In-Zone-node-2: EgressQoS Rules not correctly applied: no switch"},
                   {"rule", "DSCP 46 to 192.0.2.0/24"},
                   {"rule", "DSCP 10"}}));
}

}  // namespace
}  // namespace egt::parsers
