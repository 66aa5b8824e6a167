#include "ovn_lang/northbound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "egtrace/ovn/rows/nb.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Ovn;
using ovn::Southbound;
using ovn::Uuid;
namespace nb = rows::nb;
namespace sb = ovn::sb;

// Keys of the groups: OVN_MCAST_*_TUNNEL_KEY of lib/mcast-group-index.h.
constexpr std::uint32_t kFloodKey = 32768, kUnknownKey = 32769, kFloodL2Key = 32773;

// "unknown" may stand beside an address: "dynamic unknown".
bool takes_unknown(const nb::LogicalSwitchPort& port) {
  const std::vector<std::string> addresses = port.addresses();
  return std::any_of(addresses.begin(), addresses.end(), [](const std::string& a) { return a.ends_with("unknown"); });
}

struct GroupsOfSwitch {
  sb::MulticastGroup flood, flood_l2, unknown;
};

void put(std::vector<sb::MulticastGroup>& groups, sb::MulticastGroup& group, Uuid datapath, const char* name, std::uint32_t key) {
  if (group.ports.empty()) return;
  group.datapath = datapath;
  group.name = name;
  group.tunnel_key = key;
  groups.push_back(std::move(group));
}

}  // namespace

std::string northd_version(const Ovn& ovn) {
  std::string version;
  for (const nb::NbGlobal row : rows_of<nb::NbGlobal>(ovn.rows)) {
    const auto options = row.options();
    if (const auto it = options.find("northd_internal_version"); it != options.end()) version = it->second;
  }
  return version;
}

void copy_port_security(const Ovn& ovn, Southbound& southbound) {
  std::map<std::string, nb::LogicalSwitchPort> ports;
  for (const nb::LogicalSwitchPort port : rows_of<nb::LogicalSwitchPort>(ovn.rows)) ports.emplace(port.name(), port);
  for (sb::PortBinding& p : southbound.ports) {
    const auto port = ports.find(p.logical_port);
    p.shows_security = port != ports.end() && port->second.shows("port_security");
    if (p.shows_security) p.port_security = port->second.port_security();
  }
}

void mark_gateway_ports(const Ovn& ovn, Southbound& southbound) {
  std::set<std::string> routers;
  for (const nb::LogicalRouter router : rows_of<nb::LogicalRouter>(ovn.rows))
    if (router.options().contains("chassis")) routers.insert(router.name());
  std::set<Uuid> datapaths;
  for (const sb::DatapathBinding& d : southbound.datapaths)
    if (const auto name = d.external_ids.find("name"); name != d.external_ids.end() && routers.contains(name->second))
      datapaths.insert(d.uuid);
  std::map<std::string, const sb::PortBinding*> bindings;
  for (const sb::PortBinding& p : southbound.ports) bindings.emplace(p.logical_port, &p);
  // One side names the other; which of the two depends on the list that showed the port.
  std::set<const sb::PortBinding*> gateways;
  for (const sb::PortBinding& p : southbound.ports) {
    const auto option = p.options.find("peer");
    const auto peer = option == p.options.end() ? bindings.end() : bindings.find(option->second);
    const bool is_peer_bound = peer != bindings.end() && datapaths.contains(peer->second->datapath);
    if (!datapaths.contains(p.datapath) && !is_peer_bound) continue;
    gateways.insert(&p);
    if (peer != bindings.end()) gateways.insert(peer->second);
  }
  for (sb::PortBinding& p : southbound.ports)
    if (p.type == "patch" && gateways.contains(&p)) p.type = "l3gateway";
}

void add_multicast_groups(const Ovn& ovn, Southbound& southbound) {
  std::map<std::string, const sb::PortBinding*> bindings;
  for (const sb::PortBinding& p : southbound.ports) bindings.emplace(p.logical_port, &p);
  std::map<Uuid, GroupsOfSwitch> switches;
  for (const nb::LogicalSwitchPort row : rows_of<nb::LogicalSwitchPort>(ovn.rows)) {
    const auto binding = bindings.find(row.name());
    if (binding == bindings.end() || !row.enabled().value_or(true)) continue;
    GroupsOfSwitch& of = switches[binding->second->datapath];
    const Uuid port = binding->second->uuid;
    of.flood.ports.push_back(port);
    if (row.type() != "router") of.flood_l2.ports.push_back(port);
    if (takes_unknown(row)) of.unknown.ports.push_back(port);
  }
  for (auto& [datapath, of] : switches) {
    put(southbound.multicast_groups, of.flood, datapath, "_MC_flood", kFloodKey);
    put(southbound.multicast_groups, of.flood_l2, datapath, "_MC_flood_l2", kFloodL2Key);
    put(southbound.multicast_groups, of.unknown, datapath, "_MC_unknown", kUnknownKey);
  }
}

void add_port_groups(const Ovn& ovn, Southbound& southbound) {
  std::map<std::string, std::string> port_names;  // by UUID
  for (const nb::LogicalSwitchPort port : rows_of<nb::LogicalSwitchPort>(ovn.rows)) port_names.emplace(port.uuid(), port.name());
  std::map<Uuid, std::uint32_t> keys;
  for (const sb::DatapathBinding& d : southbound.datapaths) keys.emplace(d.uuid, d.tunnel_key);
  std::map<std::string, std::uint32_t> datapath_keys;  // by port
  for (const sb::PortBinding& p : southbound.ports)
    if (const auto key = keys.find(p.datapath); key != keys.end() && key->second != 0)
      datapath_keys.emplace(p.logical_port, key->second);
  for (const nb::PortGroup group : rows_of<nb::PortGroup>(ovn.rows)) {
    const std::string name = group.name();
    std::map<std::uint32_t, std::vector<std::string>> by_datapath;
    for (const std::string& uuid : group.ports())
      if (const auto port = port_names.find(uuid); port != port_names.end())
        if (const auto key = datapath_keys.find(port->second); key != datapath_keys.end())
          by_datapath[key->second].push_back(port->second);
    if (name.empty()) continue;
    for (auto& [key, members] : by_datapath)
      southbound.port_groups.push_back({fmt::format("{}_{}", key, name), std::move(members), group.from()});
  }
}

}  // namespace egt::parsers::ovn_lang
