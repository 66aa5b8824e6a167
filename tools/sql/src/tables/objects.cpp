// Kubernetes objects.
#include "catalogue.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using C = const Context&;
using cluster::Pod;
using cluster::Service;

struct PodRow {
  const Pod* pod;
};
struct PodAddressRow {
  const Pod* pod;
  std::string network;
  IpAddr address;
};
struct ServiceRow {
  const Service* service;
};
struct ServicePortRow {
  const Service* service;
  const cluster::ServicePort* port;
};
struct EndpointRow {
  const cluster::EndpointSlice* slice;
  const cluster::ServiceEndpoint* endpoint;
};
struct EgressIpRow {
  const cluster::EgressIp* object;
  IpAddr address;
  std::string node;
};
struct SelectedRow {
  const cluster::EgressIp* object;
  const Pod* pod;
};

std::string_view name_of(cluster::PodPhase phase) {
  constexpr std::string_view kNames[] = {"", "Pending", "Running", "Succeeded", "Failed"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::vector<Gap> pod_gaps(C context) {
  return gap_of_objects(!context.cluster().objects.pods.empty(), "pods", "kubectl get pods -A -o yaml");
}
std::vector<Gap> service_gaps(C context) {
  return gap_of_objects(!context.cluster().objects.services.empty(), "services", "kubectl get services -A -o yaml");
}
std::vector<Gap> egress_ip_gaps(C context) {
  return gap_of_objects(!context.cluster().objects.egress_ips.empty(), "EgressIP objects", "kubectl get egressips -o yaml");
}

Definition<PodRow> pods() {
  using R = const PodRow&;
  return {"pods",
          "pods",
          {{"namespace", "TEXT", "namespace", [](C, R r) { return text(r.pod->namespace_); }},
           {"name", "TEXT", "name", [](C, R r) { return text(r.pod->name); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.pod->node); }},
           {"ip", "TEXT", "its first address; all are in `pod_addresses`",
            [](C, R r) { return r.pod->addresses.empty() ? Value() : text(r.pod->addresses.front().address.to_string()); }},
           {"mac", "TEXT", "MAC", [](C, R r) { return mac(r.pod->mac); }},
           {"phase", "TEXT", "Running, ...; NULL: not shown", [](C, R r) { return text(name_of(r.pod->phase)); }},
           {"host_network", "INTEGER", "1: it has the node's addresses", [](C, R r) { return flag(r.pod->host_network); }},
           {"labels", "TEXT", "as JSON: labels->>'$.app'", [](C, R r) { return json_of(r.pod->labels); }}},
          [](C context, std::vector<PodRow>& out) {
            for (const Pod& pod : context.cluster().objects.pods) out.push_back({&pod});
          },
          [](C, R r) { return r.pod->from; },
          pod_gaps};
}

void pod_address_rows(C context, std::vector<PodAddressRow>& out) {
  for (const Pod& pod : context.cluster().objects.pods) {
    for (const Prefix& p : pod.addresses) out.push_back({&pod, "default", p.address});
    for (const cluster::PodAttachment& on : pod.other_networks)
      for (const Prefix& p : on.addresses) out.push_back({&pod, on.network, p.address});
  }
}

Definition<PodAddressRow> pod_addresses() {
  using R = const PodAddressRow&;
  return {"pod_addresses",
          "addresses of pods, on all their networks",
          {{"namespace", "TEXT", "namespace", [](C, R r) { return text(r.pod->namespace_); }},
           {"pod", "TEXT", "name", [](C, R r) { return text(r.pod->name); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.pod->node); }},
           {"network", "TEXT", "default, or NAMESPACE/NAME", [](C, R r) { return text(r.network); }},
           {"address", "TEXT", "address", [](C, R r) { return text(r.address.to_string()); }}},
          pod_address_rows,
          [](C, R r) { return r.pod->from; },
          pod_gaps};
}

Definition<ServiceRow> services() {
  using R = const ServiceRow&;
  return {"services",
          "services",
          {{"namespace", "TEXT", "namespace", [](C, R r) { return text(r.service->namespace_); }},
           {"name", "TEXT", "name", [](C, R r) { return text(r.service->name); }},
           {"type", "TEXT", "ClusterIP, NodePort, ...", [](C, R r) { return text(r.service->type); }},
           {"cluster_ip", "TEXT", "the first",
            [](C, R r) { return r.service->cluster_ips.empty() ? Value() : address(r.service->cluster_ips.front()); }},
           {"cluster_ips", "TEXT", "with commas", [](C, R r) { return joined(r.service->cluster_ips); }},
           {"external_ips", "TEXT", "with commas", [](C, R r) { return joined(r.service->external_ips); }},
           {"load_balancer_ips", "TEXT", "with commas", [](C, R r) { return joined(r.service->load_balancer_ips); }},
           {"external_policy", "TEXT", "externalTrafficPolicy", [](C, R r) { return text(r.service->external_traffic_policy); }},
           {"internal_policy", "TEXT", "internalTrafficPolicy", [](C, R r) { return text(r.service->internal_traffic_policy); }},
           {"selector", "TEXT", "as JSON", [](C, R r) { return json_of(r.service->selector); }}},
          [](C context, std::vector<ServiceRow>& out) {
            for (const Service& s : context.cluster().objects.services) out.push_back({&s});
          },
          [](C, R r) { return r.service->from; },
          service_gaps};
}

