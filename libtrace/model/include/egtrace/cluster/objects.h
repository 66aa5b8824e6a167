// Kubernetes objects of a snapshot, as far as they name and explain things, or imply something about traffic. They never
// decide what a packet does: dumps of the nodes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/evidence/evidence.h"

namespace egt::cluster {

using Labels = std::map<std::string, std::string>;

// spec.*.matchLabels and matchExpressions.
struct LabelRequirement {
  std::string key, op;
  std::vector<std::string> values;
};  // op: In, NotIn, Exists, DoesNotExist
struct LabelSelector {
  bool present = false;
  Labels match_labels;
  std::vector<LabelRequirement> expressions;
  bool matches(const Labels& l) const;  // an empty selector matches everything, an absent one nothing
};

struct Object {
  std::string namespace_, name;  // no namespace: an object of the cluster
  Provenance from;               // the line with its name

  // "shop/cart", or the name alone.
  std::string full_name() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
};

struct NodeObject : Object {
  std::vector<IpAddr> addresses;
  std::vector<Prefix> pod_subnets;
  Labels labels;
  std::map<std::string, std::string> annotations;
  std::optional<bool> ready;  // the condition Ready; none: the object does not have it
  std::string why_not_ready;  // the reason that the condition has: "KubeletNotReady"
  std::string provider = {};  // of the node: "aws", "azure", "gce", "baremetalhost"; empty: not shown
};
// Network of config.openshift.io: what the cluster's addresses are taken from.
struct Network : Object {
  std::vector<Prefix> pods, services;
};
struct NamespaceObject : Object {
  Labels labels;
  std::map<std::string, std::string> annotations;
};
// A route of a pod's own stack, besides those to its subnets and by its gateways.
struct PodRoute {
  Prefix to;
  std::optional<IpAddr> next_hop;
};
// What a pod has on a network besides the default one (annotation k8s.ovn.org/pod-networks; what other CNI plugins made, Multus
// writes into k8s.v1.cni.cncf.io/network-status alone).
struct PodAttachment {
  std::string network;  // key of the NetworkAttachmentDefinition, NAMESPACE/NAME
  std::string role;     // "primary": the pod sends by it; "secondary"; empty: not shown
  std::vector<Prefix> addresses;
  std::vector<IpAddr> gateways;
  std::optional<MacAddr> mac;
  std::vector<PodRoute> routes;
  std::string device;  // in the pod; empty: not shown
  bool of_ovn = true;  // OVN-Kubernetes lists it: it has a logical port
};
enum class PodPhase : std::uint8_t { unknown, pending, running, succeeded, failed };
struct NamedPort {
  std::string name, protocol;
  std::uint16_t port = 0;
};
struct Pod : Object {
  std::string node;
  std::vector<Prefix> addresses;  // with the subnet's length where the annotation shows it
  std::vector<IpAddr> gateways;
  std::optional<MacAddr> mac;
  bool host_network = false;
  Labels labels;
  std::vector<PodAttachment> other_networks;
  bool networks_shown = false;  // the annotation that lists all of its networks with their roles
  PodPhase phase = PodPhase::unknown;
  std::vector<PodRoute> routes;          // by the default network
  std::vector<IpAddr> former_addresses;  // of one that has ended: another pod may have them by now
  std::vector<NamedPort> named_ports;    // of its containers, that have a name

  bool has_ended() const { return phase == PodPhase::succeeded || phase == PodPhase::failed; }

