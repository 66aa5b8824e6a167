#include "egtrace/explain/point.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/engine/workload.h"
#include "egtrace/explain/suggest.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;
using engine::Endpoint;
using engine::Workloads;

std::optional<std::uint16_t> port_number(std::string_view s) {
  const auto v = parse_decimal(s);
  if (!v || *v > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*v);
}

// Cuts ":PORT" off; false when what follows the last colon is no port.
bool take_port(std::string_view& s, Point& p) {
  const std::size_t colon = s.rfind(':');
  if (colon == std::string_view::npos) return true;
  p.port = port_number(s.substr(colon + 1));
  s = s.substr(0, colon);
  return p.port.has_value();
}

bool parse_address(std::string_view s, Point& p) {
  if (s.starts_with('[')) {
    const std::size_t close = s.find(']');
    if (close == std::string_view::npos) return false;
    p.ip = IpAddr::parse(s.substr(1, close - 1));
    std::string_view rest = s.substr(close + 1);
    if (rest.empty()) return p.ip.has_value();
    if (!consume(rest, ":")) return false;
    p.port = port_number(rest);
    return p.ip && p.port;
  }
  p.ip = IpAddr::parse(s);
  if (p.ip) return true;
  if (!take_port(s, p)) return false;
  p.ip = IpAddr::parse(s);
  return p.ip.has_value() && p.ip->is_v4();
}

bool parse_namespaced(std::string_view s, Point& p) {
  const std::size_t slash = s.find('/');
  if (slash == std::string_view::npos || !take_port(s, p)) return false;
  p.namespace_ = s.substr(0, slash);
  p.name = s.substr(slash + 1);
  return !p.namespace_.empty() && !p.name.empty() && p.name.find('/') == std::string::npos;
}

constexpr std::string_view kForms =
    "NS/POD[:PORT], IP[:PORT], [IPv6]:PORT, svc:NS/NAME[:PORT], node:NAME, external:IP or port:IFACE-ID, with @NODE";

}  // namespace

Result<Point> parse_point(std::string_view text, std::string_view default_namespace) {
  Point p;
  p.text = text;
  std::string_view s = text;
  if (const std::size_t at = s.rfind('@'); at != std::string_view::npos) {
    p.at_node = s.substr(at + 1);
    s = s.substr(0, at);
  }
  bool good = false;
  if (consume(s, "svc:")) {
    p.kind = Point::Kind::service;
    good = parse_namespaced(s, p);
  } else if (consume(s, "node:")) {
    p.kind = Point::Kind::node;
    good = take_port(s, p) && !s.empty();
    p.name = s;
  } else if (consume(s, "external:")) {
    p.kind = Point::Kind::external;
    good = parse_address(s, p);
  } else if (consume(s, "port:")) {
    p.kind = Point::Kind::port;
    p.name = s;
    good = !s.empty();
  } else if (s.starts_with("pod/") && !default_namespace.empty()) {
    p.kind = Point::Kind::pod;
    s.remove_prefix(4);
    good = take_port(s, p) && !s.empty();
    p.namespace_ = default_namespace;
    p.name = s;
  } else if (s.find('/') != std::string_view::npos) {
    p.kind = Point::Kind::pod;
    good = parse_namespaced(s, p);
  } else {
    p.kind = Point::Kind::ip;
    good = parse_address(s, p);
  }
  if (!good) return Error{fmt::format("'{}' is no place; use {}", text, kForms)};
  return p;
}

namespace {

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& node : cluster.nodes) names.push_back(node->name);
  return names;
}

std::vector<std::string> pod_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const cluster::Pod& pod : cluster.objects.pods) names.push_back(pod.namespace_ + "/" + pod.name);
  for (const auto& node : cluster.nodes)
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces)
        if (const auto id = port.external_ids.find("iface-id"); id != port.external_ids.end()) {
          std::string name = id->second;
          if (const std::size_t cut = name.find('_'); cut != std::string::npos) name[cut] = '/';
          names.push_back(std::move(name));
        }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Adds what is not there yet.
void add_address(std::vector<IpAddr>& all, const IpAddr& a) {
  if (std::find(all.begin(), all.end(), a) == all.end()) all.push_back(a);
}

