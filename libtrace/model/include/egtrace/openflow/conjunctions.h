// Which clauses of conjunctive matches a lookup met so far (lib/classifier.c, find_conjunctive_flow()).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egtrace/openflow/action.h"

namespace egt::openflow {

// A clause of which a flow is a member. A flow may be one of hundreds: an address in the rules of many policies.
struct Clause {
  std::uint32_t number = 0;  // of the conjunction, counted from 0: those of one FlowTables lie close together
  std::uint32_t conj_id = 0;
  std::uint64_t bit = 0;  // of this clause; 0: a number that no switch accepts
  std::uint8_t n_clauses = 0;
};

class MetClauses {
 public:
  void clear() { ++now_; }
  // Whether this was the last clause of that conjunction that was not met.
  bool meet(const Clause& c) {
    if (c.number >= states_.size()) states_.resize(c.number + std::size_t{1});
    State& s = states_[c.number];
    if (s.when != now_) s = {now_, 0, 0};
    if (c.bit == 0) return false;
    if (c.n_clauses > s.n_clauses) s.n_clauses = c.n_clauses;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - s.n_clauses), before = s.met;
    s.met |= c.bit;
    return s.met == all && before != all;
  }

 private:
  struct State {
    std::uint64_t when = 0;  // of another lookup: nothing is met
    std::uint64_t met = 0;
    std::uint8_t n_clauses = 0;
  };
  std::vector<State> states_;  // by number
  std::uint64_t now_ = 1;
};

}  // namespace egt::openflow
