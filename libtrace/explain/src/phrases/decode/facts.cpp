#include "facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::explain {
namespace {

struct Number {
  std::uint64_t first, last;
  std::string_view meaning;
};

template <std::size_t N>
std::string look_up(const Number (&rows)[N], std::uint64_t value) {
  for (const Number& row : rows)
    if (row.first <= value && value <= row.last) return std::string(row.meaning);
  return {};
}

constexpr Number kMarks[] = {
    {0x2a, 0x2a, "reply of a pod that an EgressIP serves; a router policy lets it pass unrerouted (OVN only)"},
    {0x3f0, 0x3f0,
     "traffic of EgressIP or EgressService pods to cluster nodes: the external bridge gives it the node's "
     "address; on the host it is kept from SNAT and looked up in table main"},
    {0x3f1, 0x3f1, "rerouted to an EgressIP on a secondary interface; dropped where it would leave without SNAT"},
    {0x4000, 0x4000, "kube-proxy: masquerade"},
    {0x8000, 0x8000, "kube-proxy: drop"},
    {0x1745ec, 0x1745ec, "host traffic to a service with internalTrafficPolicy Local: looked up in routing table 7"},
};

constexpr Number kBridgeCtMarks[] = {
    {1, 1, "external bridge, zone 64000: the connection belongs to OVN's default network"},
    {2, 2, "external bridge, zone 64000: the connection belongs to the host"},
};

constexpr Number kZones[] = {
    {0, 0, "the host's conntrack zone; also the SNAT zone of gateway routers with snat-ct-zone=0"},
    {64000, 64000, "external bridge of OVN-Kubernetes: all connections"},
    {64001, 64001, "external bridge: host to OVN through the host masquerade address"},
    {64002, 64002, "external bridge: OVN to host through the OVN masquerade address"},
    {64003, 64003, "external bridge: NodePorts of services with externalTrafficPolicy Local on the host network"},
    {64004, 64004, "external bridge: reassembly of fragments"},
};

constexpr Number kCookies[] = {
    {0xdeff105, 0xdeff105, "default flows of the external bridge (OVN-Kubernetes)"},
    {0xe745ecf105, 0xe745ecf105, "flows of the external bridge for services with externalTrafficPolicy Local (OVN-Kubernetes)"},
};

constexpr Number kMulticastGroups[] = {
    {0x8000, 0x8000, "_MC_flood"},  {0x8001, 0x8001, "_MC_unknown"},  {0x8002, 0x8002, "_MC_mrouter_flood"},
    {0x8003, 0x8003, "_MC_static"}, {0x8004, 0x8004, "_MC_flood_l2"}, {0x8005, 0xffff, "learned IP multicast group"},
};

constexpr Number kMasquerade[] = {
    {1, 1, "masquerade address of OVN: how OVN appears to the host"},
    {2, 2, "masquerade address of the host: how the host appears to OVN"},
    {3, 3, "masquerade address for externalTrafficPolicy Local services with host endpoints"},
    {4, 4, "dummy next hop of gateway routers for services and the masquerade subnet"},
    {5, 5, "source address of a pod that reaches itself through a service"},
    {0x101, 0x101, "gateway of virtual machines, for which the node's switch answers (arp_proxy)"},
};

struct StateWord {
  std::string_view name;
  std::uint32_t bit;
};
constexpr StateWord kStates[] = {{"new", ct_state::new_},  {"est", ct_state::est},  {"rel", ct_state::rel},
                                 {"rpl", ct_state::rpl},   {"inv", ct_state::inv},  {"trk", ct_state::trk},
                                 {"snat", ct_state::snat}, {"dnat", ct_state::dnat}};

std::uint32_t state_bit(std::string_view name) {
  for (const StateWord& w : kStates)
    if (w.name == name) return w.bit;
  return 0;
}

}  // namespace

std::string mark_meaning(std::uint32_t mark) {
  if (std::string known = look_up(kMarks, mark); !known.empty()) return known;
  if (mark > 0x1000 && mark < 0x2000) return fmt::format("user-defined network with id {}", mark - 0x1000);
  if (mark >= 50000 && mark <= 55000) return "mark of an EgressIP (annotation egressip-mark), used for user-defined networks";
  return {};
}

