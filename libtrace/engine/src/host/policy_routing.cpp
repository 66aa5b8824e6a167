// The walk over the policy rules: fib_rules_lookup() of net/core/fib_rules.c with the actions of net/ipv4/fib_rules.c and
// net/ipv6/fib6_rules.c.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/engine/routing.h"
#include "fib_table.h"
#include "rule_selectors.h"

namespace egt::engine {
namespace {

using host::Host;
using host::Link;
using host::PolicyRule;
using host::Route;
using host::RouteType;
using host::RuleAction;
using Kind = RouteAnswer::Kind;

constexpr std::uint32_t kLocalPriority = 0, kMainPriority = 32766, kDefaultPriority = 32767;

PolicyRule plain_rule(Family f, std::uint32_t priority, const char* table) {
  PolicyRule r;
  r.family = f;
  r.priority = priority;
  r.table = table;
  return r;
}

// The rules that every kernel starts with.
const std::vector<PolicyRule>& default_rules(Family f) {
  static const std::vector<PolicyRule> v4 = {plain_rule(Family::v4, kLocalPriority, "local"),
                                             plain_rule(Family::v4, kMainPriority, "main"),
                                             plain_rule(Family::v4, kDefaultPriority, "default")};
  static const std::vector<PolicyRule> v6 = {plain_rule(Family::v6, kLocalPriority, "local"),
                                             plain_rule(Family::v6, kMainPriority, "main")};
  return f == Family::v4 ? v4 : v6;
}

bool in_local_table(const Route& r) { return r.table == "local" || r.table == "255"; }

// One lookup through all rules.
class Walk {
 public:
  Walk(const Host& host, const RouteQuery& query)
      : host_(host),
        query_(query),
        family_(query.to.family),
        rules_(query.to.is_v4() ? host.rules_v4 : host.rules_v6),
        routes_(query.to.is_v4() ? host.routes_v4 : host.routes_v6) {
    has_local_table_ = std::any_of(routes_.value.begin(), routes_.value.end(), in_local_table);
  }

  RouteAnswer run();

 private:
  std::vector<const PolicyRule*> rules();
  // Whether what is shown of the rules has the first and ends before that of table main: it was deleted, or is not shown.
  bool ends_before_main() const;
  bool matches(const PolicyRule& rule);
  // Whether the rule ended the walk; answer_ is set then.
  bool apply(const PolicyRule& rule);
  bool look_up(const PolicyRule& rule, const std::string& table);
  bool take(const PolicyRule& rule, const TableHit& hit);
  bool missing_table(const PolicyRule& rule, const std::string& table);
  bool own_address(const PolicyRule& rule);
  bool hinted_address(const PolicyRule& rule);
  bool main_goes_deeper(const TableHit& local) const;
  void assume(Assumption assume);
  void assume_routes(Supposition what, Details about = {});
  std::uint64_t ip_version() const { return family_ == Family::v4 ? 4 : 6; }
  void assume_empty(const PolicyRule& rule, const std::string& table);
  bool stop(Kind kind, const PolicyRule& rule);

