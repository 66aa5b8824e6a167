#include "egtrace/engine/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"

namespace egt::engine {
namespace {

std::string id_of(const openflow::Interface& port) {
  const auto id = port.external_ids.find("iface-id");
  return id == port.external_ids.end() ? port.name : id->second;
}

// A port's id taken apart: NAMESPACE_POD, or NETWORK_NAMESPACE_POD on another network than the default one.
struct PortId {
  std::string_view network, name_space, pod;
};
PortId taken_apart(std::string_view id) {
  PortId parts;
  const std::size_t first = id.find('_'), second = first == id.npos ? id.npos : id.find('_', first + 1);
  if (second != id.npos) {
    parts.network = id.substr(0, first);
    id.remove_prefix(first + 1);
  }
  const std::size_t cut = id.find('_');
  parts.name_space = id.substr(0, cut == id.npos ? 0 : cut);
  parts.pod = id.substr(cut == id.npos ? 0 : cut + 1);
  return parts;
}

// The key that the CNI notes beside the id, of which the id has the punctuation lost.
std::string network_of_port(const openflow::Interface& port, std::string_view in_id) {
  if (in_id.empty()) return {};
  const auto key = port.external_ids.find("k8s.ovn.org/nad");
  return key == port.external_ids.end() ? std::string(in_id) : key->second;
}

// `objects` and `ports`: those of this name.
PodNetwork network_of(const openflow::Interface& port, const std::vector<PodSide>& objects,
                      const std::vector<const ovn::LogicalPort*>& ports) {
  PodNetwork pod;
  const std::string id = id_of(port);
  const PortId parts = taken_apart(id);
  pod.name = parts.name_space.empty() ? std::string(parts.pod) : fmt::format("{}/{}", parts.name_space, parts.pod);
  pod.network = network_of_port(port, parts.network);
  if (const auto mac = port.external_ids.find("attached_mac"); mac != port.external_ids.end())
    pod.mac = MacAddr::parse(mac->second);
  for (const PodSide& object : objects) {
    pod.addresses = object.addresses();
    pod.gateways = object.on != nullptr ? object.on->gateways : object.pod->gateways;
    if (object.on != nullptr) pod.network = object.on->network;
    if (!pod.mac) pod.mac = object.mac();
  }
  for (const ovn::LogicalPort* logical : ports) {
    for (const Prefix& p : logical->addresses)
      if (std::none_of(pod.addresses.begin(), pod.addresses.end(),
                       [&](const Prefix& known) { return known.address == p.address; }))
        pod.addresses.push_back(p);
    if (!pod.mac) pod.mac = logical->mac;
    pod.logical_switch = logical->datapath;
  }
  if (const auto ips = port.external_ids.find("ip_addresses"); pod.addresses.empty() && ips != port.external_ids.end())
    if (const auto p = Prefix::parse(ips->second)) pod.addresses.push_back(*p);
  return pod;
}

// A network without subnets gives its ports a MAC alone; which address the pod has set itself, only its own devices show.
void add_own_addresses(const cluster::Node& node, PodNetwork& pod) {
  if (!pod.addresses.empty() || !pod.mac) return;
  for (const cluster::NetworkNamespace& own : node.namespaces)
    for (const host::Link& link : own.host.links.value)
      if (link.mac == pod.mac)
        for (const host::Address& a : link.addresses)
          if (!a.prefix.address.is_link_local()) pod.addresses.push_back(a.prefix);
}

// What a pod has on each of its networks, with the name of its port there.
template <class Use>
void for_each_side(const cluster::Pod& pod, Use use) {
  use(cluster::logical_port_name(pod.namespace_, pod.name), PodSide{&pod, nullptr});
  for (const cluster::PodAttachment& on : pod.other_networks) use(cluster::logical_port_name(pod, on), PodSide{&pod, &on});
}

template <class Map, class Key>
const typename Map::mapped_type& found_or_empty(const Map& map, const Key& key) {
  static const typename Map::mapped_type kNone;
  const auto found = map.find(key);
  return found == map.end() ? kNone : found->second;
}

}  // namespace

const std::vector<Prefix>& PodSide::addresses() const { return on != nullptr ? on->addresses : pod->addresses; }
const std::optional<MacAddr>& PodSide::mac() const { return on != nullptr ? on->mac : pod->mac; }
std::string PodSide::port_name() const {
  return on != nullptr ? cluster::logical_port_name(*pod, *on) : cluster::logical_port_name(pod->namespace_, pod->name);
}

bool is_workload(const openflow::Interface& port) {
  return port.external_ids.contains("iface-id") && port.type != "internal" && port.type != "patch" &&
         !openflow::is_tunnel_type(port.type);
}

bool shows_pods_of_interfaces(const cluster::Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const openflow::Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(),
                       [](const openflow::Interface& i) { return i.external_ids.contains("iface-id"); });
  });
}

PodNetwork workload_network(const cluster::Cluster& cluster, const cluster::Node& node, const openflow::Interface& port) {
  const std::string id = id_of(port);
  std::vector<PodSide> objects;
  for (const cluster::Pod& object : cluster.objects.pods)
    for_each_side(object, [&](const std::string& name, const PodSide& side) {
      if (name == id) objects.push_back(side);
    });
  std::vector<const ovn::LogicalPort*> ports;
  for (const ovn::LogicalPort& logical : node.ovn.ports)
    if (logical.name == id && !logical.on_router) ports.push_back(&logical);
  PodNetwork network = network_of(port, objects, ports);
  add_own_addresses(node, network);
  return network;
}

