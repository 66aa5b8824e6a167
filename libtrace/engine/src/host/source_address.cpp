#include "source_address.h"

#include <algorithm>
#include <bit>

#include "egtrace/engine/routing.h"

namespace egt::engine {
namespace {

using host::Address;
using host::Host;
using host::Link;

AddressScope scope_of(const Address& a) {
  if (a.scope == "host") return AddressScope::host;
  if (a.scope == "link") return AddressScope::link;
  return AddressScope::global;
}

const std::string& master_of(const Host& host, const Link& link) {
  static const std::string kNone;
  const Link* master = link.master.empty() ? nullptr : host.link(link.master);
  return master != nullptr && (master->kind == "vrf" || master->vrf_table != 0) ? master->name : kNone;
}

std::optional<OwnAddress> from_device(const Link& link, const std::optional<IpAddr>& near, AddressScope widest) {
  const Address* first = nullptr;
  for (const Address& a : link.addresses) {
    if (!a.prefix.address.is_v4() || a.secondary) continue;
    // Addresses of scope host count as those of the link here (localnet_scope of inet_select_addr()).
    if (std::min(scope_of(a), AddressScope::link) > widest) continue;
    if (!near || a.subnet().contains(*near)) return OwnAddress{a.prefix.address, &a};
    if (first == nullptr) first = &a;
  }
  if (first == nullptr) return std::nullopt;
  return OwnAddress{first->prefix.address, first};
}

std::optional<OwnAddress> from_others(const Host& host, const std::string& vrf, AddressScope widest) {
  for (const Link& link : host.links.value) {
    if (master_of(host, link) != vrf && link.name != vrf) continue;
    for (const Address& a : link.addresses)
      if (a.prefix.address.is_v4() && !a.secondary && scope_of(a) != AddressScope::link && scope_of(a) <= widest)
        return OwnAddress{a.prefix.address, &a};
  }
  return std::nullopt;
}

// --- IPv6 ----------------------------------------------------------------------------------------------------------

struct Label {
  const char* prefix;
  int label;
};
constexpr Label kLabels[] = {{"::1/128", 0},   {"::ffff:0:0/96", 4}, {"::/96", 3},      {"2001:10::/28", 7}, {"2001::/32", 6},
                             {"2002::/16", 2}, {"3ffe::/16", 12},    {"fec0::/10", 11}, {"fc00::/7", 5}};

int label_of(const IpAddr& a) {
  for (const Label& l : kLabels)
    if (const auto p = Prefix::parse(l.prefix); p && p->contains(a)) return l.label;
  return 1;
}

bool is_site_local(const IpAddr& a) { return !a.is_v4() && (a.value >> 118) == 0x3fb; }

// RFC 4291 scopes: interface 1, link 2, site 5, global 14.
int v6_scope(const IpAddr& a) {
  constexpr int kLink = 2, kSite = 5, kGlobal = 14;
  if (a.is_multicast()) return static_cast<int>(a.value >> 112) & 0xf;
  if (a.is_loopback() || a.is_link_local()) return kLink;
  return is_site_local(a) ? kSite : kGlobal;
}

int common_bits(const IpAddr& a, const IpAddr& b) {
  const U128 differ = a.value ^ b.value;
  return high64(differ) != 0 ? std::countl_zero(high64(differ)) : 64 + std::countl_zero(low64(differ));
}

struct SourceCandidate {
  const Link* link;
  const Address* address;
};

// RFC 6724 section 5; whether `a` is better than `b`.
bool better(const SourceCandidate& a, const SourceCandidate& b, std::string_view device, const IpAddr& to) {
  const IpAddr &x = a.address->prefix.address, &y = b.address->prefix.address;
  if ((x == to) != (y == to)) return x == to;
  if (const int sx = v6_scope(x), sy = v6_scope(y), s = v6_scope(to); sx != sy) return sx < sy ? sx >= s : sy < s;
  if (a.address->deprecated != b.address->deprecated) return b.address->deprecated;
  if ((a.link->name == device) != (b.link->name == device)) return a.link->name == device;
  const int label = label_of(to);
  if ((label_of(x) == label) != (label_of(y) == label)) return label_of(x) == label;
  return std::min<int>(common_bits(x, to), a.address->prefix.length) >
         std::min<int>(common_bits(y, to), b.address->prefix.length);
}

// nf_nat_redirect_ipv6_usable(): what is meant for a scope stays in it; of global ones any will do, and those that are
// global come first.
bool may_redirect(const IpAddr& to, const Address& own) {
  const IpAddr& a = own.prefix.address;
  if (to.is_v4()) return true;
  if (own.tentative || to.is_loopback()) return false;
  if (to.is_link_local()) return a.is_link_local();
  return !is_site_local(to) || is_site_local(a);
}

}  // namespace

std::optional<OwnAddress> select_v4_address(const Host& host, std::string_view device, const std::optional<IpAddr>& near,
                                            AddressScope widest) {
  const Link* link = host.link(device);
  if (link != nullptr)
    if (auto own = from_device(*link, near, widest)) return own;
  return from_others(host, link != nullptr ? master_of(host, *link) : std::string(), widest);
}

std::optional<OwnAddress> select_v6_address(const Host& host, std::string_view device, const IpAddr& to) {
  // ::1 counts as link-local (__ipv6_addr_src_scope()).
  const bool only_device = to.is_link_local() || to.is_loopback() || to.is_multicast();
  const Link* out = host.link(device);
  std::optional<SourceCandidate> best;
  for (const Link& link : host.links.value) {
    if (only_device && link.name != device) continue;
    if (out != nullptr && master_of(host, link) != master_of(host, *out)) continue;
    for (const Address& a : link.addresses) {
      if (a.prefix.address.is_v4() || a.tentative) continue;
      if (!best || better({&link, &a}, *best, device, to)) best = SourceCandidate{&link, &a};
    }
  }
  if (!best) return std::nullopt;
  return OwnAddress{best->address->prefix.address, best->address};
}

std::optional<OwnAddress> masquerade_address(const Host& host, std::string_view device, const IpAddr& next_hop,
                                             const IpAddr& to) {
  if (!to.is_v4()) return select_v6_address(host, device, to);
  return select_v4_address(host, device, next_hop, AddressScope::global);
}

std::optional<OwnAddress> redirect_address(const Host& host, std::string_view device, const IpAddr& to) {
  const Link* link = host.link(device);
  if (link == nullptr) return std::nullopt;
  for (const Address& a : link->addresses)
    if (a.prefix.address.family == to.family && may_redirect(to, a)) return OwnAddress{a.prefix.address, &a};
  return std::nullopt;
}

std::optional<IpAddr> choose_source(const Host& host, const RouteAnswer& answer, std::size_t hop, const IpAddr& to) {
  if (answer.is_for_me() && to.is_v4()) {
    if (answer.route != nullptr && answer.route->source_hint) return answer.route->source_hint;
    if (answer.kind == RouteAnswer::Kind::local) return to;
  }
  const host::Route* route = hop < answer.hops.size() ? answer.hops[hop].route : answer.route;
  if (route != nullptr && route->source_hint) return route->source_hint;
  const std::string device = hop < answer.hops.size() ? answer.hops[hop].get().device.str() : answer.device;
  std::optional<OwnAddress> own;
  if (!to.is_v4()) {
    own = select_v6_address(host, device, to);
  } else {
    std::optional<IpAddr> gateway;
    if (hop < answer.hops.size()) gateway = answer.hops[hop].get().via;
    const bool through = gateway.has_value() && (route == nullptr || route->scope != "link");
    own = select_v4_address(host, device, gateway, through ? AddressScope::global : AddressScope::link);
  }
  if (!own) return std::nullopt;
  return own->address;
}

std::optional<LocalRoute> local_route(const Host& host, const IpAddr& to) {
  RouteQuery q;
  q.to = to;
  const RouteAnswer answer = find_route(host, q);
  if (answer.kind != RouteAnswer::Kind::unicast && !answer.is_for_me()) return std::nullopt;
  const auto source = choose_source(host, answer, 0, to);
  if (!source) return std::nullopt;
  if (answer.hops.empty()) return LocalRoute{answer.device, std::nullopt, *source};
  const host::NextHop& next = answer.hops.front().get();
  return LocalRoute{next.device, next.via, *source};
}

}  // namespace egt::engine
