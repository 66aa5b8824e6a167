#include "inspections.h"

#include "egtrace/base/fill.h"
#include "phrase.h"

namespace egt::explain {
namespace {

constexpr Phrase<NeededDump> kNeededDumps[] = {
    {NeededDump::devices, "devices", "devices and addresses", "", "ip -d addr"},
    {NeededDump::policy_rules, "policy-rules", "policy rules", "", "ip rule"},
    {NeededDump::routes, "routes", "routes of all tables", "", "ip route show table all"},
    {NeededDump::neighbours, "neighbours", "neighbours", "", "ip neigh"},
    {NeededDump::iptables, "iptables", "iptables rules", "", "iptables-save -c"},
    {NeededDump::nft, "nft", "nft ruleset", "", "nft list ruleset"},
    {NeededDump::sysctls, "sysctls", "forwarding and rp_filter settings", "", "sysctl -a"},
    {NeededDump::flows, "flows", "OpenFlow flows of {0}", "", "ovs-ofctl dump-flows {0}"},
    {NeededDump::whole_flows, "whole-flows", "all flows of {0} (there is an excerpt)", "", "ovs-ofctl dump-flows {0}"},
    {NeededDump::groups, "groups", "OpenFlow groups of {0}", "", "ovs-ofctl -O OpenFlow15 dump-groups {0}"},
    {NeededDump::logical_flows, "logical-flows", "logical flows", "", "ovn-sbctl --uuid lflow-list"},
    {NeededDump::logical_ports, "logical-ports", "logical ports", "", "ovn-nbctl show"},
};
static_assert(is_complete(kNeededDumps));

constexpr Wording<Purpose> kPurposes[] = {
    {Purpose::policies, "network policies and firewalls (ACLs)"},
    {Purpose::routing_policies, "routing policies (egress IPs, egress services, external gateways)"},
    {Purpose::services, "services (load balancing, DNAT)"},
    {Purpose::nat, "SNAT and its reversal"},
    {Purpose::routing, "routing and switching"},
    {Purpose::neighbour_discovery, "ARP and neighbour discovery"},
    {Purpose::qos, "QoS"},
    {Purpose::dhcp_and_dns, "DHCP and DNS"},
    {Purpose::admission, "admission and port security"},
    {Purpose::other_stages, "other stages"},
    {Purpose::no_logical_flow, "no logical flow (physical tables, other controllers)"},
    {Purpose::all_flows, "all flows"},
};
static_assert(egt::is_complete(kPurposes));

constexpr Wording<Feature> kFeatures[] = {
    {Feature::meters, "meters: packets above the rate are dropped"},
    {Feature::counters, "counters: evidence of drops, which decides nothing"},
    {Feature::queues, "queues"},
    {Feature::sampling, "sampling (IPFIX, sFlow)"},
    {Feature::flow_timeouts, "timeouts of flows and connections"},
    {Feature::removal_messages, "messages about removed flows"},
    {Feature::persistent_nat, "persistent NAT: the same address for each connection of a client"},
    {Feature::multicast_snooping, "multicast snooping"},
    {Feature::mirror_filters, "filters of mirrors: which of the selected packets they copy"},
    {Feature::bridge_tables, "tables of Linux bridges: MACs, VNIs"},
    {Feature::netflow, "NetFlow"},
    {Feature::forwarding_detection, "forwarding detection (BFD)"},
    {Feature::connectivity_faults, "connectivity faults (CFM)"},
    {Feature::policing, "policing"},
    {Feature::bonds, "bonds"},
    {Feature::element_timeouts, "timeouts of set elements"},
    {Feature::set_updates, "rules that change sets"},
};
static_assert(egt::is_complete(kFeatures));

constexpr Wording<Observation> kObservations[] = {
    {Observation::moments_of_node, "{0}: dumps of {1}[ to {2}]"},
    {Observation::node_changes_between, "{0}: {1} was printed {2} before {3}: they may show different states"},
    {Observation::nodes_apart, "{0} was collected {1} before {2}: what changed in between shows on one of them only"},
    {Observation::copies_differ, "{0} has {1} flows, {2} (which is read) {3}: taken at different moments, or one is filtered"},
    {Observation::supposed, "supposed: {0}: {1}"},
    {Observation::no_stage_names, "no logical flows with stage names in the snapshot"},
    {Observation::annotated_mode, "the annotation {0}"},
    {Observation::next_hop_of_pods, "what {0} sends goes to {1}, {2|no address|an address} of the host"},
};
static_assert(egt::is_complete(kObservations));

constexpr std::string_view kPipeline[] = {"[egress pipeline starts at table {0}]", "[lr_in_policy is stage {0}]",
                                          "[ls_out_pre_lb is stage {0}]", "[highest table in use is {0}]"};

}  // namespace

Gap gap_of(const std::string& node, NeededDump dump, const Terms& about) {
  const Phrase<NeededDump>& phrase = kNeededDumps[static_cast<std::size_t>(dump)];
  return {node, egt::fill(phrase.words, about), egt::fill(phrase.command, about)};
}

std::string_view words_of(Purpose purpose) { return egt::words_of(kPurposes, purpose); }
std::string_view words_of(Feature feature) { return egt::words_of(kFeatures, feature); }
std::string phrase(Observation observation, const Terms& about) {
  return egt::fill(egt::words_of(kObservations, observation), about);
}

std::string phrase_of_pipeline(const std::string& node, const Terms& seen) {
  Term::Names parts;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (std::string part = egt::fill(kPipeline[i], {seen[i]}); !part.empty()) parts.push_back(std::move(part));
  return egt::fill("{0}: {1}", {node, parts});
}

}  // namespace egt::explain
