// ovn-controller has not yet done what the northbound database asks for: OpenFlow flows are older than the databases.
#include <fmt/format.h>

#include "common/look.h"
#include "egtrace/base/text.h"
#include "triage/checks.h"

namespace egt::assess {
namespace ovn_controller_behind {

void run(const Facts& f, Findings& out) {
  bool has_counts = false;
  for (const auto& node : f.cluster.nodes)
    for (const ovn::Row& row : node->ovn.rows) {
      if (row.table != "NB_Global") continue;
      const auto wanted = parse_decimal(text_of(row, "nb_cfg")), north = parse_decimal(text_of(row, "sb_cfg")),
                 done = parse_decimal(text_of(row, "hv_cfg"));
      if (!wanted || !north || !done) continue;
      has_counts = true;
      if (*north < *wanted)
        out.add(fmt::format(
                    "ovn-northd of {} is at change {} of {}: the southbound database is older than the northbound one.",
                    node->name, *north, *wanted),
                node->name, "", {row.from},
                "See that ovn-northd runs and is connected (ovn-appctl -t ovn-northd status).");
      if (*done < *north)
        out.add(fmt::format("ovn-controller of {} is at change {} of {}: flows are older than the databases.",
                            node->name, *done, *north),
                node->name, "", {row.from},
                fmt::format("{}The log of ovn-controller on {}.",
                            node->ovn.controller ? "" : "ovn-appctl -t ovn-controller connection-status. ", node->name));
    }
  if (!has_counts) out.lacks("what was done of the northbound database (ovn-nbctl list nb_global)");
}

}  // namespace ovn_controller_behind

const Check kOvnControllerBehind{"ovn-controller-behind", "Flows that are older than the databases", Severity::warning,
                                 always, ovn_controller_behind::run};

}  // namespace egt::assess
