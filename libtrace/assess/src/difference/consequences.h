// Which differences follow from others: flows from their logical flow, a logical flow from its northbound row, a path
// from the rule, route or flow that it met before and no longer meets, or meets only now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "egtrace/assess/difference.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

// What leads from one difference to another.
struct Trail {
  std::vector<Provenance> before, after;  // lines that only one of the snapshots has
  std::string lflow;                      // as in InventoryLine
  std::set<std::uint32_t> origins;        // likewise
  std::set<std::string> address_sets;     // of the northbound database, by name
};

// A difference of a path, and what it was asked with.
struct DifferingPath {
  std::size_t difference = 0;
  explain::Question question;
};

// `trails`: of differences.all, in their order.
void find_causes(Differences& differences, const std::vector<Trail>& trails, const std::vector<DifferingPath>& paths,
                 const explain::Explainer& before, const explain::Explainer& after);

}  // namespace egt::assess
