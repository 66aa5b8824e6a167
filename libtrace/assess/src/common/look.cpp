#include "common/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "common/targets.h"
#include "egtrace/base/text.h"
#include "egtrace/host/rule_view.h"
#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "egtrace/packet/packet.h"

namespace egt::assess {

std::vector<Provenance> places_of(const std::vector<const ovn::Row*>& rows) {
  constexpr std::size_t kShown = 4;
  std::vector<Provenance> places;
  for (std::size_t i = 0; i < rows.size() && i < kShown; ++i) places.push_back(rows[i]->from);
  return places;
}
namespace {

using cluster::Cluster;
using cluster::Node;
namespace nb = rows::nb;

enum class RouterKind { gateway, cluster };  // SNAT rows of pods are on the former, reroute policies on the latter

// "NB NAT", or "NB NAT of ROUTER" for a router that counts.
bool is_complete(const Node& node, const std::string& table, RouterKind router) {
  const std::string key = "NB " + table, of = key + " of ";
  return std::any_of(node.ovn.complete_tables.begin(), node.ovn.complete_tables.end(), [&](const auto& entry) {
    return entry.first == key || (entry.first.starts_with(of) && entry.first.substr(of.size()).starts_with(
                                                                     ovnk::kGatewayRouter) == (router == RouterKind::gateway));
  });
}

// "… reg0 = 100.88.0.3; …" or "xxreg0 = fd97::3;" of a logical flow's actions.
std::vector<IpAddr> next_hops_in(std::string_view actions) {
  std::vector<IpAddr> all;
  for (const std::string_view part : split(actions, ';')) {
    std::string_view s = trim(part);
    if (!consume(s, "reg0 = ") && !consume(s, "xxreg0 = ")) continue;
    if (const auto a = IpAddr::parse(trim(s))) all.push_back(*a);
  }
  return all;
}

std::optional<IpAddr> only_source(std::string_view match) {
  match = trim(match);
  if (!consume(match, "ip4.src == ") && !consume(match, "ip6.src == ")) return std::nullopt;
  return IpAddr::parse(match);
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto number = parse_decimal(text);
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::optional<std::uint32_t> mark_of(const nb::LogicalRouterPolicy& policy) {
  const auto options = policy.options();
  const auto mark = options.find("pkt_mark");
  return mark == options.end() ? std::nullopt : number_of(mark->second);
}

// Older releases have one next hop in a column of its own.
std::vector<IpAddr> next_hops_of(const nb::LogicalRouterPolicy& policy) {
  std::vector<std::string> texts = policy.nexthops();
  texts.push_back(policy.nexthop());
  std::vector<IpAddr> all;
  for (const std::string& text : texts)
    if (const auto hop = IpAddr::parse(text); hop && std::find(all.begin(), all.end(), *hop) == all.end()) all.push_back(*hop);
  return all;
}

std::optional<std::uint32_t> mark_in(std::string_view actions) {
  constexpr std::string_view kSet = "pkt.mark = ";
  const std::size_t at = actions.find(kSet);
  if (at == std::string_view::npos) return std::nullopt;
  return number_of(actions.substr(at + kSet.size(), actions.find(';', at) - at - kSet.size()));
}

Policies from_logical_flows(const Node& node) {
  Policies policies;
  policies.complete = policies.complete_of_all_routers = node.ovn.has_logical_flows;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) {
    if (f.stage != "lr_in_policy" || f.priority == 0) continue;
    Policy p;
    p.match = f.match;
    p.source = only_source(p.match);
    p.priority = f.priority;
    p.next_hops = next_hops_in(f.actions);
    p.mark = mark_in(f.actions);
    const bool group = f.actions.find("select(") != std::string_view::npos;  // several next hops: shown by another stage
    p.action = !p.next_hops.empty() || group ? "reroute" : trim(f.actions).starts_with("drop") ? "drop" : "allow";
    p.uuid = f.uuid;
    p.from = f.from;
    policies.all.push_back(std::move(p));
  }
  return policies;
}

std::string node_in_port_name(const std::string& port) {
  if (ovnk::has_prefixes(port, ovnk::kRouterToJoin, ovnk::kGatewayRouter))
    return std::string(ovnk::behind(ovnk::kGatewayRouter, ovnk::behind(ovnk::kRouterToJoin, port)));
  for (const std::string_view prefix : {ovnk::kRouterToTransit, ovnk::kTransitToRouter})
    if (const auto node = ovnk::behind_key(prefix, port); !node.empty()) return std::string(node);
  return std::string(ovnk::behind(ovnk::kManagementPort, port));
}

}  // namespace

bool Policy::names(const IpAddr& address) const {
  const auto words = split(match, ' ');
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return IpAddr::parse(word) == address; });
}

