#include "port_settings.h"

#include <optional>
#include <string_view>

#include "egtrace/base/text.h"

namespace egt::engine::ofproto {
namespace {

constexpr std::size_t kVlans = 4096;

// The words of a set or map as ovs-vsctl prints it: [10, 20], {qinq-ethtype="802.1q"}.
std::vector<std::string_view> words_of(std::string_view printed) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBetween = "[]{}, ";
  while (!printed.empty()) {
    const std::size_t begin = printed.find_first_not_of(kBetween);
    if (begin == printed.npos) break;
    printed.remove_prefix(begin);
    const std::string_view word = printed.substr(0, printed.find_first_of(kBetween));
    words.push_back(word);
    printed.remove_prefix(word.size());
  }
  return words;
}

std::string_view column(const ovn::Row& row, const std::string& name) {
  const auto it = row.columns.find(name);
  return it == row.columns.end() ? std::string_view() : std::string_view(it->second);
}

std::string_view unquoted(std::string_view word) {
  if (word.size() > 1 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  return word;
}

std::string_view other_config(const ovn::Row& row, std::string_view key) {
  for (const std::string_view word : words_of(column(row, "other_config"))) {
    const std::size_t equals = word.find('=');
    if (equals != word.npos && unquoted(word.substr(0, equals)) == key) return unquoted(word.substr(equals + 1));
  }
  return {};
}

std::optional<std::uint16_t> vlan_of(std::string_view word) {
  const auto n = parse_decimal(word);
  return n && *n < kVlans ? std::optional(static_cast<std::uint16_t>(*n)) : std::nullopt;
}

// vlan_bitmap_from_array
std::vector<bool> vlans_of(std::string_view printed) {
  std::vector<bool> all;
  for (const std::string_view word : words_of(printed)) {
    all.resize(kVlans);
    if (const auto vlan = vlan_of(word)) all[*vlan] = true;
  }
  return all;
}

VlanMode mode_of(std::string_view word, bool has_tag) {
  if (word == "access") return VlanMode::access;
  if (word == "native-tagged") return VlanMode::native_tagged;
  if (word == "native-untagged") return VlanMode::native_untagged;
  if (word == "dot1q-tunnel") return VlanMode::tunnel;
  return word.empty() && has_tag ? VlanMode::access : VlanMode::trunk;
}

// port_configure() of vswitchd/bridge.c and bundle_set() of ofproto/ofproto-dpif.c
PortSettings settings_of(const ovn::Row& row, std::optional<std::uint16_t> tag) {
  PortSettings s;
  s.vlan_mode = mode_of(ovn::text_of(row, "vlan_mode"), tag.has_value());
  if (s.vlan_mode != VlanMode::trunk) s.vlan = tag.value_or(0);
  if (s.vlan_mode != VlanMode::access && s.vlan_mode != VlanMode::tunnel) s.trunks = vlans_of(column(row, "trunks"));
  if (s.vlan_mode == VlanMode::tunnel) s.customer_vlans = vlans_of(column(row, "cvlans"));
  const bool is_native = s.vlan_mode == VlanMode::native_tagged || s.vlan_mode == VlanMode::native_untagged;
  if (is_native && s.vlan != 0 && (s.trunks.empty() || !s.trunks[s.vlan] || s.trunks[0])) {
    // The native VLAN is carried, and with it no VLAN 0.
    if (s.trunks.empty()) s.trunks.assign(kVlans, true);
    s.trunks[s.vlan] = true;
    s.trunks[0] = false;
  }
  if (other_config(row, "qinq-ethtype") == "802.1q") s.tunnel_ethertype = ethertype::vlan;
  const std::string_view tags = other_config(row, "priority-tags");
  if (tags == "if-nonzero" || tags == "true") s.priority_tags = PriorityTags::if_nonzero;
  if (tags == "always") s.priority_tags = PriorityTags::always;
  s.is_protected = column(row, "protected") == "true";
  return s;
}

}  // namespace

bool PortSettings::includes(std::uint16_t outer, std::uint16_t inner) const {
  switch (vlan_mode) {
    case VlanMode::access: return outer == vlan && inner == 0;
    case VlanMode::tunnel: return outer == vlan && allows_customer(inner);
    default: return trunks_vlan(outer);
  }
}

SwitchSettings::SwitchSettings(const cluster::Node& node) {
  std::unordered_map<std::string_view, std::string> interfaces;  // names by UUID
  for (const ovn::Row& row : node.ovs_rows)
    if (row.table == "Interface") interfaces.emplace(row.uuid, ovn::text_of(row, "name"));
  for (const ovn::Row& row : node.ovs_rows) {
    if (row.table == "Bridge") bridges_.emplace(ovn::text_of(row, "name"), &row);
    if (row.table != "Port") continue;
    ports_.emplace(ovn::text_of(row, "name"), &row);
    for (const std::string_view uuid : words_of(column(row, "interfaces")))
      if (const auto known = interfaces.find(uuid); known != interfaces.end()) ports_.emplace(known->second, &row);
  }
}

PortSettings SwitchSettings::of(const openflow::Interface& port) const {
  if (const auto row = ports_.find(port.name); row != ports_.end()) return settings_of(*row->second, port.tag);
  PortSettings s;
  if (port.tag) s.vlan_mode = VlanMode::access, s.vlan = *port.tag;
  return s;
}

BridgeSettings SwitchSettings::of(const openflow::Bridge& bridge) const {
  BridgeSettings s;
  const auto row = bridges_.find(bridge.name);
  if (row == bridges_.end()) return s;
  s.no_learning = vlans_of(column(*row->second, "flood_vlans"));
  s.forwards_reserved = other_config(*row->second, "forward-bpdu") == "true";
  return s;
}

}  // namespace egt::engine::ofproto