  // The user-defined network that it sends by; null: the default one, whose addresses are for probes alone otherwise (role
  // "infrastructure-locked"; PodAnnotation of ovn-kubernetes' go-controller/pkg/util/pod_annotation.go).
  const PodAttachment* primary() const {
    for (const PodAttachment& a : other_networks)
      if (a.role == "primary") return &a;
    return nullptr;
  }
  // By its key, or by its name alone. Null: it has none.
  const PodAttachment* on_network(std::string_view network) const {
    for (const PodAttachment& a : other_networks)
      if (a.network == network || std::string_view(a.network).substr(a.network.find('/') + 1) == network) return &a;
    return nullptr;
  }
};

// The iface-id and logical port of a pod on the default network; neither name can hold an underscore. On another network its
// key stands in front, as "shop.blue_shop_web-0" (GetLogicalPortName(), GetUserDefinedNetworkLogicalPortName() and
// GetUserDefinedNetworkPrefix() of ovn-kubernetes' go-controller/pkg/util).
inline std::string logical_port_name(const std::string& name_space, const std::string& pod) { return name_space + "_" + pod; }
inline std::string network_prefix(std::string network) {
  for (char& c : network)
    if (c == '-' || c == '/') c = '.';
  return network;
}
inline std::string logical_port_name(const Pod& pod, const PodAttachment& on) {
  return network_prefix(on.network) + "_" + logical_port_name(pod.namespace_, pod.name);
}

// How packets of a network get from node to node: in tunnels of OVN, by routes of the underlay, in VXLAN of the kernel (EVPN).
enum class Transport : std::uint8_t { tunnels, no_overlay, evpn };

// What defines networks of pods: NetworkAttachmentDefinition (the configuration of a CNI plugin), UserDefinedNetwork and
// ClusterUserDefinedNetwork, of which OVN-Kubernetes makes NetworkAttachmentDefinitions.
struct NetworkDefinition : Object {
  std::string kind;            // of the object
  std::string network;         // as rows of OVN name it (external_ids k8s.ovn.org/network)
  std::string plugin;          // "ovn-k8s-cni-overlay", "macvlan"; empty: the object is none of a CNI plugin
  std::string topology, role;  // "layer3" | "layer2" | "localnet"; "primary" | "secondary"
  Transport transport = Transport::tunnels;
  std::optional<bool> transport_accepted;  // ClusterUserDefinedNetwork: condition TransportAccepted of its status
  std::string why_not_accepted;
  std::string physical;  // localnet: the name of ovn-bridge-mappings
  std::string master;    // of other plugins: the host's device or bridge
  std::optional<std::uint16_t> vlan;
  std::vector<Prefix> subnets;
  std::vector<std::string> uplinks;  // ClusterUserDefinedNetwork: names of Uplink objects
  Labels labels;

