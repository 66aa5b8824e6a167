// A southbound database from texts: what lflow-list and the lists of ports show of it.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/ovn_reader.h"
#include "ovn_lang/keys.h"
#include "ovn_lang/listed_ports.h"
#include "ovn_lang/northbound.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Ovn;
using ovn::Southbound;
using ovn::Uuid;
namespace sb = ovn::sb;

// Names stand for UUIDs where no dump has them.
Uuid made_up(std::size_t n) { return {~std::uint64_t{0}, n}; }

std::uint32_t free_key(std::set<std::uint32_t>& taken) {
  std::uint32_t key = 1;
  while (!taken.insert(key).second) ++key;
  return key;
}

class Completion {
 public:
  Completion(const Ovn& ovn, Southbound& southbound, TunnelKeys keys)
      : ovn_(ovn),
        sb_(southbound),
        keys_(std::move(keys)),
        ports_(ovn.ports.empty() ? ports_of_flows(ovn.logical_flows) : ovn.ports) {
    for (const sb::DatapathBinding& d : sb_.datapaths) {
      note(d);
      taken_.insert(d.tunnel_key);
    }
    for (const auto& [name, key] : keys_.datapaths) taken_.insert(key);
    for (const ovn::Datapath& d : ovn.datapaths)
      if (d.tunnel_key) taken_.insert(*d.tunnel_key);
  }
  void add_datapaths();
  void add_ports();
  void add_flows();

 private:
  void give_key(sb::DatapathBinding& d, std::string_view name);
  void note(const sb::DatapathBinding& d) {
    for (const char* key : {"name", "name2"})
      if (const auto it = d.external_ids.find(key); it != d.external_ids.end()) by_name_.emplace(it->second, d.uuid);
    by_name_.emplace(d.uuid.to_string(), d.uuid);
  }
  Uuid datapath(std::string_view name);
  std::string name_of(Uuid datapath) const;
  std::uint32_t key_of(const ovn::LogicalPort& port) const;
  void add_gateway_ports(std::map<Uuid, std::set<std::uint32_t>>& taken);

  const Ovn& ovn_;
  Southbound& sb_;
  TunnelKeys keys_;
  std::vector<ovn::LogicalPort> ports_;
  std::map<std::string, Uuid, std::less<>> by_name_;
  std::set<std::uint32_t> taken_;  // keys of datapaths
};

// Port groups go by the datapath's key, so that each needs one of its own.
void Completion::give_key(sb::DatapathBinding& d, std::string_view name) {
  if (const auto shown = keys_.datapaths.find(name); d.tunnel_key == 0 && shown != keys_.datapaths.end())
    d.tunnel_key = shown->second;
  if (d.tunnel_key != 0) return;
  d.tunnel_key = free_key(taken_);
  d.made_up_key = true;
}

Uuid Completion::datapath(std::string_view name) {
  if (const auto it = by_name_.find(name); it != by_name_.end()) return it->second;
  sb::DatapathBinding d;
  d.uuid = made_up(sb_.datapaths.size() + 1);
  d.external_ids.emplace("name", name);
  give_key(d, name);
  note(d);
  return sb_.datapaths.emplace_back(std::move(d)).uuid;
}

void Completion::add_datapaths() {
  for (const ovn::Datapath& known : ovn_.datapaths) {
    sb::DatapathBinding d;
    d.uuid = Uuid::parse(known.uuid).value_or(made_up(sb_.datapaths.size() + 1));
    d.tunnel_key = known.tunnel_key.value_or(0);
    give_key(d, known.name);
    d.is_router = known.is_router;
    if (!known.name.empty()) d.external_ids.emplace("name", known.name);
    d.from = known.from;
    note(d);
    sb_.datapaths.push_back(std::move(d));
  }
}

std::string Completion::name_of(Uuid datapath) const {
  for (const sb::DatapathBinding& d : sb_.datapaths)
    if (d.uuid == datapath)
      if (const auto name = d.external_ids.find("name"); name != d.external_ids.end()) return name->second;
  return {};
}

std::uint32_t Completion::key_of(const ovn::LogicalPort& port) const {
  if (port.tunnel_key) return *port.tunnel_key;
  const auto shown = keys_.ports.find({port.datapath, port.name});
  return shown != keys_.ports.end() ? shown->second : 0;
}

// Keys that no dump shows are given out: a walk needs them to be different, not to be right.
void Completion::add_ports() {
  std::map<Uuid, std::set<std::uint32_t>> taken;
  for (const ovn::LogicalPort& p : ports_)
    if (const std::uint32_t key = key_of(p); key != 0 && !p.datapath.empty()) taken[datapath(p.datapath)].insert(key);
  for (const ovn::LogicalPort& known : ports_) {
    if (known.datapath.empty()) continue;
    sb::PortBinding p;
    p.uuid = made_up(sb_.ports.size() + 1);
    p.datapath = datapath(known.datapath);
    p.logical_port = known.name;
    p.type = known.type == "router" || (known.type.empty() && known.on_router) ? "patch" : known.type;
    auto& keys = taken[p.datapath];
    p.tunnel_key = key_of(known);
    p.tag = known.tag;
    p.made_up_key = p.tunnel_key == 0;
    if (p.made_up_key) p.tunnel_key = free_key(keys);
    if (!known.peer.empty()) p.options.emplace("peer", known.peer);
    p.external_ids.insert(known.external_ids.begin(), known.external_ids.end());
    p.from = known.from;
    sb_.ports.push_back(std::move(p));
  }
  add_gateway_ports(taken);
}

