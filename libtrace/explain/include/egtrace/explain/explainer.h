// Answers many questions about one snapshot.
#pragma once

#include <memory>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What the answers share is prepared once. The cluster must outlive it. Not thread-safe, as the indexes of the cluster are
// built on first use.
class Explainer {
 public:
  explicit Explainer(const cluster::Cluster& cluster);
  ~Explainer();
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  Result<Explanation> explain(const Question& question) const;
  const cluster::Cluster& cluster() const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace egt::explain