std::string bridge_ct_mark_meaning(std::uint32_t mark) {
  if (mark >= 3 && mark < 4096)
    return fmt::format("external bridge, zone 64000: the connection belongs to the user-defined network with id {}", mark - 3);
  return look_up(kBridgeCtMarks, mark);
}

std::string zone_meaning(std::uint32_t zone) { return look_up(kZones, zone); }
std::string cookie_meaning(std::uint64_t cookie) { return look_up(kCookies, cookie); }
std::string multicast_group_meaning(std::uint32_t key) { return look_up(kMulticastGroups, key); }

// go-controller/pkg/allocator/id: by the network's id, then as they come.
std::string tunnel_key_meaning(std::uint32_t key) {
  constexpr std::uint32_t kFirst = 16711683, kNetworks = 4096, kLast = 0xffffff;
  if (key < kFirst || key > kLast) return {};
  if (key == kFirst) return "transit switch of the default network";
  if (key < kFirst + kNetworks) return fmt::format("transit switch, or layer 2 switch, of the network with id {}", key - kFirst);
  return "transit router of a layer 2 network, or router of a ClusterNetworkConnect: annotations k8s.ovn.org/tunnel-keys and "
         "connect-router-tunnel-key have it";
}

std::string ct_state_names(std::uint32_t value, std::uint32_t mask) {
  std::string all;
  for (const StateWord& w : kStates) {
    if (!(mask & w.bit)) continue;
    all.push_back(value & w.bit ? '+' : '-');
    all += w.name;
  }
  return all;
}

std::string ct_state_sentence(std::uint32_t value) {
  if (!(value & ct_state::trk)) return "not tracked: the packet has not been through conntrack in this zone";
  std::vector<std::string_view> parts;
  if (value & ct_state::inv) parts.push_back("invalid: belongs to no connection that could be followed");
  if (value & ct_state::new_) parts.push_back("begins a connection that is not committed yet");
  if (value & ct_state::est) parts.push_back("belongs to an established connection");
  if (value & ct_state::rel) parts.push_back("is related to a connection (an ICMP error, an expected connection)");
  if (value & ct_state::rpl) parts.push_back("goes in the reply direction");
  if (value & ct_state::snat) parts.push_back("its source was translated in this zone");
  if (value & ct_state::dnat) parts.push_back("its destination was translated in this zone");
  return parts.empty() ? "tracked" : fmt::format("tracked; {}", fmt::join(parts, "; "));
}

std::optional<StateBits> parse_ct_state(std::string_view text) {
  StateBits bits;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const char sign = text.front();
    const bool separator = sign == '+' || sign == '-' || sign == '|' || sign == ',';
    if (separator) text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_of("+-|,"), text.size());
    const std::uint32_t bit = state_bit(text.substr(0, end));
    if (bit == 0) return std::nullopt;
    bits.mask |= bit;
    if (sign != '-') bits.value |= bit;
    text.remove_prefix(end);
  }
  return bits;
}

namespace {

// Behind the subnet's first address: the cluster's own up to 10, then two of each user-defined network
// (go-controller/pkg/generator/udn/masquerade_ips.go).
std::string masquerade_meaning(std::uint64_t offset) {
  constexpr std::uint64_t kFirstOfNetworks = 11, kMost = 2 * 4096;
  std::string known = look_up(kMasquerade, offset);
  if (!known.empty() || offset < kFirstOfNetworks || offset > kMost) return known;
  return fmt::format("masquerade address of the {} of the user-defined network with id {}",
                     offset % 2 != 0 ? "gateway routers" : "management ports", (offset - 9) / 2);
}

// Behind the first address of the transit subnet; nothing where it is none of it.
std::optional<std::uint64_t> transit_offset(const IpAddr& address) {
  const auto subnet = Prefix::parse(address.is_v4() ? ovnk::kTransitSubnetV4 : ovnk::kTransitSubnetV6);
  if (!subnet->contains(address)) return std::nullopt;
  return low64(address.value) - low64(subnet->address.value);
}

}  // namespace

// Two addresses for each node, by its id (getTransitRouterInfo() of go-controller/pkg/ovn/transit_router.go).
std::string transit_link_meaning(const IpAddr& address) {
  const auto offset = transit_offset(address);
  if (!offset || *offset < 2) return {};
  return fmt::format("{} of a primary layer 2 network, {} the node with id {} (a /{} of the default transit subnet)",
                     *offset % 2 == 0 ? "transit router" : "gateway router",
                     *offset % 2 == 0 ? "on its link to the gateway router of" : "on", *offset / 2, address.is_v4() ? 31 : 127);
}

