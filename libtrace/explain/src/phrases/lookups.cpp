#include "lookups.h"

#include <algorithm>
#include <array>

#include "egtrace/base/fill.h"

namespace egt::explain {
namespace {

constexpr Wording<Found> kFound[] = {
    {Found::lines, "{0} that concern it"},
    {Found::logical_flows, "logical flows that name it"},
    {Found::flows_matching, "OpenFlow flows that match on it"},
    {Found::flows_matching_prefix, "OpenFlow flows that match on a prefix of it"},
    {Found::flows_matching_mark, "OpenFlow flows that match on its mark"},
    {Found::flows_naming, "OpenFlow flows whose actions name it"},
    {Found::mac_entry, "MAC table entry"},
    {Found::admin_network_policy, "admin network policy"},
    {Found::baseline_admin_network_policy, "baseline admin network policy"},
};
static_assert(is_complete(kFound));

constexpr Wording<FoundFact> kFacts[] = {
    {FoundFact::flow, "OpenFlow flow in {0} table {1}, priority {2}"},
    {FoundFact::flow_of_table, "table {0}, priority {1}"},
    {FoundFact::of_conjunction, ", part of the conjunction of logical flow {0} ({1})"},
    {FoundFact::of_logical_flow, ", of logical flow {0} ({1})"},
    {FoundFact::endpoint_ready, "ready"},
    {FoundFact::endpoint_ending_serves, "ending, still serves"},
    {FoundFact::endpoint_ending, "ending"},
    {FoundFact::endpoint_not_ready, "not ready"},
    {FoundFact::assigned_to_none, "to no node"},
    {FoundFact::no_namespaces, "no labels of namespaces are dumped; `oc get namespaces -o yaml` has them"},
    {FoundFact::no_pods, "no pods are dumped; `oc get pods -A -o yaml` has them"},
    {FoundFact::isolates_both, "ingress and egress"},
    {FoundFact::load_balancer_ips, "load balancer IPs"},
    {FoundFact::traffic_policy, "external traffic policy"},
    {FoundFact::source_ip_by, "source IP by"},
};
static_assert(is_complete(kFacts));

struct DecidingKind {
  std::string_view dump, lines;  // kind of the dump; what its lines are called
};
constexpr std::array<DecidingKind, 24> kDeciding = {
    {{"ip rule", "policy rules"},
     {"ip route", "routes"},
     {"iptables-save", "iptables rules"},
     {"ip6tables-save", "iptables rules"},
     {"iptables -S", "iptables rules"},
     {"iptables -L", "iptables rules"},
     {"nft list ruleset", "nft rules"},
     {"conntrack -L", "connections"},
     {"ovs-appctl dpctl/dump-conntrack", "connections"},
     {"ovs-appctl dpctl/ct-get-limits", "limits of connections of Open vSwitch"},
     {"ovs-appctl dpctl/ct-get-maxconns", "limits of connections of Open vSwitch"},
     {"ovs-appctl dpctl/ct-get-nconns", "connections"},
     {"ovs-appctl ofproto/list-tunnels", "tunnels of Open vSwitch"},
     {"ovs-appctl tnl/ports/show", "tunnel ends of Open vSwitch"},
     {"ovs-appctl ovs/route/show", "routes of Open vSwitch"},
     {"ovs-appctl tnl/neigh/show", "neighbours of Open vSwitch"},
     {"ipset save", "members of ipsets"},
     {"ipset list", "members of ipsets"},
     {"vtysh show ip route", "routes of FRR"},
     {"vtysh show ip bgp", "routes of BGP"},
     {"vtysh show running-config", "lines of FRR's configuration"},
     {"ovn-nbctl lr-policy-list", "policies of logical routers"},
     {"ovn-nbctl lr-route-list", "routes of logical routers"},
     {"ovn-nbctl lr-nat-list", "NAT of logical routers"}}};

}  // namespace

std::string phrase(Found found, const Terms& about) { return fill(words_of(kFound, found), about); }
std::string phrase(FoundFact fact, const Terms& about) { return fill(words_of(kFacts, fact), about); }

std::string_view lines_of(std::string_view dump_kind) {
  const auto kind = std::find_if(kDeciding.begin(), kDeciding.end(), [&](const DecidingKind& k) { return k.dump == dump_kind; });
  return kind == kDeciding.end() ? std::string_view() : kind->lines;
}

}  // namespace egt::explain
