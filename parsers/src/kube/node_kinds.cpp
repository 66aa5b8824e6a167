// Node, Network, Namespace and Pod, with what OVN-Kubernetes writes into their annotations.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "egtrace/ovn_kubernetes/names.h"
#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

// An annotation that holds a JSON document.
Json annotation(const Json& object, const char* key) {
  const Json& value = at(at(at(object, "metadata"), "annotations"), key);
  if (!value.is_string()) return {};
  const std::string& text = value.get_ref<const std::string&>();
  Json doc = Json::parse(
      text, [](int depth, Json::parse_event_t, Json&) { return depth < 16; }, false);
  return doc.is_discarded() ? Json() : doc;
}

// True, False or Unknown: of the latter two neither lets the node serve.
void take_readiness(const Json& conditions, cluster::NodeObject& node) {
  if (!conditions.is_array()) return;
  for (const Json& condition : conditions) {
    if (text(condition, "type") != "Ready") continue;
    node.ready = text(condition, "status") == "True";
    if (!*node.ready) node.why_not_ready = text(condition, "reason");
  }
}

void add_node(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::NodeObject node{id, {}, {}, {}, {}, {}, {}};
  take_readiness(at(at(o, "status"), "conditions"), node);
  node.labels = string_map(at(at(o, "metadata"), "labels"));
  node.annotations = string_map(at(at(o, "metadata"), "annotations"));
  if (const std::string id_of_provider = text(at(o, "spec"), "providerID"); id_of_provider.find(":") != std::string::npos)
    node.provider = id_of_provider.substr(0, id_of_provider.find(':'));
  const Json& addresses = at(at(o, "status"), "addresses");
  if (addresses.is_array())
    for (const Json& a : addresses) add_address(node.addresses, text(a, "address"));
  for (const std::string& cidr : strings(annotation(o, "k8s.ovn.org/host-cidrs")))
    if (const auto prefix = Prefix::parse(cidr)) add_once(node.addresses, prefix->address);
  for (const std::string& subnet : strings(at(annotation(o, "k8s.ovn.org/node-subnets"), "default")))
    if (const auto prefix = Prefix::parse(subnet)) add_once(node.pod_subnets, *prefix);
  if (const auto hybrid = node.annotations.find(std::string(ovnk::kHybridSubnet)); hybrid != node.annotations.end())
    if (const auto prefix = Prefix::parse(hybrid->second)) add_once(node.pod_subnets, *prefix);
  objects.nodes.add(std::move(node));
}

void add_network(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::Network network{id, {}, {}};
  const Json& pods = at(at(o, "spec"), "clusterNetwork");
  if (pods.is_array())
    for (const Json& one : pods)
      if (const auto prefix = Prefix::parse(text(one, "cidr"))) add_once(network.pods, *prefix);
  for (const std::string& cidr : strings(at(at(o, "spec"), "serviceNetwork")))
    if (const auto prefix = Prefix::parse(cidr)) add_once(network.services, *prefix);
  objects.networks.add(std::move(network));
}

void add_namespace(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  const Json& metadata = at(o, "metadata");
  objects.namespaces.add({id, string_map(at(metadata, "labels")), string_map(at(metadata, "annotations"))});
}

// One entry of the annotation k8s.ovn.org/pod-networks.
template <class Part>
void take_network(const Json& network, Part& part) {
  for (const char* key : {"ip_addresses", "ip_address"})
    for (const std::string& cidr : strings(at(network, key)))
      if (const auto prefix = Prefix::parse(cidr)) add_once(part.addresses, *prefix);
  for (const char* key : {"gateway_ips", "gateway_ip"})
    for (const std::string& gateway : strings(at(network, key))) add_address(part.gateways, gateway);
  part.mac = MacAddr::parse(text(network, "mac_address"));
  const Json& routes = at(network, "routes");
  if (routes.is_array())
    for (const Json& route : routes)
      if (const auto to = Prefix::parse(text(route, "dest"))) part.routes.push_back({*to, IpAddr::parse(text(route, "nextHop"))});
}