Endpoint pod_at(const engine::Workload& w) {
  Endpoint e;
  e.kind = Endpoint::Kind::pod;
  e.node = w.node;
  e.bridge = w.bridge;
  e.port = w.port;
  e.pod = w.network;
  return e;
}

bool wanted(const Node& node, const Point& point) { return point.at_node.empty() || node.name == point.at_node; }

Resolved from_workload(const engine::Workload& w) {
  const Endpoint pod = pod_at(w);
  Resolved r;
  r.kind = "pod";
  r.name = pod.pod.name;
  r.node = pod.node->name;
  r.place = pod;
  for (const Prefix& p : pod.pod.addresses) add_address(r.addresses, p.address);
  return r;
}

Resolved from_node(const Node& node) {
  Resolved r;
  r.kind = "node";
  r.name = r.node = node.name;
  Endpoint e;
  e.kind = Endpoint::Kind::process;
  e.node = &node;
  r.place = e;
  r.choose_source = true;
  return r;
}

Result<Resolved> resolve_pod(const Point& point, const Cluster& cluster, const Workloads& workloads) {
  const engine::Workload* workload = workloads.with_id(point.namespace_ + "_" + point.name, point.at_node);
  Resolved r;
  if (workload != nullptr) r = from_workload(*workload);
  const cluster::Pod* object = cluster.objects.pods.find(point.namespace_, point.name);
  if (!workload && object == nullptr) {
    const std::string name = point.namespace_ + "/" + point.name;
    return Error{fmt::format("the snapshot knows no pod {}{}", name, did_you_mean(name, pod_names(cluster)))};
  }
  if (object != nullptr) {
    if (r.node.empty()) r.node = object->node;
    for (const Prefix& p : object->addresses) add_address(r.addresses, p.address);
    if (object->host_network)
      if (const Node* node = cluster.node(object->node)) {
        Resolved host = from_node(*node);
        host.kind = "pod";
        host.name = point.namespace_ + "/" + point.name;
        host.addresses = r.addresses;
        return host;
      }
  }
  r.kind = "pod";
  r.name = point.namespace_ + "/" + point.name;
  return r;
}

Result<Resolved> resolve_service(const Point& point, const Cluster& cluster) {
  std::vector<std::string> known;
  for (const cluster::Service& s : cluster.objects.services) {
    known.push_back(s.namespace_ + "/" + s.name);
    if (s.namespace_ != point.namespace_ || s.name != point.name) continue;
    Resolved r;
    r.kind = "service";
    r.name = known.back();
    r.addresses = s.cluster_ips;
    if (!point.port && s.ports.size() == 1) r.port = s.ports.front().port;
    return r;
  }
  const std::string name = point.namespace_ + "/" + point.name;
  return Error{fmt::format("the snapshot knows no service {}{}", name, did_you_mean(name, known))};
}

Result<Resolved> resolve_port(const Point& point, const Cluster& cluster, const Workloads& workloads) {
  const auto number = parse_decimal(point.name);
  for (const auto& node : cluster.nodes) {
    if (!wanted(*node, point)) continue;
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) {
        const auto id = port.external_ids.find("iface-id");
        const bool by_number = number && !point.at_node.empty() && port.ofport == *number && engine::is_workload(port);
        if (port.name != point.name && (id == port.external_ids.end() || id->second != point.name) && !by_number) continue;
        const engine::Workload* workload = workloads.at(port);
        return from_workload(workload != nullptr ? *workload
                                                 : engine::Workload{node.get(), &bridge, &port, engine::workload_network(cluster, *node, port)});
      }
  }
  return Error{fmt::format("the snapshot knows no port {}", point.name)};
}

bool has_localnet(const Node& node, const std::string& logical_switch) {
  return std::any_of(node.ovn.ports.begin(), node.ovn.ports.end(), [&](const ovn::LogicalPort& p) {
    return p.datapath == logical_switch && p.type == "localnet";
  });
}

