// Of connections that were walked, and of those that conntrack holds.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfConnections[] = {
    {Claim::egress_leak, "Pod {0} is to leave as {1} by {object}, but {2} sees {3}.",
     "egtrace explain SNAPSHOT --from {0} --to {2}"},
    {Claim::egress_stopped, "What {0:pod|pods} {0} sends by the address of {object} is {1} on {node}, {2}: {3}[ ({4})].",
     "egtrace explain SNAPSHOT --from {5} --to {6}"},
    {Claim::egress_isolated, "{7} isolates {0:pod|pods} {0}: what leaves by the address of {object} is {1} on {node}, {2}.",
     "If the pod is meant to leave, the policy needs an egress rule for its destinations; egtrace explain SNAPSHOT --from {5} "
     "--to {6}."},
    {Claim::connection_lost,
     "Connections of {1|pod |}{0}[ and of {2} more] to {3}[ and {4} other destination{4:|s}] are not answered: "
     "{5|the request|the reply|the packet after the handshake} is lost at {node}, {6}: {7}[ ({object})]"
     "{8||; OVN has the service at other addresses: objects and databases are of different moments}.",
     "egtrace explain SNAPSHOT --from {0} --to {3}"},
    {Claim::connection_from_outside_lost,
     "Connections from outside (client {0}[, arriving at {7}]) to service {9} at {1}[ and to {2} other destination{2:|s}] are "
     "not answered: "
     "{3|the request|the reply|the packet after the handshake} is lost at {node}, {4}: {5}"
     "{6||; OVN has the service at other addresses: objects and databases are of different moments}.",
     "egtrace explain SNAPSHOT --from {0} --to {1}[ --proto {8}][ --arrive-at {7}]"},
    {Claim::connections_keep_source,
     "[{0} connections||A connection] of pod {1} on {node} {6:keeps|keep} {2} as source, not [{3}||an address of the gateway]: "
     "they are older "
     "than the translation, and NAT is decided by a connection's first packet.",
     "conntrack -D -s {4} -d {5} on {node}; the pod then has to connect anew."},
    {Claim::stale_connections_to_no_pod, "{0} connection{0:|s} on {node} to {1} {0:is|are} sent to {2}, which no pod has.",
     "conntrack -D -p {3|tcp|udp} --reply-src {2} and ovs-appctl dpctl/flush-conntrack on {node}, or wait until the client is "
     "silent."},
    {Claim::stale_connections_to_other_pod,
     "{0} connection{0:|s} on {node} to {1} {0:is|are} sent to {2}, pod {4}, which is no endpoint of it any more.",
     "conntrack -D -p {3|tcp|udp} --reply-src {2} and ovs-appctl dpctl/flush-conntrack on {node}, or wait until the client is "
     "silent."},
    {Claim::translation_never_counted,
     "{0} packets of pod {1} ({2}) were sent on towards {object}, but none has met the rule that translates them on {node} "
     "({3}), though "
     "others beside it count: they have another path.",
     "conntrack -L -s {2} on {node}: connections that are older than the rule never meet it; then egtrace explain SNAPSHOT "
     "--from {1} "
     "--to {4}."},
};
static_assert(are_in_order(kClaimsOfConnections));

}  // namespace

std::span<const ClaimPhrase> claims_of_connections() { return kClaimsOfConnections; }

}  // namespace egt::assess
