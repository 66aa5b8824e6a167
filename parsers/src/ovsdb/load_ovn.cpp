#include <algorithm>
#include <map>
#include <unordered_map>

#include "egtrace/base/value_of.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

// Ports by name, so that tables of ten thousand ports merge quickly.
class PortMerger {
 public:
  explicit PortMerger(ovn::Ovn& ovn) : ovn_(ovn) {
    for (std::size_t i = 0; i < ovn.ports.size(); ++i) by_name_.emplace(ovn.ports[i].name, i);
  }
  void add(const ovn::LogicalPort& port, bool realised) {
    if (port.name.empty()) return;
    const auto [it, fresh] = by_name_.emplace(port.name, ovn_.ports.size());
    if (fresh)
      ovn_.ports.push_back(port);
    else
      merge_port(ovn_.ports[it->second], port, realised);
  }

 private:
  ovn::Ovn& ovn_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

std::string printed(std::string_view text) { return to_text(atom_datum(string_atom(text))); }

bool is_true(const std::map<std::string, std::string>& map, const std::string& key) { return value_of(map, key) == "true"; }

// Names of things by UUID: chassis, and the switch or router that has a port.
using Names = std::map<std::string, std::string>;

std::string name_or_self(const Names& names, const std::string& uuid) {
  const auto it = names.find(uuid);
  return it == names.end() ? uuid : it->second;
}

void link_datapath_binding(const rows::sb::DatapathBinding& row, ovn::Ovn& ovn) {
  std::string name = row.external_id("name");
  if (name.empty()) name = row.external_id("name2");
  // Releases from 25.09 on have columns for what were external ids.
  const bool is_router = row.external_ids().contains("logical-router") || row.type() == "logical-router";
  ovn::Datapath& datapath = ensure_datapath(ovn, name, row.uuid(), is_router, row.from());
  datapath.tunnel_key = u32_of(row.tunnel_key());
}

void link_port_binding(const rows::sb::PortBinding& row, const Names& chassis, PortMerger& ports) {
  ovn::LogicalPort port;
  port.name = row.logical_port();
  port.type = row.type();
  port.datapath = row.datapath();
  port.tunnel_key = u32_of(row.tunnel_key());
  port.peer = value_of(row.options(), "peer");
  port.tag = static_cast<std::uint16_t>(row.tag().value_or(0));
  port.chassis = name_or_self(chassis, row.chassis());
  for (const std::string& mac : row.mac()) add_addresses(mac, port);
  port.external_ids = row.external_ids();
  port.from = row.from();
  ports.add(port, true);
}

void link_switch_port(const rows::nb::LogicalSwitchPort& row, const Names& owners, PortMerger& ports) {
  ovn::LogicalPort port;
  port.name = row.name();
  port.type = row.type();
  port.datapath = value_of(owners, row.uuid());
  port.peer = value_of(row.options(), "router-port");
  if (port.peer.empty()) port.peer = row.peer();
  port.tag = static_cast<std::uint16_t>(row.tag().value_or(0));
  for (const std::string& text : row.addresses()) add_addresses(text, port);
  add_addresses(row.dynamic_addresses(), port);
  port.external_ids = row.external_ids();
  port.from = row.from();
  ports.add(port, false);
}

void link_router_port(const rows::nb::LogicalRouterPort& row, const Names& owners, PortMerger& ports) {
  ovn::LogicalPort port;
  port.name = row.name();
  port.type = "router";
  port.datapath = value_of(owners, row.uuid());
  port.on_router = true;
  port.peer = row.peer();
  add_addresses(row.mac(), port);
  for (const std::string& network : row.networks()) add_addresses(network, port);
  port.external_ids = row.external_ids();
  port.from = row.from();
  ports.add(port, false);
}

// Rows of Logical_Switch and Logical_Router: the datapath by name, and the owner of each port.
template <class SwitchOrRouter>
void link_northbound_datapath(const SwitchOrRouter& row, bool is_router, ovn::Ovn& ovn, Names& owners) {
  const std::string name = row.name();
  if (name.empty()) return;
  ensure_datapath(ovn, name, {}, is_router, row.from());
  for (const std::string& uuid : row.ports()) owners.emplace(uuid, name);
}

// Rows that belong to a router get its name, as rows of lr-nat-list and the like have it.
void name_routers_of_rows(ovn::Ovn& ovn) {
  Names routers;
  for (const rows::nb::LogicalRouter router : rows_of<rows::nb::LogicalRouter>(ovn.rows))
    for (const auto& list : {router.nat(), router.policies(), router.static_routes()})
      for (const std::string& uuid : list) routers.emplace(uuid, router.name());
  for (const std::string_view table :
       {rows::nb::Nat::kTable, rows::nb::LogicalRouterPolicy::kTable, rows::nb::LogicalRouterStaticRoute::kTable})
    for (ovn::Row& row : ovn.rows.table(rows::nb::LogicalRouter::kDatabase, table).rows().edit())
      if (const auto it = routers.find(row.uuid); it != routers.end() && !it->second.empty())
        row.columns.add("router", printed(it->second));
}

void add_encap(ovn::Chassis& chassis, const std::string& ip) {
  const auto address = IpAddr::parse(ip);
  if (address && std::find(chassis.encap_ips.begin(), chassis.encap_ips.end(), *address) == chassis.encap_ips.end())
    chassis.encap_ips.push_back(*address);
}

using Encaps = std::map<std::string_view, rows::sb::Encap>;

void link_chassis(const rows::sb::Chassis& row, const Encaps& encaps, ovn::Ovn& ovn) {
  const std::string name = row.name();
  if (name.empty()) return;
  ovn::Chassis& chassis = ensure_chassis(ovn, name, row.from());
  chassis.hostname = row.hostname();
  chassis.is_remote |= is_true(row.other_config(), "is-remote") || is_true(row.external_ids(), "is-remote");
  for (const std::string& uuid : row.encaps())
    if (const auto it = encaps.find(uuid); it != encaps.end()) add_encap(chassis, it->second.ip());
}

// Of both databases under one name; the Southbound one is what flows were made of.
class SetMerger {
 public:
  explicit SetMerger(ovn::Ovn& ovn) : sets_(ovn.address_sets.edit()) {
    for (std::size_t i = 0; i < sets_.size(); ++i) by_name_.emplace(sets_[i].name, i);
  }
  template <class AddressSet>
  void add(const AddressSet& row) {
    const std::string name = row.name();
    if (name.empty()) return;
    const auto [it, fresh] = by_name_.emplace(name, sets_.size());
    if (fresh) sets_.push_back({name, {}, {}, row.from()});
    ovn::AddressSet& set = sets_[it->second];
    if (fresh || std::is_same_v<AddressSet, rows::sb::AddressSet>) set.addresses = row.addresses(), set.from = row.from();
    set.external_ids.merge(external_ids_of(row.row()));
  }

