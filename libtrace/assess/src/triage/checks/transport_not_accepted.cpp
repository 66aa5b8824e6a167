// A ClusterUserDefinedNetwork with the transport no-overlay or EVPN, of which OVN-Kubernetes reports that it is not accepted
// (condition TransportAccepted).
#include "triage/checks.h"

namespace egt::assess {
namespace transport_not_accepted {

void run(const Facts& f, Findings& out) {
  for (const cluster::NetworkDefinition& network : f.cluster.objects.user_defined_networks)
    if (network.transport != cluster::Transport::tunnels && network.transport_accepted == false)
      out.add(Claim::transport_not_accepted, "", network.kind + " " + network.full_name(),
              {network.transport == cluster::Transport::evpn, if_any(network.why_not_accepted), network.name}, {network.from});
}

}  // namespace transport_not_accepted

const Check kTransportNotAccepted{"transport-not-accepted", Severity::error, always, transport_not_accepted::run};

}  // namespace egt::assess
