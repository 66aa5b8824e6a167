// Devices, addresses, neighbours, policy rules, routes, connections and sockets of hosts.
#include "catalogue.h"
#include "egtrace/packet/packet.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using cluster::Node;
using host::Host;

template <class T>
struct OfNode {
  const Node* node;
  const T* item;
};

using C = const Context&;
using LinkRow = OfNode<host::Link>;
using AddressRow = struct {
  const Node* node;
  const host::Link* link;
  const host::Address* item;
};
using NeighbourRow = OfNode<host::Neighbour>;
using RuleRow = OfNode<host::PolicyRule>;
using SocketRow = OfNode<host::ListeningSocket>;
struct RouteRow {
  const Node* node;
  const host::Route* item;
  std::size_t hop;
};
struct ConnectionRow {
  const Node* node;
  const host::ConntrackEntry* item;
  bool of_kernel;
};

Value family(Family f) { return Value(std::int64_t{f == Family::v4 ? 4 : 6}); }

template <class T>
void add_all(const Node& node, const std::vector<T>& items, std::vector<OfNode<T>>& out) {
  for (const T& item : items) out.push_back({&node, &item});
}

Definition<LinkRow> links() {
  using R = const LinkRow&;
  return {"links",
          "network devices (ip link)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"name", "TEXT", "name", [](C, R r) { return text(r.item->name); }},
           {"ifindex", "INTEGER", "index", [](C, R r) { return number(r.item->index); }},
           {"kind", "TEXT", "veth, vlan, bond, ... (ip -d link)", [](C, R r) { return text(r.item->kind); }},
           {"mac", "TEXT", "MAC", [](C, R r) { return mac(r.item->mac); }},
           {"mtu", "INTEGER", "MTU", [](C, R r) { return number(r.item->mtu); }},
           {"state", "TEXT", "UP, DOWN, UNKNOWN, ...", [](C, R r) { return text(r.item->state); }},
           {"flags", "TEXT", "with commas", [](C, R r) { return text(r.item->flags.list); }},
           {"master", "TEXT", "bridge, bond, VRF", [](C, R r) { return text(r.item->master); }},
           {"vlan_id", "INTEGER", "of a VLAN device", [](C, R r) { return number(r.item->vlan_id); }}},
          [](C context, std::vector<LinkRow>& out) {
            for (const auto& node : context.cluster().nodes) add_all(*node, node->host.links.value, out);
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "network devices", "ip -d address",
                                 [](const Node& n) { return lack_of_part(n.host.links); });
          }};
}

Definition<AddressRow> addresses() {
  using R = const AddressRow&;
  return {"addresses",
          "addresses of devices (ip address)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"device", "TEXT", "device", [](C, R r) { return text(r.link->name); }},
           {"address", "TEXT", "address", [](C, R r) { return text(r.item->prefix.address.to_string()); }},
           {"length", "INTEGER", "of the subnet's prefix", [](C, R r) { return number(r.item->prefix.length); }},
           {"scope", "TEXT", "global, link, host", [](C, R r) { return text(r.item->scope); }}},
          [](C context, std::vector<AddressRow>& out) {
            for (const auto& node : context.cluster().nodes)
              for (const host::Link& link : node->host.links.value)
                for (const host::Address& address : link.addresses) out.push_back({&*node, &link, &address});
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "addresses of devices", "ip address",
                                 [](const Node& n) { return lack_of_part(n.host.links); });
          }};
}

std::string_view name_of(host::NeighbourState state) {
  constexpr std::string_view kNames[] = {"NONE",  "INCOMPLETE", "REACHABLE", "STALE",    "DELAY",
                                         "PROBE", "FAILED",     "NOARP",     "PERMANENT"};
  return kNames[static_cast<std::size_t>(state)];
}

Definition<NeighbourRow> neighbours() {
  using R = const NeighbourRow&;
  return {"neighbours",
          "neighbours (ip neighbour)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"address", "TEXT", "address", [](C, R r) { return text(r.item->address.to_string()); }},
           {"device", "TEXT", "device", [](C, R r) { return text(r.item->device); }},
           {"mac", "TEXT", "MAC", [](C, R r) { return mac(r.item->mac); }},
           {"state", "TEXT", "REACHABLE, STALE, FAILED, ...", [](C, R r) { return text(name_of(r.item->state)); }},
           {"proxy", "INTEGER", "1: answered for others", [](C, R r) { return flag(r.item->proxy); }}},
          [](C context, std::vector<NeighbourRow>& out) {
            for (const auto& node : context.cluster().nodes) add_all(*node, node->host.neighbours.value, out);
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "neighbours", "ip neighbour",
                                 [](const Node& n) { return lack_of_part(n.host.neighbours); });
          }};
}

