// Numbers that stand for datapaths and ports: in registers of flows, and in tunnels between the zones. Both sides have to mean
// the same by them.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "triage/checks.h"

namespace egt::assess {
namespace tunnel_key_mismatch {

using openflow::FlowTables;

// ---- Flows against the southbound database of their node

// What the flow writes into the whole of a field; none: nothing, or a part.
std::optional<std::uint64_t> written(const openflow::ActionList& actions, FieldId field) {
  std::optional<std::uint64_t> value;
  for (const openflow::Action& a : actions) {
    if (const auto* load = std::get_if<openflow::Load>(&a.kind); load != nullptr && load->dest.field == field)
      value = low64(load->value);
    if (const auto* set = std::get_if<openflow::SetField>(&a.kind); set != nullptr && set->field == field)
      value = low64(set->value);
    if (const auto* meta = std::get_if<openflow::WriteMetadata>(&a.kind); meta != nullptr && field == FieldId::metadata)
      value = meta->value;
  }
  return value;
}

// Of a container behind the port, which is a port of its own (ovn-architecture(7), "Life Cycle of a Container Interface").
bool is_tagged(const openflow::MatchView& match) {
  constexpr std::uint64_t kPresent = 0x1000;
  return (low64(openflow::value_of(match, FieldId::vlan_tci)) & kPresent) != 0;
}

// The flows by which packets of a port enter the logical pipeline (ovn-architecture(7): metadata is the datapath, reg14 the port);
// of each port the first.
std::unordered_map<std::uint64_t, const openflow::FlowEntry*> entry_flows(const FlowTables& flows) {
  std::unordered_map<std::uint64_t, const openflow::FlowEntry*> all;
  for (const openflow::FlowIndex i : flows.in_table(0)) {
    const openflow::FlowEntry& flow = flows.flow(i);
    const openflow::MatchView match = openflow::match_of(flow);
    if (openflow::mask_of(match, FieldId::in_port) != 0 && !is_tagged(match) && written(flows.actions(flow), FieldId::metadata))
      all.emplace(low64(openflow::value_of(match, FieldId::in_port)), &flow);
  }
  return all;
}

struct Keys {
  std::optional<std::uint32_t> datapath, port;
  Provenance from;
};
// Of logical ports by name.
std::unordered_map<std::string_view, Keys> keys_in(const ovn::Ovn& ovn) {
  std::unordered_map<std::string_view, std::optional<std::uint32_t>> datapaths;
  for (const ovn::Datapath& d : ovn.datapaths) datapaths[d.name] = d.tunnel_key;
  std::unordered_map<std::string_view, Keys> all;
  for (const ovn::LogicalPort& p : ovn.ports) {
    if (!p.tunnel_key) continue;
    const auto datapath = datapaths.find(p.datapath);
    all[p.name] = {datapath == datapaths.end() ? std::nullopt : datapath->second, p.tunnel_key, p.from};
  }
  return all;
}

void compare_flow(const cluster::Node& node, const openflow::Interface& port, const Keys& keys, const FlowTables& flows,
                  const openflow::FlowEntry* flow, Findings& out) {
  const auto id = port.external_ids.find("iface-id");
  const auto datapath = written(flows.actions(*flow), FieldId::metadata), number = written(flows.actions(*flow), FieldId::reg14);
  if (number && *number != *keys.port)
    out.add(Claim::port_key_differs, node.name, "", {id->second, *number, *keys.port}, {flow->from, keys.from});
  if (keys.datapath && *datapath != *keys.datapath)
    out.add(Claim::datapath_key_differs, node.name, "", {id->second, *datapath, *keys.datapath}, {flow->from, keys.from});
}

void compare_flows(const cluster::Node& node, const openflow::Bridge& bridge, Findings& out) {
  const auto entries = entry_flows(*bridge.flows);
  const auto keys = keys_in(node.ovn);
  for (const openflow::Interface& port : bridge.interfaces) {
    const auto id = port.external_ids.find("iface-id");
    if (id == port.external_ids.end() || !port.ofport) continue;
    const auto known = keys.find(id->second);
    const auto entry = entries.find(*port.ofport);
    if (known != keys.end() && entry != entries.end()) compare_flow(node, port, known->second, *bridge.flows, entry->second, out);
  }
}

// ---- Zones against each other

// What zones share: the transit switch and its ports.
struct What {
  bool is_switch = false;
  std::string name;
  friend auto operator<=>(const What&, const What&) = default;
};

// Its key in one of them.
struct Shared {
  std::uint32_t key = 0;
  bool is_remote = false;  // a port of another zone
  const cluster::Node* node = nullptr;
  Provenance from;
};

// A switch with ports of other zones. Other datapaths may have one name in each zone and be different ones.
bool is_shared(const ovn::Ovn& ovn, const std::string& datapath) {
  return std::any_of(ovn.ports.begin(), ovn.ports.end(),
                     [&](const ovn::LogicalPort& p) { return p.datapath == datapath && !p.on_router && p.type == "remote"; });
}

std::map<What, std::vector<Shared>> shared_keys(const Facts& f) {
  std::map<What, std::vector<Shared>> all;
  const auto add = [&](What what, std::optional<std::uint32_t> key, bool is_remote, const cluster::Node& node, Provenance from) {
    if (key) all[std::move(what)].push_back({*key, is_remote, &node, from});
  };
  for (const auto& node : f.cluster.nodes)
    for (const ovn::Datapath& d : node->ovn.datapaths) {
      if (d.is_router || d.name.empty() || !is_shared(node->ovn, d.name)) continue;
      add({true, d.name}, d.tunnel_key, false, *node, d.from);
      for (const ovn::LogicalPort& p : node->ovn.ports)
        if (p.datapath == d.name && !p.on_router) add({false, p.name}, p.tunnel_key, p.type == "remote", *node, p.from);
    }
  return all;
}

void compare_zones(const Facts& f, Findings& out) {
  for (const auto& [what, keys] : shared_keys(f)) {
    // Each zone's own port of one name, as that of a gateway router to a layer-2 switch: not one port.
    if (!what.is_switch && std::none_of(keys.begin(), keys.end(), [](const Shared& one) { return one.is_remote; })) continue;
    for (const Shared& one : keys) {
      const Shared& first = keys.front();
      if (one.key == first.key) continue;
      const bool harms = out.explain_between(first.node->name, one.node->name);
      out.weigh(harms ? Severity::error : Severity::warning);
      out.add(Claim::zone_keys_differ, one.node->name, "", {what.is_switch, what.name, first.key, first.node->name, one.key},
              {first.from, one.from});
    }
  }
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const openflow::Bridge* bridge = node->integration_bridge();
    if (bridge == nullptr || !bridge->flows || bridge->flows_partial) continue;
    compare_flows(*node, *bridge, out);
  }
  compare_zones(f, out);
}

std::optional<Lack> lacks(const Facts& f) {
  const auto& nodes = f.cluster.nodes;
  const bool shown = std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    return std::any_of(node->ovn.ports.begin(), node->ovn.ports.end(),
                       [](const ovn::LogicalPort& p) { return p.tunnel_key.has_value(); });
  });
  return lack_if(!shown, Lack::tunnel_keys);
}

}  // namespace tunnel_key_mismatch

const Check kTunnelKeyMismatch{"tunnel-key-mismatch", Severity::error, tunnel_key_mismatch::lacks, tunnel_key_mismatch::run};

}  // namespace egt::assess
