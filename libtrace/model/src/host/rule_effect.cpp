#include "egtrace/host/rule_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace egt::netfilter {
namespace {

class RuleWriter {
 public:
  std::optional<std::string> write(const Rule& rule) {
    for (const Statement& s : rule.statements) std::visit(*this, s);
    return known_ ? std::optional(std::move(out_)) : std::nullopt;
  }

  void operator()(const Test& test) { std::visit(*this, test); }
  void operator()(const Compare& c) { add("{} {} {}", text(c.left), static_cast<unsigned>(c.op), text(c.right)); }
  void operator()(const InSet& s) { add("in {} {} {}", s.negate, texts(s.left), text(s.set)); }
  void operator()(const InIpset& s) { add("ipset {} {} {} {}", s.set, dimensions(s), s.negate, s.return_nomatch); }
  void operator()(const Undecided&) { known_ = false; }
  void operator()(const NatTarget& t) {
    add("nat {} {} {} {} {} {}", static_cast<unsigned>(t.kind), address(t), port(t), t.random, t.fully_random,
        t.family ? static_cast<int>(*t.family) : -1);
  }
  void operator()(const SetMark& s) { add("mark {} {}", text(s.value), kept(s.keep_mask)); }
  void operator()(const SetCtMark& s) { add("ct mark {} {}", text(s.value), kept(s.keep_mask)); }
  void operator()(const SetField& s) {
    add("set {} {} {} {}", static_cast<unsigned>(s.key), text(s.value), kept(s.keep_mask), s.add);
  }
  void operator()(const CtZone& z) { add("zone {}", text(z.zone)); }
  void operator()(const NoTrack&) { add("notrack"); }
  void operator()(const VerdictStatement& v) { add("{}", text(v.verdict)); }
  void operator()(const VerdictMapStatement& v) { add("vmap {} {}", texts(v.key), text(v.map)); }
  void operator()(const Tproxy& t) { add("tproxy {} {} {}", t.address ? t.address->to_string() : "-", t.port, t.terminal); }
  void operator()(const Duplicate& d) { add("dup {} {}", text(d.gateway), d.device); }
  void operator()(const SendFrame& s) { add("fwd {}", s.device); }
  void operator()(const Annotation& a) {
    if (a.what != "counter" && a.what != "comment") known_ = false;
  }
  void operator()(const SetUpdate& s) { add("update {} {}", s.set, s.removes); }
  void operator()(const OpaqueStatement&) { known_ = false; }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    out_ += ';';
  }

  static std::string text(U128 n) { return fmt::format("{:x}.{:x}", high64(n), low64(n)); }
  static std::string kept(const std::optional<Number>& mask) { return mask ? text(U128{*mask}) : "-"; }
  static std::string dimensions(const InIpset& s) {
    std::string all;
    for (const auto one : s.dimensions) all += one == InIpset::Dimension::source ? 's' : 'd';
    return all;
  }

  static std::string text(const Atom& atom) {
    if (const auto* n = std::get_if<Number>(&atom)) return text(U128{*n});
    if (const auto* t = std::get_if<Text>(&atom)) return fmt::format("\"{}\"{}", t->value, t->wildcard ? "*" : "");
    if (const auto* r = get_if_boxed<NumberRange>(&atom))
      return r->first == r->last ? text(r->first) : text(r->first) + "-" + text(r->last);
    return "*";
  }
  static std::string text(const Concat& concat) {
    std::string all;
    for (const Atom& a : concat) all += text(a) + ".";
    return all;
  }
  static std::string text(const Verdict& v) {
    return fmt::format("{} {} {}", static_cast<unsigned>(v.kind), v.chain, v.reject_with);
  }

  // Elements of an anonymous set have no order.
  std::string text(const SetPtr& set) {
    if (!set) return "-";
    if (!set->name.empty()) return "@" + set->name;
    std::vector<std::string> elements;
    for (const SetElement& e : set->elements) elements.push_back(text(e.key) + (e.data ? ":" + text(*e.data) : ""));
    for (const VerdictElement& e : set->verdicts) elements.push_back(text(e.key) + ":" + text(e.verdict));
    std::sort(elements.begin(), elements.end());
    return fmt::format("{{{}}}", fmt::join(elements, ","));
  }

  std::string texts(const std::vector<ExprPtr>& all) {
    std::string out;
    for (const ExprPtr& e : all) out += text(e) + ".";
    return out;
  }
  std::string text(const ExprPtr& e) {
    if (!e) return "-";
    if (const auto* r = std::get_if<Read>(&e->node)) {
      known_ = known_ && r->key != Key::unknown;
      return fmt::format("read {} {} {} {}{}{}", static_cast<unsigned>(r->key), r->modulus, r->offset, r->by_iif, r->by_oif,
                         r->by_mark);
    }
    if (const auto* m = std::get_if<Masked>(&e->node))
      return fmt::format("({} & {} ^ {})", text(m->operand), text(U128{m->mask}), text(U128{m->xor_}));
    if (const auto* s = std::get_if<Shifted>(&e->node)) return fmt::format("({} << {})", text(s->operand), s->left);
    if (const auto* l = std::get_if<MapLookup>(&e->node)) return fmt::format("map {} {}", texts(l->key), text(l->map));
    return text(std::get<Constant>(e->node).value);
  }

  std::string address(const NatTarget& t) {
    if (const auto* range = get_if_boxed<IpRange>(&t.address)) return range->first.to_string() + "-" + range->last.to_string();
    if (const auto* e = std::get_if<ExprPtr>(&t.address)) return text(*e);
    const auto* prefix = get_if_boxed<Prefix>(&t.address);
    return prefix != nullptr ? prefix->to_string() : "-";
  }
  std::string port(const NatTarget& t) {
    if (const auto* e = std::get_if<ExprPtr>(&t.port)) return text(*e);
    const auto* range = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&t.port);
    return range != nullptr ? fmt::format("{}-{}", range->first, range->second) : "-";
  }

  std::string out_;
  bool known_ = true;
};

}  // namespace

std::optional<std::string> effect_of(const Rule& rule) { return RuleWriter().write(rule); }

}  // namespace egt::netfilter
