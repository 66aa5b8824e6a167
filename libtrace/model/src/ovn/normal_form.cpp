#include "egtrace/ovn/normal_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace egt::ovn {
namespace {

constexpr std::size_t kMaxComparisons = 200'000, kMaxMasks = 256, kMaxOpen = 256;

unsigned popcount(U128 v) { return static_cast<unsigned>(std::popcount(high64(v)) + std::popcount(low64(v))); }

// By how many bits are compared, which mostly are the same.
bool comes_before(const Comparison& a, const Comparison& b) {
  if (a.mask != b.mask) return std::pair(popcount(a.mask), a.mask) < std::pair(popcount(b.mask), b.mask);
  return a.value != b.value ? a.value < b.value : a.text < b.text;
}
bool is_same(const Comparison& a, const Comparison& b) { return a.mask == b.mask && a.value == b.value && a.text == b.text; }

// Fields that never are a dimension of a conjunctive match (`must_crossproduct` in lib/logical-fields.c).
bool is_multiplied_out(const Symbol& s) {
  constexpr std::array kFields{FieldId::eth_type,  FieldId::nw_proto,    FieldId::icmp_type,
                               FieldId::icmp_code, FieldId::icmpv6_type, FieldId::icmpv6_code};
  return s.field && std::find(kFields.begin(), kFields.end(), *s.field) != kFields.end();
}

// What must hold of one symbol: always, or one of some equalities.
struct Crushed {
  bool always = false;
  Clause any;
};

class Normalizer {
 public:
  explicit Normalizer(bool keeps_covered) : keeps_covered_(keeps_covered) {}
  std::optional<NormalForm> of(const Expression& e) {
    const auto* junction = std::get_if<Junction>(&e.node);
    if (junction == nullptr || junction->conjunction) {
      expand_from({}, {}, e);
    } else {
      for (const Expression& term : junction->terms) expand_from({}, {}, term);
    }
    if (failed_) return std::nullopt;
    if (std::any_of(form_.begin(), form_.end(), [](const Conjunct& c) { return c.empty(); })) return NormalForm{{}};
    return std::move(form_);
  }

 private:
  using Disjunctions = std::vector<const Junction*>;  // of several symbols

  void spend(std::size_t comparisons) {
    spent_ += comparisons + 1;
    failed_ = failed_ || spent_ > kMaxComparisons;
  }

  void drop_covered(Clause& clause) {
    std::sort(clause.begin(), clause.end(), comes_before);
    clause.erase(std::unique(clause.begin(), clause.end(), is_same), clause.end());
    if (clause.size() < 2 || clause.front().symbol->is_string() || clause.front().symbol->level != Level::ordinal) return;
    if (keeps_covered_ || clause.front().mask == clause.back().mask) return;  // all are alike
    std::map<U128, std::set<U128>> values;                                    // by mask
    const auto is_covered = [&](const Comparison& c) {
      return std::any_of(values.begin(), values.end(), [&](const auto& of) {
        return (of.first & c.mask) == of.first && of.second.contains(c.value & of.first);
      });
    };
    Clause kept;
    for (Comparison& c : clause) {
      if (is_covered(c)) continue;
      values[c.mask].insert(c.value & c.mask);
      failed_ = failed_ || values.size() > kMaxMasks;
      if (failed_) return;
      kept.push_back(std::move(c));
    }
    clause = std::move(kept);
  }

  static std::optional<Comparison> both(const Comparison& a, const Comparison& b) {
    if (a.symbol->is_string()) return a.text == b.text ? std::optional(a) : std::nullopt;
    if (((a.value ^ b.value) & a.mask & b.mask) != 0) return std::nullopt;
    return Comparison{a.symbol, Relop::eq, a.value | b.value, a.mask | b.mask, {}};
  }

  Clause multiply(const Clause& a, const Clause& b) {
    Clause product;
    spend(a.size() * b.size());
    if (failed_) return product;
    for (const Comparison& x : a)
      for (const Comparison& y : b)
        if (auto met = both(x, y)) product.push_back(std::move(*met));
    drop_covered(product);
    return product;
  }

