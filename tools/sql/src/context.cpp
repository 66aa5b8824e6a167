#include "context.h"

#include <stdexcept>

#include "egtrace/parsers/dump_copies.h"

namespace egt::sql {

const parsers::Snapshot& Context::walked() const {
  if (made_->walked == nullptr) made_->walked = &sources_.for_walks();
  return *made_->walked;
}

const explain::Explainer& Context::explainer() const {
  if (!made_->explainer) made_->explainer = std::make_unique<explain::Explainer>(walked().cluster, &walked().collection);
  return *made_->explainer;
}

const std::vector<assess::Finding>& Context::findings() const {
  if (!made_->findings)
    made_->findings = assess::triage(explainer(), {}, parsers::dump_copies(walked().cluster, walked().collection)).findings;
  return *made_->findings;
}

const std::vector<assess::AuditRow>& Context::audit() const {
  if (!made_->audit) {
    assess::AuditOptions options;
    options.jobs = sources_.jobs;
    auto rows = assess::audit(explainer(), options);
    if (!rows) throw std::runtime_error(rows.error().message);
    made_->audit = *std::move(rows);
  }
  return *made_->audit;
}

}  // namespace egt::sql
