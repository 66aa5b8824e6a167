// Networks of pods besides the default one: NetworkAttachmentDefinition (k8s.cni.cncf.io/v1), UserDefinedNetwork,
// ClusterUserDefinedNetwork, RouteAdvertisements, ClusterNetworkConnect, Uplink, VTEP, NetworkQoS, EgressQoS (k8s.ovn.org), and FRRConfiguration
// (frrk8s.metallb.io), by which OVN-Kubernetes has routes announced.
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

void add_prefix(std::vector<Prefix>& all, const std::string& text) {
  if (const auto prefix = Prefix::parse(text)) add_once(all, prefix->network());
}

// --- NetworkAttachmentDefinition -------------------------------------------------------------------------------------

// Of IPAM plugins: `subnet` and `ranges` of host-local, `range` and `ipRanges` of whereabouts, `addresses` of static.
void take_address_management(const Json& ipam, std::vector<Prefix>& subnets) {
  for (const char* key : {"subnet", "range"}) add_prefix(subnets, text(ipam, key));
  const Json& addresses = at(ipam, "addresses");
  if (addresses.is_array())
    for (const Json& one : addresses) add_prefix(subnets, text(one, "address"));
  for (const char* key : {"ipRanges", "ranges"}) {
    const Json& ranges = at(ipam, key);
    if (!ranges.is_array()) continue;
    for (const Json& range : ranges) {
      add_prefix(subnets, text(range, "range"));
      if (range.is_array())  // of host-local: sets of ranges
        for (const Json& one : range) add_prefix(subnets, text(one, "subnet"));
    }
  }
}

// "10.100.0.0/16/24, fd00::/48/64": of layer 3 with the length of the nodes' subnets behind it.
void take_subnets(const std::string& listed, std::vector<Prefix>& subnets) {
  for (std::string_view one : split(listed, ',')) {
    one = trim(one);
    const std::size_t first = one.find('/'), second = first == one.npos ? one.npos : one.find('/', first + 1);
    add_prefix(subnets, std::string(one.substr(0, second)));
  }
}

std::optional<std::uint16_t> vlan_of(const Json& value) {
  const auto id = number(value);
  return id && *id > 0 && *id < 4096 ? std::optional(static_cast<std::uint16_t>(*id)) : std::nullopt;
}

// "NoOverlay" and "EVPN" of a ClusterUserDefinedNetwork, "no-overlay" and "evpn" of a plugin's configuration.
cluster::Transport transport_in(const Json& o) {
  const std::string name = lower(text(o, "transport"));
  return name == "nooverlay" || name == "no-overlay" ? cluster::Transport::no_overlay
         : name == "evpn"                            ? cluster::Transport::evpn
                                                     : cluster::Transport::tunnels;
}

// Of the object's status, whether the condition holds; if not, why.
std::optional<bool> condition_of(const Json& o, std::string_view type, std::string& why_not) {
  const Json& conditions = at(at(o, "status"), "conditions");
  if (!conditions.is_array()) return std::nullopt;
  std::optional<bool> holds;
  for (const Json& condition : conditions) {
    if (text(condition, "type") != type) continue;
    holds = text(condition, "status") == "True";
    why_not = *holds ? std::string() : text(condition, "message");
  }
  return holds;
}

// The configuration of a plugin, or of a chain of them, of which the first makes the interface.
void take_configuration(const Json& config, cluster::NetworkDefinition& network) {
  const Json& chain = at(config, "plugins");
  const Json& plugin = chain.is_array() && !chain.empty() ? chain.front() : config;
  network.network = text(config, "name");
  network.plugin = text(plugin, "type");
  network.topology = lower(text(plugin, "topology"));
  network.role = lower(text(plugin, "role"));
  network.transport = transport_in(plugin);
  network.physical = text(plugin, "physicalNetworkName");
  if (network.topology == "localnet" && network.physical.empty()) network.physical = network.network;
  for (const char* key : {"vlanID", "vlan", "vlanId"})
    if (!network.vlan) network.vlan = vlan_of(at(plugin, key));
  for (const char* key : {"master", "bridge", "deviceID", "device", "pciBusID"})
    if (network.master.empty()) network.master = text(plugin, key);
  take_subnets(text(plugin, "subnets"), network.subnets);
  take_address_management(at(plugin, "ipam"), network.subnets);
}

void add_attachment_definition(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkDefinition network;
  static_cast<cluster::Object&>(network) = id;
  network.kind = "NetworkAttachmentDefinition";
  network.labels = string_map(at(at(o, "metadata"), "labels"));
  const Json config = Json::parse(text(at(o, "spec"), "config"), nullptr, false);
  if (config.is_object()) take_configuration(config, network);
  objects.network_attachments.add(std::move(network));
}

