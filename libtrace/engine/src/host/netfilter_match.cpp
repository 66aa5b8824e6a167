#include "netfilter_match.h"

#include <algorithm>

#include "ipset_match.h"

namespace egt::engine {
namespace {

using netfilter::Atom;
using netfilter::Concat;
using netfilter::Expr;
using netfilter::Number;
using netfilter::NumberRange;
using netfilter::Op;
using netfilter::Text;
using netfilter::Wildcard;

constexpr int kMaxDepth = 32;  // of expressions inside each other

template <class... T>
struct Overloaded : T... {
  using T::operator()...;
};
template <class... T>
Overloaded(T...) -> Overloaded<T...>;

// --- reading -------------------------------------------------------------------------------------------------------
U128 shifted(U128 v, int left) {
  if (left >= 128 || left <= -128) return 0;
  return left >= 0 ? v << left : v >> -left;
}

// Without map lookups, which may split the packet's path.
ReadValue read_expr(const Expr& e, const ReadFrom& from, int depth = 0) {
  if (depth > kMaxDepth) return NotKnown{Property::nested_expression};
  return std::visit(Overloaded{
                        [&](const netfilter::Read& r) { return read_key(r, from); },
                        [&](const netfilter::Masked& m) -> ReadValue {
                          ReadValue inner = read_expr(*m.operand, from, depth + 1);
                          if (auto* n = std::get_if<KnownNumber>(&inner)) {
                            return KnownNumber{(n->value & m.mask) ^ m.xor_, n->unknown_bits & m.mask};
                          }
                          if (const auto* g = std::get_if<Generated>(&inner)) return NotKnown{g->what};
                          return inner;
                        },
                        [&](const netfilter::Shifted& s) -> ReadValue {
                          ReadValue inner = read_expr(*s.operand, from, depth + 1);
                          if (auto* n = std::get_if<KnownNumber>(&inner)) {
                            return KnownNumber{shifted(n->value, s.left), shifted(n->unknown_bits, s.left)};
                          }
                          if (const auto* g = std::get_if<Generated>(&inner)) return NotKnown{g->what};
                          return inner;
                        },
                        [&](const netfilter::MapLookup&) -> ReadValue { return NotKnown{Property::map_in_test}; },
                        [&](const netfilter::Constant& c) -> ReadValue {
                          if (const auto* n = std::get_if<Number>(&c.value)) return KnownNumber{*n, 0};
                          if (const auto* t = std::get_if<Text>(&c.value)) return t->value;
                          return NotKnown{Property::constant_range};
                        },
                    },
                    e.node);
}

// --- comparing -----------------------------------------------------------------------------------------------------
bool text_equals(const std::string& s, const Text& t) {
  return t.wildcard ? std::string_view(s).substr(0, t.value.str().size()) == t.value : s == t.value;
}

Truth number_in(const KnownNumber& n, U128 first, U128 last) {
  if (n.unknown_bits == 0) return first <= n.value && n.value <= last ? Truth::yes : Truth::no;
  if (first != last) return Truth::unknown;
  const bool can_be = ((n.value ^ first) & ~n.unknown_bits) == 0;
  return can_be ? Truth::unknown : Truth::no;
}

Truth equals(const ReadValue& v, const Atom& a) {
  if (std::holds_alternative<Absent>(v)) return Truth::no;
  if (std::holds_alternative<Wildcard>(a)) return Truth::yes;
  if (const auto* n = std::get_if<KnownNumber>(&v)) {
    if (const auto* number = std::get_if<Number>(&a)) return number_in(*n, *number, *number);
    if (const auto* range = get_if_boxed<NumberRange>(&a)) return number_in(*n, range->first, range->last);
    return Truth::no;
  }
  if (const auto* s = std::get_if<std::string>(&v)) {
    if (const auto* text = std::get_if<Text>(&a)) return text_equals(*s, *text) ? Truth::yes : Truth::no;
    // A device compared with 0 or 1: whether there is one.
    if (const auto* number = std::get_if<Number>(&a)) return s->empty() == (*number == 0) ? Truth::yes : Truth::no;
    return Truth::no;
  }
  if (const auto* g = std::get_if<Generated>(&v)) {
    const KnownNumber first{g->first, 0};
    if (g->count == 1) return equals(first, a);
  }
  return Truth::unknown;
}

Truth negated(Truth t) { return t == Truth::yes ? Truth::no : t == Truth::no ? Truth::yes : Truth::unknown; }

Truth any_bits(const KnownNumber& n, U128 bits) {
  if ((n.value & bits & ~n.unknown_bits) != 0) return Truth::yes;
  return (n.unknown_bits & bits) != 0 ? Truth::unknown : Truth::no;
}

Truth ordered(const KnownNumber& n, Op op, U128 right) {
  if (n.unknown_bits != 0) return Truth::unknown;
  const bool holds = op == Op::lt   ? n.value < right
                     : op == Op::le ? n.value <= right
                     : op == Op::gt ? n.value > right
                                    : n.value >= right;
  return holds ? Truth::yes : Truth::no;
}

Truth compare(const ReadValue& v, Op op, const Atom& right) {
  if (std::holds_alternative<Absent>(v)) return op == Op::ne_or_absent ? Truth::yes : Truth::no;
  if (op == Op::eq) return equals(v, right);
  if (op == Op::ne || op == Op::ne_or_absent) return negated(equals(v, right));
  const auto* n = std::get_if<KnownNumber>(&v);
  const auto* number = std::get_if<Number>(&right);
  if (n == nullptr || number == nullptr) return Truth::unknown;
  return op == Op::any_bits_of ? any_bits(*n, *number) : ordered(*n, op, *number);
}

Unknown what_of(const ReadValue& v) {
  if (const auto* u = std::get_if<NotKnown>(&v)) return {u->what};
  if (const auto* g = std::get_if<Generated>(&v)) return {g->what};
  return {Property::packet_part};
}

// The share of the numbers that a generator may draw which satisfy the comparison.
std::optional<double> share(const ReadValue& v, Op op, const Atom& right) {
  const auto* g = std::get_if<Generated>(&v);
  constexpr std::uint64_t kMany = 65536;
  if (g == nullptr || g->count == 0 || g->count > kMany) return std::nullopt;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < g->count; ++i) {
    if (compare(KnownNumber{g->first + i, 0}, op, right) == Truth::yes) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(g->count);
}

// --- sets ----------------------------------------------------------------------------------------------------------
std::vector<ReadValue> read_all(const std::vector<netfilter::ExprPtr>& exprs, const ReadFrom& from) {
  std::vector<ReadValue> values;
  values.reserve(exprs.size());
  for (const auto& e : exprs) values.push_back(e ? read_expr(*e, from) : ReadValue{NotKnown{Property::empty_expression}});
  return values;
}

bool has_absent(const std::vector<ReadValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const ReadValue& v) { return std::holds_alternative<Absent>(v); });
}