  const Host& host_;
  const RouteQuery& query_;
  Family family_;
  const host::Part<std::vector<PolicyRule>>& rules_;
  const host::Part<std::vector<Route>>& routes_;
  bool has_local_table_ = false;
  bool only_defaults_ = true;
  RouteAnswer answer_;
};

void Walk::assume(Assumption assume) {
  for (const Assumption& d : answer_.assumptions)
    if (d.what == assume.what && d.about == assume.about) return;
  answer_.assumptions.push_back(std::move(assume));
}

void Walk::assume_routes(Supposition what, Details about) {
  const host::RouteSource by = family_ == Family::v4 ? host_.routes_v4_by : host_.routes_v6_by;
  assume({what, std::move(about), {static_cast<std::uint64_t>(by), ip_version()}});
}

bool Walk::stop(Kind kind, const PolicyRule& rule) {
  answer_.kind = kind;
  if (rule.from.known()) answer_.rule = &rule;
  return true;
}

std::vector<const PolicyRule*> Walk::rules() {
  std::vector<const PolicyRule*> list;
  for (const PolicyRule& r : rules_.value) {
    list.push_back(&r);
    only_defaults_ &= is_default_rule(r);
  }
  if (!rules_.present) assume({Supposition::default_rules_only, {}, {ip_version()}});
  if (rules_.present && rules_.partial) assume({Supposition::shown_rules_only, {}, {ip_version()}});
  for (const PolicyRule& d : default_rules(family_)) {
    if (std::any_of(list.begin(), list.end(), [&](const PolicyRule* r) { return r->priority == d.priority; })) continue;
    if (!rules_.present || (rules_.partial && !ends_before_main()))
      list.push_back(&d);
    else if (!rules_.partial)
      only_defaults_ = false;  // deleted, at which the kernel splits the tables, too (fib4_rule_delete() of net/ipv4/fib_rules.c)
  }
  std::stable_sort(list.begin(), list.end(), [](auto* a, auto* b) { return a->priority < b->priority; });
  return list;
}

// Rules are printed in their order.
bool Walk::ends_before_main() const {
  const auto is_first = [](const PolicyRule& r) { return r.priority == kLocalPriority; };
  const auto is_main_or_behind = [](const PolicyRule& r) { return r.priority >= kMainPriority; };
  const auto& shown = rules_.value;
  return rules_.partial && std::any_of(shown.begin(), shown.end(), is_first) &&
         std::none_of(shown.begin(), shown.end(), is_main_or_behind);
}

bool Walk::matches(const PolicyRule& rule) {
  bool fits = meets_all(host_, rule, query_);
  if (fits && rule.uid_range) {
    // Forwarded packets count as root's; of a socket the dumps do not show the owner.
    fits = rule.uid_range->first == 0;
    if (query_.is_local()) assume({Supposition::socket_of_root, {}, {std::uint64_t{rule.priority}}, {rule.from}});
  }
  if (!rule.not_modelled.empty() && (fits || rule.negate)) {
    assume({Supposition::rule_does_not_apply,
            {std::uint64_t{rule.priority}, std::uint64_t{rule.negate}},
            {fmt::format("{}", fmt::join(rule.not_modelled, " "))},
            {rule.from}});
    return rule.negate;
  }
  return fits != rule.negate;
}

RouteAnswer Walk::run() {
  const auto list = rules();
  std::size_t i = 0;
  while (i < list.size()) {
    const PolicyRule& rule = *list[i];
    if (!matches(rule)) {
      ++i;
      continue;
    }
    if (rule.action == RuleAction::goto_) {
      // Only forward jumps exist, so the walk ends.
      const auto target = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end(), [&](auto* r) {
        return rule.goto_priority && r->priority == *rule.goto_priority && r->priority > rule.priority;
      });
      i = target == list.end() ? i + 1 : static_cast<std::size_t>(target - list.begin());
      continue;
    }
    if (apply(rule)) return answer_;
    ++i;
  }
  answer_.kind = Kind::no_route;
  if (ends_before_main()) {
    assume({Supposition::main_rule_shown, {}, {ip_version()}});
    answer_.kind = Kind::unknown;
  }
  if (!routes_.present) answer_.kind = Kind::unknown;
  if (routes_.partial) {
    assume_routes(Supposition::no_route, {query_.to});
    answer_.kind = Kind::unknown;
  }
  return answer_;
}

bool Walk::apply(const PolicyRule& rule) {
  switch (rule.action) {
    case RuleAction::blackhole: return stop(Kind::blackhole, rule);
    case RuleAction::unreachable: return stop(Kind::unreachable, rule);
    case RuleAction::prohibit: return stop(Kind::prohibit, rule);
    case RuleAction::goto_:
    case RuleAction::nop: return false;
    case RuleAction::lookup: break;
  }
  if (!rule.l3mdev) return look_up(rule, host::canonical_table(rule.table));
  const Link* vrf = vrf_of(host_, query_.out_device.empty() ? query_.in_device : query_.out_device);
  if (vrf == nullptr) return false;
  if (vrf->vrf_table != 0) return look_up(rule, host::canonical_table(std::to_string(vrf->vrf_table)));
  assume({Supposition::vrf_table, {vrf->name}, {}, {vrf->from}});
  return stop(Kind::unknown, rule);
}

// The routes may have been printed where the table has a number and no name.
void Walk::assume_empty(const PolicyRule& rule, const std::string& table) {
  if (table == "local" || table == "main" || table == "default" || parse_decimal(table)) return;
  assume({Supposition::table_empty, {table}, {ip_version()}, {rule.from}});
}

bool Walk::look_up(const PolicyRule& rule, const std::string& table) {
  if (!routes_.present || (table == "local" && !has_local_table_)) return missing_table(rule, table);
  const auto hit = lookup_in_table(host_, table, query_);
  if (!hit) {
    const bool shown = std::any_of(routes_.value.begin(), routes_.value.end(),
                                   [&](const Route& r) { return host::canonical_table(r.table) == table; });
    if (!routes_.partial && (has_local_table_ || shown)) {
      if (!shown) assume_empty(rule, table);
      return false;
    }
    if (!shown) return missing_table(rule, table);
    assume_routes(Supposition::no_other_route, {table, query_.to});
    return false;
  }
  if (table == "local" && only_defaults_ && main_goes_deeper(*hit)) {
    assume({Supposition::longest_prefix_of_two, {}, {}, {hit->route->from}});
    return false;
  }
  if (routes_.partial) assume_routes(Supposition::no_better_route, {table, query_.to});
  return take(rule, *hit);
}

// While a host has none but the default rules, the kernel keeps the local and main tables of IPv4 in one trie, where the
// longest prefix of both wins. The trie is split for good by the first other rule, so a dump cannot show for certain.
bool Walk::main_goes_deeper(const TableHit& local) const {
  if (family_ != Family::v4 || local.route->to.is_host()) return false;
  const auto main = lookup_in_table(host_, "main", query_);
  return main && main->route->to.length > local.route->to.length;
}

bool Walk::take(const PolicyRule& rule, const TableHit& hit) {
  const Route& route = *hit.route;
  if (route.type == RouteType::throw_) return false;
  if (rule.suppress_prefix_length &&
      !(route.type == RouteType::blackhole || route.type == RouteType::unreachable || route.type == RouteType::prohibit) &&
      route.to.length <= *rule.suppress_prefix_length)
    return false;
  if (!rule.suppress_group.empty() && !hit.hops.empty()) {
    const Link* link = host_.link(hit.hops.front().get().device);
    if (link != nullptr && !link->group.empty()) {
      if (link->group == rule.suppress_group || (link->group == "default" && rule.suppress_group == "0")) return false;
    } else {
      assume({Supposition::device_not_in_group,
              {hit.hops.front().get().device.str(), rule.suppress_group.str()},
              {std::uint64_t{rule.priority}},
              {rule.from}});
    }
  }
  answer_.route = &route;
  answer_.hops = hit.hops;
  if (const auto open = std::find_if(hit.hops.begin(), hit.hops.end(), [](const RouteHop& h) { return h.get().device.empty(); });
      route.type == RouteType::unicast && open != hit.hops.end()) {
    const auto& via = open->get().via;
    assume({Supposition::next_hop_device, {via ? Detail(*via) : Detail(route.to)}, {}, {route.from}});
    return stop(Kind::unknown, rule);
  }
  if (!route.next_hops.empty()) answer_.device = route.next_hops.front().device;
  if (!route.not_modelled.empty())
    assume({Supposition::route_words, {route.to}, {fmt::format("{}", fmt::join(route.not_modelled, " "))}, {route.from}});
  if (hit.skipped) assume({Supposition::neighbour_stays_silent, {*hit.skipped->get().via, hit.skipped->get().device.str()}});
  if (hit.ambiguous_device)
    assume({Supposition::one_of_equal_routes, {query_.to, hit.hops.front().get().device.str()}, {}, {route.from}});
  switch (route.type) {
    case RouteType::unicast: return stop(Kind::unicast, rule);
    case RouteType::local:
    case RouteType::anycast: return stop(Kind::local, rule);
    case RouteType::broadcast: return stop(Kind::broadcast, rule);
    case RouteType::multicast: return stop(Kind::multicast, rule);
    case RouteType::blackhole: return stop(Kind::blackhole, rule);
    case RouteType::unreachable: return stop(Kind::unreachable, rule);
    case RouteType::prohibit: return stop(Kind::prohibit, rule);
    case RouteType::throw_:
    case RouteType::nat: break;
  }
  assume({Supposition::route_type, {query_.to}, {}, {route.from}});
  return stop(Kind::unknown, rule);
}

// The table is not in the dump: the local one follows from the addresses, the one named default is empty on nearly every
// host; of others nothing is known.
bool Walk::missing_table(const PolicyRule& rule, const std::string& table) {
  if (table == "local") return own_address(rule);
  if (table == "default" && routes_.present) {
    assume_routes(Supposition::default_table_empty);
    return false;
  }
  if (routes_.present)
    assume({Supposition::table_not_dumped, {table}, {ip_version()}, {rule.from}});
  else
    assume({Supposition::routes_not_dumped, {ip_version()}});
  return stop(Kind::unknown, rule);
}

bool Walk::own_address(const PolicyRule& rule) {
  if (!host_.links.present) return hinted_address(rule);
  assume_routes(Supposition::local_table_from_addresses);
  const Kind kind = local_type_of(host_, query_.to);
  if (kind == Kind::unicast) return false;
  for (const Link& link : host_.links.value)
    for (const host::Address& a : link.addresses)
      if (answer_.address == nullptr && a.prefix.address.family == family_ &&
          (a.prefix.address == query_.to || (kind != Kind::multicast && a.subnet().contains(query_.to)))) {
        answer_.address = &a;
        answer_.device = link.name;
      }
  if (const Link* owner = host_.owner_of(query_.to)) {
    for (const host::Address& a : owner->addresses)
      if (a.prefix.address == query_.to) answer_.address = &a;
    answer_.device = owner->name;
  }
  return stop(kind, rule);
}

// Without the devices' addresses, those that routes name as "src" are known to be the host's own.
bool Walk::hinted_address(const PolicyRule& rule) {
  if (!routes_.present) {
    assume({Supposition::own_addresses, {}, {ip_version()}});
    return stop(Kind::unknown, rule);
  }
  for (const Route& r : routes_.value)
    if (r.source_hint == query_.to) {
      assume({Supposition::own_address, {query_.to}, {ip_version()}, {r.from}});
      if (!r.next_hops.empty()) answer_.device = r.next_hops.front().device;
      return stop(Kind::local, rule);
    }
  assume({Supposition::no_own_address, {query_.to}, {ip_version()}});
  return false;
}

// __inet_dev_addr_type() takes the whole net 0.0.0.0/8 for broadcasts, beside 255.255.255.255.
bool is_broadcast_on_any_link(const IpAddr& a) { return a == IpAddr::v4(0xffffffff) || (a.is_v4() && (a.value >> 24) == 0); }

// From the devices' addresses alone, as the kernel fills the local table.
Kind type_by_addresses(const Host& host, const IpAddr& a, std::string_view device) {
  if (a.is_loopback()) return Kind::local;
  for (const Link& link : host.links.value) {
    if (!device.empty() && link.name != device) continue;
    for (const host::Address& own : link.addresses) {
      if (own.prefix.address == a && !own.tentative) return Kind::local;
      const Prefix subnet = own.subnet();
      if (!a.is_v4() || !subnet.contains(a) || subnet.length >= 31) continue;
      if (a.value == (subnet.address.value | ones(32u - subnet.length))) return Kind::broadcast;
    }
  }
  if (is_broadcast_on_any_link(a)) return Kind::broadcast;
  return a.is_multicast() ? Kind::multicast : Kind::unicast;
}

bool same_device(const TableHit& hit, std::string_view device) {
  return device.empty() ||
         std::any_of(hit.hops.begin(), hit.hops.end(), [&](const RouteHop& h) { return h.get().device == device; });
}

}  // namespace

