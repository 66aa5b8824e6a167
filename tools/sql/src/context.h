// What rows of tables are taken from.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/triage.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/sql/database.h"

namespace egt::sql {

class Context {
 public:
  explicit Context(Sources sources) : sources_(std::move(sources)) {}

  const cluster::Cluster& cluster() const { return sources_.dumped->cluster; }
  // Made on first use.
  const std::vector<assess::Finding>& findings() const;
  const std::vector<assess::AuditRow>& audit() const;

 private:
  const parsers::Snapshot& walked() const;
  const explain::Explainer& explainer() const;

  Sources sources_;
  struct Made {
    const parsers::Snapshot* walked = nullptr;
    std::unique_ptr<explain::Explainer> explainer;
    std::optional<std::vector<assess::Finding>> findings;
    std::optional<std::vector<assess::AuditRow>> audit;
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace egt::sql