std::string link_of_two_meaning(const IpAddr& address) {
  if (std::string known = transit_link_meaning(address); !known.empty()) return known;
  return fmt::format(
      "{} of a link between two routers, where OVN-Kubernetes made it: of a ClusterNetworkConnect by its "
      "connectSubnets ({}), or of a transit router",
      address.value % 2 == 0 ? "first address" : "second address",
      address.value % 2 == 0 ? "port crtor-… of the connect router" : "port rtocr-… of a network's router");
}

std::string default_address_meaning(const IpAddr& address) {
  if (!address.is_v4()) {
    if (const auto offset = transit_offset(address); offset && *offset > 0)
      return fmt::format("transit switch port of the node with id {} (default subnet {})", *offset, ovnk::kTransitSubnetV6);
    const auto masquerade = Prefix::parse(ovnk::kMasqueradeSubnetV6);
    return masquerade->contains(address) ? masquerade_meaning(low64(address.value) & 0xffff) : std::string();
  }
  if (const auto prefix = Prefix::parse(ovnk::kMasqueradeSubnetV4);
      prefix->contains(address) && !Prefix::parse(ovnk::kMasqueradeOfHosts)->contains(address))
    return masquerade_meaning(address.as_v4() & 0x7fff);
  for (const std::string_view base : {ovnk::kDefaultMasqueradeSubnetV4, ovnk::kMasqueradeOfHosts})
    if (const auto prefix = Prefix::parse(base); prefix->contains(address)) return look_up(kMasquerade, address.as_v4() & 7);
  const std::uint32_t id = address.as_v4() & 0xffff;
  if (Prefix::parse(ovnk::kJoinSubnetOfNetworksV4)->contains(address) && id > 0)
    return id == 1 ? fmt::format("the cluster router's port on a user-defined network's join switch (default subnet {})",
                                 ovnk::kJoinSubnetOfNetworksV4)
                   : fmt::format("a user-defined network's gateway router of the node with id {} (default subnet {})", id,
                                 ovnk::kJoinSubnetOfNetworksV4);
  if (Prefix::parse(ovnk::kTransitSubnetV4)->contains(address) && id > 0)
    return fmt::format("transit switch port of the node with id {} (default subnet {})", id, ovnk::kTransitSubnetV4);
  if (Prefix::parse(ovnk::kJoinSubnetV4)->contains(address) && id == 1)
    return fmt::format("the cluster router's port on the join switch (default subnet {})", ovnk::kJoinSubnetV4);
  if (Prefix::parse(ovnk::kJoinSubnetV4)->contains(address) && id > 1)
    return fmt::format("gateway router of the node with id {} on the join switch (default subnet {})", id, ovnk::kJoinSubnetV4);
  return {};
}

std::optional<IpAddr> address_of_mac(const MacAddr& mac) {
  if (mac.value >> 32 != 0x0a58) return std::nullopt;
  return IpAddr::v4(static_cast<std::uint32_t>(mac.value));
}

std::string tunnel_ports(std::uint32_t option) {
  const std::uint32_t in = (option >> 16) & 0x7fff, out = option & 0xffff;
  std::string text = fmt::format("input port key {}, output port key {}", in, out);
  if (const std::string group = multicast_group_meaning(out); !group.empty()) text += fmt::format(" (multicast group {})", group);
  return text;
}

std::string_view mac_kind(const MacAddr& mac) {
  if (mac.is_broadcast()) return "broadcast";
  if (mac.is_multicast()) return "multicast";
  return (mac.value >> 41) & 1 ? "locally administered" : "given by a vendor";
}

std::string mac_of_address_meaning(const IpAddr& address) {
  return fmt::format("made of the address {} (or of a hash, where the owner has IPv6 only)", address.to_string());
}

std::string row_of_cookie_meaning(std::uint64_t cookie) {
  return fmt::format("first 8 digits of a Southbound row's UUID: {:08x}-…", cookie);
}

std::string cookie_of_row_meaning(std::uint64_t cookie) {
  return fmt::format("flows of this Southbound row have the cookie {:#x}", cookie);
}

}  // namespace egt::explain