// --- UserDefinedNetwork ------------------------------------------------------------------------------------------------

void take_topology(const Json& spec, cluster::NetworkDefinition& network) {
  network.topology = lower(text(spec, "topology"));
  network.transport = transport_in(spec);
  const Json& own = at(spec, network.topology.c_str());
  network.role = lower(text(own, "role"));
  network.physical = text(own, "physicalNetworkName");
  network.vlan = vlan_of(at(at(at(own, "vlan"), "access"), "id"));
  const Json& subnets = at(own, "subnets");
  if (!subnets.is_array()) return;
  for (const Json& subnet : subnets) add_prefix(network.subnets, subnet.is_string() ? text(subnet) : text(subnet, "cidr"));
}

cluster::NetworkDefinition user_defined(const Json& o, const cluster::Object& id, const char* kind) {
  cluster::NetworkDefinition network;
  static_cast<cluster::Object&>(network) = id;
  network.kind = kind;
  network.labels = string_map(at(at(o, "metadata"), "labels"));
  return network;
}

// As util.GenerateUDNNetworkName() and GenerateCUDNNetworkName() of OVN-Kubernetes name them in OVN.
void add_user_defined_network(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkDefinition network = user_defined(o, id, "UserDefinedNetwork");
  network.network = id.namespace_ + "_" + id.name;
  take_topology(at(o, "spec"), network);
  objects.user_defined_networks.add(std::move(network));
}

void add_cluster_network(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkDefinition network = user_defined(o, id, "ClusterUserDefinedNetwork");
  network.network = ovnk::named(ovnk::kClusterNetwork, id.name);
  network.uplinks = strings(at(at(o, "spec"), "uplinks"));
  network.transport_accepted = condition_of(o, "TransportAccepted", network.why_not_accepted);
  take_topology(at(at(o, "spec"), "network"), network);
  objects.user_defined_networks.add(std::move(network));
}

// --- RouteAdvertisements -----------------------------------------------------------------------------------------------

// ClusterUserDefinedNetworks by their labels; the default network is one of the selectors.
void take_selectors(const Json& selectors, cluster::RouteAdvertisement& ra) {
  if (!selectors.is_array()) return;
  for (const Json& one : selectors) {
    const std::string type = text(one, "networkSelectionType");
    ra.default_network |= type == "DefaultNetwork";
    if (type == "ClusterUserDefinedNetworks")
      ra.networks = selector(at(at(one, "clusterUserDefinedNetworkSelector"), "networkSelector"), false);
  }
}

void add_route_advertisement(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::RouteAdvertisement ra;
  static_cast<cluster::Object&>(ra) = id;
  const Json& spec = at(o, "spec");
  for (const std::string& what : strings(at(spec, "advertisements"))) {
    ra.pods |= what == "PodNetwork";
    ra.egress_ips |= what == "EgressIP";
  }
  take_selectors(at(spec, "networkSelectors"), ra);
  ra.nodes = selector(at(spec, "nodeSelector"), true);
  ra.target_vrf = text(spec, "targetVRF");
  ra.accepted = condition_of(o, "Accepted", ra.why_not_accepted);
  objects.route_advertisements.add(std::move(ra));
}

// --- objects that are shown alone ----------------------------------------------------------------------------------------

void add_fact(cluster::NetworkObject& object, const char* name, const std::string& value) {
  if (!value.empty()) object.facts.emplace_back(name, value);
}

// NetworkQoS and EgressQoS have a condition for each zone: "Ready-In-Zone-NODE".
void add_refusals(const Json& o, cluster::NetworkObject& object) {
  const Json& conditions = at(at(o, "status"), "conditions");
  if (!conditions.is_array()) return;
  for (const Json& condition : conditions) {
    const std::string type = text(condition, "type");
    if (text(condition, "status") == "False" && (type == "Accepted" || type.starts_with("Ready-In-Zone-")))
      add_fact(object, "not accepted", (type == "Accepted" ? "" : type + ": ") + text(condition, "message"));
  }
}

cluster::NetworkObject shown(const Json& o, const cluster::Object& id) {
  cluster::NetworkObject object;
  static_cast<cluster::Object&>(object) = id;
  object.kind = text(o, "kind");
  add_refusals(o, object);
  return object;
}

std::string joined(const Json& list) {
  std::string all;
  for (const std::string& one : strings(list)) all += (all.empty() ? "" : ", ") + one;
  return all;
}