// is_chassis_resident("cr-X") in a match: northd names ports there that it made a binding for, the gateway ports of its
// own among them ("cr-" before the name of the distributed port, northd.c, ovn_chassis_redirect_name()).
void Completion::add_gateway_ports(std::map<Uuid, std::set<std::uint32_t>>& taken) {
  constexpr std::string_view kAsks = "is_chassis_resident(\"";
  std::map<std::string, Uuid, std::less<>> datapath_of;
  for (const sb::PortBinding& p : sb_.ports) datapath_of.emplace(p.logical_port, p.datapath);
  for (const ovn::LogicalFlow& f : ovn_.logical_flows)
    for (std::size_t at = f.match.find(kAsks); at != std::string_view::npos; at = f.match.find(kAsks, at + 1)) {
      std::string_view name = f.match.substr(at + kAsks.size());
      name = name.substr(0, name.find('"'));
      if (!name.starts_with("cr-") || datapath_of.contains(name)) continue;
      const auto distributed = datapath_of.find(name.substr(3));
      if (distributed == datapath_of.end()) continue;
      sb::PortBinding p;
      p.uuid = made_up(sb_.ports.size() + 1);
      p.datapath = distributed->second;
      p.logical_port = name;
      p.type = "chassisredirect";
      p.options.emplace("distributed-port", distributed->first);
      p.from = f.from;
      const auto shown = keys_.ports.find({name_of(p.datapath), p.logical_port});
      p.made_up_key = shown == keys_.ports.end();
      p.tunnel_key = p.made_up_key ? free_key(taken[p.datapath]) : shown->second;
      datapath_of.emplace(p.logical_port, p.datapath);
      sb_.ports.push_back(std::move(p));
    }
}

// A flow of a group of datapaths is listed once for each of them.
void Completion::add_flows() {
  std::map<std::uint32_t, std::size_t> by_prefix;
  std::vector<sb::LogicalFlow>& rows = sb_.logical_flows.edit();
  for (const ovn::LogicalFlow& listed : ovn_.logical_flows) {
    const Uuid at = datapath(listed.datapath);
    if (listed.uuid_prefix) {
      const auto [it, fresh] = by_prefix.emplace(*listed.uuid_prefix, rows.size());
      sb::LogicalFlow* same = fresh ? nullptr : &rows[it->second];
      if (same && same->match == listed.match && same->actions == listed.actions && same->table == listed.table) {
        if (same->datapath_group.is_nil()) {
          same->datapath_group = made_up(sb_.datapath_groups.size() + 1);
          sb_.datapath_groups.push_back({same->datapath_group, {}, {}});
        }
        sb_.datapath_groups[same->datapath_group.low - 1].datapaths.push_back(at);
        continue;
      }
    }
    sb::LogicalFlow row;
    row.uuid = Uuid::from_prefix(listed.uuid_prefix.value_or(0));
    row.datapath = at;
    row.ingress = listed.ingress;
    row.table = listed.table;
    row.priority = listed.priority;
    row.match = listed.match;
    row.actions = listed.actions;
    row.stage = listed.stage;
    row.from = listed.from;
    rows.push_back(std::move(row));
  }
}

void add_address_sets(const Ovn& ovn, Southbound& southbound) {
  std::vector<sb::AddressSet>& sets = southbound.address_sets.edit();
  for (const ovn::AddressSet& a : ovn.address_sets) sets.push_back({a.name, a.addresses, a.from});
}

class DatabaseLanguage : public ovn::Language {
 public:
  std::shared_ptr<const ovn::Program> program_of(const Ovn& ovn) const override { return ovn_lang::program_of(ovn); }
};

}  // namespace

std::shared_ptr<const Southbound> complete_southbound(const Ovn& ovn, std::vector<std::string>& lacks,
                                                      const openflow::FlowTables* flows) {
  static constexpr const char* kNeeded[] = {"Port_Binding", "Multicast_Group", "MAC_Binding",
                                            "FDB",          "Port_Group",      "Load_Balancer"};
  for (const char* table : kNeeded)
    if (!ovn.southbound || !ovn.southbound->complete.contains(table)) lacks.emplace_back(table);
  const Southbound* known = ovn.southbound.get();
  if (known && !known->datapaths.empty() && !known->ports.empty() && !known->logical_flows.get().empty()) return ovn.southbound;
  auto southbound = known ? std::make_shared<Southbound>(*known) : std::make_shared<Southbound>();
  TunnelKeys keys = flows != nullptr ? keys_in_flows(ovn, *flows) : TunnelKeys{};
  add_keys(keys, keys_in_rows(ovn));
  Completion completion(ovn, *southbound, std::move(keys));
  if (southbound->datapaths.empty()) completion.add_datapaths();
  if (southbound->ports.empty()) {
    completion.add_ports();
    copy_port_security(ovn, *southbound);
    mark_gateway_ports(ovn, *southbound);
  }
  if (southbound->multicast_groups.empty()) add_multicast_groups(ovn, *southbound);
  if (southbound->logical_flows.get().empty()) {
    southbound->datapath_groups.clear();
    completion.add_flows();
  }
  if (southbound->address_sets.empty()) add_address_sets(ovn, *southbound);
  if (southbound->northd_version.empty()) southbound->northd_version = northd_version(ovn);
  if (southbound->port_groups.empty()) add_port_groups(ovn, *southbound);
  return southbound;
}

std::shared_ptr<const ovn::Program> program_of(const Ovn& ovn, const openflow::FlowTables* flows) {
  std::vector<std::string> lacks;
  auto southbound = complete_southbound(ovn, lacks, flows);
  const auto reader = std::make_shared<const DatabaseReader>(*southbound);
  return std::make_shared<const ovn::Program>(ovn::Program{std::move(southbound), reader});
}

std::shared_ptr<const ovn::Language> language() {
  static const auto kLanguage = std::make_shared<const DatabaseLanguage>();
  return kLanguage;
}

}  // namespace egt::parsers::ovn_lang
