// The kernel of the egress node does not forward what it gets from the management port, or what comes back.
#include <fmt/format.h>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_forwarding_off {

// The device by which OVN hands packets to the host: it has the first address after the gateway of the pod subnet.
const host::Link* management_port(const cluster::Node& node, const cluster::Cluster& cluster) {
  for (const cluster::NodeObject& object : cluster.objects.nodes) {
    if (object.name != node.name) continue;
    for (const Prefix& subnet : object.pod_subnets)
      for (const host::Link& link : node.host.links.value)
        for (const host::Address& a : link.addresses)
          if (subnet.contains(a.prefix.address)) return &link;
  }
  return nullptr;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    if (!dumped_host(*node).sysctl.present) {
      out.lacks(Lack::sysctls, {place.node});
      continue;
    }
    const char* family = place.address.is_v4() ? "ipv4" : "ipv6";
    for (const host::Link* link : {management_port(*node, f.cluster), node->host.owner_of(place.address)}) {
      if (link == nullptr) continue;
      const host::SysctlValue* value =
          dumped_host(*node).sysctl_value(fmt::format("net.{}.conf.{}.forwarding", family, link->name));
      if (value == nullptr || value->value != "0") continue;
      out.add(Claim::egressip_forwarding_off, place.node, place.name(), {link->name, place.address, place.address.family},
              {value->from, place.object->from});
    }
  }
}

}  // namespace egressip_forwarding_off

const Check kEgressIpForwardingOff{"egressip-forwarding-off",    Severity::error,     needs_egress_ips,
                                   egressip_forwarding_off::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
