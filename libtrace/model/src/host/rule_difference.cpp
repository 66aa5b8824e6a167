#include "egtrace/host/rule_difference.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "egtrace/host/rule_view.h"

namespace egt::netfilter {
namespace {

// Of these both front ends show all, but for what one of them has as an extension's match that it does not spell out.
constexpr std::array kSameInBoth{Key::ip_saddr, Key::ip_daddr, Key::ip6_saddr, Key::ip6_daddr, Key::iifname, Key::oifname};
// These one of them may read as something else.
constexpr std::array kOftenInBoth{Key::sport, Key::dport, Key::mark};

using Asked = std::set<std::tuple<Op, Number, Number, std::string, bool>>;

// -m addrtype of IPv6 asks for the class of an address, where nft's listing has a type: multicast, or none.
bool is_class(Key key, const NumberRange& range) {
  if (key != Key::ip6_saddr && key != Key::ip6_daddr) return false;
  const bool none = range.first == 0 && range.last == 0, multicast = range.first == U128{0xff} << 120 && range.last == ~U128{0};
  return none || multicast;
}

Asked asked(const Rule& rule, Key key) {
  Asked all;
  for (const Statement& s : rule.statements) {
    const auto c = comparison(s);
    if (!c || c->key != key) continue;
    const auto range = range_of(*c->value).value_or(NumberRange{});
    const auto* text = std::get_if<Text>(c->value);
    if (is_class(key, range)) continue;
    all.emplace(c->op, range.first, range.last, text == nullptr ? "" : text->value, text != nullptr && text->wildcard);
  }
  return all;
}

bool hides_matches(const Rule& rule) {
  return std::any_of(rule.statements.begin(), rule.statements.end(), [](const Statement& s) {
    const auto* test = std::get_if<Test>(&s);
    return std::holds_alternative<OpaqueStatement>(s) || (test != nullptr && std::holds_alternative<Undecided>(*test));
  });
}

bool match_otherwise(const Rule& a, const Rule& b, Key key, bool may_be_absent) {
  const Asked x = asked(a, key), y = asked(b, key);
  if (x == y) return false;
  return (!x.empty() || (!may_be_absent && !hides_matches(a))) && (!y.empty() || (!may_be_absent && !hides_matches(b)));
}

const Verdict* verdict(const Rule& rule) {
  for (const Statement& s : rule.statements)
    if (const auto* v = std::get_if<VerdictStatement>(&s)) return &v->verdict;
  return nullptr;
}

bool go_elsewhere(const Rule& a, const Rule& b) {
  const Verdict *x = verdict(a), *y = verdict(b);
  return x != nullptr && y != nullptr && (x->kind != y->kind || x->chain != y->chain);
}

bool translate_otherwise(const Rule& a, const Rule& b) {
  const NatTarget *x = translation(a), *y = translation(b);
  if (x == nullptr || y == nullptr) return false;
  const auto *to = get_if_boxed<IpRange>(&x->address), *other = get_if_boxed<IpRange>(&y->address);
  return x->kind != y->kind || (to != nullptr && other != nullptr && *to != *other);
}

// A rule as it was written. What it asks for may have become several rules, each of which asks for a part.
struct Written {
  const Rule* rule = nullptr;
  bool split = false;
};

// Of JSON in one line nothing shows which rules were written as one.
std::vector<Written> as_written(const Chain& chain) {
  std::vector<Written> all;
  for (const Rule& r : chain.rules) {
    const bool again = !all.empty() && r.from.known() && r.from != chain.from && r.from == all.back().rule->from;
    if (again)
      all.back().split = true;
    else
      all.push_back({&r});
  }
  return all;
}

bool differ(const Written& x, const Written& y) {
  const Rule &a = *x.rule, &b = *y.rule;
  if (go_elsewhere(a, b) || translate_otherwise(a, b)) return true;
  if (x.split || y.split) return false;
  return std::any_of(kSameInBoth.begin(), kSameInBoth.end(), [&](Key key) { return match_otherwise(a, b, key, false); }) ||
         std::any_of(kOftenInBoth.begin(), kOftenInBoth.end(), [&](Key key) { return match_otherwise(a, b, key, true); });
}

const Chain* different_chain(const Table& a, const Table& b) {
  std::unordered_map<std::string_view, const Chain*> others;
  for (const Chain& c : b.chains) others.emplace(c.name, &c);
  const auto found = std::find_if(a.chains.begin(), a.chains.end(), [&](const Chain& c) {
    const auto other = others.find(c.name);
    if (other == others.end()) return false;
    if (c.hook && other->second->hook && c.drop_by_default != other->second->drop_by_default) return true;
    const std::vector<Written> own = as_written(c), others_own = as_written(*other->second);
    return !std::equal(own.begin(), own.end(), others_own.begin(), others_own.end(),
                       [](const Written& x, const Written& y) { return !differ(x, y); });
  });
  return found == a.chains.end() ? nullptr : &*found;
}

}  // namespace

std::optional<DifferentChain> different_chain(const Ruleset& a, const Ruleset& b) {
  for (const Table& t : a.tables)
    for (const Table& other : b.tables) {
      if (t.family != other.family || t.name != other.name) continue;
      if (const Chain* c = different_chain(t, other)) return DifferentChain{t.name, c->name};
    }
  return std::nullopt;
}

}  // namespace egt::netfilter
