// One page about a snapshot, to be attached to a case: no network, no foreign files, all text of dumps escaped. Parts that are
// null are left out, so that results of single verbs are pages of the same kind.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/baseline.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/connections.h"
#include "egtrace/assess/difference.h"
#include "egtrace/assess/triage.h"
#include "egtrace/explain/capture.h"
#include "egtrace/explain/cluster_map.h"
#include "egtrace/explain/dump_lines.h"
#include "egtrace/explain/flows.h"
#include "egtrace/explain/inspect.h"

namespace egt::render {

struct DumpedSnapshot {
  std::string name = {};                            // as the user called it
  const explain::Inspection* inspection = nullptr;  // which dumps there are, their commands and times
  // The lines around one of a dump, itself among them; none where nothing is to be seen there.
  std::function<std::vector<explain::DumpLine>(const explain::EvidenceLine&)> lines_around = {};
};

struct Report {
  std::string verb = {}, version = {};  // "report", "triage": which made it; of egtrace
  DumpedSnapshot dumped = {};
  const DumpedSnapshot* before = nullptr;  // with differences: the one that `dumped` is compared with
  bool whole_inspection = false;           // as a part of its own, not for the sake of the others alone
  const assess::Triage* triage = nullptr;
  const std::vector<assess::AuditRow>* rows = nullptr;
  const assess::Connections* connections = nullptr;
  const explain::ClusterMap* map = nullptr;
  const std::vector<assess::ExpectationReport>* expectations = nullptr;
  const assess::BaselineComparison* baseline = nullptr;  // of the expectations; null: none was given
  const assess::Differences* differences = nullptr;
  const explain::CaptureAnalysis* capture = nullptr;
  const explain::FlowListing* flows = nullptr;
  const explain::FlowReader* flow_reader = nullptr;  // of these
  // A page of `egtrace serve`: it has a form for questions, which offers these names. Null: a page for itself.
  const std::vector<std::string>* points = nullptr;
};

std::string report_html(const Report& report);

}  // namespace egt::render