bool is_catch_all(const Concat& key) { return key.size() == 1 && std::holds_alternative<Wildcard>(key.front()); }

Truth meets(const std::vector<ReadValue>& values, const Concat& key) {
  if (is_catch_all(key)) return Truth::yes;
  if (key.size() != values.size()) return Truth::no;
  Truth all = Truth::yes;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const Truth t = equals(values[i], key[i]);
    if (t == Truth::no) return Truth::no;
    if (t == Truth::unknown) all = Truth::unknown;
  }
  return all;
}

Unknown first_unknown(const std::vector<ReadValue>& values) {
  for (const ReadValue& v : values) {
    if (std::holds_alternative<NotKnown>(v) || std::holds_alternative<Generated>(v)) return what_of(v);
  }
  return {Property::packet_part};
}

Unknown contents_of(const netfilter::Set& s) {
  return {s.name.empty() ? Property::anonymous_set_contents : Property::set_contents, s.name};
}

TestResult test_set(const netfilter::InSet& t, const ReadFrom& from) {
  if (!t.set) return {Truth::unknown, {Property::set}, std::nullopt};
  const auto values = read_all(t.left, from);
  if (has_absent(values)) return {};
  if (t.set->contents_unknown) return {Truth::unknown, contents_of(*t.set), std::nullopt};
  Truth found = Truth::no;
  for (const auto& e : t.set->elements) {
    const Truth one = meets(values, e.key);
    if (one == Truth::yes) return {t.negate ? Truth::no : Truth::yes, {}, std::nullopt};
    if (one == Truth::unknown) found = Truth::unknown;
  }
  if (found == Truth::unknown) return {Truth::unknown, first_unknown(values), std::nullopt};
  // Packets add to this set, so what the dump does not show may be there now.
  if (t.set->dynamic) return {Truth::unknown, contents_of(*t.set), std::nullopt};
  return {t.negate ? Truth::yes : Truth::no, {}, std::nullopt};
}

