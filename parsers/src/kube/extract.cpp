#include "kube/extract.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "kube/fields.h"

namespace egt::parsers::kube {
namespace {

std::optional<std::uint64_t> number(const Json& j) {
  if (j.is_number_unsigned()) return j.get<std::uint64_t>();
  if (j.is_number_integer()) return j.get<std::int64_t>() >= 0 ? std::optional<std::uint64_t>(j.get<std::uint64_t>()) : std::nullopt;
  return j.is_string() ? parse_decimal(j.get_ref<const std::string&>()) : std::nullopt;
}

std::uint16_t port_number(const Json& j) {
  const auto n = number(j);
  return n && *n <= 65535 ? static_cast<std::uint16_t>(*n) : std::uint16_t{0};
}

// An annotation that holds a JSON document.
Json annotation(const Json& object, const char* key) {
  const Json& value = at(at(at(object, "metadata"), "annotations"), key);
  if (!value.is_string()) return {};
  const std::string& text = value.get_ref<const std::string&>();
  Json doc = Json::parse(text, [](int depth, Json::parse_event_t, Json&) { return depth < 16; }, false);
  return doc.is_discarded() ? Json() : doc;
}

void add_node(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.nodes, id.name)) return;
  cluster::NodeObject node;
  node.name = id.name;
  node.from = id.from;
  node.labels = string_map(at(at(o, "metadata"), "labels"));
  node.annotations = string_map(at(at(o, "metadata"), "annotations"));
  const Json& addresses = at(at(o, "status"), "addresses");
  if (addresses.is_array())
    for (const Json& a : addresses) add_address(node.addresses, text(a, "address"));
  for (const std::string& cidr : strings(annotation(o, "k8s.ovn.org/host-cidrs")))
    if (const auto prefix = Prefix::parse(cidr)) add_once(node.addresses, prefix->address);
  for (const std::string& subnet : strings(at(annotation(o, "k8s.ovn.org/node-subnets"), "default")))
    if (const auto prefix = Prefix::parse(subnet)) add_once(node.pod_subnets, *prefix);
  objects.nodes.push_back(std::move(node));
}

void add_namespace(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.namespaces, id.name)) return;
  objects.namespaces.push_back({id.name, string_map(at(at(o, "metadata"), "labels")),
                                string_map(at(at(o, "metadata"), "annotations")), id.from});
}

// Where the annotation does not tell an address, the status does, without a prefix length.
void add_pod_addresses(const Json& o, cluster::Pod& pod) {
  const Json network = at(annotation(o, "k8s.ovn.org/pod-networks"), "default");
  for (const char* key : {"ip_addresses", "ip_address"})
    for (const std::string& cidr : strings(at(network, key)))
      if (const auto prefix = Prefix::parse(cidr)) add_once(pod.addresses, *prefix);
  for (const char* key : {"gateway_ips", "gateway_ip"})
    for (const std::string& gateway : strings(at(network, key))) add_address(pod.gateways, gateway);
  pod.mac = MacAddr::parse(text(network, "mac_address"));
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

void add_pod(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.pods, id.name_space, id.name)) return;
  cluster::Pod pod;
  pod.name = id.name;
  pod.namespace_ = id.name_space;
  pod.from = id.from;
  pod.node = text(at(o, "spec"), "nodeName");
  pod.host_network = at(at(o, "spec"), "hostNetwork") == true;
  pod.labels = string_map(at(at(o, "metadata"), "labels"));
  // Addresses of a pod that has ended may belong to another one by now.
  const std::string phase = text(at(o, "status"), "phase");
  if (phase != "Succeeded" && phase != "Failed") add_pod_addresses(o, pod);
  objects.pods.push_back(std::move(pod));
}

