// What comparing a machine's OpenFlow flows with its logical flows came to (egtrace/explain/agreement.h).
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/evidence/evidence.h"

namespace egt::cluster {

struct FlowComparison {
  std::vector<Provenance> missing;   // logical flows with fewer OpenFlow flows than their matches become
  std::vector<Provenance> orphaned;  // one OpenFlow flow for each cookie that no logical flow has

  bool complete() const { return missing.empty() && orphaned.empty(); }
};

// Those of a compiled snapshot's machines, each once it is read. Any number of threads may use it.
class KeptComparisons {
 public:
  using Result = std::optional<FlowComparison>;  // empty: the dumps cannot show

  void keep(const std::string& node, Result result) {
    const std::lock_guard lock(guard_);
    all_.insert_or_assign(node, std::move(result));
  }
  std::optional<Result> of(const std::string& node) {
    const std::lock_guard lock(guard_);
    const auto known = all_.find(node);
    return known == all_.end() ? std::nullopt : std::optional(known->second);
  }

 private:
  std::mutex guard_;
  std::map<std::string, Result> all_;
};

}  // namespace egt::cluster
