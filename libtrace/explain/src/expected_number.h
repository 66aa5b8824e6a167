// How many OpenFlow flows there must be of one logical flow.
#pragma once

#include <cstddef>
#include <vector>

#include "installed_flows.h"

namespace egt::explain {

// A conjunctive match: a flow that matches its conj_id, and the members of its clauses.
struct ConjunctiveFlows {
  ClauseSizes clauses;        // in any order; those of a single member may be left out
  std::size_t product = 1;    // plain flows where it is multiplied out instead
  bool may_be_plain = false;  // whether it may be
};

struct ExpectedNumber {
  std::size_t plain = 0;
  std::vector<ConjunctiveFlows> conjunctive;

  // As many again, `times` times.
  void add(const ExpectedNumber& more, std::size_t times = 1);
  // Fewer are `present`, though `shared` plain ones are another logical flow's.
  bool exceeds(const InstalledFlows::OfCookie& present, const InstalledFlows& installed, std::size_t shared) const;
};

}  // namespace egt::explain