void add_egress_ip(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.egress_ips, id.name)) return;
  cluster::EgressIp eip;
  eip.name = id.name;
  eip.from = id.from;
  const Json& spec = at(o, "spec");
  for (const std::string& a : strings(at(spec, "egressIPs"))) add_address(eip.addresses, a);
  eip.namespaces = selector(at(spec, "namespaceSelector"), false);
  eip.pods = selector(at(spec, "podSelector"), true);
  const Json& items = at(at(o, "status"), "items");
  if (items.is_array())
    for (const Json& item : items)
      if (const auto address = IpAddr::parse(text(item, "egressIP"))) eip.status.push_back({*address, text(item, "node")});
  const auto mark = number(at(at(at(o, "metadata"), "annotations"), "k8s.ovn.org/egressip-mark"));
  if (mark && *mark <= 0xffffffffULL) eip.mark = static_cast<std::uint32_t>(*mark);
  objects.egress_ips.push_back(std::move(eip));
}

void add_egress_service(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.egress_services, id.name_space, id.name)) return;
  cluster::EgressService service;
  service.name = id.name;
  service.namespace_ = id.name_space;
  service.from = id.from;
  service.host = text(at(o, "status"), "host");
  service.source_ip_by = text(at(o, "spec"), "sourceIPBy");
  service.network = text(at(o, "spec"), "network");
  service.node_selector = selector(at(at(o, "spec"), "nodeSelector"), true);
  objects.egress_services.push_back(std::move(service));
}

cluster::ServicePort service_port(const Json& j) {
  cluster::ServicePort port;
  port.name = text(j, "name");
  port.protocol = text(j, "protocol");
  if (port.protocol.empty()) port.protocol = "TCP";   // the default of the API
  port.port = port_number(at(j, "port"));
  port.node_port = port_number(at(j, "nodePort"));
  port.target_port = text(j, "targetPort");
  return port;
}

void add_service(const Json& o, const Identity& id, cluster::Objects& objects) {
  if (is_known(objects.services, id.name_space, id.name)) return;
  cluster::Service service;
  service.name = id.name;
  service.namespace_ = id.name_space;
  service.from = id.from;
  const Json& spec = at(o, "spec");
  service.type = text(spec, "type");
  for (const char* key : {"clusterIP", "clusterIPs"})
    for (const std::string& a : strings(at(spec, key))) add_address(service.cluster_ips, a);
  for (const std::string& a : strings(at(spec, "externalIPs"))) add_address(service.external_ips, a);
  const Json& ingress = at(at(at(o, "status"), "loadBalancer"), "ingress");
  if (ingress.is_array())
    for (const Json& i : ingress) add_address(service.load_balancer_ips, text(i, "ip"));
  const Json& ports = at(spec, "ports");
  if (ports.is_array())
    for (const Json& p : ports) service.ports.push_back(service_port(p));
  service.external_traffic_policy = text(spec, "externalTrafficPolicy");
  service.internal_traffic_policy = text(spec, "internalTrafficPolicy");
  service.selector = string_map(at(spec, "selector"));
  objects.services.push_back(std::move(service));
}

struct UsedKind {
  const char* kind;
  const char* group;                   // beginning of apiVersion
  void (*add)(const Json&, const Identity&, cluster::Objects&);
};
constexpr UsedKind kUsed[] = {
    {"Node", "v1", add_node},
    {"Namespace", "v1", add_namespace},
    {"Pod", "v1", add_pod},
    {"Service", "v1", add_service},
    {"EgressIP", "k8s.ovn.org/", add_egress_ip},
    {"EgressService", "k8s.ovn.org/", add_egress_service},
};

}  // namespace

bool extract(const Json& object, Provenance from, cluster::Objects& objects) {
  const std::string kind = text(object, "kind"), version = text(object, "apiVersion");
  const Json& metadata = at(object, "metadata");
  const Identity id{text(metadata, "name"), text(metadata, "namespace"), from};
  for (const UsedKind& used : kUsed) {
    if (kind != used.kind || !(version.empty() || version.starts_with(used.group)) || id.name.empty()) continue;
    used.add(object, id, objects);
    return true;
  }
  return false;
}

}  // namespace egt::parsers::kube
