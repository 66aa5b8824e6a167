// Literals, sets, maps and values.
#include "nft/lower_expression.h"

#include <algorithm>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "nft/keywords.h"

namespace egt::parsers::nft {
namespace {

namespace nf = netfilter;
using nf::Atom;
using nf::Number;
using nf::NumberRange;

// "br*" is any name that begins so; "br\*" ends with a star.
Atom interface_name(std::string_view text) {
  if (text.size() >= 2 && text.substr(text.size() - 2) == "\\*") {
    return nf::Text{std::string(text.substr(0, text.size() - 2)) + "*", false};
  }
  if (!text.empty() && text.back() == '*') return nf::Text{std::string(text.substr(0, text.size() - 1)), true};
  return nf::Text{std::string(text), false};
}

NumberRange range_of(const Prefix& p) {
  const U128 mask = p.mask();
  const U128 first = p.address.value & mask;
  return {first, first | (~mask & ones(address_bits(p.address.family)))};
}

std::optional<Number> duration_seconds(std::string_view text) {
  U128 total = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    const auto n = parse_decimal(text.substr(0, digits));
    text.remove_prefix(digits);
    if (!n || text.substr(0, 2) == "ms") return std::nullopt;
    const char unit = text.empty() ? 's' : text.front();
    if (!text.empty()) text.remove_prefix(1);
    total += U128{*n} * (unit == 'd' ? 86400U : unit == 'h' ? 3600U : unit == 'm' ? 60U : 1U);
  }
  return total;
}

std::optional<Atom> number(std::optional<Number> n) {
  if (!n) return std::nullopt;
  return Atom{*n};
}

std::optional<Atom> symbol(const Literal& l, Datatype type) {
  if (l.text == "*") return Atom{nf::Wildcard{}};
  if (type == Datatype::interface_name) {
    // "fib … oif missing"
    if (const auto exists = symbol_value(Datatype::boolean, l.text)) return Atom{*exists};
    return interface_name(l.text);
  }
  return number(symbol_value(type, l.text));
}

// "0x2/31": intervals of marks and device groups are printed so where they can be (DTYPE_F_PREFIX of src/datatype.c).
std::optional<Atom> number_prefix(std::string_view text) {
  constexpr unsigned kBits = 32;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto first = parse_u128(text.substr(0, slash));
  const auto length = parse_decimal(text.substr(slash + 1));
  if (!first || !length || *length > kBits || *first > ones(kBits)) return std::nullopt;
  const Number rest = ones(kBits - static_cast<unsigned>(*length));
  return Atom{NumberRange{*first & ~rest, *first | rest}};
}

std::optional<Atom> literal(const Literal& l, Datatype type) {
  using Kind = Literal::Kind;
  switch (l.kind) {
    case Kind::number:
    case Kind::hex: {
      if (type == Datatype::ct_label && l.kind == Kind::number) {  // the number of a bit
        const auto bit = parse_decimal(l.text);
        if (!bit || *bit > 127) return std::nullopt;
        return Atom{Number{1} << *bit};
      }
      return number(parse_u128(l.text));
    }
    case Kind::ipv4:
    case Kind::ipv6: {
      const auto a = IpAddr::parse(l.text);
      return a ? std::optional<Atom>(Atom{Number{a->value}}) : std::nullopt;
    }
    case Kind::prefix: {
      const auto p = Prefix::parse(l.text);
      return p ? std::optional<Atom>(Atom{range_of(*p)}) : std::nullopt;
    }
    case Kind::mac: {
      const auto m = MacAddr::parse(l.text);
      return m ? std::optional<Atom>(Atom{Number{m->value}}) : std::nullopt;
    }
    case Kind::duration: return number(duration_seconds(l.text));
    case Kind::string:
      if (type == Datatype::interface_name) return interface_name(l.text);
      return number(symbol_value(type, l.text));
    case Kind::symbol: return symbol(l, type);
    case Kind::other:
      if (type == Datatype::mark || type == Datatype::device_group)
        if (const auto range = number_prefix(l.text)) return range;
      return number(symbol_value(type, l.text));  // "8021q", "802.1ad"
  }
  return std::nullopt;
}

std::optional<Atom> range(const RangeExpr& r, Datatype type) {
  if (r.ends.size() != 2) return std::nullopt;
  const auto first = lower_atom(r.ends[0], type), last = lower_atom(r.ends[1], type);
  const auto* low = first ? std::get_if<Number>(&*first) : nullptr;
  const auto* high = last ? std::get_if<Number>(&*last) : nullptr;
  if (low == nullptr || high == nullptr) return std::nullopt;
  return Atom{NumberRange{*low, *high}};
}

std::optional<Atom> any_of(const std::vector<Expression>& parts, Datatype type) {
  U128 bits = 0;
  for (const Expression& e : parts) {
    const auto atom = lower_atom(e, type);
    const auto* n = atom ? std::get_if<Number>(&*atom) : nullptr;
    if (n == nullptr) return std::nullopt;
    bits |= *n;
  }
  return Atom{bits};
}

// Elements that a limit or quota of their own guards do not match always.
bool is_guarded(const Element& e) {
  return std::any_of(e.statements.begin(), e.statements.end(), [](const Statement& s) {
    return !std::holds_alternative<Counter>(s.node) && !std::holds_alternative<Last>(s.node);
  });
}

std::vector<Datatype> types_of(const std::vector<Tested>& parts) {
  std::vector<Datatype> out;
  for (const Tested& t : parts) out.push_back(t.type);
  return out;
}

}  // namespace

