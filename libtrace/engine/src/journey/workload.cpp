#include "egtrace/engine/workload.h"

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"

namespace egt::engine {
namespace {

std::string id_of(const openflow::Interface& port) {
  const auto id = port.external_ids.find("iface-id");
  return id == port.external_ids.end() ? port.name : id->second;
}

std::string logical_name(const cluster::Pod& pod) { return cluster::logical_port_name(pod.namespace_, pod.name); }

// `objects` and `ports`: those of this name.
PodNetwork network_of(const openflow::Interface& port, const std::vector<const cluster::Pod*>& objects,
                      const std::vector<const ovn::LogicalPort*>& ports) {
  PodNetwork pod;
  pod.name = id_of(port);
  if (const auto mac = port.external_ids.find("attached_mac"); mac != port.external_ids.end())
    pod.mac = MacAddr::parse(mac->second);
  for (const cluster::Pod* object : objects) {
    pod.addresses = object->addresses;
    pod.gateways = object->gateways;
    if (!pod.mac) pod.mac = object->mac;
  }
  for (const ovn::LogicalPort* logical : ports) {
    for (const Prefix& p : logical->addresses)
      if (std::none_of(pod.addresses.begin(), pod.addresses.end(),
                       [&](const Prefix& known) { return known.address == p.address; }))
        pod.addresses.push_back(p);
    if (!pod.mac) pod.mac = logical->mac;
  }
  if (const auto ips = port.external_ids.find("ip_addresses"); pod.addresses.empty() && ips != port.external_ids.end())
    if (const auto p = Prefix::parse(ips->second)) pod.addresses.push_back(*p);
  if (const std::size_t underscore = pod.name.find('_'); underscore != std::string::npos) pod.name[underscore] = '/';
  return pod;
}

template <class Map, class Key>
const typename Map::mapped_type& found_or_empty(const Map& map, const Key& key) {
  static const typename Map::mapped_type kNone;
  const auto found = map.find(key);
  return found == map.end() ? kNone : found->second;
}

}  // namespace

bool is_workload(const openflow::Interface& port) {
  return port.external_ids.contains("iface-id") && port.type != "internal" && port.type != "patch" &&
         !openflow::is_tunnel_type(port.type);
}

bool shows_pods_of_interfaces(const cluster::Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const openflow::Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(), [](const openflow::Interface& i) { return i.external_ids.contains("iface-id"); });
  });
}

PodNetwork workload_network(const cluster::Cluster& cluster, const cluster::Node& node,
                            const openflow::Interface& port) {
  const std::string id = id_of(port);
  std::vector<const cluster::Pod*> objects;
  for (const cluster::Pod& object : cluster.objects.pods)
    if (logical_name(object) == id) objects.push_back(&object);
  std::vector<const ovn::LogicalPort*> ports;
  for (const ovn::LogicalPort& logical : node.ovn.ports)
    if (logical.name == id && !logical.on_router) ports.push_back(&logical);
  return network_of(port, objects, ports);
}

Workloads::Workloads(const cluster::Cluster& cluster) : cluster_(cluster), per_node_(cluster) {
  for (const cluster::Pod& object : cluster.objects.pods) {
    objects_[logical_name(object)].push_back(&object);
    for (const Prefix& p : object.addresses) objects_by_address_[p.address].push_back(&object);
  }
  if (std::all_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return node.is_read(); })) all();
}

void Workloads::add_ports(const cluster::Node& node, Index& to) const {
  std::unordered_map<std::string_view, std::vector<const ovn::LogicalPort*>> ports;
  for (const ovn::LogicalPort& logical : node.ovn.ports)
    if (!logical.on_router) ports[logical.name].push_back(&logical);
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces) {
      if (!is_workload(port)) continue;
      const std::string id = id_of(port);
      const std::size_t number = to.all.size();
      if (const std::size_t cut = id.find('_'); cut != std::string::npos && id.find('_', cut + 1) != std::string::npos)
        to.other_networks.emplace(id.substr(cut + 1), id.substr(0, cut));
      to.all.push_back({&node, &bridge, &port, network_of(port, found_or_empty(objects_, id), found_or_empty(ports, id))});
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

const Workload* Workloads::Index::first_of(const std::vector<std::size_t>& some, std::string_view node) const {
  for (const std::size_t i : some)
    if (node.empty() || all[i].node->name == node) return &all[i];
  return nullptr;
}

const std::vector<const cluster::NodeHandle*>& Workloads::may_have(const std::vector<std::string>& told) const {
  return may_have_.get_or(told, [&] {
    std::vector<const cluster::NodeHandle*> machines;
    for (const cluster::NodeHandle& machine : cluster_.nodes)
      if (std::any_of(told.begin(), told.end(), [&](const std::string& one) { return machine.may_have_port(one); }))
        machines.push_back(&machine);
    return machines;
  });
}

template <class Find>
const Workload* Workloads::first_where(const std::vector<std::string>& told, std::string_view node, Find find) const {
  if (const cluster::Node* only = node.empty() ? nullptr : cluster_.node(node)) return find(index_of(*only));
  if (!node.empty()) return nullptr;
  for (const cluster::NodeHandle* machine : may_have(told))
    if (const Workload* found = find(index_of(**machine))) return found;
  return nullptr;
}

const Workload* Workloads::at(const openflow::Interface& port) const {
  const auto in = [&](const Index& index) {
    const auto found = index.by_port.find(&port);
    return found == index.by_port.end() ? nullptr : &index.all[found->second];
  };
  if (const Index* whole = whole_.get()) return in(*whole);
  for (const cluster::NodeHandle& machine : cluster_.nodes)
    if (machine.is_read())   // or there was no port of it
      if (const Workload* found = in(index_of(*machine))) return found;
  return nullptr;
}

std::string Workloads::other_network_of(const Workload& pod) const {
  const Index* whole = whole_.get();
  const auto& networks = (whole != nullptr ? *whole : index_of(*pod.node)).other_networks;
  const auto found = networks.find(id_of(*pod.port));
  return found == networks.end() ? std::string() : found->second;
}

const Workload* Workloads::with_id(const std::string& id, std::string_view node) const {
  const auto in = [&](const Index& index) { return index.first_of(found_or_empty(index.by_id, id), node); };
  if (const Index* whole = whole_.get()) return in(*whole);
  return first_where({id}, node, in);
}

const Workload* Workloads::with_address(const IpAddr& address, std::string_view node) const {
  const auto in = [&](const Index& index) { return index.first_of(found_or_empty(index.by_address, address), node); };
  if (const Index* whole = whole_.get()) return in(*whole);
  std::vector<std::string> told{address.to_string()};
  for (const cluster::Pod* object : objects_with(address)) told.push_back(logical_name(*object));
  return first_where(told, node, in);
}

const std::vector<const cluster::Pod*>& Workloads::objects_with(const IpAddr& address) const {
  return found_or_empty(objects_by_address_, address);
}

}  // namespace egt::engine
