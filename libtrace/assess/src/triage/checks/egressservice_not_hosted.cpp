// An EgressService that no node hosts.
#include <fmt/format.h>

#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_not_hosted {

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressService& e : f.cluster.objects.egress_services) {
    if (!e.host.empty()) continue;
    out.add(fmt::format("No node hosts EgressService {}/{}: its pods leave as their nodes.", e.namespace_, e.name), "",
            fmt::format("EgressService {}/{}", e.namespace_, e.name), {e.from},
            "See that the service has a load balancer address and ready endpoints, and that its nodeSelector fits a "
            "ready node.");
  }
}

}  // namespace egressservice_not_hosted

const Check kEgressServiceNotHosted{"egressservice-not-hosted", "An EgressService that no node hosts", Severity::error,
                                    needs_egress_services, egressservice_not_hosted::run};

}  // namespace egt::assess