Policies policies_of(const Node& node) {
  Policies policies;
  policies.complete = is_complete(node, "Logical_Router_Policy", RouterKind::cluster);
  policies.complete_of_all_routers = node.ovn.complete_tables.contains("NB Logical_Router_Policy");
  for (const nb::LogicalRouterPolicy row : rows_of<nb::LogicalRouterPolicy>(node.ovn.rows)) {
    Policy p;
    p.uuid = row.uuid();
    p.match = row.match();
    p.source = only_source(p.match);
    p.action = row.action();
    p.mark = mark_of(row);
    p.priority = static_cast<std::uint32_t>(row.priority().value_or(0));
    p.next_hops = next_hops_of(row);
    p.from = row.from();
    policies.all.push_back(std::move(p));
  }
  return policies.complete || !policies.all.empty() ? policies : from_logical_flows(node);
}

void NatRows::add(NatRow row) {
  row.external = IpAddr::parse(row.external_ip);
  row.logical = Prefix::parse(row.logical_ip);
  if (row.logical) {
    by_network_[row.logical->network()].push_back(all.size());
    lengths_.emplace(row.logical->address.family, row.logical->length);
  }
  all.push_back(std::move(row));
}

std::vector<const NatRow*> NatRows::of(const IpAddr& logical) const {
  std::vector<std::size_t> found;
  for (const auto& [family, length] : lengths_) {
    if (family != logical.family) continue;
    const auto rows = by_network_.find(Prefix{logical, length}.network());
    if (rows != by_network_.end()) found.insert(found.end(), rows->second.begin(), rows->second.end());
  }
  std::sort(found.begin(), found.end());
  std::vector<const NatRow*> rows;
  for (const std::size_t i : found) rows.push_back(&all[i]);
  return rows;
}

NatRows nat_rows_of(const Node& node) {
  NatRows known;
  known.complete = is_complete(node, "NAT", RouterKind::gateway);
  for (const nb::Nat nat : rows_of<nb::Nat>(node.ovn.rows))
    known.add({nat.type(), nat.external_ip(), nat.logical_ip(), nat.router(), nat.from(), {}, {}});
  return known;
}

std::string owner_of_next_hop(const Cluster& cluster, const IpAddr& next_hop) {
  if (const Node* owner = cluster.owner_of(next_hop)) return owner->name;
  for (const cluster::NodeObject& object : cluster.objects.nodes)
    for (const char* key : {"k8s.ovn.org/node-transit-switch-port-ifaddr", "k8s.ovn.org/node-gateway-router-lrp-ifaddr",
                            "k8s.ovn.org/node-gateway-router-lrp-ifaddrs"})
      if (const auto found = object.annotations.find(key); found != object.annotations.end())
        if (found->second.find("\"" + next_hop.to_string() + "/") != std::string::npos) return object.name;
  for (const auto& node : cluster.nodes)
    for (const ovn::LogicalPort& port : node->ovn.ports) {
      const bool holds =
          std::any_of(port.addresses.begin(), port.addresses.end(), [&](const Prefix& p) { return p.address == next_hop; });
      if (std::string name = holds ? node_in_port_name(port.name) : ""; !name.empty()) return name;
    }
  return {};
}

const host::Link* management_device(const cluster::Node& node) {
  for (const host::Link& link : node.host.links.value) {
    const auto place = node.port(link.name);
    if (place.port != nullptr && place.port->type == "internal" && place.bridge == node.integration_bridge() &&
        link.name != place.bridge->name)
      return &link;
  }
  return nullptr;
}

const host::Host& dumped_host(const Node& node) { return node.host_presumed && node.dumped_host ? *node.dumped_host : node.host; }

bool is_dead(const host::Link& link) { return !link.is_up() || !link.has_carrier(); }

bool has_no_wire(const cluster::Node& node, const std::string& device) {
  const auto is_known_dead = [&](const std::string& name) {
    const host::Link* link = node.host.link(name);
    return link != nullptr && is_dead(*link);
  };
  const openflow::Bridge* bridge = node.bridge(device);
  if (bridge == nullptr) return is_known_dead(device);
  bool any = false;
  for (const openflow::Interface& port : bridge->interfaces) {
    if (port.type == "internal" || port.type == "patch" || port.name == device || openflow::is_tunnel_type(port.type)) continue;
    if (!is_known_dead(port.name)) return false;  // DPDK's ports are no devices of the kernel
    any = true;
  }
  return any;
}

