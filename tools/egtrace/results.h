// How results of audit and check are written and what status they give: by the verbs, and by `merge`, which puts them together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "command.h"
#include "egtrace/assess/audit.h"
#include "egtrace/assess/check.h"

namespace egt::cli {

// As a result of a shard keeps them.
using KeptOptions = std::map<std::string, std::string>;

struct AuditResultOptions {
  std::string only;
  bool fail_on_leak = false;
  KeptOptions kept() const;
  static AuditResultOptions from(const KeptOptions& kept);
};
// `rows`: of the whole cluster, in their order. `page`: writes those that are wanted as HTML, for which it takes the snapshot.
ExitStatus write_audit(std::vector<assess::AuditRow> rows, const AuditResultOptions& options, const CommonOptions& common,
                       const std::function<void(const std::vector<assess::AuditRow>&)>& page = {});

struct CheckResultOptions {
  std::string file, junit, sarif;   // file: of the expectations
  bool from_objects = false, has_objects = false;
  KeptOptions kept() const;
  static CheckResultOptions from(const KeptOptions& kept);
};
ExitStatus write_check(const std::vector<assess::ExpectationReport>& reports, const CheckResultOptions& options, const CommonOptions& common,
                       const std::function<void()>& page = {});

}  // namespace egt::cli