// --- maps ----------------------------------------------------------------------------------------------------------
// How many of the numbers a generator draws meet the atom.
std::uint64_t width(const Generated& g, const Atom& a) {
  const U128 last = g.first + g.count - 1;
  if (const auto* n = std::get_if<Number>(&a)) return *n >= g.first && *n <= last ? 1 : 0;
  if (const auto* r = get_if_boxed<NumberRange>(&a)) {
    const U128 low = std::max<U128>(r->first, g.first), high = std::min<U128>(r->last, last);
    return low > high ? 0 : static_cast<std::uint64_t>(high - low + 1);
  }
  return std::holds_alternative<Wildcard>(a) ? g.count : 0;
}

struct SetHit {
  std::optional<std::size_t> element;
  std::optional<Unknown> unknown;
};

// Which of several elements a generated number picks: the path splits there.
SetHit split_over(const std::vector<const Concat*>& keys, std::vector<ReadValue> values, std::size_t generated,
                  Splitter& splitter) {
  const Generated g = std::get<Generated>(values[generated]);
  std::vector<Option> options;
  std::vector<std::optional<std::size_t>> picks;
  std::uint64_t covered = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (is_catch_all(*keys[i]) || keys[i]->size() != values.size()) continue;
    const std::uint64_t n = width(g, (*keys[i])[generated]);
    if (n == 0) continue;
    std::vector<ReadValue> rest = values;
    Concat key = *keys[i];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(generated));
    key.erase(key.begin() + static_cast<std::ptrdiff_t>(generated));
    const Truth t = rest.empty() ? Truth::yes : meets(rest, key);
    if (t == Truth::unknown) return {std::nullopt, first_unknown(rest)};
    if (t == Truth::no) continue;
    covered += n;
    options.push_back({{Alternative::element, {i + 1, keys.size()}}, static_cast<double>(n) / static_cast<double>(g.count)});
    picks.emplace_back(i);
  }
  if (covered < g.count) {
    std::optional<std::size_t> rest;
    for (std::size_t i = 0; i < keys.size() && !rest; ++i) {
      if (is_catch_all(*keys[i])) rest = i;
    }
    options.push_back({{rest ? Alternative::catch_all : Alternative::no_element},
                       static_cast<double>(g.count - covered) / static_cast<double>(g.count)});
    picks.push_back(rest);
  }
  const std::size_t chosen = options.size() == 1 ? 0 : splitter.split(g.what, std::move(options));
  return {picks[std::min(chosen, picks.size() - 1)], std::nullopt};
}

SetHit find_element(const std::vector<const Concat*>& keys, const std::vector<ReadValue>& values, Splitter& splitter) {
  const auto drawn =
      std::find_if(values.begin(), values.end(), [](const ReadValue& v) { return std::holds_alternative<Generated>(v); });
  if (drawn != values.end()) {
    return split_over(keys, values, static_cast<std::size_t>(drawn - values.begin()), splitter);
  }
  std::optional<std::size_t> catch_all;
  bool unknown = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (is_catch_all(*keys[i])) {
      catch_all = i;
      continue;
    }
    const Truth t = meets(values, *keys[i]);
    if (t == Truth::yes) return {i, std::nullopt};
    unknown = unknown || t == Truth::unknown;
  }
  if (unknown) return {std::nullopt, first_unknown(values)};
  return {catch_all, std::nullopt};
}

// A number that a generator draws: the path splits over a few of them, and stays open over many.
ReadValue draw(ReadValue v, Splitter& splitter) {
  constexpr std::uint64_t kMost = 16;
  const auto* g = std::get_if<Generated>(&v);
  if (g == nullptr || g->count == 0 || g->count > kMost) return v;
  std::vector<Option> options;
  for (std::uint64_t i = 0; i < g->count; ++i)
    options.push_back({{Alternative::number, {g->first + i}}, 1.0 / static_cast<double>(g->count)});
  const std::size_t chosen = options.size() == 1 ? 0 : splitter.split(g->what, std::move(options));
  return KnownNumber{g->first + chosen, 0};
}

Evaluated from_value(const ReadValue& v) {
  using Kind = Evaluated::Kind;
  if (std::holds_alternative<Absent>(v)) return {};
  if (const auto* n = std::get_if<KnownNumber>(&v)) {
    if (n->unknown_bits != 0) return {Kind::unknown, {}, {Property::packet_part}};
    return {Kind::value, {n->value}, {}};
  }
  if (const auto* s = std::get_if<std::string>(&v)) return {Kind::value, {Text{*s, false}}, {}};
  return {Kind::unknown, {}, what_of(v)};
}

}  // namespace