  Crushed crush_all(const Junction& junction) {
    Crushed result{true, {}};
    for (const Expression& term : junction.terms) {
      Crushed next = crush(term);
      if (next.always) continue;
      result = {false, result.always ? std::move(next.any) : multiply(result.any, next.any)};
      if (result.any.empty()) break;
    }
    return result;
  }

  Crushed crush_any(const Junction& junction) {
    Crushed result;
    for (const Expression& term : junction.terms) {
      Crushed next = crush(term);
      if (next.always) return next;
      std::move(next.any.begin(), next.any.end(), std::back_inserter(result.any));
    }
    drop_covered(result.any);
    return result;
  }

  // An expression of one symbol.
  Crushed crush(const Expression& e) {
    spend(0);
    if (failed_) return {};
    if (const auto* value = std::get_if<bool>(&e.node)) return {*value, {}};
    if (const auto* c = std::get_if<Comparison>(&e.node)) {
      failed_ = failed_ || c->relop != Relop::eq;
      return {false, {*c}};
    }
    const auto& junction = std::get<Junction>(e.node);
    return junction.conjunction ? crush_all(junction) : crush_any(junction);
  }

  // False where the conjunct never holds with it.
  bool add_clause(Conjunct& conjunct, Crushed crushed) {
    if (crushed.always) return true;
    if (crushed.any.empty()) return false;
    const std::string& name = crushed.any.front().symbol->name;
    const auto at = std::lower_bound(conjunct.begin(), conjunct.end(), name,
                                     [](const Clause& c, const std::string& n) { return c.front().symbol->name < n; });
    if (at == conjunct.end() || at->front().symbol->name != name) {
      conjunct.insert(at, std::move(crushed.any));
      return true;
    }
    *at = multiply(*at, crushed.any);
    return !at->empty();
  }

  bool add(Conjunct& conjunct, Disjunctions& open, const Expression& e) {
    if (const auto* value = std::get_if<bool>(&e.node)) return *value;
    if (std::holds_alternative<ChassisResident>(e.node) || std::holds_alternative<Membership>(e.node)) {
      failed_ = true;
      return false;
    }
    if (unique_symbol(e) != nullptr) return add_clause(conjunct, crush(e));
    const auto& junction = std::get<Junction>(e.node);
    if (!junction.conjunction) {
      open.push_back(&junction);
      failed_ = failed_ || open.size() > kMaxOpen;  // each is a level of expand()
      return !failed_;
    }
    return std::all_of(junction.terms.begin(), junction.terms.end(),
                       [&](const Expression& term) { return add(conjunct, open, term); });
  }

  void expand_from(Conjunct conjunct, Disjunctions open, const Expression& e) {
    for (const Clause& clause : conjunct) spend(clause.size());
    if (!failed_ && add(conjunct, open, e)) expand(std::move(conjunct), std::move(open));
  }

  void expand(Conjunct conjunct, Disjunctions open) {
    if (failed_) return;
    if (open.empty()) return multiply_out(std::move(conjunct));
    const Junction* next = open.back();
    open.pop_back();
    for (const Expression& term : next->terms) expand_from(conjunct, open, term);
  }

  void multiply_out(Conjunct conjunct) {
    const auto several = std::find_if(conjunct.begin(), conjunct.end(),
                                      [](const Clause& c) { return c.size() > 1 && is_multiplied_out(*c.front().symbol); });
    if (several == conjunct.end()) {
      for (const Clause& clause : conjunct) spend(clause.size());
      form_.push_back(std::move(conjunct));
      return;
    }
    const Clause alternatives = std::move(*several);
    for (const Comparison& one : alternatives) {
      *several = {one};
      for (const Clause& clause : conjunct) spend(clause.size());
      if (failed_) return;
      multiply_out(conjunct);
    }
  }

  const bool keeps_covered_;
  NormalForm form_;
  std::size_t spent_ = 0;
  bool failed_ = false;
};

auto order_of(const Comparison* c) {
  return std::tuple(std::string_view(c->symbol->name), c->mask, c->value, std::string_view(c->text));
}

class Matches {
 public:
  explicit Matches(const std::function<bool(std::string_view)>& has_port) : has_port_(has_port) {}