  bool is_of_ovn() const { return plugin.empty() || plugin == "ovn-k8s-cni-overlay"; }
};
struct RouteAdvertisement : Object {
  bool pods = false, egress_ips = false;  // what it advertises
  bool default_network = false;
  LabelSelector networks;  // ClusterUserDefinedNetworks
  LabelSelector nodes;
  std::string target_vrf;
  std::optional<bool> accepted;
  std::string why_not_accepted;
};
// EgressQoS: the DSCP of what pods of its namespace send. OVN-Kubernetes reads the one of the name "default" alone; the first rule that
// matches decides.
struct QosRule {
  std::uint32_t dscp = 0;
  std::optional<Prefix> to;  // absent: every destination
  LabelSelector pods;
};
// Objects that are shown, and of which checks compare some with their rows: ClusterNetworkConnect, Uplink, VTEP, FRRConfiguration,
// NetworkQoS, EgressQoS.
struct NetworkObject : Object {
  std::string kind;
  std::vector<Prefix> prefixes;  // advertised, or connecting
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<QosRule> qos_rules;  // of an EgressQoS
};
struct EgressIp : Object {
  std::vector<IpAddr> addresses;
  LabelSelector namespaces, pods;
  struct Assignment {
    IpAddr address;
    std::string node;
  };
  std::vector<Assignment> status;
  std::optional<std::uint32_t> mark;
};
struct EgressService : Object {
  std::string host;          // status.host: a node, "ALL", or empty where none was chosen
  std::string source_ip_by;  // LoadBalancerIP | Network
  std::string network;
};
// AdminPolicyBasedExternalRoute: pods of these namespaces leave by gateways outside the cluster.
struct ExternalRoute : Object {
  LabelSelector namespaces;
  std::vector<IpAddr> next_hops;  // static ones
  bool has_dynamic_hops = false;  // gateways that are pods: their addresses are not shown here
};

struct ServicePort {
  std::string name, protocol;
  std::uint16_t port = 0, node_port = 0;
  std::string target_port;
};
struct Service : Object {
  std::string type;
  std::vector<IpAddr> cluster_ips, external_ips, load_balancer_ips;
  std::vector<ServicePort> ports;
  std::string external_traffic_policy, internal_traffic_policy;
  Labels selector;
};
// An absent condition counts as the API defines: ready and serving, not terminating.
struct ServiceEndpoint {
  IpAddr address;
  std::string node;
  bool ready = true, serving = true, terminating = false;
  std::string pod_namespace, pod;  // empty: no pod stands behind it
};
struct EndpointPort {
  std::string name, protocol;
  std::uint16_t port = 0;
};
struct EndpointSlice : Object {
  std::string service;  // of the same namespace
  std::vector<EndpointPort> ports;
  std::vector<ServiceEndpoint> endpoints;
};

// Ports that a rule of a policy names: `protocol` in capitals, both ends included. Without a number: all of the protocol.
struct RulePorts {
  std::string protocol;
  std::uint16_t first = 0, last = 65535;
  bool contains(const std::string& of_protocol, std::uint16_t port) const {
    return protocol == of_protocol && first <= port && port <= last;
  }
};

// The peers of a rule of a policy: pods of namespaces, nodes or networks, of which one is there.
struct PolicyPeer {
  LabelSelector namespaces, pods, nodes;
  std::vector<Prefix> networks;
  std::vector<Prefix> except;  // parts of the networks that are not meant
};
struct PolicyRule {
  std::vector<PolicyPeer> peers;
  std::vector<RulePorts> ports;
  std::vector<NamedPort> named_ports;  // without numbers; no protocol: any
  bool all_ports = true;               // no port is named: packets of every protocol
  // Peers or ports whose meaning the object alone does not show: domain names, fields that are newer.
  bool has_open_peers = false, has_open_ports = false;
};
// NetworkPolicy of networking.k8s.io/v1. It isolates the pods that it selects, and what they may do then is what a rule of any
// policy lets through. A peer without a selector of namespaces has the one of the policy's own.
struct NetworkRule : PolicyRule {
  bool all_peers = false;  // none is named: the rule is about every address
};
struct NetworkPolicy : Object {
  LabelSelector pods;
  bool ingress = false, egress = false;  // which directions it isolates
  std::vector<NetworkRule> ingress_rules, egress_rules;
  // What it means is not in its known fields alone: fields that are newer, or ACLs without conntrack (annotation
  // k8s.ovn.org/acl-stateless), which OVN-Kubernetes has a setting for.
  bool is_open = false;
};
// The first rule that matches decides; Pass leaves it to NetworkPolicies.
struct AdminRule : PolicyRule {
  enum class Action : std::uint8_t { allow, deny, pass };
  std::string name;  // empty: it has none
  Action action = Action::pass;
};
// AdminNetworkPolicy, and the one BaselineAdminNetworkPolicy of a cluster. An absent selector of pods selects all of the
// namespaces'.
struct AdminNetworkPolicy : Object {
  bool baseline = false;
  std::uint32_t priority = 0;      // the lower, the earlier; of no meaning for the baseline
  LabelSelector namespaces, pods;  // spec.subject
  std::vector<AdminRule> ingress, egress;
  std::string kind_and_name() const { return (baseline ? "BaselineAdminNetworkPolicy " : "AdminNetworkPolicy ") + name; }
};
// EgressFirewall: what pods of its namespace may send outside the cluster. The first rule that matches decides. One of the three
// destinations is there.
struct FirewallRule {
  bool allow = false;
  std::optional<Prefix> to;
  std::string dns_name;             // whose addresses decide
  LabelSelector nodes;              // likewise
  std::vector<RulePorts> ports;     // empty: every packet
  std::string destination() const;  // "10.0.0.0/8", the name, "the selected nodes"
};
struct EgressFirewall : Object {
  std::vector<FirewallRule> rules;
};
// DNSNameResolver (network.openshift.io): the addresses of a name that rules of EgressFirewalls have.
struct ResolvedName : Object {
  std::string dns_name;           // spec.name, as normal_dns_name() has it
  std::vector<IpAddr> addresses;  // of all names that its status lists
};

// Objects of one kind, in the order in which they were read. Of several with one name the first stays: dumps of one
// snapshot often hold the same object more than once.
template <class T>
class ObjectList {
 public:
  // False where there is one of that name already.
  bool add(T object) {
    const bool fresh = by_name_.try_emplace(object.namespace_ + "/" + object.name, all_.size()).second;
    if (fresh) all_.push_back(std::move(object));
    return fresh;
  }
  // Null where there is none.
  const T* find(const std::string& name_space, const std::string& name) const {
    const auto found = by_name_.find(name_space + "/" + name);
    return found == by_name_.end() ? nullptr : &all_[found->second];
  }
  const T* find(const std::string& name) const { return find("", name); }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  const T& operator[](std::size_t i) const { return all_[i]; }