// Whether a logical switch of the cluster has the address in its network, other than those that lead outside.
bool is_inside(const Node& node, const IpAddr& ip) {
  for (const ovn::LogicalPort& port : node.ovn.ports) {
    const bool near = port.on_router && std::any_of(port.addresses.begin(), port.addresses.end(), [&](const Prefix& p) {
      return !p.address.is_link_local() && !p.is_host() && p.contains(ip);
    });
    if (!near) continue;
    for (const ovn::LogicalPort& peer : node.ovn.ports)
      if (!peer.on_router && peer.name == port.peer && !has_localnet(node, peer.datapath)) return true;
  }
  return false;
}

bool is_inside(const Cluster& cluster, const IpAddr& ip) {
  for (const cluster::NodeObject& node : cluster.objects.nodes)
    for (const Prefix& subnet : node.pod_subnets)
      if (subnet.contains(ip)) return true;
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const auto& node) { return is_inside(*node, ip); });
}

Resolved resolve_ip(const Point& point, const Cluster& cluster, const Workloads& workloads, bool outside_only) {
  const IpAddr ip = *point.ip;
  Resolved r;
  r.addresses = {ip};
  if (!outside_only) {
    if (const engine::Workload* workload = workloads.with_address(ip, point.at_node)) {
      r = from_workload(*workload);
      r.addresses = {ip};
      return r;
    }
    for (const cluster::Pod* pod : workloads.objects_with(ip))
      if (!pod->host_network) {
        r.kind = "pod";
        r.name = pod->namespace_ + "/" + pod->name;
        r.node = pod->node;
        return r;
      }
  }
  const Node* owner = point.at_node.empty() ? cluster.owner_of(ip) : cluster.node(point.at_node);
  if (owner != nullptr) {
    r = from_node(*owner);
    r.addresses = {ip};
    r.choose_source = false;
    const bool outside = std::none_of(owner->roles.begin(), owner->roles.end(),
                                      [](cluster::Role role) { return role == cluster::Role::cluster_node; });
    if (outside) r.kind = "external";
    return r;
  }
  r.kind = "external";
  for (const cluster::Service& s : cluster.objects.services) {
    const auto holds = [&](const std::vector<IpAddr>& v) { return std::find(v.begin(), v.end(), ip) != v.end(); };
    if (holds(s.cluster_ips) || holds(s.external_ips) || holds(s.load_balancer_ips)) {
      r.kind = "service";
      r.name = s.namespace_ + "/" + s.name;
    }
  }
  if (r.kind == "external" && !outside_only && is_inside(cluster, ip)) {
    r.kind = "pod";
    r.name = ip.to_string();   // of a pod that no dump shows: nobody outside has it
  }
  if (r.kind == "external") {
    Endpoint e;
    e.kind = Endpoint::Kind::outside;
    e.address = ip;
    r.place = e;
  }
  return r;
}

}  // namespace

Result<Resolved> resolve(const Point& point, const Cluster& cluster, const Workloads& workloads) {
  if (!point.at_node.empty() && cluster.node(point.at_node) == nullptr)
    return Error{fmt::format("the snapshot has no node {}{}", point.at_node,
                             did_you_mean(point.at_node, node_names(cluster)))};
  Result<Resolved> r = Resolved{};
  switch (point.kind) {
    case Point::Kind::pod: r = resolve_pod(point, cluster, workloads); break;
    case Point::Kind::service: r = resolve_service(point, cluster); break;
    case Point::Kind::port: r = resolve_port(point, cluster, workloads); break;
    case Point::Kind::ip: r = resolve_ip(point, cluster, workloads, false); break;
    case Point::Kind::external: r = resolve_ip(point, cluster, workloads, true); break;
    case Point::Kind::node: {
      const Node* node = cluster.node(point.name);
      if (node == nullptr)
        return Error{fmt::format("the snapshot has no node {}{}", point.name,
                                 did_you_mean(point.name, node_names(cluster)))};
      r = from_node(*node);
      for (const cluster::NodeObject& object : cluster.objects.nodes)
        if (object.name == node->name) r->addresses = object.addresses;
      for (const host::Link& link : node->host.links.value)
        for (const host::Address& a : link.addresses)
          if (a.scope == "global" || a.scope.empty()) add_address(r->addresses, a.prefix.address);
      break;
    }
  }
  if (r && point.port) r->port = point.port;
  return r;
}

}  // namespace egt::explain
