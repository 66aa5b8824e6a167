// Answers many questions about one snapshot.
#pragma once

#include <memory>
#include <optional>

#include "egtrace/cluster/collection.h"
#include "egtrace/explain/agreement.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What the answers share is prepared once. The cluster must outlive it. Each thread has its own, which keeps what its
// lookups found.
class Explainer {
 public:
  // `collection`: how the snapshot came about; every answer then has its assumptions (assume_collection). Null: nothing is known of
  // that. It must outlive the explainer, too.
  explicit Explainer(const cluster::Cluster& cluster, const cluster::Collection* collection = nullptr);
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  // For another thread: what is prepared is shared.
  Explainer for_another_thread() const;
  // For Cluster::part() of its cluster, which must outlive it: what is known of each node is shared, the collection is left out.
  Explainer for_part(const cluster::Cluster& part) const;

  Result<Explanation> explain(const Question& question) const;
  const cluster::Cluster& cluster() const;
  // As agreement_of(), found out once a node. `node`: one of the cluster's.
  const std::optional<Agreement>& agreement(const cluster::Node& node) const;

 private:
  struct Prepared;
  struct Session;
  explicit Explainer(std::shared_ptr<const Prepared> prepared);

  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<Session> session_;
};

}  // namespace egt::explain
