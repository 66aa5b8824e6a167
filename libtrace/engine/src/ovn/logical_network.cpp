#include "egtrace/engine/logical_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "egtrace/base/text.h"
#include "egtrace/base/value_of.h"
#include "openflow/hash.h"
#include "openflow/hash_order.h"
#include "ovn/logical_table.h"

namespace egt::engine {
namespace {

using ovn::Pipeline;
using ovn::Uuid;
namespace sb = ovn::sb;

constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kShownOfUuid = 6;
constexpr unsigned kFewestDigits = 4;

// A name that ends in a UUID is shown with the UUID's first digits.
std::string shortened(const std::string& name) {
  if (name.size() < kUuidLength || !Uuid::parse(std::string_view(name).substr(name.size() - kUuidLength))) return name;
  return name.substr(0, name.size() - (kUuidLength - kShownOfUuid));
}

// The digits of a UUID that `text` begins it with; 0 where it does not, or where it is longer.
unsigned partial_match(const Uuid& uuid, std::string_view text) {
  const std::string full = uuid.to_string();
  if (text.size() > full.size()) return 0;
  unsigned digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'F' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != full[i]) return 0;
    digits += c != '-';
  }
  return digits;
}

std::optional<PortSecurity> security_of(std::string_view text) {
  const auto parts = words(text);
  const auto mac = parts.empty() ? std::nullopt : MacAddr::parse(parts.front());
  if (!mac) return std::nullopt;
  PortSecurity security{*mac, {}, {}};
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const auto prefix = Prefix::parse(part);
    if (!prefix) break;
    (prefix->address.is_v4() ? security.ipv4 : security.ipv6).push_back(prefix->address);
  }
  return security;
}

std::string binding_key(std::uint32_t port, const IpAddr& ip) { return fmt::format("{}/{}", port, ip.to_string()); }

// Rows in the order in which ovn-trace goes through them.
template <class Row>
std::vector<const Row*> at_client(const std::vector<Row>& rows) {
  std::vector<Uuid> uuids;
  for (const Row& row : rows) uuids.push_back(row.uuid);
  std::vector<const Row*> ordered;
  for (const std::uint32_t i : order_at_client(uuids)) ordered.push_back(&rows[i]);
  return ordered;
}

}  // namespace

LogicalDatapath::LogicalDatapath() = default;
LogicalDatapath::~LogicalDatapath() = default;
LogicalNetwork::~LogicalNetwork() = default;

const NetworkGroup* LogicalDatapath::group(std::uint32_t wanted) const {
  const auto it = std::find_if(groups.begin(), groups.end(), [&](const NetworkGroup& g) { return g.key == wanted; });
  return it == groups.end() ? nullptr : &*it;
}

const NetworkGroup* LogicalDatapath::group(std::string_view wanted) const {
  const auto it = std::find_if(groups.begin(), groups.end(), [&](const NetworkGroup& g) { return g.name == wanted; });
  return it == groups.end() ? nullptr : &*it;
}

const NetworkPort* LogicalDatapath::port(std::uint32_t wanted) const {
  const auto it = ports_by_key.find(wanted);
  return it == ports_by_key.end() ? nullptr : it->second;
}

LogicalTable* LogicalDatapath::table(Pipeline pipeline, std::uint32_t number) const {
  const auto& tables = pipeline == Pipeline::ingress ? ingress : egress;
  return number < tables.size() ? tables[number].get() : nullptr;
}

LogicalNetwork::LogicalNetwork(const ovn::Southbound& southbound, const ovn::FlowReader& reader, bool friendly_names,
                               Resides resides)
    : southbound_(southbound), reader_(reader), resides_(std::move(resides)) {
  add_datapaths(friendly_names);
  add_ports(friendly_names);
  add_groups();
  add_flows();
  add_bindings();
  add_vips();
}

const LogicalDatapath* LogicalNetwork::datapath_with_key(std::uint32_t tunnel_key) const {
  const auto found = std::find_if(datapaths_.begin(), datapaths_.end(), [&](const auto& d) { return d->key == tunnel_key; });
  return found == datapaths_.end() ? nullptr : found->get();
}

std::optional<IpAddr> LogicalNetwork::hairpin_source(Family family) const {
  for (const sb::LoadBalancer& b : southbound_.load_balancers.get()) {
    const std::string addresses = value_of(b.options, "hairpin_snat_ip");
    for (const std::string_view text : words(addresses))
      if (const auto address = IpAddr::parse(text); address && address->family == family) return address;
  }
  return std::nullopt;
}

