// Included before a source that holds many mutants at once; EGT_MUTANT is the number of the one that acts.
#pragma once

#include <cstdlib>
#include <utility>

static const int egt_mutant = std::getenv("EGT_MUTANT") == nullptr ? 0 : std::atoi(std::getenv("EGT_MUTANT"));

namespace egt_mutation {

// The end of a mutant that would not compile: Own has operands that Other does not take.
constexpr int kRefused = 97;

#define EGT_OPERATOR(Name, op)                                                              \
  struct Name {                                                                             \
    template <class L, class R>                                                             \
    static auto apply(const L& l, const R& r) -> decltype(l op r) {                         \
      return l op r;                                                                        \
    }                                                                                       \
  };                                                                                        \
  template <class L, int N, class A, int M, class B>                                        \
  Left<L, Operator<Name, N, A, M, B>> operator op(const L& l, Operator<Name, N, A, M, B>) { \
    return {l};                                                                             \
  }                                                                                         \
  template <class L, class R, int N, class A, int M, class B>                               \
  auto operator op(Left<L, Operator<Name, N, A, M, B>> left, const R& r) {                  \
    return Operator<Name, N, A, M, B>::apply(left.value, r);                                \
  }

template <class L, class Op>
struct Left {
  const L& value;
};

// Own, or A as mutant N, or B as mutant M: between its operands as `l == Operator<…>{} == r`.
template <class Own, int N, class A, int M, class B>
struct Operator {
  template <class L, class R>
  static auto apply(const L& l, const R& r) {
    if (egt_mutant == N) return as<A>(l, r);
    if (egt_mutant == M) return as<B>(l, r);
    return Own::apply(l, r);
  }
  template <class Other, class L, class R>
  static auto as(const L& l, const R& r) {
    using Result = decltype(Own::apply(l, r));
    if constexpr (requires { static_cast<Result>(Other::apply(l, r)); })
      return static_cast<Result>(Other::apply(l, r));
    else
      return std::_Exit(kRefused), Own::apply(l, r);
  }
};

EGT_OPERATOR(Equal, ==)
EGT_OPERATOR(NotEqual, !=)
EGT_OPERATOR(Less, <)
EGT_OPERATOR(LessEqual, <=)
EGT_OPERATOR(Greater, >)
EGT_OPERATOR(GreaterEqual, >=)
EGT_OPERATOR(Plus, +)
EGT_OPERATOR(Minus, -)
EGT_OPERATOR(BitAnd, &)
EGT_OPERATOR(BitOr, |)
EGT_OPERATOR(ShiftLeft, <<)
EGT_OPERATOR(ShiftRight, >>)

// `!x` as `Not{N} * x`.
struct Not {
  int mutant;
  template <class T>
  bool operator*(const T& x) const {
    return (egt_mutant == mutant) == static_cast<bool>(x);
  }
};

}  // namespace egt_mutation
