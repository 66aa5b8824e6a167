// Service and EndpointSlice.
#include <nlohmann/json.hpp>

#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

void add_service(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::Service service{id, {}, {}, {}, {}, {}, {}, {}, {}};
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
    for (const Json& p : ports)
      service.ports.push_back(
          {text(p, "name"), protocol_of(p), port_number(at(p, "port")), port_number(at(p, "nodePort")), text(p, "targetPort")});
  service.external_traffic_policy = text(spec, "externalTrafficPolicy");
  service.internal_traffic_policy = text(spec, "internalTrafficPolicy");
  service.selector = string_map(at(spec, "selector"));
  objects.services.add(std::move(service));
}

void add_endpoints(const Json& j, std::vector<cluster::ServiceEndpoint>& all) {
  // An absent condition counts as ready and serving, as the API defines; "serving" is younger than "ready".
  const Json& conditions = at(j, "conditions");
  const bool ready = at(conditions, "ready") != false;
  const bool serving = at(conditions, "serving").is_boolean() ? at(conditions, "serving") == true : ready;
  const bool terminating = at(conditions, "terminating") == true;
  const Json& target = at(j, "targetRef");
  const bool is_pod = text(target, "kind") == "Pod";
  for (const std::string& a : strings(at(j, "addresses")))
    if (const auto address = IpAddr::parse(a))
      all.push_back({*address, text(j, "nodeName"), ready, serving, terminating, is_pod ? text(target, "namespace") : "",
                     is_pod ? text(target, "name") : ""});
}

void add_endpoint_slice(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::EndpointSlice slice{id, {}, {}, {}};
  slice.service = text(at(at(o, "metadata"), "labels"), "kubernetes.io/service-name");
  const Json& ports = at(o, "ports");
  if (ports.is_array())
    for (const Json& p : ports) slice.ports.push_back({text(p, "name"), protocol_of(p), port_number(at(p, "port"))});
  const Json& endpoints = at(o, "endpoints");
  if (endpoints.is_array())
    for (const Json& e : endpoints) add_endpoints(e, slice.endpoints);
  objects.endpoint_slices.add(std::move(slice));
}

constexpr UsedKind kServiceKinds[] = {{"Service", "v1", true, add_service},
                                      {"EndpointSlice", "discovery.k8s.io/", true, add_endpoint_slice}};

}  // namespace

std::span<const UsedKind> service_kinds() { return kServiceKinds; }

}  // namespace egt::parsers::kube
