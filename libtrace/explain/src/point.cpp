#include "egtrace/explain/point.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "ambiguous_sender.h"
#include "egtrace/base/text.h"
#include "egtrace/cluster/pod_networks.h"
#include "egtrace/cluster/resolved_names.h"
#include "egtrace/engine/pod_sides.h"
#include "egtrace/explain/suggest.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;
using engine::Endpoint;
using engine::Workloads;

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& node : cluster.nodes) names.push_back(node.name());
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

// Names of pods that something made: NAME-HASH-SUFFIX of a Deployment, NAME-SUFFIX or NAME-NUMBER of the others.
bool is_made_by(std::string_view pod, const Point& maker) {
  if (!pod.starts_with(maker.name) || pod.size() <= maker.name.size() + 1 || pod[maker.name.size()] != '-') return false;
  const auto dashes = std::count(pod.begin() + static_cast<std::ptrdiff_t>(maker.name.size()) + 1, pod.end(), '-');
  return dashes == (maker.made_by.starts_with("deploy") ? 1 : 0);
}

std::vector<std::string> without_namespaces(std::vector<std::string> names) {
  for (std::string& name : names) name.erase(0, name.find('/') + 1);
  return names;
}

// Where no pod is called so, but a node is, that one.
std::string likely_meant(const Point& point, const std::vector<std::string>& pods, const Cluster& cluster) {
  if (!point.made_by.empty()) return did_you_mean(point.name, pods);
  if (cluster.handle(point.name) != nullptr) return fmt::format(" (did you mean node:{}?)", point.name);
  return did_you_mean(point.name, without_namespaces(pods));
}

// The pod of a bare name, or the first one that a Deployment or its like has made.
Result<Point> find_pod(const Point& point, const Cluster& cluster) {
  const std::vector<std::string> known = pod_names(cluster);
  std::vector<std::string> found;
  for (const std::string& full : known) {
    const std::string_view space = std::string_view(full).substr(0, full.find('/')),
                           name = std::string_view(full).substr(full.find('/') + 1);
    if (!point.namespace_.empty() && space != point.namespace_) continue;
    if (point.made_by.empty() ? name == point.name : is_made_by(name, point)) found.push_back(full);
  }
  const std::string what = point.made_by.empty() ? point.name : fmt::format("{}/{}", point.made_by, point.name);
  if (found.empty())
    return Error{fmt::format("the snapshot has no pod {}{}{}", point.made_by.empty() ? "" : "of ", what,
                             likely_meant(point, known, cluster))};
  std::set<std::string> spaces;
  for (const std::string& full : found) spaces.insert(full.substr(0, full.find('/')));
  if (spaces.size() > 1) return Error{fmt::format("{} is in several namespaces: {}", what, fmt::join(found, ", "))};
  Point one = point;
  one.namespace_ = *spaces.begin();
  one.name = found.front().substr(one.namespace_.size() + 1);
  one.made_by.clear();
  return one;
}

std::string_view state_of(const cluster::Pod& pod) {
  switch (pod.phase) {
    case cluster::PodPhase::pending: return "is Pending";
    case cluster::PodPhase::succeeded: return "has ended (Succeeded)";
    case cluster::PodPhase::failed: return "has ended (Failed)";
    default: return "runs";
  }
}

// "@NODE" of a pod that runs on another one would find nothing where there is something.
std::optional<Error> elsewhere(const std::string& what, const std::string& node, const Point& point) {
  if (point.at_node.empty() || node.empty() || node == point.at_node) return std::nullopt;
  return Error{fmt::format("{} is on {}, not on {}", what, node, point.at_node)};
}

// The pod's part of the network that is asked for, else of its primary one; null: the default network.
Result<const cluster::PodAttachment*> attachment_of(const Point& point, const cluster::Pod* pod) {
  if (point.network.empty()) return pod != nullptr ? engine::usual_side(*pod).on : nullptr;
  if (point.network == "default") return static_cast<const cluster::PodAttachment*>(nullptr);
  std::vector<std::string> known{"default"};
  if (pod != nullptr) {
    if (const cluster::PodAttachment* on = pod->on_network(point.network)) return on;
    for (const cluster::PodAttachment& other : pod->other_networks) known.push_back(other.network);
  }
  return Error{fmt::format("pod {}/{} is not on network {}{}", point.namespace_, point.name, point.network,
                           did_you_mean(point.network, known))};
}

Resolved::OtherNetwork network_of(const cluster::PodAttachment& on, bool has_port, const Cluster& cluster) {
  return {on.network, false, !has_port, has_port ? std::string() : plugin_of(cluster.objects, on), on.device};
}