void LogicalNetwork::add_datapaths(bool friendly_names) {
  for (const sb::DatapathBinding& row : southbound_.datapaths) {
    auto d = std::make_unique<LogicalDatapath>();
    d->row = &row;
    d->northbound = row.northbound.value_or(row.uuid);
    d->key = row.tunnel_key;
    d->name = value_of(row.external_ids, "name");
    if (d->name.empty()) d->name = d->northbound.to_string();
    d->alias = value_of(row.external_ids, "name2");
    d->friendly = friendly_names ? shortened(d->alias.empty() ? d->name : d->alias) : d->northbound.to_string();
    datapaths_by_uuid_.emplace(row.uuid.low ^ row.uuid.high, d.get());
    datapaths_.push_back(std::move(d));
  }
}

LogicalDatapath* LogicalNetwork::datapath(const Uuid& uuid) const {
  const auto it = datapaths_by_uuid_.find(uuid.low ^ uuid.high);
  return it == datapaths_by_uuid_.end() ? nullptr : it->second;
}

void LogicalNetwork::add_ports(bool friendly_names) {
  for (const sb::PortBinding& row : southbound_.ports) {
    LogicalDatapath* d = datapath(row.datapath);
    if (d == nullptr || ports_by_name_.contains(row.logical_port)) continue;
    auto p = std::make_unique<NetworkPort>();
    p->row = &row;
    p->datapath = d;
    p->name = row.logical_port;
    p->alias = value_of(row.external_ids, "name");
    p->friendly = !friendly_names ? p->name : shortened(p->alias.empty() ? p->name : p->alias);
    p->key = row.tunnel_key;
    if (row.type == "l3gateway") d->has_gateway = true;
    for (const std::string& text : row.port_security)
      if (auto security = security_of(text)) p->security.push_back(std::move(*security));
    d->ports_by_key.emplace(p->key, p.get());
    ports_by_name_.emplace(row.logical_port, p.get());
    if (!p->alias.empty()) ports_by_alias_[p->alias].push_back(p.get());
    ports_.push_back(std::move(p));
  }
  const auto named = [this](const sb::Map& options, const char* key) {
    const auto it = ports_by_name_.find(value_of(options, key));
    return it == ports_by_name_.end() ? nullptr : it->second;
  };
  for (const auto& p : ports_) {
    if (p->row->type == "patch" || p->row->type == "l3gateway") {
      if (NetworkPort* peer = named(p->row->options, "peer")) {
        p->peer = peer;
        peer->peer = p.get();
      }
    } else if (p->row->type == "chassisredirect") {
      NetworkPort* distributed = named(p->row->options, "distributed-port");
      if (distributed && distributed->datapath == p->datapath) p->distributed = distributed;
    }
  }
}

