#include "egtrace/cluster/cluster.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inconsistencies.h"

namespace egt::cluster {
namespace {

// First element whose name is not less; `nodes` is sorted by name.
template <class Nodes>
auto lower_bound_by_name(Nodes& nodes, std::string_view name) {
  return std::lower_bound(nodes.begin(), nodes.end(), name,
                          [](const NodeHandle& n, std::string_view wanted) { return n.name().compare(wanted) < 0; });
}

template <class Bridges>
auto* find_bridge(Bridges& bridges, std::string_view name) {
  const auto it = std::find_if(bridges.begin(), bridges.end(), [&](const auto& b) { return b.name == name; });
  return it == bridges.end() ? nullptr : &*it;
}

openflow::Interface* find_interface(std::vector<openflow::Bridge>& bridges, std::string_view name) {
  for (openflow::Bridge& b : bridges)
    if (openflow::Interface* i = b.by_name(name)) return i;
  return nullptr;
}

}  // namespace

const openflow::Bridge* Node::bridge(std::string_view bridge_name) const { return find_bridge(bridges, bridge_name); }
openflow::Bridge* Node::bridge(std::string_view bridge_name) { return find_bridge(bridges, bridge_name); }

bool Node::has_userspace_datapath() const {
  return std::any_of(bridges.begin(), bridges.end(), [](const openflow::Bridge& b) { return b.datapath_type == "netdev"; });
}

const openflow::Bridge* Node::integration_bridge() const {
  using Rank = std::pair<bool, std::size_t>;
  const openflow::Bridge* best = nullptr;
  Rank best_rank{false, 0};
  for (const openflow::Bridge& b : bridges) {
    const Rank rank{holds_pods(b), b.flows ? b.flows->size() : 0};
    if (rank > best_rank) best = &b, best_rank = rank;
  }
  return best;
}

Node::PortPlace Node::port(std::string_view interface_name) const {
  for (const openflow::Bridge& b : bridges)
    if (const openflow::Interface* i = b.by_name(interface_name)) return {&b, i};
  return {};
}

void merge_interface(openflow::Interface& known, const openflow::Interface& more) {
  for (const auto& [key, value] : more.options)
    if (const auto shown = known.options.find(key); shown != known.options.end() && shown->second != value)
      known.disputed.insert(key);
  if (known.ofport && more.ofport && known.ofport != more.ofport) known.disputed.insert("ofport");
  if (!known.type.empty() && !more.type.empty() && known.type != more.type) known.disputed.insert("type");
  known.disputed.insert(more.disputed.begin(), more.disputed.end());
  if (known.type.empty()) known.type = more.type;
  if (!known.ofport) known.ofport = more.ofport;
  known.options.insert(more.options.begin(), more.options.end());
  known.external_ids.insert(more.external_ids.begin(), more.external_ids.end());
  if (!known.mac) known.mac = more.mac;
  if (!known.mtu) known.mtu = more.mtu;
  if (!known.tag) known.tag = more.tag;
  known.port_down |= more.port_down;
  known.link_down |= more.link_down;
  if (!known.from.known()) known.from = more.from;
}

namespace {

using JoinedBridges = std::unordered_map<openflow::Bridge*, std::vector<openflow::Bridge*>>;

// By patch ports, in both directions.
JoinedBridges joined_bridges(std::vector<openflow::Bridge>& bridges) {
  std::unordered_map<std::string_view, openflow::Bridge*> bridge_of;  // by port
  for (openflow::Bridge& bridge : bridges)
    for (const openflow::Interface& port : bridge.interfaces) bridge_of.emplace(port.name, &bridge);
  JoinedBridges joined;
  for (openflow::Bridge& bridge : bridges)
    for (const openflow::Interface& port : bridge.interfaces) {
      const std::string_view peer = openflow::patch_peer(port);
      const auto other = peer.empty() ? bridge_of.end() : bridge_of.find(peer);
      if (other == bridge_of.end() || other->second == &bridge) continue;
      joined[&bridge].push_back(other->second);
      joined[other->second].push_back(&bridge);
    }
  return joined;
}

// Patch ports join bridges of one datapath alone: where a list of bridges is cut, those of which others show have its type.
void share_datapath_types(std::vector<openflow::Bridge>& bridges) {
  std::vector<openflow::Bridge*> shown;
  for (openflow::Bridge& bridge : bridges)
    if (!bridge.datapath_type.empty()) shown.push_back(&bridge);
  if (shown.empty() || shown.size() == bridges.size()) return;
  const JoinedBridges joined = joined_bridges(bridges);
  while (!shown.empty()) {
    const openflow::Bridge& from = *shown.back();
    const auto others = joined.find(shown.back());
    shown.pop_back();
    if (others == joined.end()) continue;
    for (openflow::Bridge* to : others->second)
      if (to->datapath_type.empty()) {
        to->datapath_type = from.datapath_type;
        shown.push_back(to);
      }
  }
}

}  // namespace

const NetworkNamespace* Node::namespace_of(const IpAddr& address) const {
  const auto has = [&](const NetworkNamespace& n) {
    return std::any_of(n.host.links.value.begin(), n.host.links.value.end(), [&](const host::Link& link) {
      return std::any_of(link.addresses.begin(), link.addresses.end(),
                         [&](const host::Address& own) { return own.prefix.address == address; });
    });
  };
  const auto found = std::find_if(namespaces.begin(), namespaces.end(), has);
  if (found == namespaces.end() || std::any_of(found + 1, namespaces.end(), has)) return nullptr;
  return &*found;
}

void Node::place_interfaces() {
  std::erase_if(unplaced_interfaces, [this](const openflow::Interface& unplaced) {
    openflow::Interface* known = find_interface(bridges, unplaced.name);
    if (known) merge_interface(*known, unplaced);
    return known != nullptr;
  });
  for (openflow::Bridge& b : bridges) b.index_ports();  // numbers may have been shown since
  share_datapath_types(bridges);
}

Cluster::Cluster(Cluster&& other) noexcept { *this = std::move(other); }

Cluster& Cluster::operator=(Cluster&& other) noexcept {
  nodes = std::move(other.nodes);
  objects = std::move(other.objects);
  sources = std::exchange(other.sources, std::make_shared<SourceTable>());
  dumps = std::move(other.dumps);
  declared_links = std::move(other.declared_links);
  diagnostics = std::move(other.diagnostics);
  place_ = std::move(other.place_);
  if (place_ != nullptr) *place_ = this;
  return *this;
}

Cluster Cluster::part(const std::set<std::string>& names) const {
  Cluster some;
  for (const NodeHandle& node : nodes)
    if (names.contains(node.name())) {
      node.get();  // which completes what `dumps` has of it
      some.nodes.push_back(node.shared());
    }
  some.objects = objects;
  some.sources = sources;
  some.dumps = dumps;
  some.declared_links = declared_links;
  return some;
}

const std::shared_ptr<Cluster*>& Cluster::place() {
  if (place_ == nullptr) place_ = std::make_shared<Cluster*>(this);
  return place_;
}

const NodeHandle* Cluster::handle(std::string_view name) const {
  const auto it = lower_bound_by_name(nodes, name);
  return it != nodes.end() && it->name() == name ? &*it : nullptr;
}

const Node* Cluster::node(std::string_view name) const {
  const NodeHandle* known = handle(name);
  return known == nullptr ? nullptr : known->get();
}

Node* Cluster::node(std::string_view name) {
  const NodeHandle* known = handle(name);
  return known == nullptr ? nullptr : known->get();
}

Node& Cluster::ensure_node(const std::string& name) {
  const auto it = lower_bound_by_name(nodes, name);
  if (it != nodes.end() && it->name() == name) return **it;
  auto fresh = std::make_unique<Node>();
  fresh->name = name;
  return **nodes.insert(it, NodeHandle(std::move(fresh)));
}

namespace {

bool has_address(const std::vector<host::Link>& links, const IpAddr& address) {
  return std::any_of(links.begin(), links.end(), [&](const host::Link& l) {
    return std::any_of(l.addresses.begin(), l.addresses.end(),
                       [&](const host::Address& a) { return a.prefix.address == address; });
  });
}

}  // namespace

const Node* Cluster::owner_of(const IpAddr& address) const {
  for (const NodeHandle& n : nodes)
    if (has_address(n.links().value, address)) return n.get();
  return nullptr;
}

}  // namespace egt::cluster
