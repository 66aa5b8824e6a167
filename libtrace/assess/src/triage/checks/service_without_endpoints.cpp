// A service without an endpoint that answers.
#include "triage/checks.h"

namespace egt::assess {
namespace service_without_endpoints {

void run(const Facts& f, Findings& out) {
  for (const cluster::Service& service : f.cluster.objects.services) {
    if (service.selector.empty() || service.type == "ExternalName") continue;
    if (!endpoints_of(service, f.cluster.objects, f.all_pods).empty()) continue;
    out.add(Claim::service_without_endpoints, "", "Service " + service.full_name(), {service.namespace_}, {service.from});
  }
}

}  // namespace service_without_endpoints

const Check kServiceWithoutEndpoints{"service-without-endpoints", Severity::note, needs_services, service_without_endpoints::run};

}  // namespace egt::assess
