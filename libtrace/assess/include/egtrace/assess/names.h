// Names and addresses of a question that the snapshot cannot hold: a mistake of the user, not a result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/node_budget.h"
#include "egtrace/expect/expectation.h"

namespace egt::assess {

// What one snapshot has names for. A name is a mistake only where the snapshot has the dumps that would show it.
class NameChecker {
 public:
  // Where the budget is limited the caller must not keep pointers into a node.
  explicit NameChecker(const cluster::Cluster& cluster, const cluster::NodeBudget& budget = {});
  ~NameChecker();
  NameChecker(const NameChecker&) = delete;
  NameChecker& operator=(const NameChecker&) = delete;

  // The first name or address that cannot be meant, behind the key that has it ("device: the snapshot has no br-exx"),
  // with the nearest names that there are.
  std::optional<Error> mistake_in(const expect::Expectation& expectation) const;
  // Of namespaces, or patterns of them.
  std::optional<Error> unknown_namespace(const std::vector<std::string>& patterns) const;
  // Of POINTs.
  std::optional<Error> unknown_place(const std::vector<std::string>& points) const;

 private:
  struct Known;
  std::unique_ptr<const Known> known_;
};

}  // namespace egt::assess