Result<Resolved> resolve_pod(const Point& asked, const Cluster& cluster, const Workloads& workloads) {
  Point point = asked;
  if (asked.namespace_.empty() || !asked.made_by.empty()) {
    auto found = find_pod(asked, cluster);
    if (!found) return found.error();
    point = *found;
  }
  const cluster::Pod* object = cluster.objects.pods.find(point.namespace_, point.name);
  Result<const cluster::PodAttachment*> on = attachment_of(point, object);
  if (!on) return on.error();
  const std::string port =
      *on != nullptr ? cluster::logical_port_name(*object, **on) : cluster::logical_port_name(point.namespace_, point.name);
  const engine::Workload* workload = workloads.with_id(port, point.at_node);
  Resolved r;
  if (workload != nullptr) r = from_workload(*workload);
  if (!workload && object == nullptr) {
    if (const engine::Workload* other = workloads.with_id(port, ""))
      if (const auto error = elsewhere(fmt::format("pod {}/{}", point.namespace_, point.name), other->node->name, point))
        return *error;
    const std::string name = point.namespace_ + "/" + point.name;
    return Error{fmt::format("the snapshot has no pod {}{}", name, did_you_mean(name, pod_names(cluster)))};
  }
  const std::string full_name = fmt::format("pod {}/{}", point.namespace_, point.name);
  if (workload == nullptr && object != nullptr) {
    if (const auto error = elsewhere(full_name, object->node, point)) return *error;
    if (object->addresses.empty() && (object->has_ended() || object->phase == cluster::PodPhase::pending))
      return Error{fmt::format("{} {} and has no address", full_name, state_of(*object))};
  }
  if (object != nullptr) {
    if (r.node.empty()) r.node = object->node;
    for (const Prefix& p : engine::PodSide{object, *on}.addresses()) add_address(r.addresses, p.address);
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
  if (*on != nullptr)
    r.network = network_of(**on, workload != nullptr, cluster);
  else if (workload != nullptr && (object == nullptr || !object->networks_shown))
    r.network.name = workloads.other_network_of(*workload), r.network.perhaps = true;
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
    if (!point.port && point.port_name.empty() && s.ports.size() == 1) r.port = s.ports.front().port;
    if (point.port_name.empty()) return r;
    std::vector<std::string> ports;
    for (const cluster::ServicePort& p : s.ports) {
      if (p.name == point.port_name) r.port = p.port;
      ports.push_back(p.name);
    }
    if (r.port) return r;
    return Error{fmt::format("service {} has no port {}{}", r.name, point.port_name, did_you_mean(point.port_name, ports))};
  }
  const std::string name = point.namespace_ + "/" + point.name;
  return Error{fmt::format("the snapshot has no service {}{}", name, did_you_mean(name, known))};
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
        return from_workload(workload != nullptr
                                 ? *workload
                                 : engine::Workload{node.get(), &bridge, &port, engine::workload_network(cluster, *node, port)});
      }
  }
  return Error{fmt::format("the snapshot has no port {}", point.name)};
}

bool has_localnet(const Node& node, const std::string& logical_switch) {
  return std::any_of(node.ovn.ports.begin(), node.ovn.ports.end(),
                     [&](const ovn::LogicalPort& p) { return p.datapath == logical_switch && p.type == "localnet"; });
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

// The node of which the object has the address in a network for pods; null: none.
const cluster::NodeObject* node_with_subnet(const Cluster& cluster, const IpAddr& ip) {
  for (const cluster::NodeObject& node : cluster.objects.nodes)
    for (const Prefix& subnet : node.pod_subnets)
      if (subnet.contains(ip)) return &node;
  return nullptr;
}

// Networks of a node's own are in its object; those of all nodes, which each knows, are asked of nodes that the
// question has come to.
bool is_inside(const Cluster& cluster, const IpAddr& ip) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const cluster::NodeHandle& node) {
    const cluster::NodeObject* object = cluster.objects.nodes.find(node.name());
    return (node.is_read() || object == nullptr || object->pod_subnets.empty()) && is_inside(*node, ip);
  });
}

bool has_address(const std::vector<host::Link>& links, const IpAddr& ip) {
  return std::any_of(links.begin(), links.end(), [&](const host::Link& link) {
    return std::any_of(link.addresses.begin(), link.addresses.end(),
                       [&](const host::Address& a) { return a.prefix.address == ip; });
  });
}

