#include "egtrace/engine/logical_ports.h"

#include <span>

#include "egtrace/base/text.h"
#include "egtrace/base/value_of.h"
#include "ovn/uuid_names.h"

namespace egt::engine {
namespace {

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

}  // namespace

LogicalPorts::LogicalPorts(const std::vector<ovn::sb::PortBinding>& rows, const LogicalDatapaths& datapaths,
                           bool friendly_names) {
  for (const ovn::sb::PortBinding& row : rows) {
    LogicalDatapath* d = datapaths.with_uuid(row.datapath);
    if (d == nullptr || by_name_.contains(row.logical_port)) continue;
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
    by_name_.emplace(row.logical_port, p.get());
    if (!p->alias.empty()) by_alias_[p->alias].push_back(p.get());
    all_.push_back(std::move(p));
  }
  connect();
}

NetworkPort* LogicalPorts::named_in(const ovn::sb::Map& options, const char* key) const {
  const auto it = by_name_.find(value_of(options, key));
  return it == by_name_.end() ? nullptr : it->second;
}

void LogicalPorts::connect() {
  for (const auto& p : all_) {
    if (p->row->type == "patch" || p->row->type == "l3gateway") {
      if (NetworkPort* peer = named_in(p->row->options, "peer")) {
        p->peer = peer;
        peer->peer = p.get();
      }
    } else if (p->row->type == "chassisredirect") {
      NetworkPort* distributed = named_in(p->row->options, "distributed-port");
      if (distributed && distributed->datapath == p->datapath) p->distributed = distributed;
    }
  }
}

const NetworkPort* LogicalPorts::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const NetworkPort* LogicalPorts::find_loosely(std::string_view name) const {
  if (const NetworkPort* p = find(name)) return p;
  const NetworkPort* found = nullptr;
  if (const auto it = by_alias_.find(name); it != by_alias_.end()) {
    if (it->second.size() > 1) return nullptr;
    found = it->second.front();
  }
  const bool may_be_uuid = name.size() >= kFewestDigits && name.find_first_not_of("0123456789abcdefABCDEF-") == name.npos;
  if (!may_be_uuid) return found;
  for (const auto& p : all_) {
    const auto named = ovn::Uuid::parse(p->name);
    if (!partial_match(p->row->uuid, name) && !(named && partial_match(*named, name))) continue;
    if (found && found != p.get()) return nullptr;
    found = p.get();
  }
  return found;
}

}  // namespace egt::engine
