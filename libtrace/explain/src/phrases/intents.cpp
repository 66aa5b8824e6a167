#include "intents.h"

#include "egtrace/base/fill.h"

namespace egt::explain {
namespace {

constexpr Wording<Wanted> kWanted[] = {
    {Wanted::pods_leave, "its pods leave[ as {0}] by {1}"},
    {Wanted::pod_leaves_as, "the pod leaves as {0}"},
    {Wanted::pod_leaves_by_gateway, "the pod leaves by gateway {0}"},
    {Wanted::firewall_denies, "rule {1} {2|denies|allows} {3}: no packet to {0}"},
    {Wanted::firewall_allows, "rule {1} {2|denies|allows} {3}: packets to {0}"},
    {Wanted::firewall_has_no_rule, "the pod may send to {0}: no rule matches"},
    {Wanted::admin_rule, "{0|ingress|egress} rule {1}[ ({2})] {3|denies|allows} {4}[ port {5}]"},
    {Wanted::network_rule, "{0|ingress|egress} rule {1} lets {2}[ port {3}] through"},
    {Wanted::no_network_rule, "no {0|ingress|egress} rule [of it or of {1} ]lets {2}[ port {3}] through"},
    {Wanted::endpoints, "its EndpointSlices have [{0}||no ready endpoint]"},
};
static_assert(egt::is_complete(kWanted));

constexpr Wording<Actual> kActual[] = {
    {Actual::leaves_as, "it leaves as {0} by {1}"},
    {Actual::is_delivered, "it is delivered"},
    {Actual::packet_is_delivered, "the packet is delivered"},
    {Actual::next_hop, "on {0} its next hop is {1}"},
    {Actual::frame_goes_to, "its frame goes to {0}[ ({1}'s {2})]"},
    {Actual::own_acl_stops, "an ACL that was made for it stops the packet on {0}"},
    {Actual::other_acl_stops, "[{0}||an ACL of another policy] stops the packet on {1}"},
    {Actual::no_load_balancer, "OVN on {0} has no load balancer for it"},
    {Actual::other_backends, "OVN on {0} [does not send to {1}][{3|, and |}sends to {2}, which no EndpointSlice has as ready]"},
};
static_assert(egt::is_complete(kActual));

}  // namespace

std::string phrase(const Clause<Wanted>& asked) { return egt::fill(words_of(kWanted, asked.kind), asked.about); }
std::string phrase(const Clause<Actual>& done) { return egt::fill(words_of(kActual, done.kind), done.about); }

}  // namespace egt::explain