bool is_outside(const Node& node) {
  return std::none_of(node.roles.begin(), node.roles.end(),
                      [](cluster::Role role) { return role == cluster::Role::cluster_node; });
}

// Those that have the address; of several only those outside the cluster where the point asks for one there.
std::vector<const cluster::NodeHandle*> owners_of(const Point& point, const Cluster& cluster) {
  if (!point.at_node.empty()) return {cluster.handle(point.at_node)};
  std::vector<const cluster::NodeHandle*> owners;
  for (const cluster::NodeHandle& node : cluster.nodes)
    if (has_address(node.links().value, *point.ip)) owners.push_back(&node);
  if (point.kind != Point::Kind::external || owners.size() < 2) return owners;
  const auto inside = std::stable_partition(owners.begin(), owners.end(), [](const auto* node) { return is_outside(**node); });
  if (inside != owners.begin()) owners.erase(inside, owners.end());
  return owners;
}

// A pod or node besides the one behind "@" that has the address.
std::optional<Error> belongs_elsewhere(const Point& point, const Cluster& cluster, const Workloads& workloads) {
  const IpAddr& ip = *point.ip;
  if (point.at_node.empty() || has_address(cluster.node(point.at_node)->host.links.value, ip)) return std::nullopt;
  if (const engine::Workload* other = workloads.with_address(ip, "")) return elsewhere(ip.to_string(), other->node->name, point);
  for (const engine::PodSide& side : workloads.objects_with(ip))
    if (const auto error = elsewhere(ip.to_string(), side.pod->node, point)) return error;
  const Node* owner = cluster.owner_of(ip);
  return owner == nullptr ? std::nullopt : elsewhere(ip.to_string(), owner->name, point);
}

// One pod of each network that has the address; empty where one alone does.
std::vector<std::string> pods_with(const Point& point, const Workloads& workloads) {
  std::map<std::string, std::string> pods;
  for (const engine::PodSide& side : workloads.objects_with(*point.ip)) {
    const cluster::Pod& pod = *side.pod;
    const bool has_ended = pod.phase == cluster::PodPhase::succeeded || pod.phase == cluster::PodPhase::failed;
    if (!pod.host_network && !has_ended && (point.at_node.empty() || pod.node == point.at_node))
      pods.emplace(side.on != nullptr ? side.on->network : std::string(), pod.namespace_ + "/" + pod.name);
  }
  std::set<std::string> names;
  for (const auto& [network, name] : pods) names.insert(name);
  return names.size() > 1 ? std::vector<std::string>(names.begin(), names.end()) : std::vector<std::string>{};
}