std::vector<engine::JudgedRule> host_snat_for(const Node& node, const IpAddr& pod, const IpAddr& destination) {
  FlowKey packet;
  packet.set(FieldId::eth_type, pod.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
  packet.set(FieldId::nw_proto, ip_proto::tcp);
  set_src_ip(packet, pod);
  set_dst_ip(packet, destination);
  return engine::judge_source_nat(node, packet);
}

bool translates_to(const engine::JudgedRule& rule, const IpAddr& address) {
  if (rule.mapped) return *rule.mapped == address;
  const auto* range = rule.target != nullptr ? get_if_boxed<IpRange>(&rule.target->address) : nullptr;
  return range != nullptr && range->contains(address);
}

bool has_nat_rules(const Node& node, Family family) {
  const host::Host& host = dumped_host(node);
  const auto& tables = family == Family::v4 ? host.iptables_v4 : host.iptables_v6;
  return (tables.present && !tables.partial) || (host.nft.present && !host.nft.partial);
}

namespace {

using netfilter::Key;

// What a statement, or the part of a map's key, asks for.
void ask(DnatRule& rule, Key key, Family family, U128 value) {
  if (key == (family == Family::v4 ? Key::ip_daddr : Key::ip6_daddr))
    rule.destination = IpAddr{family, value};
  else if (key == Key::dport)
    rule.port = static_cast<std::uint16_t>(low64(value));
}

// "ip daddr . meta l4proto . th dport map @external-ips-v4": a translation for each element.
void add_elements(const DnatRule& of, const netfilter::MapLookup& lookup, Family family, std::vector<DnatRule>& all) {
  for (const netfilter::SetElement& element : lookup.map->elements) {
    const auto* to = element.data && !element.data->empty() ? std::get_if<netfilter::Number>(&element.data->front()) : nullptr;
    if (to == nullptr || element.key.size() != lookup.key.size()) continue;
    DnatRule found = of;
    found.element = &element;
    found.map = lookup.map->name;
    found.to = IpAddr{family, *to};
    if (const auto* port = element.data->size() > 1 ? std::get_if<netfilter::Number>(&(*element.data)[1]) : nullptr)
      found.to_port = static_cast<std::uint16_t>(low64(*port));
    for (std::size_t i = 0; i < lookup.key.size(); ++i) {
      const auto* read = lookup.key[i] == nullptr ? nullptr : std::get_if<netfilter::Read>(&lookup.key[i]->node);
      if (const auto* asked = std::get_if<netfilter::Number>(&element.key[i]); read != nullptr && asked != nullptr)
        ask(found, read->key, family, *asked);
    }
    all.push_back(std::move(found));
  }
}

void add_dnat_rules(const netfilter::Table& table, const netfilter::Chain& chain, const netfilter::Rule& rule, Family family,
                    std::vector<DnatRule>& all) {
  DnatRule found;
  found.table = &table;
  found.chain = &chain;
  found.rule = &rule;
  const netfilter::NatTarget* target = netfilter::translation(rule);
  if (target == nullptr || target->kind != netfilter::NatTarget::Kind::dnat || (target->family && *target->family != family))
    return;
  const bool of_family =
      target->family || table.family == (family == Family::v4 ? netfilter::TableFamily::ip : netfilter::TableFamily::ip6);
  for (const netfilter::Statement& s : rule.statements)
    for (const Key key : {Key::ip_daddr, Key::ip6_daddr, Key::dport})
      if (const auto n = netfilter::asked_number(s, {key})) ask(found, key, family, *n);
  if (const auto* value = std::get_if<netfilter::ExprPtr>(&target->address)) {
    const auto* lookup = *value == nullptr ? nullptr : std::get_if<netfilter::MapLookup>(&(*value)->node);
    if (lookup != nullptr && lookup->map != nullptr) {
      if (of_family) add_elements(found, *lookup, family, all);
      return;
    }
  }
  if (const auto* range = get_if_boxed<IpRange>(&target->address); range != nullptr && range->first == range->last) {
    if (range->first.family != family) return;
    found.to = range->first;
  }
  if (const auto* ports = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&target->port);
      ports != nullptr && ports->first == ports->second)
    found.to_port = ports->first;
  all.push_back(std::move(found));
}

// nft lists what iptables has written too.
bool is_listed_twice(const netfilter::Table& table, const host::Host& host, Family family) {
  return table.from_iptables && (family == Family::v4 ? host.iptables_v4 : host.iptables_v6).present;
}

}  // namespace

