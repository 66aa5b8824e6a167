// What comparing a node's OpenFlow flows with its logical flows comes to.
#pragma once

#include <vector>

#include "egtrace/evidence/evidence.h"

namespace egt::ovn {

struct Agreement {
  std::vector<Provenance> missing;   // logical flows with fewer OpenFlow flows than their matches become
  std::vector<Provenance> orphaned;  // one OpenFlow flow for each cookie that no logical flow has

  bool complete() const { return missing.empty() && orphaned.empty(); }
};

}  // namespace egt::ovn
