#include <algorithm>
#include <iterator>

#include "phrases/phrases.h"

namespace egt::assess {
namespace {

// What each check looks for, by its id.
struct Title {
  std::string_view check, words;
};

constexpr Title kTitles[] = {
    {"egressip-not-assigned", "An egress IP that no node hosts"},
    {"egressservice-not-hosted", "An EgressService that no node hosts"},
    {"egress-without-effect", "Egress addresses for pods of a network without overlay"},
    {"egressip-address-missing", "The egress node does not have the egress IP"},
    {"egressip-link-down", "The link with the egress IP is down"},
    {"egressip-reroute-missing", "No reroute policy for a pod that an EgressIP selects"},
    {"egressip-reroute-stale", "A reroute policy to a node that does not host the egress IP"},
    {"egressip-reroute-duplicate", "Two reroute policies for the same packets"},
    {"egressip-address-set-lacks-pod", "A served pod that is missing in the address set"},
    {"remote-chassis-missing", "A node without another node's chassis"},
    {"tunnel-port-missing", "No tunnel port to a chassis that OVN has"},
    {"transit-port-missing", "No port of another node on the transit switch"},
    {"egressip-nat-row-missing", "No SNAT row on the gateway router for an egress IP's pod"},
    {"egressip-mark-missing", "No pkt_mark policy or bridge flow for an egress IP of a user-defined network"},
    {"egressip-rule-missing", "No policy rule for an egress IP on a network of the host"},
    {"egressip-table-stale", "The routing table of an egress IP is empty or of another link"},
    {"egressip-snat-missing", "No SNAT rule on the host for an egress IP's pod"},
    {"egressip-snat-stale", "A translation to an egress IP that another node hosts"},
    {"egressip-two-owners", "An egress IP that two nodes have"},
    {"egressip-forwarding-off", "The egress node does not forward on a link that an egress IP needs"},
    {"egressip-upstream-wrong-node", "An upstream router sends an egress IP's replies to another node"},
    {"egressservice-reroute-missing", "No reroute policy for an endpoint of an EgressService"},
    {"egressservice-snat-missing", "No SNAT on the host for an endpoint of an EgressService"},
    {"egressservice-announced-elsewhere", "An EgressService's address announced by another node"},
    {"bfd-session-down", "An external gateway whose BFD session is down"},
    {"external-gateway-route-missing", "No route to the external gateway of a pod"},
    {"stale-mac", "A next hop at a MAC address that another device has"},
    {"service-local-without-endpoint", "A Local service's address routed to a node without endpoint"},
    {"service-load-balancer-missing", "A service with endpoints that OVN has no load balancer for"},
    {"egressfirewall-acl", "An EgressFirewall whose ACLs differ from its rules"},
    {"egressqos-rows", "An EgressQoS without effect, or whose QoS rows differ from its rules"},
    {"adminnetworkpolicy-acl", "An AdminNetworkPolicy whose ACLs differ from its rules"},
    {"networkpolicy-acl", "A NetworkPolicy whose ACLs differ from its rules"},
    {"bridge-mac-mismatch", "A gateway router with another MAC than its bridge"},
    {"management-address-missing", "A management port whose device lacks its address"},
    {"localnet-not-mapped", "Pods on a localnet network without a bridge on their node"},
    {"bridge-not-set-up", "An external bridge without OVN-Kubernetes' flows"},
    {"pod-port-unclaimed", "A pod without a port of Open vSwitch"},
    {"port-flag", "A port whose flags drop packets, or that a mirror has taken"},
    {"dump-incomplete", "Dumps that lost lines or are inconsistent"},
    {"uplink-down", "An uplink that is down"},
    {"tunnel-address-wrong", "A tunnel address that its node does not have"},
    {"tunnel-key-mismatch", "Tunnel keys that two sides read differently"},
    {"network-connect-route-missing", "Connected networks without a route between them"},
    {"gateway-route-missing", "A gateway router without a route out of the cluster"},
    {"gateway-snat-missing", "Pods that leave with an address that replies do not return to"},
    {"network-masquerade", "The masquerade address of a user-defined network on its nodes"},
    {"transport-not-accepted", "A network whose transport is not accepted"},
    {"object-not-accepted", "An object about networks that OVN-Kubernetes has not accepted"},
    {"neighbour-failed", "A next hop that does not reply"},
    {"neighbour-wrong", "A neighbour entry with another node's MAC"},
    {"duplicate-address", "An address that two nodes have"},
    {"conntrack-full", "No room for connections"},
    {"ipsec-certificate", "An IPsec certificate that is not signed, or not valid at the time"},
    {"ipsec-connection-down", "An encrypted tunnel whose IPsec connection is not established"},
    {"controller-not-connected", "ovn-controller without the southbound database"},
    {"database-without-leader", "A database server without its cluster"},
    {"flows-differ", "Flows that do not follow from the logical flows"},
    {"stages-differ", "Packets that the switch takes through other stages than OVN intends"},
    {"address-not-routed", "An address of the cluster that the upstream router has no route to"},
    {"egress-leak", "A selected pod that leaves with another address"},
    {"node-not-ready", "A node that is not Ready"},
    {"ovn-controller-behind", "Flows that are older than the databases"},
    {"next-hop-without-path", "Routes and policies whose next hop no port of the router reaches"},
    {"northd-behind", "Northbound rows that have no effect yet"},
    {"egressip-rule-stale", "A policy rule for a pod that no egress IP of the node selects"},
    {"egressip-overlap", "Two EgressIPs that select the same pod"},
    {"egressservice-node-traffic-translated", "Traffic to nodes is translated to an EgressService's address"},
    {"external-gateway-snat-remains", "A pod with an external gateway is still translated by its node"},
    {"guard-cannot-match", "A rule against leaking pod addresses that cannot match"},
    {"gateway-default-past-snat", "A gateway's default route leaves past its SNAT"},
    {"gateway-mark-without-snat", "Marked packets that never reach their translation"},
    {"connection-keeps-source", "A connection that is older than its translation"},
    {"stale-connection", "A connection to an endpoint that is gone"},
    {"translation-never-counted", "A translation that no packet has ever reached"},
    {"service-dnat-missing", "A node that does not translate a service's outside address"},
    {"translated-twice", "Translations of two generations of OVN-Kubernetes on one host"},
    {"dnat-without-load-balancer", "The host translates to an address that OVN does not have"},
    {"flow-overlap", "A flow added by hand that conflicts with another one"},
    {"tunnel-blocked", "Tunnels between nodes that carry nothing"},
    {"underlay-mtu", "An underlay that does not carry large packets of pods"},
    {"tunnel-mtu", "Pods' packets that do not fit into the tunnel"},
    {"pod-mtu", "A pod's device with another MTU than the pods' network"},
    {"egress-rp-filter", "Strict rp_filter in the path of an egress IP's replies"},
    {"egress-stopped", "What an egress address's pods send is stopped on the path"},
    {"connection-lost", "Connections of pods, or of clients outside, that are not answered"},
    {"bridge-drops-pods", "Packets of pods that the external bridge drops"},
    {"drop-counts-up", "A drop that counted between two dumps"},
    {"egressip-pod-not-taken-up", "A selected pod that no node has set up"},
    {"pod-not-running", "Pods that do not run"},
    {"service-without-endpoints", "A service without ready endpoints"},
};

}  // namespace

std::string_view title_of(std::string_view check) {
  const auto title = std::find_if(std::begin(kTitles), std::end(kTitles), [&](const Title& t) { return t.check == check; });
  return title == std::end(kTitles) ? std::string_view() : title->words;
}

}  // namespace egt::assess