std::vector<DnatRule> dnat_rules_of(const Node& node, Family family) {
  std::vector<DnatRule> all;
  const host::Host& host = dumped_host(node);
  for (const auto* part : {family == Family::v4 ? &host.iptables_v4 : &host.iptables_v6, &host.nft})
    for (const netfilter::Table& table : part->value.tables)
      if (part != &host.nft || !is_listed_twice(table, host, family))
        for (const netfilter::Chain& chain : table.chains)
          for (const netfilter::Rule& rule : chain.rules) add_dnat_rules(table, chain, rule, family, all);
  return all;
}

bool is_ovn_kubernetes(const netfilter::Table& table) {
  return table.family == netfilter::TableFamily::inet && table.name == ovnk::kNftTable;
}

HostChains host_chains(const Node& node, Family family, HostFeature feature) {
  constexpr std::string_view kServices[] = {ovnk::kNodePortChain, ovnk::kExternalIpChain, ovnk::kLocalTrafficChain,
                                            ovnk::kInternalTrafficChain};
  constexpr std::string_view kEgressIps[] = {ovnk::kEgressIpChain};
  const bool services = feature == HostFeature::services;
  const std::span<const std::string_view> old = services ? std::span<const std::string_view>(kServices) : kEgressIps;
  const host::Host& host = dumped_host(node);
  HostChains chains;
  for (const auto* part : {family == Family::v4 ? &host.iptables_v4 : &host.iptables_v6, &host.nft})
    for (const netfilter::Table& table : part->value.tables) {
      if (part == &host.nft && is_listed_twice(table, host, family)) continue;
      const bool of_family = table.family == (family == Family::v4 ? netfilter::TableFamily::ip : netfilter::TableFamily::ip6);
      for (const netfilter::Chain& chain : table.chains) {
        if (is_ovn_kubernetes(table) && chain.name == (services ? "services" : "egress-ip-snat")) chains.nft = &chain;
        if (of_family && std::find(old.begin(), old.end(), chain.name) != old.end()) chains.iptables.push_back(&chain);
      }
    }
  return chains;
}

std::string vip_of(const IpAddr& address, std::uint16_t port) {
  return fmt::format(fmt::runtime(address.is_v4() ? "{}:{}" : "[{}]:{}"), address.to_string(), port);
}

VipState vip_state(const Node& node, const cluster::Service& service, const IpAddr& address, std::uint16_t port) {
  if (!node.ovn.complete_tables.contains("NB Load_Balancer")) return VipState::unknown;
  const std::string owner = service.namespace_ + "/" + service.name;
  bool owned = false;
  for (const nb::LoadBalancer balancer : rows_of<nb::LoadBalancer>(node.ovn.rows)) {
    if (balancer.vips().contains(vip_of(address, port))) return VipState::present;
    owned |= balancer.external_id("k8s.ovn.org/owner") == owner;
  }
  return owned ? VipState::other_addresses : VipState::absent;
}

const host::Part<std::vector<host::PolicyRule>>& rules_of(const Node& node, Family family) {
  const host::Host& host = dumped_host(node);
  return family == Family::v4 ? host.rules_v4 : host.rules_v6;
}

const host::Part<std::vector<host::Route>>& routes_of(const Node& node, Family family) {
  const host::Host& host = dumped_host(node);
  return family == Family::v4 ? host.routes_v4 : host.routes_v6;
}

engine::RouteAnswer route_from_outside(const Cluster& cluster, const Node& node, const IpAddr& to) {
  engine::RouteQuery query;
  query.to = outside(cluster, to.family);
  const engine::RouteAnswer back = engine::find_route(node.host, query);
  query.from = std::exchange(query.to, to);
  if (!back.hops.empty()) query.in_device = back.hops.front().get().device;
  return engine::find_route(node.host, query);
}

std::vector<const Node*> outside_nodes(const Cluster& cluster) {
  std::vector<const Node*> all;
  for (const auto& node : cluster.nodes)
    if (!is_cluster_node(*node) && !node->roles.empty()) all.push_back(node.get());
  return all;
}

}  // namespace egt::assess