RouteQuery query_for(const FlowKey& packet, std::string in_device) {
  const Tuple t = tuple_of(packet);
  RouteQuery q;
  q.to = t.dst;
  q.from = t.src;
  q.mark = packet.u32(FieldId::pkt_mark);
  q.in_device = std::move(in_device);
  // IPv4 routing looks at the old type of service bits alone (IPTOS_RT_MASK of include/net/route.h).
  constexpr std::uint8_t kRoutingTos = 0x1c;
  q.tos = family_of(packet) == Family::v4 ? tos_of(packet) & kRoutingTos : tos_of(packet);
  q.dscp = static_cast<std::uint8_t>(tos_of(packet) >> 2);
  q.proto = t.proto;
  if (has_ports(packet)) {
    q.sport = t.sport;
    q.dport = t.dport;
  }
  return q;
}

std::vector<Provenance> RouteAnswer::evidence() const {
  std::vector<Provenance> lines;
  if (rule != nullptr && rule->from.known()) lines.push_back(rule->from);
  if (route != nullptr && route->from.known()) lines.push_back(route->from);
  if (route != nullptr && route->hops_from) lines.insert(lines.end(), route->hops_from->begin(), route->hops_from->end());
  if (route == nullptr && address != nullptr && address->from.known()) lines.push_back(address->from);
  return lines;
}