void LogicalNetwork::add_groups() {
  std::map<Uuid, const NetworkPort*> by_uuid;
  for (const auto& p : ports_) by_uuid.emplace(p->row->uuid, p.get());
  for (const sb::MulticastGroup& row : southbound_.multicast_groups) {
    LogicalDatapath* d = datapath(row.datapath);
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

void LogicalNetwork::add_flows() {
  const auto add = [](LogicalDatapath* d, const sb::LogicalFlow& row) {
    if (d == nullptr) return;
    auto& tables = row.ingress ? d->ingress : d->egress;
    if (tables.size() <= row.table) tables.resize(row.table + std::size_t{1});
    if (!tables[row.table])
      tables[row.table] = std::make_unique<LogicalTable>(*d, row.ingress ? Pipeline::ingress : Pipeline::egress, row.table);
    tables[row.table]->add(row);
  };
  std::map<Uuid, std::vector<LogicalDatapath*>> groups;
  for (const sb::DatapathGroup& g : southbound_.datapath_groups) {
    auto& members = groups[g.uuid];
    for (const Uuid& uuid : g.datapaths) members.push_back(datapath(uuid));
  }
  for (const sb::LogicalFlow* row : at_client(southbound_.logical_flows.get())) {
    if (!row->datapath.is_nil()) add(datapath(row->datapath), *row);
    if (row->datapath_group.is_nil()) continue;
    if (const auto it = groups.find(row->datapath_group); it != groups.end())
      for (LogicalDatapath* d : it->second) add(d, *row);
  }
}

void LogicalNetwork::add_bindings() {
  for (const sb::MacBinding& row : southbound_.mac_bindings) {
    const auto it = ports_by_name_.find(row.logical_port);
    const auto ip = IpAddr::parse(row.ip);
    const auto mac = MacAddr::parse(row.mac);
    if (it == ports_by_name_.end() || !ip || !mac || datapath(row.datapath) != it->second->datapath) continue;
    it->second->datapath->bindings[binding_key(it->second->key, *ip)] = mac->value;
  }
  for (const sb::Fdb& row : southbound_.fdb) {
    const auto mac = MacAddr::parse(row.mac);
    if (!mac) continue;
    for (const auto& d : datapaths_)
      if (d->key == row.datapath_key) d->fdb[mac->value] = row.port_key;
  }
}

void LogicalNetwork::add_vips() {
  for (const sb::LoadBalancer* b : at_client(southbound_.load_balancers.get())) {
    std::vector<std::string_view> keys;
    std::vector<std::uint32_t> hashes;
    for (const auto& [key, backends] : b->vips) {
      keys.push_back(key);
      hashes.push_back(ofproto::hash_string(key));
    }
    for (const std::uint32_t i : order_in_hash_table(hashes)) {
      const std::string_view key = keys[i];
      const bool bracket = key.starts_with('[');
      const std::size_t end = bracket ? key.find(']') : key.find(':') == key.rfind(':') ? key.find(':') : std::string_view::npos;
      const std::string_view host = bracket ? key.substr(1, end - 1) : key.substr(0, end);
      const auto ip = IpAddr::parse(host);
      if (!ip) continue;
      const std::size_t colon = end == std::string_view::npos ? end : key.find(':', end);
      const auto port = colon == std::string_view::npos ? std::optional<std::uint64_t>(0) : parse_decimal(key.substr(colon + 1));
      first_vips_.emplace(*ip, vips_.size());
      vips_.push_back({*ip, static_cast<std::uint16_t>(port.value_or(0)), std::string(host)});
    }
  }
}

LogicalNetwork::FoundDatapath LogicalNetwork::find_datapath(std::string_view name) const {
  for (const auto& d : datapaths_)
    if (d->name == name || (!d->alias.empty() && d->alias == name)) return {d.get(), false};
  const LogicalDatapath* found = nullptr;
  for (const auto& d : datapaths_) {
    if (partial_match(d->row->uuid, name) < kFewestDigits && partial_match(d->northbound, name) < kFewestDigits) continue;
    if (found) return {nullptr, true};
    found = d.get();
  }
  return {found, false};
}

const NetworkPort* LogicalNetwork::find_port(std::string_view name) const {
  const auto it = ports_by_name_.find(name);
  return it == ports_by_name_.end() ? nullptr : it->second;
}

const NetworkPort* LogicalNetwork::find_port_loosely(std::string_view name) const {
  if (const NetworkPort* p = find_port(name)) return p;
  const NetworkPort* found = nullptr;
  if (const auto it = ports_by_alias_.find(name); it != ports_by_alias_.end()) {
    if (it->second.size() > 1) return nullptr;
    found = it->second.front();
  }
  const bool may_be_uuid = name.size() >= kFewestDigits && name.find_first_not_of("0123456789abcdefABCDEF-") == name.npos;
  if (!may_be_uuid) return found;
  for (const auto& p : ports_) {
    const auto named = Uuid::parse(p->name);
    if (!partial_match(p->row->uuid, name) && !(named && partial_match(*named, name))) continue;
    if (found && found != p.get()) return nullptr;
    found = p.get();
  }
  return found;
}

std::optional<std::uint32_t> LogicalNetwork::port_key(const LogicalDatapath& datapath, std::string_view name) const {
  if (name.empty() || name == "none") return 0;
  if (const NetworkPort* p = find_port_loosely(name)) return p->datapath == &datapath ? std::optional(p->key) : std::nullopt;
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

LogicalNetwork::FoundFlow LogicalNetwork::lookup(const LogicalDatapath& datapath, const FlowKey& packet, Pipeline pipeline,
                                                 std::uint32_t table) const {
  LogicalTable* t = datapath.table(pipeline, table);
  return t ? t->lookup(packet, *this) : FoundFlow{};
}

std::string_view LogicalNetwork::stage(const LogicalDatapath& datapath, Pipeline pipeline, std::uint32_t table) const {
  LogicalTable* t = datapath.table(pipeline, table);
  return t ? t->stage() : std::string_view();
}

std::optional<MacAddr> LogicalNetwork::binding(const LogicalDatapath& datapath, std::uint32_t port, const IpAddr& ip) const {
  const auto it = datapath.bindings.find(binding_key(port, ip));
  return it == datapath.bindings.end() ? std::nullopt : std::optional(MacAddr{it->second});
}

std::optional<std::uint32_t> LogicalNetwork::learned_port(const LogicalDatapath& datapath, MacAddr mac) const {
  const auto it = datapath.fdb.find(mac.value);
  return it == datapath.fdb.end() ? std::nullopt : std::optional(it->second);
}

std::optional<LogicalNetwork::Vip> LogicalNetwork::find_vip(std::uint32_t ipv4, U128 ipv6) const {
  const auto v4 = first_vips_.find(IpAddr::v4(ipv4)), v6 = first_vips_.find(IpAddr::v6(ipv6));
  std::size_t first = vips_.size();
  for (const auto found : {v4, v6})
    if (found != first_vips_.end()) first = std::min(first, found->second);
  return first < vips_.size() ? std::optional(vips_[first]) : std::nullopt;
}

}  // namespace egt::engine
