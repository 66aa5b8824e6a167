#include "egtrace/parsers/policy_objects.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/parsers/format.h"
#include "kube/documents.h"
#include "kube/fields.h"

namespace egt::parsers {
namespace kube {
namespace {

void add_external_route(const Json& o, const Identity& id, cluster::PolicyObjects& objects) {
  if (is_known(objects.external_routes, id.name)) return;
  cluster::ExternalRoute route;
  route.name = id.name;
  route.from = id.from;
  const Json& spec = at(o, "spec");
  route.namespaces = selector(at(at(spec, "from"), "namespaceSelector"), false);
  const Json& hops = at(at(spec, "nextHops"), "static");
  if (hops.is_array())
    for (const Json& hop : hops) add_address(route.next_hops, text(hop, "ip"));
  const Json& dynamic = at(at(spec, "nextHops"), "dynamic");
  route.has_dynamic_hops = dynamic.is_array() && !dynamic.empty();
  objects.external_routes.push_back(std::move(route));
}

// Without policyTypes a policy isolates ingress, and egress where it has egress rules, as the API says.
void add_network_policy(const Json& o, const Identity& id, cluster::PolicyObjects& objects) {
  if (is_known(objects.network_policies, id.name_space, id.name)) return;
  cluster::NetworkPolicy policy;
  policy.name = id.name;
  policy.namespace_ = id.name_space;
  policy.from = id.from;
  const Json& spec = at(o, "spec");
  policy.pods = selector(at(spec, "podSelector"), true);
  const auto rules = [&](const char* key) { return at(spec, key).is_array() ? at(spec, key).size() : std::size_t{0}; };
  policy.ingress_rules = rules("ingress");
  policy.egress_rules = rules("egress");
  const std::vector<std::string> types = strings(at(spec, "policyTypes"));
  const auto has = [&](const char* type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  policy.ingress = types.empty() || has("Ingress");
  policy.egress = types.empty() ? at(spec, "egress").is_array() : has("Egress");
  objects.network_policies.push_back(std::move(policy));
}

void add_endpoints(const Json& j, std::vector<cluster::ServiceEndpoint>& all) {
  // An absent condition counts as ready, as the API says.
  const bool ready = at(at(j, "conditions"), "ready") != false;
  const Json& target = at(j, "targetRef");
  const bool is_pod = text(target, "kind") == "Pod";
  for (const std::string& a : strings(at(j, "addresses")))
    if (const auto address = IpAddr::parse(a))
      all.push_back({*address, text(j, "nodeName"), ready, is_pod ? text(target, "namespace") : "", is_pod ? text(target, "name") : ""});
}

void add_endpoint_slice(const Json& o, const Identity& id, cluster::PolicyObjects& objects) {
  if (is_known(objects.endpoint_slices, id.name_space, id.name)) return;
  cluster::EndpointSlice slice;
  slice.name = id.name;
  slice.namespace_ = id.name_space;
  slice.from = id.from;
  slice.service = text(at(at(o, "metadata"), "labels"), "kubernetes.io/service-name");
  const Json& endpoints = at(o, "endpoints");
  if (endpoints.is_array())
    for (const Json& e : endpoints) add_endpoints(e, slice.endpoints);
  objects.endpoint_slices.push_back(std::move(slice));
}

struct PolicyKind {
  const char* kind;
  const char* group;                   // beginning of apiVersion
  void (*add)(const Json&, const Identity&, cluster::PolicyObjects&);
};
constexpr PolicyKind kPolicyKinds[] = {
    {"AdminPolicyBasedExternalRoute", "k8s.ovn.org/", add_external_route},
    {"NetworkPolicy", "networking.k8s.io/", add_network_policy},
    {"EndpointSlice", "discovery.k8s.io/", add_endpoint_slice},
};

bool extract_policy(const Json& object, Provenance from, cluster::PolicyObjects& objects) {
  const std::string kind = text(object, "kind"), version = text(object, "apiVersion");
  const Json& metadata = at(object, "metadata");
  const Identity id{text(metadata, "name"), text(metadata, "namespace"), from};
  for (const PolicyKind& used : kPolicyKinds) {
    if (kind != used.kind || !(version.empty() || version.starts_with(used.group)) || id.name.empty()) continue;
    used.add(object, id, objects);
    return true;
  }
  return false;
}

}  // namespace
}  // namespace kube

cluster::PolicyObjects policy_objects(const cluster::Cluster& cluster) {
  cluster::PolicyObjects objects;
  for (const cluster::DumpInfo& info : cluster.dumps) {
    if (info.kind != "kubernetes" || info.source == kNoSource || !info.superseded_by.empty()) continue;
    const Source& source = cluster.sources->at(info.source);
    Dump dump;
    dump.source = info.source;
    dump.path = source.path;
    dump.text = source.text;
    dump.first_line = source.first_line;
    Report report;
    kube::read_objects(dump, report, [&](const nlohmann::json& object, kube::Chunk where) {
      return kube::extract_policy(object, {info.source, where.line}, objects);
    });
  }
  return objects;
}

}  // namespace egt::parsers
