// An EgressService that no node hosts.
#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_not_hosted {

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressService& e : f.cluster.objects.egress_services) {
    if (!e.host.empty()) continue;
    out.add(Claim::egressservice_not_hosted, "", "EgressService " + e.full_name(), {}, {e.from});
  }
}

}  // namespace egressservice_not_hosted

const Check kEgressServiceNotHosted{"egressservice-not-hosted", Severity::error, needs_egress_services,
                                    egressservice_not_hosted::run};

}  // namespace egt::assess
