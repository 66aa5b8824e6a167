#include "egtrace/engine/link_answer.h"

#include <algorithm>

#include "egtrace/engine/routing.h"
#include "source_address.h"
#include "source_validation.h"
#include "sysctl_view.h"

namespace egt::engine {
namespace {

// Values of arp_ignore.
constexpr int kOwnDeviceOnly = 1, kOwnSubnetOnly = 2, kNotOfScopeHost = 3, kNever = 8;
constexpr int kOnlyOwnSubnet = 1, kNeverPacketSource = 2;  // of arp_announce

// The larger of both counts.
int arp_setting(const host::Host& host, std::string_view device, std::string_view name) {
  const auto value = [&](std::string_view of) { return device_setting(host, Family::v4, of, name).value.value_or(0); };
  return std::max(value("all"), value(device));
}

// A subnet of the device holds both (inet_addr_onlink()).
bool share_subnet(const host::Link& link, const IpAddr& a, const IpAddr& b) {
  return std::any_of(link.addresses.begin(), link.addresses.end(), [&](const host::Address& own) {
    const Prefix subnet = own.subnet();
    return subnet.contains(a) && subnet.contains(b);
  });
}

// The device has the address, on a subnet of its own that holds the asker too, where one counts (confirm_addr_indev()).
bool confirms(const host::Link& link, const IpAddr& address, const IpAddr& asker, bool even_of_scope_host) {
  return share_subnet(link, address, asker) &&
         std::any_of(link.addresses.begin(), link.addresses.end(), [&](const host::Address& own) {
           return own.prefix.address == address && (even_of_scope_host || own.scope != "host");
         });
}

// arp_ignore().
bool is_ignored(const host::Host& host, const std::string& asked, const std::string& owner, const LinkQuestion& q) {
  const host::Link* link = host.link(owner);
  if (link == nullptr) return false;
  switch (arp_setting(host, asked, "arp_ignore")) {
    case kOwnDeviceOnly: return asked != owner || !confirms(*link, q.address, q.address, true);
    case kOwnSubnetOnly: return asked != owner || !confirms(*link, q.address, q.asker.value_or(q.address), true);
    case kNotOfScopeHost: return !confirms(*link, q.address, q.address, false);
    case kNever: return true;
    default: return false;
  }
}

// With arp_filter only the device by which the host would send to the asker answers.
bool is_filtered(const host::Host& host, const std::string& asked, const LinkQuestion& q) {
  if (!q.asker || either_setting(host, asked, "arp_filter").value.value_or(0) == 0) return false;
  RouteQuery query;
  query.to = *q.asker;
  query.from = q.address;
  const RouteAnswer answer = find_route(host, query);
  if (answer.kind == RouteAnswer::Kind::unknown) return false;
  return std::none_of(answer.hops.begin(), answer.hops.end(), [&](const RouteHop& hop) { return hop.get().device == asked; });
}

// Policy rules before that of the local table may lead the question on (arp_process()).
bool leads_to_itself(const host::Host& host, const std::string& asked, const LinkQuestion& q) {
  if (!q.asker) return true;
  RouteQuery query;
  query.to = q.address;
  query.from = q.asker;
  query.in_device = asked;
  const RouteAnswer answer = find_route(host, query);
  return answer.is_for_me() || answer.kind == RouteAnswer::Kind::unknown;
}

// A request is routed like a packet, and dropped like one by the reverse path filter.
bool receives_request(const host::Host& host, const std::string& asked, const LinkQuestion& q, const std::string& out_device) {
  if (!q.asker) return true;
  RouteQuery packet;
  packet.to = q.address;
  packet.from = *q.asker;
  packet.in_device = asked;
  return validate_source(host, {packet, out_device}).accepted;
}

bool has_proxy_entry(const host::Host& host, const std::string& device, const IpAddr& address) {
  const auto& all = host.neighbours.value;
  return std::any_of(all.begin(), all.end(),
                     [&](const host::Neighbour& n) { return n.proxy && n.address == address && n.device == device; });
}

// The device by which it would send on what comes by `asked`; empty where it would not. Absent: no dump shows.
std::optional<std::string> device_towards(const host::Host& host, const std::string& asked, const LinkQuestion& q) {
  RouteQuery query;
  query.to = q.address;
  query.from = q.asker;
  query.in_device = asked;
  const RouteAnswer answer = find_route(host, query);
  if (answer.kind == RouteAnswer::Kind::unknown) return std::nullopt;
  return answer.kind == RouteAnswer::Kind::unicast ? answer.device : std::string();
}

bool has_no_arp(const host::Link& link) { return link.flags.has("NOARP"); }

// In use only after duplicate address detection found no other host with it (ndisc_recv_ns()).
bool is_tentative(const host::Link* link, const IpAddr& address) {
  return link != nullptr && std::any_of(link->addresses.begin(), link->addresses.end(),
                                        [&](const host::Address& own) { return own.tentative && own.prefix.address == address; });
}

// IPv6 answers for its entries alone, and only where shown to.
bool proxies_nd(const host::Host& host, const std::string& asked, const IpAddr& address) {
  const auto is_off = [&](std::string_view device) {
    return device_setting(host, Family::v6, device, "proxy_ndp").value.value_or(1) == 0;
  };
  return has_proxy_entry(host, asked, address) && !(is_off("all") && is_off(asked));
}

}  // namespace

// IPv6 answers for addresses of the device alone, IPv4 for any of the node unless set not to.
bool answers_for_own(const host::Host& host, const std::string& asked, const std::string& owner, const LinkQuestion& q) {
  const host::Link* link = host.link(asked);
  if (link != nullptr && has_no_arp(*link)) return false;
  if (!q.address.is_v4()) return asked == owner && !is_tentative(link, q.address);
  return leads_to_itself(host, asked, q) && !is_ignored(host, asked, owner, q) && !is_filtered(host, asked, q) &&
         receives_request(host, asked, q, "");
}

bool answers_for_others(const host::Host& host, const std::string& asked, const LinkQuestion& q) {
  if (device_setting(host, q.address.family, asked, "forwarding").value.value_or(1) == 0) return false;
  if (!q.address.is_v4()) return proxies_nd(host, asked, q.address);
  if (!q.asker) return false;  // a probe for duplicate addresses
  const auto is_on = [&](const char* name) { return either_setting(host, asked, name).value.value_or(0) != 0; };
  const bool by_entry = has_proxy_entry(host, asked, q.address);
  if (!by_entry && !is_on("proxy_arp") && !is_on("proxy_arp_pvlan")) return false;
  const auto out = device_towards(host, asked, q);
  if (!out) return by_entry;
  if (out->empty() || !receives_request(host, asked, q, *out)) return false;
  return *out == asked ? is_on("proxy_arp_pvlan") : by_entry || is_on("proxy_arp");
}

std::optional<IpAddr> arp_asker(const host::Host& host, std::string_view device, const IpAddr& address, const IpAddr& source) {
  if (!address.is_v4() || !source.is_v4()) return std::nullopt;
  const int announce = arp_setting(host, device, "arp_announce");
  const host::Link* link = host.link(device);
  const bool may_name =
      announce < kOnlyOwnSubnet || (announce < kNeverPacketSource && link != nullptr && share_subnet(*link, address, source));
  if (may_name && local_type_of(host, source) == RouteAnswer::Kind::local) return source;
  const auto own = select_v4_address(host, device, address, AddressScope::link);
  return own ? std::optional(own->address) : std::nullopt;
}

bool is_broadcast_of(const host::Link& link, const IpAddr& address) {
  if (!address.is_v4()) return false;
  return std::any_of(link.addresses.begin(), link.addresses.end(), [&](const host::Address& own) {
    const Prefix& p = own.prefix;
    return p.length < 31 && p.contains(address) && address.value == (p.network().address.value | ones(32u - p.length));
  });
}

}  // namespace egt::engine
