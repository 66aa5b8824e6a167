// A service that nobody answers.
#include <fmt/format.h>

#include "triage/checks.h"

namespace egt::assess {
namespace service_without_endpoints {

void run(const Facts& f, Findings& out) {
  for (const cluster::Service& service : f.cluster.objects.services) {
    if (service.selector.empty() || service.type == "ExternalName") continue;
    if (!endpoints_of(service, f.cluster.objects, f.all_pods).empty()) continue;
    out.add(fmt::format("Service {}/{} has no ready endpoint: OVN rejects its connections.", service.namespace_,
                        service.name),
            "", fmt::format("Service {}/{}", service.namespace_, service.name), {service.from},
            fmt::format("oc get endpointslices,pods -n {} -o wide.", service.namespace_));
  }
}

}  // namespace service_without_endpoints

const Check kServiceWithoutEndpoints{"service-without-endpoints", "A service without ready endpoints", Severity::note,
                                     needs_services, service_without_endpoints::run};

}  // namespace egt::assess