// What Multus has noted: the device of each network, and networks of other CNI plugins. Of OVN-Kubernetes' own it calls the default
// one and the primary one by the plugin's name, without a namespace. The same network may be there more than once.
void take_network_status(const Json& status, cluster::Pod& pod) {
  if (!status.is_array()) return;
  for (const Json& entry : status) {
    const std::string name = text(entry, "name"), device = text(entry, "interface");
    if (name.find('/') == std::string::npos) continue;
    const auto known = std::find_if(pod.other_networks.begin(), pod.other_networks.end(), [&](const cluster::PodAttachment& on) {
      return on.of_ovn && (on.network == name || on.network.starts_with(name + "/")) &&
             (on.device.empty() || on.device == device);
    });
    if (known != pod.other_networks.end()) {
      known->device = device;
      continue;
    }
    cluster::PodAttachment& other = pod.other_networks.emplace_back();
    other.network = name;
    other.role = "secondary";
    other.device = device;
    other.of_ovn = false;
    for (const std::string& ip : strings(at(entry, "ips")))
      if (const auto address = IpAddr::parse(ip)) add_once(other.addresses, Prefix::host(*address));
    other.mac = MacAddr::parse(text(entry, "mac"));
    for (const std::string& gateway : strings(at(entry, "gateway"))) add_address(other.gateways, gateway);
  }
}

// Where the annotation does not show an address, the status does, without a prefix length.
void add_pod_addresses(const Json& o, cluster::Pod& pod) {
  const Json networks = annotation(o, "k8s.ovn.org/pod-networks");
  pod.networks_shown = networks.is_object();
  take_network(at(networks, "default"), pod);
  if (networks.is_object())
    for (const auto& [name, network] : networks.items()) {
      if (name == "default") continue;
      cluster::PodAttachment& other = pod.other_networks.emplace_back();
      other.network = name;
      other.role = text(network, "role");
      take_network(network, other);
    }
  take_network_status(annotation(o, "k8s.v1.cni.cncf.io/network-status"), pod);
  const auto add_status = [&](const std::string& text) {
    const auto address = IpAddr::parse(text);
    if (!address) return;
    for (const Prefix& known : pod.addresses)
      if (known.address == *address) return;
    pod.addresses.push_back(Prefix::host(*address));
  };
  add_status(text(at(o, "status"), "podIP"));
  const Json& ips = at(at(o, "status"), "podIPs");
  if (ips.is_array())
    for (const Json& ip : ips) add_status(text(ip, "ip"));
}

cluster::PodPhase phase_of(const Json& status) {
  using cluster::PodPhase;
  const std::string phase = text(status, "phase");
  if (phase == "Pending") return PodPhase::pending;
  if (phase == "Running") return PodPhase::running;
  if (phase == "Succeeded") return PodPhase::succeeded;
  return phase == "Failed" ? PodPhase::failed : PodPhase::unknown;
}

void add_named_ports(const Json& containers, cluster::Pod& pod) {
  if (!containers.is_array()) return;
  for (const Json& container : containers) {
    const Json& ports = at(container, "ports");
    if (!ports.is_array()) continue;
    for (const Json& port : ports)
      if (std::string name = text(port, "name"); !name.empty())
        pod.named_ports.push_back({std::move(name), protocol_of(port), port_number(at(port, "containerPort"))});
  }
}

void add_pod(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::Pod pod{id, {}, {}, {}, {}, false, {}, {}, false, phase_of(at(o, "status")), {}, {}, {}};
  pod.node = text(at(o, "spec"), "nodeName");
  pod.host_network = at(at(o, "spec"), "hostNetwork") == true;
  pod.labels = string_map(at(at(o, "metadata"), "labels"));
  add_named_ports(at(at(o, "spec"), "containers"), pod);
  add_pod_addresses(o, pod);
  if (pod.has_ended()) {
    for (const Prefix& p : std::exchange(pod.addresses, {})) pod.former_addresses.push_back(p.address);
    pod.networks_shown = false;
    pod.other_networks.clear();
    pod.gateways.clear();
    pod.routes.clear();
    pod.mac.reset();
  }
  objects.pods.add(std::move(pod));
}

constexpr UsedKind kNodeKinds[] = {{"Node", "v1", false, add_node},
                                   {"Namespace", "v1", false, add_namespace},
                                   {"Network", "config.openshift.io/", false, add_network},
                                   {"Pod", "v1", true, add_pod}};

}  // namespace

std::span<const UsedKind> node_kinds() { return kNodeKinds; }

}  // namespace egt::parsers::kube
