#include "port_settings.h"

#include <optional>
#include <string_view>

#include "egtrace/base/value_of.h"

namespace egt::engine::ofproto {
namespace {

constexpr std::int64_t kVlans = 4096;

namespace vswitch = rows::vswitch;

VlanMode mode_of(std::string_view word, bool has_tag) {
  if (word == "access") return VlanMode::access;
  if (word == "native-tagged") return VlanMode::native_tagged;
  if (word == "native-untagged") return VlanMode::native_untagged;
  if (word == "dot1q-tunnel") return VlanMode::tunnel;
  return word.empty() && has_tag ? VlanMode::access : VlanMode::trunk;
}

// port_refresh_stp_status() and port_refresh_rstp_status() of vswitchd/bridge.c. Database files lack these columns. Internal ports and
// bonds take no part in the tree.
TreeState tree_state_of(const vswitch::Port& row) {
  if (row.interfaces().size() > 1) return TreeState::forwards;
  const std::string plain = egt::value_of(row.status(), "stp_state");
  const std::string state = plain.empty() ? egt::value_of(row.rstp_status(), "rstp_port_state") : plain;
  if (state.empty() || state == "Disabled") return TreeState::unknown;
  return state == "forwarding" || state == "Forwarding" || state == "disabled" ? TreeState::forwards : TreeState::blocks;
}

// port_configure() of vswitchd/bridge.c and bundle_set() of ofproto/ofproto-dpif.c
PortSettings settings_of(const vswitch::Port& row, std::optional<std::uint16_t> tag) {
  PortSettings s;
  s.vlan_mode = mode_of(row.vlan_mode(), tag.has_value());
  if (s.vlan_mode != VlanMode::trunk) s.vlan = tag.value_or(0);
  if (s.vlan_mode != VlanMode::access && s.vlan_mode != VlanMode::tunnel) s.trunks = vlan_bitmap(row.trunks());
  if (s.vlan_mode == VlanMode::tunnel) s.customer_vlans = vlan_bitmap(row.cvlans());
  const bool is_native = s.vlan_mode == VlanMode::native_tagged || s.vlan_mode == VlanMode::native_untagged;
  if (is_native && s.vlan != 0 && (s.trunks.empty() || !s.trunks[s.vlan] || s.trunks[0])) {
    // The native VLAN is carried, and with it no VLAN 0.
    if (s.trunks.empty()) s.trunks.assign(static_cast<std::size_t>(kVlans), true);
    s.trunks[s.vlan] = true;
    s.trunks[0] = false;
  }
  const auto config = row.other_config();
  if (egt::value_of(config, "qinq-ethtype") == "802.1q") s.tunnel_ethertype = ethertype::vlan;
  const std::string tags = egt::value_of(config, "priority-tags");
  if (tags == "if-nonzero" || tags == "true") s.priority_tags = PriorityTags::if_nonzero;
  if (tags == "always") s.priority_tags = PriorityTags::always;
  s.is_protected = row.protected_().value_or(false);
  s.tree_state = tree_state_of(row);
  return s;
}

}  // namespace

std::vector<bool> vlan_bitmap(const std::vector<std::int64_t>& vlans) {
  std::vector<bool> all(vlans.empty() ? 0 : static_cast<std::size_t>(kVlans));
  for (const std::int64_t vlan : vlans)
    if (vlan >= 0 && vlan < kVlans) all[static_cast<std::size_t>(vlan)] = true;
  return all;
}

bool PortSettings::includes(std::uint16_t outer, std::uint16_t inner) const {
  switch (vlan_mode) {
    case VlanMode::access: return outer == vlan && inner == 0;
    case VlanMode::tunnel: return outer == vlan && allows_customer(inner);
    default: return trunks_vlan(outer);
  }
}

SwitchSettings::SwitchSettings(const cluster::Node& node) {
  std::unordered_map<std::string_view, std::string> interfaces;  // names by UUID
  for (const vswitch::Interface row : rows_of<vswitch::Interface>(node.ovs_rows)) interfaces.emplace(row.uuid(), row.name());
  for (const vswitch::Bridge row : rows_of<vswitch::Bridge>(node.ovs_rows)) bridges_.emplace(row.name(), row);
  for (const vswitch::Port row : rows_of<vswitch::Port>(node.ovs_rows)) {
    ports_.emplace(row.name(), row);
    for (const std::string& uuid : row.interfaces())
      if (const auto known = interfaces.find(uuid); known != interfaces.end()) ports_.emplace(known->second, row);
  }
}

PortSettings SwitchSettings::of(const openflow::Interface& port) const {
  if (const auto row = ports_.find(port.name); row != ports_.end()) return settings_of(row->second, port.tag);
  PortSettings s;
  if (port.tag) s.vlan_mode = VlanMode::access, s.vlan = *port.tag;
  return s;
}

BridgeSettings SwitchSettings::of(const openflow::Bridge& bridge) const {
  BridgeSettings s;
  const auto row = bridges_.find(bridge.name);
  if (row == bridges_.end()) return s;
  s.no_learning = vlan_bitmap(row->second.flood_vlans());
  s.forwards_reserved = egt::value_of(row->second.other_config(), "forward-bpdu") == "true";
  s.rapid_tree = row->second.rstp_enable().value_or(false);
  s.spanning_tree = s.rapid_tree || row->second.stp_enable().value_or(false);
  s.mirrors = row->second.mirrors();
  s.from = row->second.from();
  return s;
}

std::string SwitchSettings::row_of(const openflow::Interface& port) const {
  const auto row = ports_.find(port.name);
  return row == ports_.end() ? std::string() : row->second.uuid();
}

}  // namespace egt::engine::ofproto
