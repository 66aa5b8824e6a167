#include "rule_selectors.h"

#include <algorithm>

namespace egt::engine {
namespace {

bool device_matches(const host::Host& host, const std::string& wanted, bool detached, const std::string& device) {
  if (wanted.empty()) return true;
  if (detached || device.empty()) return false;
  if (wanted == device) return true;
  const host::Link* vrf = vrf_of(host, device);
  return vrf != nullptr && vrf->name == wanted;
}

bool port_matches(const std::optional<host::PortRange>& range, std::uint16_t port) { return !range || range->contains(port); }

bool dscp_matches(const host::PolicyRule& r, std::uint8_t dscp) { return !r.dscp || ((*r.dscp ^ dscp) & r.dscp_mask) == 0; }

// IPv4 compares an address that is not chosen yet as 0.0.0.0, IPv6 lets no "from" match then.
bool source_matches(const host::PolicyRule& r, const RouteQuery& q) {
  if (!r.has_from || r.from_prefix.length == 0) return true;
  if (q.from) return r.from_prefix.contains(*q.from);
  return q.to.is_v4() && r.from_prefix.contains(IpAddr::v4(0));
}

}  // namespace

const host::Link* vrf_of(const host::Host& host, std::string_view device) {
  const host::Link* link = host.link(device);
  if (link == nullptr) return nullptr;
  if (link->kind == "vrf" || link->vrf_table != 0) return link;
  const host::Link* master = link->master.empty() ? nullptr : host.link(link->master);
  return master != nullptr && (master->kind == "vrf" || master->vrf_table != 0) ? master : nullptr;
}

bool is_vrf(const host::Host& host, std::string_view device) {
  const host::Link* vrf = vrf_of(host, device);
  return vrf != nullptr && vrf->name == device;
}

std::vector<Selector> stated_selectors(const host::PolicyRule& r) {
  std::vector<Selector> stated;
  const auto state = [&](bool is, Selector s) {
    if (is) stated.push_back(s);
  };
  state(r.has_from && r.from_prefix.length != 0, Selector::source);
  state(r.has_to && r.to_prefix.length != 0, Selector::destination);
  state(r.tos.value_or(0) != 0, Selector::tos);
  state(r.dscp.has_value(), Selector::dscp);
  state(r.ip_proto.has_value(), Selector::protocol);
  state(r.sport.has_value(), Selector::source_port);
  state(r.dport.has_value(), Selector::destination_port);
  state(!r.iif.empty(), Selector::in_device);
  state(!r.oif.empty(), Selector::out_device);
  state(r.fwmark.has_value(), Selector::mark);
  state(r.l3mdev, Selector::vrf);
  return stated;
}

bool meets(const host::Host& host, const host::PolicyRule& r, const RouteQuery& q, Selector selector) {
  switch (selector) {
    case Selector::source: return source_matches(r, q);
    case Selector::destination: return r.to_prefix.contains(q.to);
    case Selector::tos: return *r.tos == q.tos;
    case Selector::dscp: return dscp_matches(r, q.dscp);
    case Selector::protocol: return *r.ip_proto == q.proto;
    case Selector::source_port: return port_matches(r.sport, q.sport);
    case Selector::destination_port: return port_matches(r.dport, q.dport);
    case Selector::in_device: return device_matches(host, r.iif, r.iif_detached, q.in_device);
    case Selector::out_device: return device_matches(host, r.oif, r.oif_detached, q.out_device);
    case Selector::mark: return ((*r.fwmark ^ q.mark) & r.fwmask) == 0;
    case Selector::vrf: return vrf_of(host, q.in_device) != nullptr || vrf_of(host, q.out_device) != nullptr;
  }
  return false;
}

bool meets_all(const host::Host& host, const host::PolicyRule& r, const RouteQuery& q) {
  return source_matches(r, q) && (!r.has_to || r.to_prefix.contains(q.to)) && (!r.tos || *r.tos == 0 || *r.tos == q.tos) &&
         dscp_matches(r, q.dscp) && (!r.ip_proto || *r.ip_proto == q.proto) && port_matches(r.sport, q.sport) &&
         port_matches(r.dport, q.dport) && device_matches(host, r.iif, r.iif_detached, q.in_device) &&
         device_matches(host, r.oif, r.oif_detached, q.out_device) && (!r.fwmark || meets(host, r, q, Selector::mark)) &&
         (!r.l3mdev || meets(host, r, q, Selector::vrf));
}

}  // namespace egt::engine
