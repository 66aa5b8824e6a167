// A node lacks the address of its management port: its host and kubelet reach no pod, and what enters OVN there has no source.
#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace management_address_missing {

// The host's device with the logical port. On a DPU it is a representor, which has no address.
const host::Link* device_with(const cluster::Node& node, const std::string& port) {
  const openflow::Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr) return nullptr;
  for (const openflow::Interface& i : bridge->interfaces) {
    const auto id = i.external_ids.find("iface-id");
    if (id != i.external_ids.end() && id->second == port && i.type == "internal" && i.name.starts_with(ovnk::kManagementDevice))
      return node.host.link(i.name);
  }
  return nullptr;
}

// IPv6 may be off, and addresses of devices that are down are gone.
void judge(const cluster::Node& node, const ovn::LogicalPort& port, const host::Link& device, Findings& out) {
  for (const Prefix& p : port.addresses)
    if (p.address.is_v4() && node.host.owner_of(p.address) == nullptr)
      out.add(Claim::management_address_missing, node.name, "", {device.name, p.address, port.name}, {port.from, device.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!node->host.links.present || !node->host.address_list_complete) continue;
    for (const ovn::LogicalPort& port : node->ovn.ports) {
      if (port.on_router || !port.name.starts_with(ovnk::kManagementPort)) continue;
      if (const host::Link* device = device_with(*node, port.name)) judge(*node, port, *device, out);
    }
  }
}

}  // namespace management_address_missing

const Check kManagementAddressMissing{"management-address-missing", Severity::error, always, management_address_missing::run};

}  // namespace egt::assess