bool is_default_rule(const PolicyRule& r) {
  for (const PolicyRule& d : default_rules(r.family))
    if (r.priority == d.priority && r.action == RuleAction::lookup && host::canonical_table(r.table) == d.table && !r.has_from &&
        !r.has_to && !r.fwmark && !r.dscp && r.iif.empty() && r.oif.empty() && !r.negate)
      return true;
  return false;
}

RouteAnswer find_route(const Host& host, const RouteQuery& query) {
  RouteAnswer answer = Walk(host, query).run();
  if (!query.to.is_v4() || query.out_device.empty() || vrf_of(host, query.out_device) != nullptr) return answer;
  if (answer.kind == Kind::unicast || answer.kind == Kind::unknown || answer.is_for_me()) return answer;
  // IPv4 takes the word of a socket that is bound to a device for the destination being on the link.
  RouteAnswer on_link;
  on_link.kind = Kind::unicast;
  on_link.device = query.out_device;
  on_link.assumptions = std::move(answer.assumptions);
  return on_link;
}

Kind local_type_of(const Host& host, const IpAddr& address, std::string_view device) {
  const auto& routes = address.is_v4() ? host.routes_v4 : host.routes_v6;
  if (std::none_of(routes.value.begin(), routes.value.end(), in_local_table)) return type_by_addresses(host, address, device);
  if (is_broadcast_on_any_link(address)) return Kind::broadcast;
  if (address.is_v4() && address.is_multicast()) return Kind::multicast;
  RouteQuery q;
  q.to = address;
  const auto hit = lookup_in_table(host, "local", q);
  if (!hit || !same_device(*hit, device)) return Kind::unicast;
  switch (hit->route->type) {
    case RouteType::local:
    case RouteType::anycast: return Kind::local;
    case RouteType::broadcast: return Kind::broadcast;
    case RouteType::multicast: return Kind::multicast;
    default: return Kind::unicast;
  }
}

}  // namespace egt::engine
