// Of OVN: databases, ovn-northd, ovn-controller, and dumps that do not agree.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfDatabases[] = {
    {Claim::database_without_leader,
     "The server of {0} on {node} {1|is not connected to its cluster|knows no leader}: changes do not reach it, and who reads "
     "there sees "
     "old rows.",
     "cluster/status {0} of the other servers; their logs, and whether {node} reaches them."},
    {Claim::northd_lacks_route,
     "The northbound database of {node} has route {0} via {1}[ and {2} more], which no logical flow was made for.",
     "ovn-appctl -t ovn-northd status, and its log, on {node}; dumps of different moments look the same."},
    {Claim::northd_lacks_row,
     "The northbound database of {node} has {0|policy|ACL} \"{1}\"[ and {2} more], which no logical flow was made for.",
     "ovn-appctl -t ovn-northd status, and its log, on {node}; dumps of different moments look the same."},
    {Claim::next_hop_without_path,
     "{0|Route|Policy} \"{1}\" of router {2} on {node} has next hop {3}, which no port of the router has a network of[; so has "
     "{4} "
     "more]: "
     "ovn-northd makes no logical flow of it.",
     "ovn-nbctl show {2}; the log of ovn-northd (\"No path for\")."},
    {Claim::northd_at_older_change,
     "ovn-northd of {node} is at change {0} of {1}: the southbound database is older than the northbound one.",
     "See that ovn-northd runs and is connected (ovn-appctl -t ovn-northd status)."},
    {Claim::ovn_controller_at_older_change,
     "ovn-controller of {node} is at change {0} of {1}: flows are older than the databases.",
     "{2|ovn-appctl -t ovn-controller connection-status. |}The log of ovn-controller on {node}."},
    {Claim::controller_not_connected,
     "ovn-controller of {node} is not connected to the southbound database: its flows do not follow changes.",
     "The log of ovn-controller on {node}; ovs-vsctl get open_vswitch . external_ids:ovn-remote there; see that the southbound "
     "database is "
     "up (ovn-sbctl show)."},
    {Claim::controller_not_connected_flows_missing,
     "ovn-controller of {node} is not connected to the southbound database: {0} logical flow{0:|s} lack OpenFlow flows there.",
     "The log of ovn-controller on {node}; ovs-vsctl get open_vswitch . external_ids:ovn-remote there; see that the southbound "
     "database is "
     "up (ovn-sbctl show)."},
    {Claim::controller_not_connected_flows_left,
     "ovn-controller of {node} is not connected to the southbound database: {0} cookies of its flows belong to no logical flow.",
     "The log of ovn-controller on {node}; ovs-vsctl get open_vswitch . external_ids:ovn-remote there; see that the southbound "
     "database is "
     "up (ovn-sbctl show)."},
    {Claim::flows_missing, "{0} of {node} lacks flows for {1} logical flow{1:|s}.",
     "ovn-appctl -t ovn-controller {2|connection-status and |}recompute on {node}; dumps of different moments look the same."},
    {Claim::flows_orphaned, "{0} of {node} has flows with {1} cookie{1:|s} that no logical flow has.",
     "ovn-appctl -t ovn-controller {2|connection-status and |}recompute on {node}; dumps of different moments look the same."},
    {Claim::stages_differ,
     "On {node} the flows of the switch [take {4} {5} priority {6} ({7})||come to no further stage], and the logical flows "
     "[take {8} {9} priority {10} ({11})||come to no further stage], for {0|a packet|the reply to the packet} of {1} to "
     "{2}[ and {3} other connections].",
     "egtrace explain SNAPSHOT --from {1} --to {2} --cross-check; ovn-appctl -t ovn-controller connection-status on {node}. "
     "Dumps of "
     "different moments look the same."},
    {Claim::dumps_inconsistent, "Dumps of {node} are inconsistent: {0}.", "{1} on {node}, at one moment."},
    {Claim::route_of_address_missing,
     "The dump of routes of {node} lacks what the kernel makes of {0}: the dump lost lines, or the route was deleted.",
     "ip route show table all on {node}."},
    {Claim::rule_of_kernel_missing,
     "The dump of {1|IPv6|IPv4} policy rules of {node} has none for table {0}, with which every kernel begins: the dump lost "
     "lines, or "
     "the rule was deleted.",
     "{1|ip -6 rule|ip rule} on {node}."},
};
static_assert(are_in_order(kClaimsOfDatabases));

}  // namespace

std::span<const ClaimPhrase> claims_of_databases() { return kClaimsOfDatabases; }

}  // namespace egt::assess
