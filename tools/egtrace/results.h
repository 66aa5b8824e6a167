// How results of audit and check are written and what status they give: by the verbs, and by `merge`, which puts them together.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "egtrace/assess/audit.h"
#include "egtrace/assess/baseline.h"
#include "egtrace/assess/check.h"
#include "egtrace/render/source_places.h"

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

// Files that check and merge write beside their output, and the baseline that they read. Empty: none.
struct CheckFiles {
  std::string junit, sarif, codequality, baseline, write_baseline;
};
void add_check_files(CLI::App& verb, CheckFiles& files);
// Before anything is computed: a mistake shows at once. None: no baseline is given.
std::optional<assess::Baseline> read_baseline(const CheckFiles& files);

struct CheckResultOptions {
  std::string file;  // of the expectations
  CheckFiles files;
  bool from_objects = false, has_objects = false;
  KeptOptions kept() const;
  static CheckResultOptions from(const KeptOptions& kept);
};
// With a baseline what is known does not fail; nor does what is written into one, without another to compare with.
ExitStatus write_check(const std::vector<assess::ExpectationReport>& reports, const CheckResultOptions& options,
                       const render::SourcePlaces& sources, const std::optional<assess::Baseline>& baseline,
                       const CommonOptions& common, const std::function<void(const assess::BaselineComparison*)>& page = {});

}  // namespace egt::cli