Result<Resolved> resolve_ip(const Point& point, const Cluster& cluster, const Workloads& workloads, bool outside_only,
                            const std::string* network) {
  const IpAddr ip = *point.ip;
  Resolved r;
  r.addresses = {ip};
  if (!outside_only) {
    const engine::Workload* workload = network != nullptr ? workloads.with_address(ip, point.at_node, network) : nullptr;
    if (workload == nullptr) workload = workloads.with_address(ip, point.at_node);
    if (workload != nullptr) {
      r = from_workload(*workload);
      r.addresses = {ip};
      if (network == nullptr) r.candidates = pods_with(point, workloads);
      return r;
    }
    if (const auto error = belongs_elsewhere(point, cluster, workloads)) return *error;
    for (const engine::PodSide& side : workloads.objects_with(ip))
      if (!side.pod->host_network) {
        r.kind = "pod";
        r.name = side.pod->namespace_ + "/" + side.pod->name;
        r.node = side.pod->node;
        if (side.on != nullptr && !plugin_of(cluster.objects, *side.on).empty()) r.network = network_of(*side.on, false, cluster);
        if (network == nullptr) r.candidates = pods_with(point, workloads);
        return r;
      }
  }
  if (const auto owners = owners_of(point, cluster); !owners.empty()) {
    const Node& owner = **owners.front();
    r = from_node(owner);
    r.addresses = {ip};
    r.choose_source = false;
    if (is_outside(owner)) r.kind = "external";
    if (owners.size() > 1)
      for (const cluster::NodeHandle* node : owners) r.candidates.push_back(node->name());
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
  if (r.kind == "external" && !outside_only) {
    const cluster::NodeObject* node = node_with_subnet(cluster, ip);
    if (node != nullptr || is_inside(cluster, ip)) {
      r.kind = "pod";
      r.name = ip.to_string();  // no node outside has it
      r.is_unknown_pod = true;
      if (node != nullptr) r.node = node->name;
    }
  }
  if (r.kind == "external") {
    Endpoint e;
    e.kind = Endpoint::Kind::outside;
    e.address = ip;
    r.place = e;
  }
  return r;
}

std::string addresses_listed(const std::vector<IpAddr>& all) {
  std::vector<std::string> texts;
  for (const IpAddr& a : all) texts.push_back(a.to_string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

// "ns/pod" and "deploy/name" are pods alone.
bool may_be_host_name(const Point& point) { return point.made_by.empty() && point.text.find('/') == std::string::npos; }

// A name that dumps resolve. Which of several addresses a client chooses is in no dump.
Result<Resolved> resolve_host_name(const Point& point, const Cluster& cluster, const Workloads& workloads,
                                   const cluster::NameAddresses& known) {
  const auto of_family = [&](Family family) {
    std::vector<IpAddr> some;
    std::copy_if(known.addresses.begin(), known.addresses.end(), std::back_inserter(some),
                 [&](const IpAddr& a) { return a.family == family; });
    return some;
  };
  const std::vector<IpAddr> v4 = of_family(Family::v4), v6 = of_family(Family::v6);
  if (known.addresses.empty()) return Error{fmt::format("{} resolves to no address in the snapshot", point.name)};
  if (v4.size() > 1 || v6.size() > 1)
    return Error{fmt::format("{} has the addresses {}; give one of them", point.name, addresses_listed(known.addresses))};
  Point at = point;
  at.at_node.clear();  // whose /etc/hosts was read
  at.ip = known.addresses.front();
  Result<Resolved> r = resolve_ip(at, cluster, workloads, false, nullptr);
  if (!r) return r;
  for (const IpAddr& a : known.addresses) add_address(r->addresses, a);
  if (r->kind == "external" && r->name.empty()) r->name = point.name;
  return r;
}

Result<Resolved> resolve_pod_or_host_name(const Point& point, const Cluster& cluster, const Workloads& workloads) {
  Result<Resolved> pod = resolve_pod(point, cluster, workloads);
  if (pod || !may_be_host_name(point)) return pod;
  const cluster::NameAddresses known = addresses_of_host(cluster, point.name, point.at_node);
  return known.is_listed ? resolve_host_name(point, cluster, workloads, known) : pod;
}

}  // namespace

namespace {

// "@blue" behind a pod names its network, where no node is called so.
Point with_distinct_network(Point point, const Cluster& cluster) {
  if (point.kind != Point::Kind::pod || point.at_node.empty() || !point.network.empty() ||
      cluster.handle(point.at_node) != nullptr)
    return point;
  const bool is_network = point.at_node == "default" ||
                          std::any_of(cluster.objects.pods.begin(), cluster.objects.pods.end(),
                                      [&](const cluster::Pod& pod) { return pod.on_network(point.at_node) != nullptr; });
  if (is_network) point.network = std::exchange(point.at_node, {});
  return point;
}

}  // namespace

std::optional<Error> ambiguous_sender(const Resolved& from) {
  if (from.candidates.empty()) return std::nullopt;
  const char* which = from.kind == "pod" ? "pods; name the one that sends" : "nodes; add @NODE to the one that sends";
  return Error{fmt::format("{} is an address of several {}: {}", from.addresses.front().to_string(), which,
                           fmt::join(from.candidates, ", "))};
}

Result<Resolved> resolve(const Point& asked, const Cluster& cluster, const Workloads& workloads, const std::string* network) {
  const Point point = with_distinct_network(asked, cluster);
  if (!point.at_node.empty() && cluster.handle(point.at_node) == nullptr)
    return Error{fmt::format("the snapshot has no node {}{}{}", point.kind == Point::Kind::pod ? "or network " : "",
                             point.at_node, did_you_mean(point.at_node, node_names(cluster)))};
  Result<Resolved> r = Resolved{};
  switch (point.kind) {
    case Point::Kind::pod: r = resolve_pod_or_host_name(point, cluster, workloads); break;
    case Point::Kind::service: r = resolve_service(point, cluster); break;
    case Point::Kind::port: r = resolve_port(point, cluster, workloads); break;
    case Point::Kind::ip: r = resolve_ip(point, cluster, workloads, false, network); break;
    case Point::Kind::external: r = resolve_ip(point, cluster, workloads, true, nullptr); break;
    case Point::Kind::node: {
      const Node* node = cluster.node(point.name);
      if (node == nullptr)
        return Error{fmt::format("the snapshot has no node {}{}", point.name, did_you_mean(point.name, node_names(cluster)))};
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
  if (r) r->network_given = !point.network.empty();
  return r;
}

}  // namespace egt::explain
