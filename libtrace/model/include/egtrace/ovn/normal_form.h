// The OpenFlow matches that the match of a logical flow becomes (expr_normalize() and expr_to_matches() in lib/expr.c of OVN).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/ovn/expression.h"

namespace egt::ovn {

// Equalities of one symbol, of which one must hold. None covers another where the symbol's bits can be masked.
using Clause = std::vector<Comparison>;
// Clauses of different symbols, by the symbols' names, which must all hold; without any it always holds.
using Conjunct = std::vector<Clause>;
// Of which one must hold; without any it never holds.
using NormalForm = std::vector<Conjunct>;

// `simple` is what simplify() returns. Nothing where it asks for a chassis, where a string must not be something, and where its
// form would have many thousand comparisons or is made of hundreds of disjunctions of several symbols. `keeps_covered`: an equality
// that another covers stays, as before 23.06.
std::optional<NormalForm> normal_form(const Expression& simple, bool keeps_covered = false);

// What differs between releases of OVN in how matches become flows.
struct Expansion {
  Inequality inequality = Inequality::prefixes;
  bool keeps_covered = false;
};
// By the version of northd, "25.03.2-20.41.0-79.6"; none where it is not one.
std::optional<Expansion> expansion_of_release(std::string_view version);

// One OpenFlow flow's match: equalities of different symbols. It points into the normal form.
struct FlowMatch {
  enum class Kind : std::uint8_t {
    plain,
    member,       // of a clause of a conjunctive match
    conjunction,  // matches, beside its terms, the conj_id that is met once each clause is
  };
  std::vector<const Comparison*> terms;
  Kind kind = Kind::plain;

  // Members and plain ones do not differ by that.
  friend bool operator<(const FlowMatch& a, const FlowMatch& b);
};

// Without duplicates, sorted. A comparison with a port for which `has_port` is false never holds.
std::vector<FlowMatch> flow_matches(const NormalForm& form, const std::function<bool(std::string_view port)>& has_port);

}  // namespace egt::ovn
