#include "addresses.h"

#include "egtrace/base/fill.h"
#include "egtrace/base/term.h"

namespace egt::explain {
namespace {

constexpr Wording<AddressUse> kUses[] = {
    {AddressUse::pod, "pod {0}"},
    {AddressUse::egress_ip, "egress IP of EgressIP {0}"},
    {AddressUse::cluster_ip, "cluster IP of service {0}"},
    {AddressUse::load_balancer_ip, "load balancer IP of service {0}"},
    {AddressUse::external_ip, "external IP of service {0}"},
    {AddressUse::transit_port, "transit port of {1}"},
    {AddressUse::join_port, "join port of gateway router {0}"},
    {AddressUse::pod_subnet_gateway, "gateway of the pod subnet of {1}"},
    {AddressUse::router_port, "router port {0} on {1}"},
    {AddressUse::device, "address of {0} on {1}"},
    {AddressUse::logical_port, "logical port {0}"},
};
static_assert(is_complete(kUses));

}  // namespace

std::string phrase(const AddressOwner& owner) { return fill(words_of(kUses, owner.use), Terms{owner.name, owner.node}); }

}  // namespace egt::explain