void add_network_connect(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkObject object = shown(o, id);
  const Json& subnets = at(at(o, "spec"), "connectSubnets");
  if (subnets.is_array())
    for (const Json& one : subnets) add_prefix(object.prefixes, text(one, "cidr"));
  add_fact(object, "connects", joined(at(at(o, "spec"), "connectivity")));
  objects.network_objects.push_back(std::move(object));
}

void add_vtep(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkObject object = shown(o, id);
  for (const std::string& cidr : strings(at(at(o, "spec"), "cidrs"))) add_prefix(object.prefixes, cidr);
  add_fact(object, "mode", text(at(o, "spec"), "mode"));
  objects.network_objects.push_back(std::move(object));
}

void add_shown(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  objects.network_objects.push_back(shown(o, id));
}

void add_egress_qos(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkObject object = shown(o, id);
  const Json& rules = at(at(o, "spec"), "egress");
  if (rules.is_array())
    for (const Json& rule : rules) {
      const std::string to = text(rule, "dstCIDR"), dscp = text(rule, "dscp");
      cluster::QosRule& added = object.qos_rules.emplace_back();
      added.dscp = static_cast<std::uint32_t>(parse_decimal(dscp).value_or(0));
      added.to = Prefix::parse(to);
      added.pods = selector(at(rule, "podSelector"), true);
      add_fact(object, "rule", "DSCP " + dscp + (to.empty() ? "" : " to " + to));
    }
  objects.network_objects.push_back(std::move(object));
}

// Of the pods that set up IPsec for OVN: the operator signs what they ask for (signer network.openshift.io/signer).
void add_certificate_request(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  if (text(at(o, "spec"), "signerName") != "network.openshift.io/signer") return;
  cluster::NetworkObject object = shown(o, id);
  const Json& conditions = at(at(o, "status"), "conditions");
  std::string state = "not approved";
  if (conditions.is_array())
    for (const Json& condition : conditions) {
      const std::string type = text(condition, "type"), message = text(condition, "message");
      if (type == "Approved" && state == "not approved") state = "approved and not signed";
      if (type == "Denied" || type == "Failed") state = lower(type) + (message.empty() ? "" : ": " + message);
    }
  if (text(at(o, "status"), "certificate").empty()) add_fact(object, "no certificate", state);
  objects.network_objects.push_back(std::move(object));
}

void add_frr_configuration(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NetworkObject object = shown(o, id);
  const Json& spec = at(o, "spec");
  std::string node;
  for (const auto& [key, value] : string_map(at(at(spec, "nodeSelector"), "matchLabels")))
    node += (node.empty() ? "" : ", ") + key + "=" + value;
  add_fact(object, "nodes", node);
  const Json& routers = at(at(spec, "bgp"), "routers");
  std::string neighbours, vrfs;
  if (routers.is_array())
    for (const Json& router : routers) {
      for (const std::string& prefix : strings(at(router, "prefixes"))) add_prefix(object.prefixes, prefix);
      if (const std::string vrf = text(router, "vrf"); !vrf.empty()) vrfs += (vrfs.empty() ? "" : ", ") + vrf;
      const Json& peers = at(router, "neighbors");
      if (peers.is_array())
        for (const Json& peer : peers) neighbours += (neighbours.empty() ? "" : ", ") + text(peer, "address");
    }
  add_fact(object, "neighbours", neighbours);
  add_fact(object, "VRFs", vrfs);
  objects.network_objects.push_back(std::move(object));
}

constexpr UsedKind kNetworkKinds[] = {{"NetworkAttachmentDefinition", "k8s.cni.cncf.io/", true, add_attachment_definition},
                                      {"UserDefinedNetwork", "k8s.ovn.org/", true, add_user_defined_network},
                                      {"ClusterUserDefinedNetwork", "k8s.ovn.org/", false, add_cluster_network},
                                      {"RouteAdvertisements", "k8s.ovn.org/", false, add_route_advertisement},
                                      {"ClusterNetworkConnect", "k8s.ovn.org/", false, add_network_connect},
                                      {"VTEP", "k8s.ovn.org/", false, add_vtep},
                                      {"Uplink", "k8s.ovn.org/", false, add_shown},
                                      {"CertificateSigningRequest", "certificates.k8s.io/", false, add_certificate_request},
                                      {"NetworkQoS", "k8s.ovn.org/", true, add_shown},
                                      {"EgressQoS", "k8s.ovn.org/", true, add_egress_qos},
                                      {"FRRConfiguration", "frrk8s.metallb.io/", true, add_frr_configuration}};

}  // namespace

std::span<const UsedKind> network_kinds() { return kNetworkKinds; }

}  // namespace egt::parsers::kube
