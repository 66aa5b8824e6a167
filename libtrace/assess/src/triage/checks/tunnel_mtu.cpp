// Pods may send packets that do not fit into the tunnel: small ones pass, large ones are lost.
#include "egtrace/openflow/tunnel_type.h"
#include "triage/checks.h"

namespace egt::assess {
namespace tunnel_mtu {

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const host::Link* underlay = nullptr;
    Family family = Family::v4;
    for (const ovn::Chassis& chassis : node->ovn.chassis)
      for (const IpAddr& a : chassis.encap_ips)
        if (const host::Link* link = node->host.owner_of(a)) {
          underlay = link;
          family = a.family;
        }
    if (underlay == nullptr || underlay->mtu == 0) continue;
    const host::Link* link = management_device(*node);
    const std::uint32_t overhead = openflow::tunnel_overhead("geneve", family);
    if (link == nullptr || link->mtu == 0 || link->mtu + overhead <= underlay->mtu) continue;
    out.add(Claim::tunnel_mtu, node->name, "", {link->name, link->mtu, underlay->name, underlay->mtu, overhead},
            {link->from, underlay->from});
  }
}

}  // namespace tunnel_mtu

const Check kTunnelMtu{"tunnel-mtu", Severity::warning, always, tunnel_mtu::run};

}  // namespace egt::assess