Definition<ServicePortRow> service_ports() {
  using R = const ServicePortRow&;
  return {
      "service_ports",
      "ports of services",
      {{"namespace", "TEXT", "namespace", [](C, R r) { return text(r.service->namespace_); }},
       {"service", "TEXT", "name", [](C, R r) { return text(r.service->name); }},
       {"name", "TEXT", "name of the port", [](C, R r) { return text(r.port->name); }},
       {"protocol", "TEXT", "TCP, UDP, SCTP", [](C, R r) { return text(r.port->protocol); }},
       {"port", "INTEGER", "port", [](C, R r) { return number(r.port->port); }},
       {"node_port", "INTEGER", "node port", [](C, R r) { return r.port->node_port != 0 ? number(r.port->node_port) : Value(); }},
       {"target_port", "TEXT", "number or name", [](C, R r) { return text(r.port->target_port); }}},
      [](C context, std::vector<ServicePortRow>& out) {
        for (const Service& s : context.cluster().objects.services)
          for (const cluster::ServicePort& port : s.ports) out.push_back({&s, &port});
      },
      [](C, R r) { return r.service->from; },
      service_gaps};
}

Definition<EndpointRow> endpoints() {
  using R = const EndpointRow&;
  return {"endpoints",
          "endpoints of services (EndpointSlice)",
          {{"namespace", "TEXT", "namespace", [](C, R r) { return text(r.slice->namespace_); }},
           {"service", "TEXT", "service", [](C, R r) { return text(r.slice->service); }},
           {"slice", "TEXT", "EndpointSlice", [](C, R r) { return text(r.slice->name); }},
           {"address", "TEXT", "address", [](C, R r) { return text(r.endpoint->address.to_string()); }},
           {"ports", "TEXT", "with commas",
            [](C, R r) {
              return joined(r.slice->ports,
                            [](const cluster::EndpointPort& p) { return fmt::format("{}/{}", p.port, p.protocol); });
            }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.endpoint->node); }},
           {"pod", "TEXT", "pod", [](C, R r) { return text(r.endpoint->pod); }},
           {"ready", "INTEGER", "1: takes connections", [](C, R r) { return flag(r.endpoint->ready); }}},
          [](C context, std::vector<EndpointRow>& out) {
            for (const cluster::EndpointSlice& slice : context.cluster().objects.endpoint_slices)
              for (const cluster::ServiceEndpoint& e : slice.endpoints) out.push_back({&slice, &e});
          },
          [](C, R r) { return r.slice->from; },
          [](C context) {
            return gap_of_objects(!context.cluster().objects.endpoint_slices.empty(), "EndpointSlices",
                                  "kubectl get endpointslices -A -o yaml");
          }};
}

void egress_ip_rows(C context, std::vector<EgressIpRow>& out) {
  for (const cluster::EgressIp& object : context.cluster().objects.egress_ips)
    for (const IpAddr& address : object.addresses) {
      EgressIpRow row{&object, address, ""};
      for (const cluster::EgressIp::Assignment& at : object.status)
        if (at.address == address) row.node = at.node;
      out.push_back(row);
    }
}

Definition<EgressIpRow> egress_ips() {
  using R = const EgressIpRow&;
  return {"egress_ips",
          "addresses of EgressIPs",
          {{"name", "TEXT", "name", [](C, R r) { return text(r.object->name); }},
           {"address", "TEXT", "egress IP", [](C, R r) { return text(r.address.to_string()); }},
           {"node", "TEXT", "egress node of its status; NULL: none has it", [](C, R r) { return text(r.node); }},
           {"mark", "INTEGER", "mark of its annotation", [](C, R r) { return number(r.object->mark); }}},
          egress_ip_rows,
          [](C, R r) { return r.object->from; },
          egress_ip_gaps};
}

Definition<SelectedRow> egress_ip_pods() {
  using R = const SelectedRow&;
  return {"egress_ip_pods",
          "pods that the selectors of EgressIPs select",
          {{"egress_ip", "TEXT", "name of the EgressIP", [](C, R r) { return text(r.object->name); }},
           {"namespace", "TEXT", "namespace", [](C, R r) { return text(r.pod->namespace_); }},
           {"pod", "TEXT", "name", [](C, R r) { return text(r.pod->name); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.pod->node); }}},
          [](C context, std::vector<SelectedRow>& out) {
            const cluster::Objects& objects = context.cluster().objects;
            for (const cluster::EgressIp& object : objects.egress_ips)
              for (const Pod& pod : objects.pods)
                if (!pod.host_network && !pod.has_ended() && cluster::selects(object, objects, pod))
                  out.push_back({&object, &pod});
          },
          [](C, R r) { return r.pod->from; },
          [](C context) {
            std::vector<Gap> gaps = egress_ip_gaps(context), more = pod_gaps(context);
            gaps.insert(gaps.end(), more.begin(), more.end());
            return gaps;
          }};
}

}  // namespace

void add_object_tables(Tables& all) {
  all.push_back(make_table(pods()));
  all.push_back(make_table(pod_addresses()));
  all.push_back(make_table(services()));
  all.push_back(make_table(service_ports()));
  all.push_back(make_table(endpoints()));
  all.push_back(make_table(egress_ips()));
  all.push_back(make_table(egress_ip_pods()));
}

}  // namespace egt::sql