Workloads::Workloads(const cluster::Cluster& cluster) : cluster_(cluster), per_node_(cluster) {
  for (const cluster::Pod& object : cluster.objects.pods) {
    for_each_side(object, [&](const std::string& name, const PodSide& side) {
      objects_[name].push_back(side);
      for (const Prefix& p : side.addresses()) objects_by_address_[p.address].push_back(side);
    });
  }
  if (std::all_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return node.is_read(); })) all();
}

void Workloads::add_ports(const cluster::Node& node, Index& to) const {
  std::unordered_map<std::string_view, std::vector<const ovn::LogicalPort*>> ports;
  const auto note_network = [&to](std::string_view id) {
    const PortId parts = taken_apart(id);
    if (!parts.network.empty()) to.other_networks.emplace(id.substr(parts.network.size() + 1), parts.network);
  };
  for (const ovn::LogicalPort& logical : node.ovn.ports) {
    if (logical.on_router) continue;
    ports[logical.name].push_back(&logical);
    note_network(logical.name);  // of which Open vSwitch may lack the interface
  }
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces) {
      if (!is_workload(port)) continue;
      const std::string id = id_of(port);
      const std::size_t number = to.all.size();
      note_network(id);
      PodNetwork network = network_of(port, found_or_empty(objects_, id), found_or_empty(ports, id));
      add_own_addresses(node, network);
      to.all.push_back({&node, &bridge, &port, std::move(network)});
      to.by_port.emplace(&port, number);
      to.by_id[id].push_back(number);
      for (const Prefix& p : to.all.back().network.addresses) to.by_address[p.address].push_back(number);
    }
}

Workloads::Index Workloads::index_all() const {
  Index index;
  for (const auto& node : cluster_.nodes) add_ports(*node, index);
  return index;
}

const Workloads::Index& Workloads::index_of(const cluster::Node& node) const {
  return per_node_.of(node, [&] {
    Index index;
    add_ports(node, index);
    return index;
  });
}

const std::vector<Workload>& Workloads::all() const {
  return whole_.get_or([&] { return index_all(); }).all;
}

const std::vector<Workload>& Workloads::of(const cluster::Node& node) const { return index_of(node).all; }

const Workload* Workloads::Index::first_of(const std::vector<std::size_t>& some, std::string_view node,
                                           const std::string* network) const {
  for (const std::size_t i : some)
    if ((node.empty() || all[i].node->name == node) && (network == nullptr || all[i].network.network == *network)) return &all[i];
  return nullptr;
}

const std::vector<const cluster::NodeHandle*>& Workloads::may_have(const std::vector<std::string>& shown) const {
  return may_have_.get_or(shown, [&] {
    std::vector<const cluster::NodeHandle*> nodes;
    for (const cluster::NodeHandle& node : cluster_.nodes)
      if (std::any_of(shown.begin(), shown.end(), [&](const std::string& one) { return node.may_have_port(one); }))
        nodes.push_back(&node);
    return nodes;
  });
}

template <class Find>
const Workload* Workloads::first_where(const std::vector<std::string>& shown, std::string_view node, Find find) const {
  if (const cluster::Node* only = node.empty() ? nullptr : cluster_.node(node)) return find(index_of(*only));
  if (!node.empty()) return nullptr;
  for (const cluster::NodeHandle* handle : may_have(shown))
    if (const Workload* found = find(index_of(**handle))) return found;
  return nullptr;
}

const Workload* Workloads::at(const openflow::Interface& port) const {
  const auto in = [&](const Index& index) {
    const auto found = index.by_port.find(&port);
    return found == index.by_port.end() ? nullptr : &index.all[found->second];
  };
  if (const Index* whole = whole_.get()) return in(*whole);
  for (const cluster::NodeHandle& node : cluster_.nodes)
    if (node.is_read())  // or there was no port of it
      if (const Workload* found = in(index_of(*node))) return found;
  return nullptr;
}

std::string Workloads::other_network_of(const Workload& pod) const {
  const Index* whole = whole_.get();
  const auto& networks = (whole != nullptr ? *whole : index_of(*pod.node)).other_networks;
  const auto found = networks.find(id_of(*pod.port));
  return found == networks.end() ? std::string() : found->second;
}

const Workload* Workloads::with_id(const std::string& id, std::string_view node) const {
  const auto in = [&](const Index& index) { return index.first_of(found_or_empty(index.by_id, id), node, nullptr); };
  if (const Index* whole = whole_.get()) return in(*whole);
  return first_where({id}, node, in);
}

const Workload* Workloads::with_address(const IpAddr& address, std::string_view node, const std::string* network) const {
  const auto in = [&](const Index& index) { return index.first_of(found_or_empty(index.by_address, address), node, network); };
  if (const Index* whole = whole_.get()) return in(*whole);
  std::vector<std::string> shown{address.to_string()};
  for (const PodSide& object : objects_with(address)) shown.push_back(object.port_name());
  return first_where(shown, node, in);
}

const std::vector<PodSide>& Workloads::objects_with(const IpAddr& address) const {
  return found_or_empty(objects_by_address_, address);
}

}  // namespace egt::engine