 private:
  std::vector<T> all_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

// Those of a namespace are found without looking at others.
class NetworkPolicies : public ObjectList<NetworkPolicy> {
 public:
  bool add(NetworkPolicy policy);
  std::vector<const NetworkPolicy*> in(const std::string& name_space) const;  // in the order in which they were read

 private:
  std::unordered_map<std::string, std::vector<std::size_t>> by_namespace_;
};

struct Objects {
  ObjectList<NodeObject> nodes;
  ObjectList<Network> networks;
  ObjectList<NamespaceObject> namespaces;
  ObjectList<Pod> pods;
  ObjectList<EgressIp> egress_ips;
  ObjectList<EgressService> egress_services;
  ObjectList<ExternalRoute> external_routes;
  ObjectList<Service> services;
  ObjectList<EndpointSlice> endpoint_slices;
  NetworkPolicies network_policies;
  ObjectList<AdminNetworkPolicy> admin_network_policies;
  ObjectList<EgressFirewall> egress_firewalls;
  ObjectList<ResolvedName> resolved_names;
  ObjectList<NetworkDefinition> network_attachments;    // NetworkAttachmentDefinition
  ObjectList<NetworkDefinition> user_defined_networks;  // of both kinds
  ObjectList<RouteAdvertisement> route_advertisements;
  std::vector<NetworkObject> network_objects;  // each once
};

// By which of its networks a pod's stack sends to an address (pod_networks.h). `unsure`: it is on a network of which nothing shows the
// subnet.
struct PodWay {
  const PodAttachment* on = nullptr;  // null: the default network
  bool has_route = false, unsure = false;
};

// The definition behind the key of an attachment, NAMESPACE/NAME; null: no dump has it.
const NetworkDefinition* definition_of(const Objects& objects, std::string_view network);
// That of a network by its key, as far as objects show it.
Transport transport_of(const Objects& objects, std::string_view network);
// The network's RouteAdvertisement that advertises pods and is not refused: of the default network where `network` is empty (as of
// PodAttachment). Null: no dump has one.
const RouteAdvertisement* advertisement_of(const Objects& objects, std::string_view network);

// ---- What objects refer to

// The labels of a namespace, with the one that every namespace has: its name.
Labels labels_of_namespace(const Objects& objects, const std::string& name);
// Whether a service's selector picks the pod; a service without selector picks none.
bool selects(const Service& service, const Pod& pod);
bool selects(const EgressIp& egress_ip, const Objects& objects, const Pod& pod);
bool selects(const AdminNetworkPolicy& policy, const Objects& objects, const Pod& pod);
bool selects(const NetworkPolicy& policy, const Pod& pod);
// Whether a selector of namespaces surely selects it: not where labels decide and no dump has its object.
bool selects_namespace(const LabelSelector& selector, const Objects& objects, const std::string& name);
// The name by which a selector selects one namespace, and no labels besides; null: it may select others.
const std::string* one_namespace(const LabelSelector& selector);

// A DNS name in lower case and without the dot at its end.
std::string normal_dns_name(std::string_view name);
// Whether the address is one of the pods' networks, as far as objects show them.
bool is_pod_network(const Objects& objects, const IpAddr& address);

// The endpoints that take connections, as EndpointSlices show: those that are ready, or where none is, those that still
// serve while they end (as kube-proxy and OVN-Kubernetes choose them).
struct BackingEndpoint {
  const EndpointSlice* slice = nullptr;
  const ServiceEndpoint* endpoint = nullptr;
};
struct Backing {
  bool shown = false;  // there is a slice of this service; else nothing is known
  std::vector<BackingEndpoint> endpoints;
};
Backing backing_of(const Service& service, const Objects& objects);

}  // namespace egt::cluster
