#include "egtrace/engine/logical_network.h"

#include <algorithm>
#include <map>

#include "ovn/client_order.h"
#include "ovn/logical_table.h"

namespace egt::engine {
namespace {

using ovn::Pipeline;
using ovn::Uuid;
namespace sb = ovn::sb;

void add_groups(const ovn::Southbound& southbound, const LogicalDatapaths& datapaths, const LogicalPorts& ports) {
  std::map<Uuid, const NetworkPort*> by_uuid;
  for (const auto& p : ports.all()) by_uuid.emplace(p->row->uuid, p.get());
  for (const sb::MulticastGroup& row : southbound.multicast_groups) {
    LogicalDatapath* d = datapaths.with_uuid(row.datapath);
    if (d == nullptr) continue;
    NetworkGroup group{row.name, row.tunnel_key, {}};
    for (const Uuid& uuid : row.ports) {
      const auto it = by_uuid.find(uuid);
      if (it == by_uuid.end()) group.lacks_ports = true;
      if (it != by_uuid.end() && it->second->datapath == d) group.ports.push_back(it->second);
    }
    std::sort(group.ports.begin(), group.ports.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    d->groups.push_back(std::move(group));
  }
}

void add_flows(const ovn::Southbound& southbound, const LogicalDatapaths& datapaths) {
  const auto add = [](LogicalDatapath* d, const sb::LogicalFlow& row) {
    if (d == nullptr) return;
    auto& tables = row.ingress ? d->ingress : d->egress;
    if (tables.size() <= row.table) tables.resize(row.table + std::size_t{1});
    if (!tables[row.table])
      tables[row.table] = std::make_unique<LogicalTable>(*d, row.ingress ? Pipeline::ingress : Pipeline::egress, row.table);
    tables[row.table]->add(row);
  };
  std::map<Uuid, std::vector<LogicalDatapath*>> groups;
  for (const sb::DatapathGroup& g : southbound.datapath_groups) {
    auto& members = groups[g.uuid];
    for (const Uuid& uuid : g.datapaths) members.push_back(datapaths.with_uuid(uuid));
  }
  for (const sb::LogicalFlow* row : at_client(southbound.logical_flows.get())) {
    if (!row->datapath.is_nil()) add(datapaths.with_uuid(row->datapath), *row);
    if (row->datapath_group.is_nil()) continue;
    if (const auto it = groups.find(row->datapath_group); it != groups.end())
      for (LogicalDatapath* d : it->second) add(d, *row);
  }
}

void add_bindings(const ovn::Southbound& southbound, const LogicalDatapaths& datapaths, const LogicalPorts& ports) {
  for (const sb::MacBinding& row : southbound.mac_bindings) {
    const NetworkPort* port = ports.find(row.logical_port);
    const auto ip = IpAddr::parse(row.ip);
    const auto mac = MacAddr::parse(row.mac);
    if (port == nullptr || !ip || !mac || datapaths.with_uuid(row.datapath) != port->datapath) continue;
    port->datapath->learned.add_binding(port->key, *ip, *mac);
  }
}

void add_learned_ports(const ovn::Southbound& southbound, const LogicalDatapaths& datapaths) {
  for (const sb::Fdb& row : southbound.fdb) {
    const auto mac = MacAddr::parse(row.mac);
    if (!mac) continue;
    for (const auto& d : datapaths.all())
      if (d->key == row.datapath_key) d->learned.add_port(*mac, row.port_key);
  }
}

}  // namespace

LogicalNetwork::LogicalNetwork(const ovn::Southbound& southbound, const ovn::FlowReader& reader, bool friendly_names,
                               Resides resides)
    : southbound_(southbound),
      reader_(reader),
      resides_(std::move(resides)),
      datapaths_(southbound.datapaths, friendly_names),
      ports_(southbound.ports, datapaths_, friendly_names),
      vips_(southbound.load_balancers.get()) {
  add_groups(southbound, datapaths_, ports_);
  add_flows(southbound, datapaths_);
  add_bindings(southbound, datapaths_, ports_);
  add_learned_ports(southbound, datapaths_);
}

std::optional<std::uint32_t> LogicalNetwork::port_key(const LogicalDatapath& datapath, std::string_view name) const {
  if (name.empty() || name == "none") return 0;
  if (const NetworkPort* p = ports_.find_loosely(name)) return p->datapath == &datapath ? std::optional(p->key) : std::nullopt;
  const NetworkGroup* group = datapath.group(name);
  return group ? std::optional(group->key) : std::nullopt;
}

const std::vector<std::uint32_t>& LogicalNetwork::group_keys(const LogicalDatapath& datapath, const ovn::ValueSet& set) const {
  return group_keys_.get_or({&datapath, &set}, [&] {
    std::vector<std::uint32_t> keys;
    for (const ovn::Constant& c : set.constants().values)
      if (const auto key = port_key(datapath, c.text)) keys.push_back(*key);
    std::sort(keys.begin(), keys.end());
    return keys;
  });
}

FoundFlow LogicalNetwork::lookup(const LogicalDatapath& datapath, const FlowKey& packet, Pipeline pipeline,
                                 std::uint32_t table) const {
  LogicalTable* t = datapath.table(pipeline, table);
  return t ? t->lookup(packet, *this) : FoundFlow{};
}

}  // namespace egt::engine