TestResult test(const netfilter::Test& t, const ReadFrom& from) {
  if (const auto* u = std::get_if<netfilter::Undecided>(&t))
    return {Truth::unknown, {Property::as_written, u->what}, u->probability};
  if (const auto* in = std::get_if<netfilter::InSet>(&t)) return test_set(*in, from);
  if (const auto* in = std::get_if<netfilter::InIpset>(&t)) return test_ipset(*in, from);
  const auto& c = std::get<netfilter::Compare>(t);
  const ReadValue left = c.left ? read_expr(*c.left, from) : ReadValue{NotKnown{Property::empty_expression}};
  const Truth truth = compare(left, c.op, c.right);
  if (truth != Truth::unknown) return {truth, {}, std::nullopt};
  const auto probability = share(left, c.op, c.right);
  if (probability && *probability <= 0) return {};
  if (probability && *probability >= 1) return {Truth::yes, {}, std::nullopt};
  return {Truth::unknown, what_of(left), probability};
}

std::vector<std::optional<Atom>> left_values(const netfilter::Test& t, const ReadFrom& from) {
  std::vector<ReadValue> values;
  if (const auto* c = std::get_if<netfilter::Compare>(&t); c != nullptr && c->left) values = read_all({c->left}, from);
  if (const auto* in = std::get_if<netfilter::InSet>(&t)) values = read_all(in->left, from);
  if (const auto* in = std::get_if<netfilter::InIpset>(&t))
    for (const auto dimension : in->dimensions)
      values.emplace_back(KnownNumber{
          (dimension == netfilter::InIpset::Dimension::source ? src_ip(from.context.packet) : dst_ip(from.context.packet)).value,
          0});
  std::vector<std::optional<Atom>> out;
  for (const ReadValue& v : values) {
    const auto* n = std::get_if<KnownNumber>(&v);
    const auto* s = std::get_if<std::string>(&v);
    if (n != nullptr && n->unknown_bits == 0)
      out.emplace_back(n->value);
    else if (s != nullptr)
      out.emplace_back(Text{*s, false});
    else
      out.emplace_back(std::nullopt);
  }
  return out;
}

Evaluated evaluate(const Expr& e, const ReadFrom& from, Splitter& splitter) {
  if (const auto* c = std::get_if<netfilter::Constant>(&e.node)) return {Evaluated::Kind::value, {c->value}, {}};
  const auto* lookup = std::get_if<netfilter::MapLookup>(&e.node);
  if (lookup == nullptr) return from_value(draw(read_expr(e, from), splitter));
  if (!lookup->map) return {Evaluated::Kind::unknown, {}, {Property::map}};
  const auto values = read_all(lookup->key, from);
  if (has_absent(values)) return {};
  if (lookup->map->contents_unknown) return {Evaluated::Kind::unknown, {}, contents_of(*lookup->map)};
  std::vector<const Concat*> keys;
  for (const auto& element : lookup->map->elements) keys.push_back(&element.key);
  const SetHit found = find_element(keys, values, splitter);
  if (found.unknown) return {Evaluated::Kind::unknown, {}, *found.unknown};
  if (!found.element) {
    if (lookup->map->dynamic) return {Evaluated::Kind::unknown, {}, contents_of(*lookup->map)};
    return {};
  }
  const auto& element = lookup->map->elements[*found.element];
  if (!element.data) return {};
  return {Evaluated::Kind::value, *element.data, {}};
}

VerdictLookup look_up(const netfilter::VerdictMapStatement& m, const ReadFrom& from, Splitter& splitter) {
  if (!m.map) return {nullptr, Unknown{Property::verdict_map}};
  const auto values = read_all(m.key, from);
  if (has_absent(values)) return {};
  if (m.map->contents_unknown) return {nullptr, contents_of(*m.map)};
  std::vector<const Concat*> keys;
  for (const auto& element : m.map->verdicts) keys.push_back(&element.key);
  const SetHit found = find_element(keys, values, splitter);
  if (found.unknown) return {nullptr, found.unknown};
  if (!found.element) {
    if (m.map->dynamic) return {nullptr, contents_of(*m.map)};
    return {};
  }
  return {&m.map->verdicts[*found.element], std::nullopt};
}

}  // namespace egt::engine
