// Answers many questions about one snapshot.
#pragma once

#include <memory>

#include "egtrace/cluster/collection.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What the answers share is prepared once. The cluster must outlive it. Not thread-safe, as the indexes of the cluster are
// built on first use.
class Explainer {
 public:
  // `collection`: how the snapshot came about; every answer then has its doubts (take_doubts). Null: nothing is known of
  // that. It must outlive the explainer, too.
  explicit Explainer(const cluster::Cluster& cluster, const cluster::Collection* collection = nullptr);
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
