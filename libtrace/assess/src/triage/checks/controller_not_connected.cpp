// ovn-controller of a node is not connected to the southbound database: the node's flows no longer follow it.
#include "triage/checks.h"
#include "triage/lagging_flows.h"

namespace egt::assess {
namespace controller_not_connected {

void judge(const Facts& f, const cluster::Node& node, const ovn::ControllerConnection& connection, Findings& out) {
  std::vector<Provenance> lines{connection.from};
  Claim claim = Claim::controller_not_connected;
  std::size_t differ = 0;
  bool harms = false;
  if (const auto& agreement = f.explainer.agreement(node); agreement && !agreement->complete()) {
    harms = explain_flow_drops(node, out);
    const bool lack = !agreement->missing.empty();
    lines.push_back(lack ? agreement->missing.front() : agreement->orphaned.front());
    claim = lack ? Claim::controller_not_connected_flows_missing : Claim::controller_not_connected_flows_left;
    differ = lack ? agreement->missing.size() : agreement->orphaned.size();
  }
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(claim, node.name, "", {differ}, lines);
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const auto& connection = node->ovn.controller;
    if (node->integration_bridge() == nullptr && !connection) continue;
    if (!connection || !connection->reached)
      out.lacks(Lack::controller_connection, {node->name});
    else if (!connection->connected)
      judge(f, *node, *connection, out);
  }
}

}  // namespace controller_not_connected

const Check kControllerNotConnected{"controller-not-connected", Severity::warning, always, controller_not_connected::run};

}  // namespace egt::assess