Value mark_of(const host::PolicyRule& rule) {
  if (!rule.fwmark) return {};
  return rule.fwmask == 0xffffffff ? hexadecimal(*rule.fwmark) : Value(fmt::format("{:#x}/{:#x}", *rule.fwmark, rule.fwmask));
}

std::string_view name_of(host::RuleAction action) {
  constexpr std::string_view kNames[] = {"lookup", "goto", "blackhole", "unreachable", "prohibit", "nop"};
  return kNames[static_cast<std::size_t>(action)];
}

Definition<RuleRow> rules() {
  using R = const RuleRow&;
  return {"rules",
          "policy rules (ip rule)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"family", "INTEGER", "4, 6", [](C, R r) { return family(r.item->family); }},
           {"priority", "INTEGER", "preference", [](C, R r) { return number(r.item->priority); }},
           {"negated", "INTEGER", "1: not", [](C, R r) { return flag(r.item->negate); }},
           {"source", "TEXT", "from; NULL: all",
            [](C, R r) { return r.item->has_from ? text(r.item->from_prefix.to_short_string()) : Value(); }},
           {"destination", "TEXT", "to; NULL: all",
            [](C, R r) { return r.item->has_to ? text(r.item->to_prefix.to_short_string()) : Value(); }},
           {"fwmark", "TEXT", "mark, or mark/mask", [](C, R r) { return mark_of(*r.item); }},
           {"iif", "TEXT", "by which it arrives", [](C, R r) { return text(r.item->iif); }},
           {"oif", "TEXT", "to which a socket is bound", [](C, R r) { return text(r.item->oif); }},
           {"action", "TEXT", "lookup, goto, prohibit, ...", [](C, R r) { return text(name_of(r.item->action)); }},
           {"route_table", "TEXT", "routing table", [](C, R r) { return text(r.item->table); }}},
          [](C context, std::vector<RuleRow>& out) {
            for (const auto& node : context.cluster().nodes) {
              add_all(*node, node->host.rules_v4.value, out);
              add_all(*node, node->host.rules_v6.value, out);
            }
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "policy rules", "ip rule", [](const Node& n) { return lack_of_part(n.host.rules_v4); });
          }};
}

std::string_view name_of(host::RouteType type) {
  constexpr std::string_view kNames[] = {"unicast", "local",       "broadcast", "multicast", "anycast",
                                         "throw",   "unreachable", "prohibit",  "blackhole", "nat"};
  return kNames[static_cast<std::size_t>(type)];
}

void add_routes(const Node& node, const std::vector<host::Route>& routes, std::vector<RouteRow>& out) {
  for (const host::Route& route : routes)
    for (std::size_t hop = 0; hop < std::max<std::size_t>(1, route.next_hops.size()); ++hop) out.push_back({&node, &route, hop});
}

const host::NextHop* hop_of(const RouteRow& r) { return r.hop < r.item->next_hops.size() ? &r.item->next_hops[r.hop] : nullptr; }

Definition<RouteRow> routes() {
  using R = const RouteRow&;
  return {"routes",
          "routes, a row for each next hop (ip route show table all)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"family", "INTEGER", "4, 6", [](C, R r) { return family(r.item->family); }},
           {"route_table", "TEXT", "routing table", [](C, R r) { return text(r.item->table); }},
           {"destination", "TEXT", "network; 0.0.0.0/0 and ::/0 are the default",
            [](C, R r) { return text(r.item->to.to_string()); }},
           {"type", "TEXT", "unicast, local, blackhole, ...", [](C, R r) { return text(name_of(r.item->type)); }},
           {"via", "TEXT", "gateway", [](C, R r) { return hop_of(r) != nullptr ? address(hop_of(r)->via) : Value(); }},
           {"device", "TEXT", "device", [](C, R r) { return hop_of(r) != nullptr ? text(hop_of(r)->device) : Value(); }},
           {"weight", "INTEGER", "of the next hop",
            [](C, R r) { return hop_of(r) != nullptr ? number(hop_of(r)->weight) : Value(); }},
           {"metric", "INTEGER", "metric", [](C, R r) { return number(r.item->metric); }},
           {"src", "TEXT", "preferred source", [](C, R r) { return address(r.item->source_hint); }},
           {"protocol", "TEXT", "kernel, static, bgp, ...", [](C, R r) { return text(r.item->protocol); }},
           {"mtu", "INTEGER", "MTU", [](C, R r) { return number(r.item->mtu); }}},
          [](C context, std::vector<RouteRow>& out) {
            for (const auto& node : context.cluster().nodes) {
              add_routes(*node, node->host.routes_v4.value, out);
              add_routes(*node, node->host.routes_v6.value, out);
            }
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "IPv4 routes", "ip route show table all",
                                 [](const Node& n) { return lack_of_part(n.host.routes_v4); });
          }};
}

