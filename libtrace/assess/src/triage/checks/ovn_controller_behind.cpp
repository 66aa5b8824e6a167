// ovn-controller has not yet done what the northbound database asks for: OpenFlow flows are older than the databases.
#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"
#include "triage/checks.h"

namespace egt::assess {
namespace ovn_controller_behind {

void run(const Facts& f, Findings& out) {
  bool has_counts = false;
  for (const auto& node : f.cluster.nodes)
    for (const auto row : rows_of<rows::nb::NbGlobal>(node->ovn.rows)) {
      const auto wanted = row.nb_cfg(), north = row.sb_cfg(), done = row.hv_cfg();
      if (!wanted || !north || !done) continue;
      has_counts = true;
      if (*north < *wanted) out.add(Claim::northd_at_older_change, node->name, "", {*north, *wanted}, {row.from()});
      if (*done < *north)
        out.add(Claim::ovn_controller_at_older_change, node->name, "", {*done, *north, node->ovn.controller.has_value()},
                {row.from()});
    }
  if (!has_counts) out.lacks(Lack::change_counts);
}

}  // namespace ovn_controller_behind

const Check kOvnControllerBehind{"ovn-controller-behind", Severity::warning, always, ovn_controller_behind::run};

}  // namespace egt::assess
