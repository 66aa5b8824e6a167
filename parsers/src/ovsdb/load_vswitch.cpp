#include <algorithm>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/vswitch.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

namespace vswitch = rows::vswitch;

template <class View>
using ByUuid = std::map<std::string_view, View>;

template <class View>
ByUuid<View> rows_by_uuid(const ovn::Rows& rows) {
  ByUuid<View> index;
  for (const View row : rows_of<View>(rows))
    if (!row.uuid().empty()) index.emplace(row.uuid(), row);
  return index;
}

std::optional<std::uint16_t> vlan_of(std::optional<std::int64_t> tag) {
  return tag && *tag >= 0 && *tag <= 4095 ? std::optional(static_cast<std::uint16_t>(*tag)) : std::nullopt;
}

std::optional<std::uint32_t> u32_in(const std::string& text) {
  const auto n = parse_decimal(text);
  if (!n || *n > 0xffffffffULL) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

std::optional<std::uint16_t> vlan(const Datum* value) {
  const auto n = value ? u32_in(value->text()) : std::nullopt;
  if (!n || *n > 4095) return std::nullopt;
  return static_cast<std::uint16_t>(*n);
}

openflow::Bridge& ensure_bridge(cluster::Node& node, const std::string& name, Provenance from) {
  if (openflow::Bridge* known = node.bridge(name)) {
    if (!known->from.known()) known->from = from;
    return *known;
  }
  node.bridges.emplace_back();
  node.bridges.back().name = name;
  node.bridges.back().from = from;
  return node.bridges.back();
}

void add_interface(openflow::Bridge& bridge, const openflow::Interface& more) {
  if (openflow::Interface* known = bridge.by_name(more.name))
    cluster::merge_interface(*known, more);
  else
    bridge.interfaces.push_back(more);
}

// ofport is -1 where the interface could not be added to the datapath, and empty before that was tried.
openflow::Interface interface_of(const vswitch::Interface& row) {
  openflow::Interface i;
  i.name = row.name();
  i.type = row.type();
  i.ofport = u32_of(row.ofport());
  i.options = row.options();
  i.external_ids = row.external_ids();
  i.mac = MacAddr::parse(row.mac_in_use());
  i.mtu = u32_of(row.mtu());
  i.link_down = row.link_state() == "down";
  i.from = row.from();
  return i;
}

// The interfaces of a Port row. A single interface that no dump shows has the name of its port.
std::vector<openflow::Interface> interfaces_of(const vswitch::Port& port, const ByUuid<vswitch::Interface>& interfaces,
                                               std::vector<std::string>& placed) {
  std::vector<openflow::Interface> all;
  const std::vector<std::string> uuids = port.interfaces();
  for (const std::string& uuid : uuids) {
    if (const auto it = interfaces.find(uuid); it != interfaces.end()) {
      all.push_back(interface_of(it->second));
      placed.push_back(uuid);
    } else if (uuids.size() == 1) {
      all.emplace_back();
      all.back().name = port.name();
      all.back().from = port.from();
    }
  }
  for (openflow::Interface& i : all) i.tag = vlan_of(port.tag());
  return all;
}

void take_ct_zones(const vswitch::Bridge& bridge, ovn::Ovn& ovn) {
  for (const auto& [key, value] : bridge.external_ids()) {
    std::string_view name = key;
    const auto zone = u32_in(value);
    if (consume(name, "ct-zone-") && zone && *zone <= 0xffff)
      ovn.ct_zones.emplace(std::string(name), static_cast<std::uint16_t>(*zone));
  }
}

void link_bridge(const vswitch::Bridge& row, const ByUuid<vswitch::Port>& ports, const ByUuid<vswitch::Interface>& interfaces,
                 std::vector<std::string>& placed, cluster::Node& node) {
  const std::string name = row.name();
  if (name.empty()) return;
  openflow::Bridge& bridge = ensure_bridge(node, name, row.from());
  if (const std::string mode = row.fail_mode(); !mode.empty()) bridge.fail_mode = mode;
  if (const std::string type = row.datapath_type(); !type.empty()) bridge.datapath_type = type;
  take_ct_zones(row, node.ovn);
  for (const std::string& uuid : row.ports()) {
    const auto port = ports.find(uuid);
    if (port == ports.end()) continue;
    for (const openflow::Interface& i : interfaces_of(port->second, interfaces, placed)) add_interface(bridge, i);
  }
}

// Interfaces that no dump shows the bridge of, by name.
class UnplacedByName {
 public:
  explicit UnplacedByName(std::vector<openflow::Interface>& all) : all_(all) {
    for (std::size_t i = 0; i < all_.size(); ++i) by_name_.emplace(all_[i].name, i);
  }
  void keep(openflow::Interface more) {
    const auto [known, fresh] = by_name_.emplace(more.name, all_.size());
    if (!fresh) return cluster::merge_interface(all_[known->second], more);
    all_.push_back(std::move(more));
  }

 private:
  std::vector<openflow::Interface>& all_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

// Tags of ports that are found by name only.
void take_tags_by_name(const ByUuid<vswitch::Port>& ports, cluster::Node& node) {
  for (const auto& [uuid, row] : ports) {
    const auto tag = vlan_of(row.tag());
    if (!tag) continue;
    const std::string name = row.name();
    for (openflow::Bridge& bridge : node.bridges)
      for (openflow::Interface& i : bridge.interfaces)
        if (!i.tag && i.name == name) i.tag = tag;
  }
}

void load_show_interface(const std::vector<ShowItem>& items, std::size_t i, SourceId source, UnplacedByName& unplaced,
                         cluster::Node& node) {
  const std::size_t port = items[i].parent;
  const std::size_t bridge = port == ShowItem::kNoParent ? port : items[port].parent;
  openflow::Interface made;
  made.name = items[i].name();
  made.from = {source, items[i].line};
  if (const Datum* type = attribute(items, i, "type")) made.type = type->text();
  if (const Datum* options = attribute(items, i, "options")) made.options = options->as_map();
  made.tag = vlan(attribute(items, port, "tag"));
  if (bridge == ShowItem::kNoParent || items[bridge].word != "Bridge") return unplaced.keep(std::move(made));
  add_interface(ensure_bridge(node, items[bridge].name(), {source, items[bridge].line}), made);
}

void load_settings(const vswitch::OpenVSwitch& row, cluster::Node& node) {
  if (const std::string version = row.ovs_version(); !version.empty()) node.ovs_version = version;
  const auto config = row.other_config();
  if (const auto limit = config.find("vlan-limit"); limit != config.end())
    node.vlan_limit = u32_in(limit->second).value_or(node.vlan_limit);
  if (const auto offload = config.find("hw-offload"); offload != config.end()) node.offloads_flows = offload->second == "true";
}

openflow::ConntrackLimits limits_of(const vswitch::Datapath& row, const ByUuid<vswitch::CtZone>& zones) {
  openflow::ConntrackLimits limits;
  if (const auto most = row.ct_zone_default_limit(); most && *most >= 0)
    limits.of_others = openflow::ConnectionNumber{static_cast<std::uint64_t>(*most), row.from()};
  for (const auto& [number, uuid] : row.ct_zones()) {
    const auto zone = u32_in(number);
    const auto of_zone = zones.find(uuid);
    if (!zone || *zone > UINT16_MAX || of_zone == zones.end()) continue;
    if (const auto most = of_zone->second.limit(); most && *most >= 0)
      limits.zones.push_back({static_cast<std::uint16_t>(*zone), static_cast<std::uint64_t>(*most), {}, of_zone->second.from()});
  }
  return limits;
}

void load_conntrack_limits(const vswitch::OpenVSwitch& row, cluster::Node& node) {
  const auto datapaths = row.datapaths();
  const auto used = datapaths.find(node.has_userspace_datapath() ? "netdev" : "system");
  if (used == datapaths.end()) return;
  const auto zones = rows_by_uuid<vswitch::CtZone>(node.ovs_rows);
  for (const vswitch::Datapath datapath : rows_of<vswitch::Datapath>(node.ovs_rows))
    if (datapath.uuid() == used->second) node.datapath.configured = limits_of(datapath, zones);
}

}  // namespace

void link_vswitch_rows(cluster::Node& node) {
  const auto ports = rows_by_uuid<vswitch::Port>(node.ovs_rows);
  const auto interfaces = rows_by_uuid<vswitch::Interface>(node.ovs_rows);
  std::vector<std::string> placed;
  for (const vswitch::Bridge row : rows_of<vswitch::Bridge>(node.ovs_rows)) link_bridge(row, ports, interfaces, placed, node);
  for (const vswitch::OpenVSwitch row : rows_of<vswitch::OpenVSwitch>(node.ovs_rows)) {
    load_settings(row, node);
    load_conntrack_limits(row, node);
  }
  std::sort(placed.begin(), placed.end());
  UnplacedByName unplaced(node.unplaced_interfaces);
  for (const vswitch::Interface row : rows_of<vswitch::Interface>(node.ovs_rows)) {
    if (std::binary_search(placed.begin(), placed.end(), row.uuid())) continue;
    if (openflow::Interface i = interface_of(row); !i.name.empty()) unplaced.keep(std::move(i));
  }
  node.place_interfaces();
  take_tags_by_name(ports, node);
}

void load_vswitch_show(const std::vector<ShowItem>& items, SourceId source, cluster::Node& node) {
  UnplacedByName unplaced(node.unplaced_interfaces);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ShowItem& item = items[i];
    if (item.kind == ShowItem::Kind::attribute && item.word == "ovs_version" && !node.ovs_version) node.ovs_version = item.name();
    if (item.kind != ShowItem::Kind::entity) continue;
    if (item.word == "Interface") load_show_interface(items, i, source, unplaced, node);
    if (item.word != "Bridge") continue;
    openflow::Bridge& bridge = ensure_bridge(node, item.name(), {source, item.line});
    if (const Datum* mode = attribute(items, i, "fail_mode")) bridge.fail_mode = mode->text();
    if (const Datum* type = attribute(items, i, "datapath_type")) bridge.datapath_type = type->text();
  }
  node.place_interfaces();
}

}  // namespace egt::parsers::ovsdb
