// Policy rules and routes that nearly decided, for readers who expected them to.
#include <algorithm>
#include <bitset>

#include "egtrace/engine/routing.h"
#include "fib_table.h"
#include "rule_selectors.h"

namespace egt::engine {
namespace {

using host::PolicyRule;
using host::Route;
using host::RouteType;
using MissedFor = RouteMiss::Why;

bool shows_owner(Selector s) { return s == Selector::source || s == Selector::destination || s == Selector::mark; }

// The packet meets all selectors but one, and another one that shows whose packets the rule is about; or only a mark,
// or a device, is missing.
std::optional<Selector> only_unmet(const host::Host& host, const PolicyRule& rule, const RouteQuery& query) {
  std::optional<Selector> unmet;
  bool selective = false;
  for (const Selector s : stated_selectors(rule)) {
    if (meets(host, rule, query, s)) {
      selective = selective || shows_owner(s);
      continue;
    }
    if (unmet) return std::nullopt;
    unmet = s;
  }
  return selective || unmet == Selector::mark ? unmet : std::nullopt;
}

// A rule that the packet does meet, and yet the walk went on.
std::optional<RouteMiss> led_nowhere(const host::Host& host, const PolicyRule& rule, const RouteQuery& query) {
  if (rule.action != host::RuleAction::lookup || rule.l3mdev) return std::nullopt;
  RouteMiss miss{.why = MissedFor::no_route, .rule = &rule, .query = query};
  const auto hit = lookup_in_table(host, host::canonical_table(rule.table), query);
  if (hit) {
    miss.route = hit->route;
    miss.why = hit->route->type == RouteType::throw_ ? MissedFor::thrown : MissedFor::suppressed;
  }
  return miss;
}

std::optional<RouteMiss> near(const host::Host& host, const PolicyRule& rule, const RouteQuery& query) {
  // Root's rules are for packets that pass, too, as in the walk itself.
  const bool others = rule.uid_range && rule.uid_range->first != 0;
  if (rule.negate || others || !rule.not_modelled.empty()) return std::nullopt;
  if (meets_all(host, rule, query)) return is_default_rule(rule) ? std::nullopt : led_nowhere(host, rule, query);
  const auto unmet = only_unmet(host, rule, query);
  if (!unmet) return std::nullopt;
  return RouteMiss{.selector = *unmet, .rule = &rule, .query = query};
}

// Routes of the same table to the destination; default routes, which are always shorter, are left out.
void add_losers(const host::Host& host, const RouteQuery& query, const RouteAnswer& answer, std::vector<RouteMiss>& misses) {
  constexpr std::size_t kMost = 4;
  const Route& taken = *answer.route;
  const auto& routes = query.to.is_v4() ? host.routes_v4.value : host.routes_v6.value;
  std::bitset<129> skips;  // prefixes by length
  for (const Route& r : routes)
    if (r.to.contains(query.to) && host::sources_of(r)) skips.set(r.to.length);
  std::size_t count = 0;
  for (const Route& r : routes) {
    if (&r == &taken || r.to.length == 0 || !r.to.contains(query.to) ||
        host::canonical_table(r.table) != host::canonical_table(taken.table))
      continue;
    // Of IPv6: not for this source, or skipped with routes that are not.
    const auto sources = host::sources_of(r);
    if ((sources && !sources->contains(source_in(query))) || (r.to.length > taken.to.length && skips[r.to.length])) continue;
    if (std::any_of(answer.hops.begin(), answer.hops.end(), [&](const RouteHop& h) { return h.route == &r; })) continue;
    RouteMiss miss{.rule = answer.rule, .route = &r, .winner = &taken, .query = query};
    if (r.to.length > taken.to.length) {
      if (r.tos.value_or(0) != 0 || r.next_hops.empty()) continue;
      miss.why = MissedFor::next_hop;
    } else {
      miss.why = r.to.length < taken.to.length ? MissedFor::shorter : MissedFor::later;
    }
    misses.push_back(std::move(miss));
    if (++count == kMost) return;
  }
}

}  // namespace

std::vector<RouteMiss> near_misses(const host::Host& host, const RouteQuery& query, const RouteAnswer& answer) {
  std::vector<RouteMiss> misses;
  std::vector<const PolicyRule*> rules;
  for (const PolicyRule& r : (query.to.is_v4() ? host.rules_v4 : host.rules_v6).value) rules.push_back(&r);
  std::stable_sort(rules.begin(), rules.end(), [](const auto* a, const auto* b) { return a->priority < b->priority; });
  std::uint32_t next = 0;  // rules before it were jumped over
  for (const PolicyRule* rule : rules) {
    if (rule == answer.rule) break;
    if (rule->priority < next) continue;
    if (rule->action == host::RuleAction::goto_ && rule->goto_priority && meets_all(host, *rule, query) != rule->negate)
      next = *rule->goto_priority;
    if (auto miss = near(host, *rule, query)) misses.push_back(std::move(*miss));
  }
  if (answer.route != nullptr) add_losers(host, query, answer, misses);
  return misses;
}

}  // namespace egt::engine
