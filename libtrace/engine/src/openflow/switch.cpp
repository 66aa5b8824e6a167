#include "switch.h"

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"
#include "hash.h"
#include "openflow/hash_order.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// Numbers for ports of which no dump shows the number, so that they can be output to by name: no packet and no flow has
// one of these.
constexpr std::uint32_t kUnnumbered = 0x10000;

std::vector<SwitchPort*> by_hash_of_number(const std::vector<SwitchPort*>& ports) {
  std::vector<std::uint32_t> hashes;
  for (const SwitchPort* p : ports) hashes.push_back(hash_int(p->number, 0));
  std::vector<SwitchPort*> order;
  for (const std::uint32_t i : order_in_hash_table(hashes)) order.push_back(ports[i]);
  return order;
}

// What goes there leaves the tables: no dump has the flows behind it.
bool leads_to_logical_flows(const Interface& port, const cluster::Node& node, const Bridge* logical) {
  const auto peer = node.port(patch_peer(port));
  return peer.bridge != nullptr && (peer.bridge->by_logical_flows || peer.bridge == logical);
}

// Patch ports are joined where each names the other (ofport_update_peer()).
bool names_another(const Interface& port, std::string_view than) {
  const std::string_view peer = patch_peer(port);
  return !peer.empty() && peer != than && port.disputed.count("peer") == 0;
}

}  // namespace

TreeState SwitchPort::tree_state() const {
  const bool takes_part =
      bridge->settings.spanning_tree && interface->type != "internal" && interface->name != bridge->bridge->name;
  return takes_part ? settings.tree_state : TreeState::forwards;
}

std::optional<std::uint32_t> SwitchBridge::number_of(const openflow::Port& p) const {
  if (p.name.empty()) return p.number;
  const openflow::Interface* i = bridge->by_name(p.name);
  if (i && i->ofport) return i->ofport;
  const auto at = unnumbered.find(p.name);
  return at == unnumbered.end() ? std::nullopt : std::optional(at->second);
}

Switch::Switch(const cluster::Node& node, Datapath datapath, const Bridge* logical)
    : node_(node), datapath_(std::move(datapath)) {
  const SwitchSettings settings(node);
  for (const Bridge& b : node.bridges) {
    auto sb = std::make_unique<SwitchBridge>();
    sb->bridge = &b;
    sb->settings = settings.of(b);
    sb->numbers_known = !b.interfaces.empty();
    std::uint32_t unnumbered = kUnnumbered;
    for (const Interface& i : b.interfaces) {
      if (i.ofport && (*i.ofport == 0 || *i.ofport > 0xffff)) continue;
      SwitchPort p;
      p.interface = &i;
      p.bridge = sb.get();
      p.settings = settings.of(i);
      p.number = i.ofport ? *i.ofport : unnumbered++;
      sb->numbers_known = sb->numbers_known && i.ofport;
      if (!i.ofport) sb->unnumbered.emplace(i.name, p.number);
      p.is_patch = i.type == "patch" && !leads_to_logical_flows(i, node, logical);
      p.is_tunnel = is_tunnel_type(i.type) && !overridden(i);
      if (!p.is_patch) p.datapath_port = datapath_port(b, p);
      sb->ports.emplace(p.number, p);
    }
    for (const FdbEntry& e : b.fdb) sb->fdb.try_emplace(std::uint64_t{e.vlan} << 48 | e.mac.value, &e);
    bridges_.emplace(&b, std::move(sb));
  }
  for (auto& [b, sb] : bridges_) {
    for (auto& [number, p] : sb->ports) {
      if (p.is_patch)
        if (const auto peer = p.interface->options.find("peer"); peer != p.interface->options.end()) {
          SwitchPort* other = port_named(peer->second);
          if (other && other->is_patch) (names_another(*other->interface, p.interface->name) ? p.named : p.peer) = other;
        }
      sb->in_order.push_back(&p);
    }
    // The bridge's own port is made with the bridge, before all others.
    std::stable_partition(sb->in_order.begin(), sb->in_order.end(), [](const SwitchPort* p) { return p->number == port::local; });
    sb->by_hash = by_hash_of_number(sb->in_order);
    if (!sb->settings.mirrors.empty()) add_mirrors(node, settings, *sb);
  }
}

// Tunnels share a port of the datapath (genev_sys_6081). One that has its own is no tunnel to this switch: it was
// started with --enable-dummy=override.
bool Switch::overridden(const Interface& i) const {
  const auto& tunnels = datapath_.tunnels;
  return datapath_.port(i.name) != nullptr &&
         std::none_of(tunnels.begin(), tunnels.end(), [&](const TunnelPort& t) { return t.name == i.name; });
}

SwitchBridge* Switch::bridge(const Bridge& b) {
  const auto it = bridges_.find(&b);
  return it == bridges_.end() ? nullptr : it->second.get();
}

SwitchPort* Switch::port_named(std::string_view name) {
  for (auto& [b, sb] : bridges_)
    for (auto& [number, p] : sb->ports)
      if (p.interface->name == name) return &p;
  return nullptr;
}

bool Switch::native_tunnels(const Bridge& b) const {
  const std::string& type = b.datapath_type.empty() ? datapath_.type : b.datapath_type;
  return type == "netdev" || type == "dummy";
}

std::optional<std::uint32_t> Switch::datapath_port(const Bridge& b, const SwitchPort& p) const {
  const Datapath& dp = datapath_;
  if (p.is_tunnel) {
    for (const TunnelPort& t : dp.tunnels)
      if (t.name == p.interface->name) return t.datapath_port;
    const auto given = p.interface->options.find("dst_port");
    const std::string& type = p.interface->type;
    if (const auto otherwise = openflow::default_tunnel_port(type)) {
      const std::string number = given != p.interface->options.end() ? given->second : std::to_string(*otherwise);
      if (const DatapathPort* d = dp.port((type == "geneve" ? "genev_sys_" : "vxlan_sys_") + number)) return d->number;
    } else if (const DatapathPort* d = dp.port(type == "ip6gre" ? "ip6gre_sys" : "gre_sys")) {
      return d->number;
    }
    return std::nullopt;
  }
  if (const DatapathPort* d = dp.port(p.interface->name)) return d->number;
  if (p.number == port::local)
    if (const DatapathPort* d = dp.port(b.name)) return d->number;
  return std::nullopt;
}

}  // namespace egt::engine::ofproto