  void add(const Conjunct& conjunct) {
    FlowMatch common;
    std::vector<const Clause*> several;
    for (const Clause& clause : conjunct) {
      if (clause.size() > 1) {
        several.push_back(&clause);
      } else if (is_here(clause.front())) {
        common.terms.push_back(&clause.front());
      } else {
        return;
      }
    }
    common.kind = several.size() > 1 ? FlowMatch::Kind::member : FlowMatch::Kind::plain;
    for (const Clause* clause : several)
      if (!add_each(common, *clause) && several.size() > 1) return;
    if (several.size() > 1) common.kind = FlowMatch::Kind::conjunction;
    if (several.size() != 1) found_.push_back(std::move(common));
  }

  std::vector<FlowMatch> sorted() && {
    std::sort(found_.begin(), found_.end(),
              [](const FlowMatch& a, const FlowMatch& b) { return a < b || (!(b < a) && a.kind < b.kind); });
    // Each conjunction has an ID of its own.
    const auto is_twice = [](const FlowMatch& a, const FlowMatch& b) {
      return b.kind != FlowMatch::Kind::conjunction && !(a < b);
    };
    found_.erase(std::unique(found_.begin(), found_.end(), is_twice), found_.end());
    return std::move(found_);
  }

 private:
  bool is_here(const Comparison& c) const { return !c.symbol->is_string() || has_port_(c.text); }

  bool add_each(const FlowMatch& common, const Clause& clause) {
    const std::size_t before = found_.size();
    for (const Comparison& c : clause) {
      if (!is_here(c)) continue;
      FlowMatch match = common;
      match.terms.push_back(&c);
      std::sort(match.terms.begin(), match.terms.end(),
                [](const Comparison* a, const Comparison* b) { return order_of(a) < order_of(b); });
      found_.push_back(std::move(match));
    }
    return found_.size() > before;
  }

  const std::function<bool(std::string_view)>& has_port_;
  std::vector<FlowMatch> found_;
};

}  // namespace

bool operator<(const FlowMatch& a, const FlowMatch& b) {
  const bool of_conjunction = b.kind == FlowMatch::Kind::conjunction;
  if ((a.kind == FlowMatch::Kind::conjunction) != of_conjunction) return of_conjunction;
  return std::lexicographical_compare(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                                      [](const Comparison* x, const Comparison* y) { return order_of(x) < order_of(y); });
}

std::optional<NormalForm> normal_form(const Expression& simple, bool keeps_covered) {
  return Normalizer(keeps_covered).of(simple);
}

std::optional<Expansion> expansion_of_release(std::string_view version) {
  struct Series {
    unsigned year, month, first;
  };
  constexpr Series kWithPrefixes[] = {{24, 3, 7}, {25, 3, 2}, {25, 9, 1}};  // and all of 26.03
  unsigned year = 0, month = 0, patch = 0;
  const auto number = [&](unsigned& n) {
    const auto read = std::from_chars(version.data(), version.data() + version.size(), n);
    version.remove_prefix(static_cast<std::size_t>(read.ptr - version.data()));
    return read.ec == std::errc() && (version.empty() || version.front() == '.' || version.front() == '-');
  };
  const auto dot = [&] {
    if (!version.starts_with('.')) return false;
    version.remove_prefix(1);
    return true;
  };
  if (!number(year) || !dot() || !number(month) || (dot() && !number(patch))) return std::nullopt;
  const bool has_prefixes = year >= 26 || std::any_of(std::begin(kWithPrefixes), std::end(kWithPrefixes), [&](const Series& s) {
                              return s.year == year && s.month == month && patch >= s.first;
                            });
  if (has_prefixes) return Expansion{};
  return Expansion{Inequality::bits, year < 23 || (year == 23 && month < 6)};
}

std::vector<FlowMatch> flow_matches(const NormalForm& form, const std::function<bool(std::string_view)>& has_port) {
  Matches matches(has_port);
  for (const Conjunct& conjunct : form) matches.add(conjunct);
  return std::move(matches).sorted();
}

}  // namespace egt::ovn
