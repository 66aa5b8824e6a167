#include "names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "egtrace/base/text.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "owners.h"

namespace egt::explain {
namespace {

// What begins with `begin` and ends with `end`; {} is what stands between.
struct NameForm {
  std::string_view begin, end, as, text;
  bool number = false;  // what stands between is one
};

// go-controller/pkg/types/const.go and pkg/util/multi_network.go; of EVPN and connected networks pkg/node/controllers/evpn and
// pkg/ovn/controller/networkconnect. "Primary layer 2 since 1.2" are trtor-, rtotr-, trtos- and stotr-.
constexpr NameForm kForms[] = {
    {ovnk::kManagementDevice, "", "device", "management port of the network with id {} (0: the default network)", true},
    {"mp", "-udn-vrf", "device", "VRF of the user-defined network with id {}", true},
    {"udn-mark-0x", "", "nft chain", "marks packets for the user-defined network that has packet mark 0x{}"},
    {ovnk::kClusterNetwork, "", "network", "ClusterUserDefinedNetwork {}"},
    {ovnk::kManagementPort, "", "logical port",
     "management port of {}: the node's, or with a prefix in front that of a user-defined network"},
    {ovnk::kGatewayRouter, "", "logical router", "gateway router of {}"},
    {ovnk::kExternalSwitch, "", "logical switch", "between the gateway router and the external bridge of {}"},
    {ovnk::kRouterToJoin, "", "logical port", "of router {} towards the join switch"},
    {ovnk::kJoinToRouter, "", "logical port", "of the join switch towards router {}"},
    {ovnk::kRouterToSwitch, "", "logical port", "of the cluster router towards switch {}"},
    {ovnk::kSwitchToRouter, "", "logical port", "of switch {} towards the cluster router"},
    {ovnk::kRouterToExternal, "", "logical port", "of gateway router {} towards the external bridge"},
    {ovnk::kExternalToRouter, "", "logical port", "of the external switch towards gateway router {}"},
    {ovnk::kRouterToTransit, "", "logical port", "of the cluster router towards the transit switch, on {}"},
    {ovnk::kTransitToRouter, "", "logical port", "of the transit switch towards the cluster router of {}"},
    {ovnk::kTransitRouterToRouter, "", "logical port", "of the transit router towards gateway router {}"},
    {ovnk::kRouterToTransitRouter, "", "logical port", "of gateway router {} towards the transit router"},
    {ovnk::kTransitRouterToSwitch, "-upgrade", "logical port",
     "of the transit router towards layer 2 switch {}, for nodes that still have the topology without a transit router"},
    {ovnk::kSwitchToTransitRouter, "-upgrade", "logical port",
     "of layer 2 switch {} towards the transit router, for nodes that still have the topology without a transit router"},
    {ovnk::kTransitRouterToSwitch, "", "logical port", "of the transit router towards the layer 2 switch, {}"},
    {ovnk::kSwitchToTransitRouter, "", "logical port", "of the layer 2 switch towards the transit router, {}"},
    {ovnk::kConnectRouterToRouter, "", "logical port", "of the router of a ClusterNetworkConnect towards router {}"},
    {ovnk::kRouterToConnectRouter, "", "logical port", "of router {} towards the router of a ClusterNetworkConnect"},
    {ovnk::kConnectRouter, "", "logical router", "of ClusterNetworkConnect {}"},
    {ovnk::kConnectedServices, "", "load balancer group", "services of the networks that ClusterNetworkConnect {} connects"},
    {"cr-rtos-", "", "logical port", "chassisredirect port of rtos-{}, on the chassis that holds it"},
    {"cr-trtos-", "", "logical port", "chassisredirect port of trtos-{}, on the chassis that holds it"},
    {"cr-stor-", "", "logical port", "chassisredirect port of stor-{}, on the chassis that holds it"},
    {"cr-stotr-", "", "logical port", "chassisredirect port of stotr-{}, on the chassis that holds it"},
    {"evbr-", "", "device", "bridge of EVPN, VTEP {}"},
    {"evx4-", "", "device", "VXLAN device of EVPN over IPv4, VTEP {}"},
    {"evx6-", "", "device", "VXLAN device of EVPN over IPv6, VTEP {}"},
    {"svl3-", "", "device", "of EVPN: IP-VRF of network {}"},
    {"svl2-", "", "device", "of EVPN: MAC-VRF of network {}"},
    {"ovl2-", "", "device", "of EVPN: port of Open vSwitch in the MAC-VRF of network {}"},
    {"evbr.", "", "device", "bridge of EVPN, of the VTEP whose name has the SHA-256 {}…"},
    {"evx4.", "", "device", "VXLAN device of EVPN over IPv4, of the VTEP whose name has the SHA-256 {}…"},
    {"evx6.", "", "device", "VXLAN device of EVPN over IPv6, of the VTEP whose name has the SHA-256 {}…"},
    {"svl3.", "", "device", "of EVPN: IP-VRF of the network with id {}", true},
    {"svl2.", "", "device", "of EVPN: MAC-VRF of the network with id {}", true},
    {"ovl2.", "", "device", "of EVPN: port of Open vSwitch in the MAC-VRF of the network with id {}", true},
    {ovnk::kEvpnLogicalPort, "", "logical port", "of switch {} towards the host's bridge of EVPN"},
    {"br-ex_", "", "logical port", "localnet port of the external switch of {}: leads to br-ex"},
    {ovnk::kHybridPort, "", "logical port",
     "of the hybrid overlay, on switch {}: leads to bridge br-ext, which sends to Windows nodes in VXLAN"},
    {"", ovnk::kLocalnetSwitch, "logical switch", "of localnet network {}"},
    {"", ovnk::kLocalnetPort, "logical port", "localnet port of network {}: leads to its physical network by a mapped bridge"},
    {"", ovnk::kLayer2Switch, "logical switch", "of layer 2 network {}"},
    {"", "_ovn_cluster_router", "logical router", "cluster router of network {}"},
    {"", ovnk::kTransitRouter, "logical router", "transit router of layer 2 network {}"},
    {"", ovnk::kTransitSwitch, "logical switch", "transit switch of network {}"},
    {"", "_clusterLBGroup", "load balancer group", "of network {}: its switches and gateway routers"},
    {"", "_clusterSwitchLBGroup", "load balancer group", "of network {}: its switches"},
    {"", "_clusterRouterLBGroup", "load balancer group", "of network {}: its gateway routers"},
    {"patch-br-int-to-", "", "patch port", "of br-int towards the external bridge; the localnet port is {}"},
    {"patch-", "-to-br-int", "patch port", "of the external bridge towards br-int; the localnet port is {}"},
};

// What a host's rules are called whole; {} is the family of a name that ends with -v4 or -v6.
struct WholeName {
  std::string_view name, as, text;
};

// Table inet ovn-kubernetes (go-controller/pkg/node: gateway_nftables.go, controllers/egressip and egressservice,
// managementport, udn_isolation.go, gateway_shared_intf.go), and the chains of iptables that it replaced in 2026.
constexpr WholeName kWhole[] = {
    {"clusterLBGroup", "load balancer group", "of the default network: its switches and gateway routers"},
    {"clusterSwitchLBGroup", "load balancer group", "of the default network: its switches"},
    {"clusterRouterLBGroup", "load balancer group", "of the default network: its gateway routers"},
    {ovnk::kJoinSwitch, "logical switch", "between the cluster router and the gateway router"},
    {"transit_switch", "logical switch", "between the cluster routers of the nodes"},
    {ovnk::kClusterRouter, "logical router", "cluster router of the default network"},
    {ovnk::kHybridBridge, "bridge",
     "of the hybrid overlay: sends to Windows nodes in VXLAN, by tables 0, 1, 2, 10 (to pods) and 20 (learned MACs)"},
    {"ext-vxlan", "port", "of br-ext: VXLAN 4097 to the other nodes of the hybrid overlay"},
    {ovnk::kHybridSubnet, "annotation", "the subnet of the pods of a node that is in the hybrid overlay"},
    {"k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac", "annotation",
     "the MAC to which the hybrid overlay sends at that node"},
    {ovnk::kNftTable, "nft table", "OVN-Kubernetes' own rules of the host, family inet"},
    {"services", "nft chain", "translates NodePorts, external and load balancer addresses of services to their ClusterIP"},
    {"services-etp", "nft chain",
     "the same where externalTrafficPolicy is Local: to the third masquerade address, behind the management port"},
    {"services-etp-no-nodeport", "nft chain",
     "services with externalTrafficPolicy Local and without NodePorts: to one of the node's endpoints, at random"},
    {"services-itp", "nft chain",
     "internalTrafficPolicy Local: redirects the host's connections to an endpoint of the host network"},
    {"services-itp-mark", "nft chain",
     "internalTrafficPolicy Local: marks the host's connections (0x1745ec), which a policy rule sends by the management port"},
    {ovnk::kServicesChain, "nft base chain",
     "translations of services for packets from outside: services-etp, services-etp-no-nodeport, services"},
    {"services-output", "nft base chain", "translations of services for the host's own packets: services-itp, services"},
    {"nodeports", "nft map", "{} NodePorts: to the ClusterIP"},
    {"external-ips", "nft map", "{} external and load balancer addresses of services: to the ClusterIP"},
    {"nodeports-etp-local", "nft map", "{} NodePorts with externalTrafficPolicy Local: to the third masquerade address"},
    {"external-ips-etp-local", "nft map",
     "{} outside addresses of services with externalTrafficPolicy Local: to the third masquerade address"},
    {"itp-services-to-redirect", "nft map",
     "{} services with internalTrafficPolicy Local: the port of the endpoint on the host network"},
    {"itp-services-to-mark", "nft set", "{} services with internalTrafficPolicy Local whose packets are marked 0x1745ec"},
    {"egress-ip-snat", "nft base chain", "translates pods to egress IPs of networks that OVN does not manage"},
    {"egress-ip-snat-v4", "nft map", "pod and outgoing device to egress IP, IPv4"},
    {"egress-ip-snat-v6", "nft map", "pod and outgoing device to egress IP, IPv6"},
    {"egress-ip-connmark", "nft base chain", "local gateway mode: keeps mark 1008 with the connection"},
    {"egress-ip-sec-filter", "nft base chain",
     "drops what was to be translated to an egress IP (mark 1009) and still has a pod's address"},
    {"egress-services", "nft base chain",
     "translates endpoints of EgressServices to the service's address; not what is marked 1008, to cluster nodes"},
    {"egress-service-snat", "nft map", "{} endpoint of an EgressService to the service's address"},
    {ovnk::kManagementSnat, "nft base chain", "gives what enters OVN by the management port its address"},
    {ovnk::kKeptNodePorts, "nft set", "NodePorts whose clients' addresses are kept: externalTrafficPolicy Local"},
    {"mgmtport-no-snat-services", "nft set",
     "{} endpoints whose clients' addresses are kept: externalTrafficPolicy Local without NodePorts"},
    {"mgmtport-no-snat-subnets", "nft set", "{} sources that keep their address by the management port"},
    {ovnk::kGatewayMasquerade, "nft base chain",
     "local gateway mode: masquerades what leaves the host; runs after the SNATs of egress addresses"},
    {"ovn-kube-pod-subnet-masq", "nft chain", "local gateway mode: masquerades the node's pods"},
    {"ovn-kube-udn-masq", "nft chain", "local gateway mode: masquerades the masquerade addresses of user-defined networks"},
    {"no-overlay-snat-exempt", "nft set", "{} destinations to which pods keep their address without an overlay"},
    {"no-pmtud", "nft base chain", "keeps the host from telling other nodes a path MTU by ICMP"},
    {"remote-node-ips", "nft set", "{} addresses of the other nodes"},
    {"udn-isolation", "nft base chain", "keeps the host's processes, but for kubelet, from pods of user-defined networks"},
    {"udn-pod-default-ips", "nft set", "{} addresses on the default network of pods whose primary network is a user-defined one"},
    {"udn-open-ports", "nft set",
     "{} ports that pods of user-defined networks open to the default network (annotation k8s.ovn.org/open-default-ports)"},
    {"udn-open-ports-icmp", "nft set", "{} addresses of pods of user-defined networks that open ICMP to the default network"},
    {"udn-bgp-drop", "nft base chain", "drops the host's new connections to advertised user-defined networks"},
    {"advertised-udn-subnets", "nft set", "{} subnets of advertised user-defined networks"},
    {"udn-service-mark", "nft chain",
     "marks packets to outside addresses of services with the mark of their user-defined network"},
    {"udn-service-prerouting", "nft base chain", "udn-service-mark for packets from outside"},
    {"udn-service-output", "nft base chain", "udn-service-mark for the host's own packets"},
    {"udn-mark-nodeports", "nft map", "NodePorts of services on user-defined networks: the chain that marks for the network"},
    {"udn-mark-external-ips", "nft map",
     "{} outside addresses of services on user-defined networks: the chain that marks for the network"},
    {"ovn_notrack", "nft table", "of OpenShift's network operator: tunnels between nodes without conntrack, family inet"},
    {"azure_icmp", "nft table", "of OpenShift's network operator on Azure: which sources of ICMP errors are believed"},
    {ovnk::kNodePortChain, "iptables chain", "NodePorts to the ClusterIP; since August 2026 nft chain services"},
    {ovnk::kExternalIpChain, "iptables chain",
     "external and load balancer addresses of services to the ClusterIP; since August 2026 nft chain services"},
    {ovnk::kLocalTrafficChain, "iptables chain",
     "externalTrafficPolicy Local, to the third masquerade address; since August 2026 nft chain services-etp"},
    {ovnk::kInternalTrafficChain, "iptables chain",
     "internalTrafficPolicy Local; since August 2026 nft chains services-itp and services-itp-mark"},
    {ovnk::kEgressIpChain, "iptables chain",
     "pods to egress IPs of networks that OVN does not manage; since July 2026 nft chain egress-ip-snat"},
    {"OVN-KUBE-EGRESS-SVC", "iptables chain",
     "endpoints of EgressServices to the service's address; since 1.1 nft chain egress-services"},
    {"OVN-KUBE-SNAT-MGMTPORT", "iptables chain",
     "what enters OVN by the management port gets its address; since 1.1 nft chain mgmtport-snat"},
};

std::optional<std::pair<std::string, std::string>> whole_name(std::string_view name) {
  const auto row = [](std::string_view of) {
    return std::find_if(std::begin(kWhole), std::end(kWhole), [&](const WholeName& w) { return w.name == of; });
  };
  if (const auto found = row(name); found != std::end(kWhole) && !found->text.starts_with("{}"))
    return std::pair(std::string(found->as), std::string(found->text));
  if (!name.ends_with("-v4") && !name.ends_with("-v6")) return std::nullopt;
  const auto found = row(name.substr(0, name.size() - 3));
  if (found == std::end(kWhole) || !found->text.starts_with("{}")) return std::nullopt;
  return std::pair(std::string(found->as), fmt::format(fmt::runtime(found->text), name.ends_with("4") ? "IPv4" : "IPv6"));
}

bool is_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

// Names of namespaces and pods: RFC 1123.
bool is_object_name(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.'; });
}

// Of a network's name in the names of what is its own, '-' and '/' are '.'; '_' stands only in NAMESPACE_NAME of a
// UserDefinedNetwork and in front of the name of a ClusterUserDefinedNetwork.
bool is_network_key(std::string_view s) {
  const bool of_cluster = consume(s, ovnk::kClusterNetwork);
  const auto marks = static_cast<std::size_t>(std::count(s.begin(), s.end(), '_'));
  return is_word(s) && s.find('-') == std::string_view::npos && s.front() != '_' && s.back() != '_' &&
         marks <= (of_cluster ? 0 : 1);
}

using NamedMeanings = std::vector<std::pair<std::string, std::string>>;

// NAMESPACE_POD, or NETWORK_NAMESPACE_POD on a user-defined network, whose key is NAMESPACE.NAME.
void add_pod_port(std::string_view name, NamedMeanings& out) {
  const auto parts = split(name, '_');
  if ((parts.size() != 2 && parts.size() != 3) || !std::all_of(parts.begin(), parts.end(), is_object_name)) return;
  if (parts.size() == 3 && parts[0].find('.') == std::string_view::npos) return;
  const std::string pod = fmt::format("port of pod {}/{}", parts[parts.size() - 2], parts.back());
  out.emplace_back("logical port",
                   parts.size() == 2
                       ? pod
                       : fmt::format("{} on the user-defined network whose key is {} but for its punctuation", pod, parts[0]));
}

// NETWORK_NODE, NETWORK_join.
void add_network_switch(std::string_view name, NamedMeanings& out) {
  const std::size_t last = name.rfind('_');
  if (last == std::string_view::npos) return;
  const std::string_view network = name.substr(0, last), node = name.substr(last + 1);
  if (!is_network_key(network) || !is_object_name(node)) return;
  if (node == ovnk::kJoinSwitch)
    out.emplace_back("logical switch", fmt::format("join switch of the user-defined network {}", network));
  else
    out.emplace_back("logical switch", fmt::format("of node {} on the user-defined network {} of layer 3", node, network));
}

// BRIDGE_NODE, BRIDGE_NETWORK_NODE; br-ex has a form.
void add_localnet_port(std::string_view name, NamedMeanings& out) {
  const std::size_t first = name.find('_');
  if (first == std::string_view::npos || !name.starts_with("br") || !is_object_name(name.substr(0, first))) return;
  const std::string_view of = name.substr(first + 1);
  const std::size_t last = of.rfind('_');
  const bool network = last != std::string_view::npos;
  if (!is_object_name(network ? of.substr(last + 1) : of) || (network && !is_network_key(of.substr(0, last)))) return;
  out.emplace_back("logical port",
                   fmt::format("localnet port of the external switch of {}: leads to bridge {}", of, name.substr(0, first)));
}

// NETWORK_rtots-NODE, NETWORK_tstor-NODE.
void add_transit_port(std::string_view name, NamedMeanings& out) {
  for (const auto& [prefix, text] :
       {std::pair(ovnk::kRouterToTransit,
                  "of the cluster router of the user-defined network {} towards its transit switch, on {}"),
        std::pair(ovnk::kTransitToRouter,
                  "of the transit switch of the user-defined network {} towards the cluster router of {}")}) {
    const auto node = ovnk::behind_key(prefix, name);
    if (node.empty() || name.starts_with(prefix)) continue;
    const auto network = name.substr(0, name.size() - node.size() - prefix.size() - 1);
    if (is_network_key(network) && is_object_name(node))
      out.emplace_back("logical port", fmt::format(fmt::runtime(text), network, node));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> name_meanings(std::string_view name) {
  NamedMeanings meanings;
  if (auto whole = whole_name(name)) return {std::move(*whole)};
  add_owner(name, meanings);
  add_transit_port(name, meanings);
  if (!meanings.empty()) return meanings;
  std::string_view begun;  // of a form that has matched: one with the same beginning and less behind it adds nothing
  for (const NameForm& form : kForms) {
    if (!begun.empty() && form.begin == begun) continue;
    if (form.begin.empty() && begun.ends_with('-')) continue;  // a port of what ends so
    if (name.size() <= form.begin.size() + form.end.size() || !name.starts_with(form.begin) || !name.ends_with(form.end))
      continue;
    const std::string_view rest = name.substr(form.begin.size(), name.size() - form.begin.size() - form.end.size());
    if (form.number ? !parse_decimal(rest).has_value() : !is_word(rest)) continue;
    if (form.begin == ovnk::kClusterNetwork && rest.find('_') != std::string_view::npos) continue;  // of what is the network's
    meanings.emplace_back(form.as, fmt::format(fmt::runtime(form.text), rest));
    begun = form.begin;
  }
  if (!meanings.empty()) return meanings;
  add_pod_port(name, meanings);
  add_network_switch(name, meanings);
  add_localnet_port(name, meanings);
  return meanings;
}

}  // namespace egt::explain
