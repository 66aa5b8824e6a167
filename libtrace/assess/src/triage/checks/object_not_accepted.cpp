// RouteAdvertisements, a VTEP, ClusterNetworkConnect, NetworkQoS or EgressQoS of which OVN-Kubernetes reports that it is not accepted, or not ready in a zone.
#include "triage/checks.h"

namespace egt::assess {
namespace object_not_accepted {

void run(const Facts& f, Findings& out) {
  const auto add = [&](const char* kind, const cluster::Object& object, const std::string& why) {
    out.add(Claim::object_not_accepted, "", std::string(kind) + " " + object.full_name(),
            {if_any(why), std::string(kind), object.name, if_any(object.namespace_)}, {object.from});
  };
  for (const cluster::RouteAdvertisement& ra : f.cluster.objects.route_advertisements)
    if (ra.accepted == false) add("RouteAdvertisements", ra, ra.why_not_accepted);
  for (const cluster::NetworkObject& object : f.cluster.objects.network_objects)
    for (const auto& [fact, value] : object.facts)
      if (fact == "not accepted") add(object.kind.c_str(), object, value);
}

}  // namespace object_not_accepted

const Check kObjectNotAccepted{"object-not-accepted", Severity::error, always, object_not_accepted::run};

}  // namespace egt::assess
