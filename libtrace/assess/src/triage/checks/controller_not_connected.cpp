// ovn-controller of a node is not connected to the southbound database: the node's flows no longer follow it.
#include <fmt/format.h>

#include "egtrace/explain/agreement.h"
#include "triage/checks.h"
#include "triage/lagging_flows.h"

namespace egt::assess {
namespace controller_not_connected {

void judge(const Facts& f, const cluster::Node& node, const ovn::ControllerConnection& connection, Findings& out) {
  std::vector<Provenance> lines{connection.from};
  std::string effect = "its flows do not follow changes";
  bool harms = false;
  if (const auto agreement = node.integration_bridge() == nullptr ? std::nullopt : explain::agreement_of(f.cluster, node);
      agreement && !agreement->complete()) {
    harms = explain_flow_drops(node, out);
    const bool lack = !agreement->missing.empty();
    lines.push_back(lack ? agreement->missing.front() : agreement->orphaned.front());
    effect = lack ? fmt::format("{} logical flow{} lack OpenFlow flows there", agreement->missing.size(), agreement->missing.size() == 1 ? "" : "s")
                  : fmt::format("{} cookies of its flows belong to no logical flow", agreement->orphaned.size());
  }
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(fmt::format("ovn-controller of {} is not connected to the southbound database: {}.", node.name, effect), node.name, "", lines,
          fmt::format("The log of ovn-controller on {}; ovs-vsctl get open_vswitch . external_ids:ovn-remote there; see that the "
                      "southbound database is up (ovn-sbctl show).", node.name));
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const auto& connection = node->ovn.controller;
    if (node->integration_bridge() == nullptr && !connection) continue;
    if (!connection)
      out.lacks(fmt::format("whether ovn-controller of {} is connected (ovn-appctl -t ovn-controller connection-status)", node->name));
    else if (!connection->connected)
      judge(f, *node, *connection, out);
  }
}

}  // namespace controller_not_connected

const Check kControllerNotConnected{"controller-not-connected", "ovn-controller without the southbound database", Severity::warning,
                                    always, controller_not_connected::run};

}  // namespace egt::assess