std::optional<Atom> lower_atom(const Expression& e, Datatype type) {
  if (const auto* l = std::get_if<Literal>(&e.node)) return literal(*l, type);
  if (const auto* r = std::get_if<RangeExpr>(&e.node)) return range(*r, type);
  if (const auto* l = std::get_if<ListExpr>(&e.node)) return any_of(l->parts, type);
  if (const auto* b = std::get_if<BinaryExpr>(&e.node)) {
    if (op_symbol(b->op) == "|") return any_of(b->operands, type);
  }
  return std::nullopt;
}

std::optional<nf::Concat> lower_concat(const Expression& e, const std::vector<Datatype>& types) {
  const auto* concat = std::get_if<ConcatExpr>(&e.node);
  const std::size_t count = concat != nullptr ? concat->parts.size() : 1;
  nf::Concat out;
  for (std::size_t i = 0; i < count; ++i) {
    const Datatype type = i < types.size() ? types[i] : Datatype::unknown;
    const auto atom = lower_atom(concat != nullptr ? concat->parts[i] : e, type);
    if (!atom) return std::nullopt;
    out.push_back(*atom);
  }
  return out;
}

std::optional<nf::Verdict> lower_verdict(const VerdictExpr& v) {
  using Kind = nf::Verdict::Kind;
  struct VerdictWord {
    std::string_view word;
    Kind kind;
  };
  static constexpr VerdictWord kVerdicts[] = {{"accept", Kind::accept},  {"drop", Kind::drop}, {"continue", Kind::continue_},
                                              {"return", Kind::return_}, {"jump", Kind::jump}, {"goto", Kind::goto_},
                                              {"queue", Kind::queue}};
  for (const VerdictWord& w : kVerdicts) {
    if (w.word != v.kind) continue;
    std::string chain = v.chain;
    if (chain.size() >= 2 && chain.front() == '"') chain = chain.substr(1, chain.size() - 2);
    return nf::Verdict{w.kind, std::move(chain), {}};
  }
  return std::nullopt;
}

bool lower_elements(const std::vector<Element>& elements, const std::vector<Datatype>& key, const std::vector<Datatype>& data,
                    SourceId source, std::uint32_t first_line, nf::Set& set) {
  bool all = true;
  for (const Element& e : elements) {
    const auto lowered = lower_concat(e.key, key);
    const Provenance from{source, first_line + e.line};
    if (!lowered || is_guarded(e)) {
      all = false;
      continue;
    }
    const auto* verdict = e.data.empty() ? nullptr : std::get_if<VerdictExpr>(&e.data.front().node);
    if (verdict != nullptr) {
      const auto v = lower_verdict(*verdict);
      if (v) set.verdicts.push_back({*lowered, *v, from});
      all = all && v;
      continue;
    }
    nf::SetElement element{*lowered, e.comment, std::nullopt, from};
    if (!e.data.empty()) {
      element.data = lower_concat(e.data.front(), data);
      all = all && element.data;
    }
    set.elements.push_back(std::move(element));
  }
  return all;
}

nf::SetPtr lower_set(const Expression& e, const std::vector<Datatype>& key, const std::vector<Datatype>& data,
                     const TableScope& scope) {
  if (const auto* reference = std::get_if<SetReference>(&e.node)) {
    const auto found = scope.sets.find(reference->name);
    if (found != scope.sets.end()) return found->second;
    auto missing = std::make_shared<nf::Set>();
    missing->name = reference->name;
    missing->contents_unknown = true;
    return missing;
  }
  const auto* set = std::get_if<SetExpr>(&e.node);
  if (set == nullptr) return nullptr;
  auto out = std::make_shared<nf::Set>();
  out->from = {scope.source, scope.line};
  out->contents_unknown = !lower_elements(set->elements, key, data, scope.source, scope.line, *out);
  return out;
}

nf::ExprPtr lower_value(const Expression& e, const std::vector<Datatype>& types, const TableScope& scope) {
  if (const auto* map = std::get_if<MapExpr>(&e.node)) {
    if (map->key_and_map.size() != 2) return nullptr;
    const auto parts = lower_parts(map->key_and_map[0], scope);
    if (!parts) return nullptr;
    nf::MapLookup lookup;
    for (const Tested& t : *parts) lookup.key.push_back(t.expr);
    lookup.map = lower_set(map->key_and_map[1], types_of(*parts), types, scope);
    if (!lookup.map) return nullptr;
    return std::make_shared<nf::Expr>(nf::Expr{std::move(lookup)});
  }
  const Datatype type = types.empty() ? Datatype::unknown : types.front();
  if (const auto atom = lower_atom(e, type)) return std::make_shared<nf::Expr>(nf::Expr{nf::Constant{*atom}});
  const auto read = lower_tested(e, scope);
  return read ? read->expr : nullptr;
}

}  // namespace egt::parsers::nft