Value port_of(const Tuple& tuple, std::uint16_t port) {
  return tuple.proto == 6 || tuple.proto == 17 || tuple.proto == 132 ? number(port) : Value();
}

Definition<ConnectionRow> connections() {
  using R = const ConnectionRow&;
  return {
      "conntrack",
      "connections (conntrack -L, ovs-appctl dpctl/dump-conntrack)",
      {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
       {"tool", "TEXT", "conntrack, dpctl", [](C, R r) { return text(r.of_kernel ? "conntrack" : "dpctl"); }},
       {"zone", "INTEGER", "zone", [](C, R r) { return number(r.item->zone); }},
       {"proto", "TEXT", "tcp, udp, icmp, ...",
        [](C, R r) { return text(proto_name(r.item->original.proto, r.item->original.src.family)); }},
       {"state", "TEXT", "ESTABLISHED, ...; NULL: a protocol without", [](C, R r) { return text(r.item->state); }},
       {"src", "TEXT", "source of the request", [](C, R r) { return text(r.item->original.src.to_string()); }},
       {"dst", "TEXT", "destination of the request", [](C, R r) { return text(r.item->original.dst.to_string()); }},
       {"sport", "INTEGER", "source port", [](C, R r) { return port_of(r.item->original, r.item->original.sport); }},
       {"dport", "INTEGER", "destination port", [](C, R r) { return port_of(r.item->original, r.item->original.dport); }},
       {"reply_src", "TEXT", "source of the reply", [](C, R r) { return text(r.item->reply.src.to_string()); }},
       {"reply_dst", "TEXT", "destination of the reply: the translated source",
        [](C, R r) { return text(r.item->reply.dst.to_string()); }},
       {"reply_sport", "INTEGER", "source port of the reply", [](C, R r) { return port_of(r.item->reply, r.item->reply.sport); }},
       {"reply_dport", "INTEGER", "destination port of the reply",
        [](C, R r) { return port_of(r.item->reply, r.item->reply.dport); }},
       {"mark", "TEXT", "as 0x...", [](C, R r) { return hexadecimal(r.item->mark); }},
       {"unreplied", "INTEGER", "1: no reply was seen; NULL: the tool does not show it",
        [](C, R r) { return r.item->reply_known ? flag(r.item->unreplied) : Value(); }},
       {"timeout", "INTEGER", "seconds", [](C, R r) { return number(r.item->timeout); }}},
      [](C context, std::vector<ConnectionRow>& out) {
        for (const auto& node : context.cluster().nodes) {
          for (const host::ConntrackEntry& e : node->host.conntrack.value) out.push_back({&*node, &e, true});
          for (const host::ConntrackEntry& e : node->host.ovs_conntrack.value) out.push_back({&*node, &e, false});
        }
      },
      [](C, R r) { return r.item->from; },
      [](C context) {
        return gaps_of_nodes(context, "connections", "conntrack -L; ovs-appctl dpctl/dump-conntrack", [](const Node& n) {
          return std::max(lack_of_part(n.host.conntrack),
                          is_cluster_node(n) ? lack_of_part(n.host.ovs_conntrack) : Lack::nothing);
        });
      }};
}

Definition<SocketRow> sockets() {
  using R = const SocketRow&;
  return {"sockets",
          "listening sockets (ss -tuln)",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.node->name); }},
           {"proto", "TEXT", "tcp, udp, sctp", [](C, R r) { return text(proto_name(r.item->proto, Family::v4)); }},
           {"address", "TEXT", "NULL: any", [](C, R r) { return address(r.item->address); }},
           {"port", "INTEGER", "port", [](C, R r) { return number(r.item->port); }}},
          [](C context, std::vector<SocketRow>& out) {
            for (const auto& node : context.cluster().nodes) add_all(*node, node->host.sockets.value.listening, out);
          },
          [](C, R r) { return r.item->from; },
          [](C context) {
            return gaps_of_nodes(context, "listening sockets", "ss -tuln",
                                 [](const Node& n) { return lack_of_part(n.host.sockets); });
          }};
}

}  // namespace

void add_host_tables(Tables& all) {
  all.push_back(make_table(links()));
  all.push_back(make_table(addresses()));
  all.push_back(make_table(neighbours()));
  all.push_back(make_table(rules()));
  all.push_back(make_table(routes()));
  all.push_back(make_table(connections()));
  all.push_back(make_table(sockets()));
}

}  // namespace egt::sql