 private:
  std::vector<ovn::AddressSet>& sets_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

void link_address_sets(ovn::Ovn& ovn) {
  SetMerger sets(ovn);
  for (const auto row : rows_of<rows::nb::AddressSet>(ovn.rows)) sets.add(row);
  for (const auto row : rows_of<rows::sb::AddressSet>(ovn.rows)) sets.add(row);
}

void link_all_chassis(ovn::Ovn& ovn, Names& names) {
  Encaps encaps;
  for (const rows::sb::Encap encap : rows_of<rows::sb::Encap>(ovn.rows)) encaps.emplace(encap.uuid(), encap);
  for (const rows::sb::Chassis row : rows_of<rows::sb::Chassis>(ovn.rows)) {
    link_chassis(row, encaps, ovn);
    names.emplace(row.uuid(), row.name());
  }
  for (const auto& [uuid, encap] : encaps)
    if (const std::string chassis = encap.chassis_name(); !chassis.empty())
      add_encap(ensure_chassis(ovn, chassis, encap.from()), encap.ip());
}

ovn::Row nat_of(const std::vector<ShowItem>& items, std::size_t i, SourceId source) {
  ovn::Row row;
  row.uuid = items[i].uuid;
  row.from = {source, items[i].line};
  const std::pair<std::string_view, std::string> columns[] = {{"external ip", "external_ip"},
                                                              {"external port(s)", "external_port_range"},
                                                              {"logical ip", "logical_ip"},
                                                              {"type", "type"}};
  for (const auto& [word, name] : columns)
    if (const Datum* value = attribute(items, i, word)) row.columns.set(name, printed(value->text()));
  if (const std::size_t router = items[i].parent; router != ShowItem::kNoParent)
    row.columns.set("router", printed(items[router].name()));
  return row;
}

ovn::LogicalPort port_of(const std::vector<ShowItem>& items, std::size_t i, SourceId source) {
  ovn::LogicalPort port;
  port.name = items[i].name();
  port.from = {source, items[i].line};
  if (const std::size_t owner = items[i].parent; owner != ShowItem::kNoParent) {
    port.datapath = items[owner].name();
    port.on_router = items[owner].word == "router";
  }
  if (port.on_router) port.type = "router";
  if (const Datum* type = attribute(items, i, "type")) port.type = type->text();
  for (const std::string_view word : {"router-port", "peer"})
    if (const Datum* peer = attribute(items, i, word); peer && port.peer.empty()) port.peer = peer->text();
  for (const std::string_view word : {"mac", "addresses", "networks"})
    if (const Datum* value = attribute(items, i, word))
      for (const std::string& text : value->texts()) add_addresses(text, port);
  return port;
}

}  // namespace

void link_ovn_rows(ovn::Ovn& ovn) {
  Names chassis, owners;
  link_all_chassis(ovn, chassis);
  for (const auto row : rows_of<rows::sb::DatapathBinding>(ovn.rows)) link_datapath_binding(row, ovn);
  for (const auto row : rows_of<rows::nb::LogicalSwitch>(ovn.rows)) link_northbound_datapath(row, false, ovn, owners);
  for (const auto row : rows_of<rows::nb::LogicalRouter>(ovn.rows)) link_northbound_datapath(row, true, ovn, owners);
  link_address_sets(ovn);
  PortMerger ports(ovn);
  for (const auto row : rows_of<rows::sb::PortBinding>(ovn.rows)) link_port_binding(row, chassis, ports);
  for (const auto row : rows_of<rows::nb::LogicalSwitchPort>(ovn.rows)) link_switch_port(row, owners, ports);
  for (const auto row : rows_of<rows::nb::LogicalRouterPort>(ovn.rows)) link_router_port(row, owners, ports);
  settle_ports(ovn);
  name_routers_of_rows(ovn);
}

void load_southbound_show(const std::vector<ShowItem>& items, SourceId source, ovn::Ovn& ovn) {
  PortMerger ports(ovn);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ShowItem& item = items[i];
    if (item.kind != ShowItem::Kind::entity) continue;
    const std::size_t owner = item.parent;
    if (item.word == "Chassis") {
      ovn::Chassis& chassis = ensure_chassis(ovn, item.name(), {source, item.line});
      if (const Datum* hostname = attribute(items, i, "hostname")) chassis.hostname = hostname->text();
    } else if (owner != ShowItem::kNoParent && items[owner].word == "Chassis") {
      ovn::Chassis& chassis = ensure_chassis(ovn, items[owner].name(), {source, items[owner].line});
      if (const Datum* ip = attribute(items, i, "ip")) add_encap(chassis, ip->text());
      if (item.word != "Port_Binding") continue;
      ovn::LogicalPort port;
      port.name = item.name();
      port.chassis = chassis.name;
      port.from = {source, item.line};
      ports.add(port, true);
    }
  }
}

void load_northbound_show(const std::vector<ShowItem>& items, SourceId source, ovn::Ovn& ovn) {
  PortMerger ports(ovn);
  RowMerger nats(ovn.rows, "NB", "NAT", key_columns("NAT"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ShowItem& item = items[i];
    if (item.kind != ShowItem::Kind::entity) continue;
    if (item.word == "port")
      ports.add(port_of(items, i, source), false);
    else if (item.word == "nat")
      nats.add(nat_of(items, i, source));
    else
      ensure_datapath(ovn, item.name(), {}, item.word == "router", {source, item.line});
  }
  settle_ports(ovn);
}

}  // namespace egt::parsers::ovsdb
