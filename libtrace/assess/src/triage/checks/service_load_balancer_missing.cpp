// A service that has endpoints, and no load balancer in OVN: iptables alone cannot reach pods by it.
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace service_load_balancer_missing {

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const auto complete = node->ovn.complete_tables.find("NB Load_Balancer");
    if (complete == node->ovn.complete_tables.end()) {
      out.lacks(Lack::load_balancers, {node->name});
      continue;
    }
    for (const cluster::Service& service : f.cluster.objects.services) {
      const auto endpoints = endpoints_of(service, f.cluster.objects, f.all_pods);
      for (const IpAddr& a : service.cluster_ips)
        for (const cluster::ServicePort& port : service.ports) {
          if (std::none_of(endpoints.begin(), endpoints.end(), [&](const auto& e) { return e.address.family == a.family; }))
            continue;
          const std::string vip =
              a.is_v4() ? fmt::format("{}:{}", a.to_string(), port.port) : fmt::format("[{}]:{}", a.to_string(), port.port);
          if (vip_state(*node, service, a, port.port) != VipState::absent) continue;
          out.add(Claim::service_load_balancer_missing, node->name, "Service " + service.full_name(), {vip, service.full_name()},
                  {complete->second, service.from});
        }
    }
  }
}

}  // namespace service_load_balancer_missing

const Check kServiceLoadBalancerMissing{"service-load-balancer-missing", Severity::error, needs_services,
                                        service_load_balancer_missing::run};

}  // namespace egt::assess
