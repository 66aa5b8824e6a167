// Names that OVN-Kubernetes gives to what it creates, and the subnets that it uses by default, in one place: each with the release, or the
// month after 1.3, from which on or until which it exists (none: in 1.0 already). `egtrace decode` prints what they mean
// (explain/src/phrases/decode/names.cpp). Ruled by go-controller/pkg/types/const.go and pkg/util/multi_network.go of ovn-kubernetes;
// chains, maps and sets by pkg/node.
#pragma once

#include <string>
#include <string_view>

namespace egt::ovnk {

using Text = std::string_view;

// --- routers, switches and their ports: a prefix, behind which stands a node, a router or a switch ---------------------
inline constexpr Text kGatewayRouter = "GR_", kClusterRouter = "ovn_cluster_router", kExternalSwitch = "ext_";
inline constexpr Text kManagementPort = "k8s-";
inline constexpr Text kRouterToJoin = "rtoj-", kJoinToRouter = "jtor-";
inline constexpr Text kRouterToSwitch = "rtos-", kSwitchToRouter = "stor-";
inline constexpr Text kRouterToExternal = "rtoe-", kExternalToRouter = "etor-";
inline constexpr Text kRouterToTransit = "rtots-", kTransitToRouter = "tstor-";  // zones; of networks behind their key
inline constexpr Text kTransitRouterToRouter = "trtor-", kRouterToTransitRouter = "rtotr-";  // since 1.2: primary layer 2
inline constexpr Text kTransitRouterToSwitch = "trtos-", kSwitchToTransitRouter = "stotr-";  // since 1.2
inline constexpr Text kConnectRouterToRouter = "crtor-", kRouterToConnectRouter = "rtocr-";  // since 1.3: ClusterNetworkConnect
inline constexpr Text kConnectRouter = "connect_router_";                                    // since 1.3
inline constexpr Text kConnectedServices = "cnc_svc_";                                       // since 1.3: a Load_Balancer_Group
inline constexpr Text kJoinSwitch = "join";
// Behind the key of a user-defined network.
inline constexpr Text kLocalnetSwitch = "_ovn_localnet_switch", kLocalnetPort = "_ovn_localnet_port";
inline constexpr Text kLayer2Switch = "_ovn_layer2_switch", kTransitRouter = "_transit_router",
                      kTransitSwitch = "_transit_switch";
inline constexpr Text kClusterNetwork = "cluster_udn_";  // since 1.1: a ClusterUserDefinedNetwork's, in front of its name

// --- devices and ports of Open vSwitch ---------------------------------------------------------------------------------
inline constexpr Text kIntegrationBridge = "br-int";
inline constexpr Text kManagementDevice = "ovn-k8s-mp";  // and the network's number
inline constexpr Text kDefaultManagementDevice = "ovn-k8s-mp0";
// Since 1.3, of EVPN: behind each '-' and the name of a VTEP or ClusterUserDefinedNetwork, or '.' and a number where that is too long
// (go-controller/pkg/node/controllers/evpn/utils.go); the port of Open vSwitch is bound to the logical port.
inline constexpr Text kEvpnBridge = "evbr", kEvpnVxlan4 = "evx4", kEvpnVxlan6 = "evx6";
inline constexpr Text kEvpnRouted = "svl3", kEvpnSwitched = "svl2", kEvpnPort = "ovl2";
inline constexpr Text kEvpnLogicalPort = "macvrf-";
// Of the hybrid overlay, which leads to Windows nodes (go-controller/hybrid-overlay/pkg/types): its port on a node's switch, its bridge,
// and the annotation of nodes that it knows.
inline constexpr Text kHybridPort = "int-", kHybridBridge = "br-ext";
inline constexpr Text kHybridSubnet = "k8s.ovn.org/hybrid-overlay-node-subnet";
inline constexpr Text kPatch = "patch-", kPatchTo = "-to-";  // as ovn-controller names them: patch-A-to-B

// --- rules of the host -------------------------------------------------------------------------------------------------
inline constexpr Text kNftTable = "ovn-kubernetes";                   // family inet
inline constexpr Text kServicesChain = "services-prerouting";         // since 2026-08
inline constexpr Text kGatewayMasquerade = "ovn-kube-local-gw-masq";  // since 1.1
inline constexpr Text kManagementSnat = "mgmtport-snat";              // since 1.1
inline constexpr Text kKeptNodePorts = "mgmtport-no-snat-nodeports";  // since 1.1
inline constexpr Text kIptablesChains = "OVN-KUBE-";                  // until 2026-08: the chains below
inline constexpr Text kNodePortChain = "OVN-KUBE-NODEPORT", kExternalIpChain = "OVN-KUBE-EXTERNALIP";
inline constexpr Text kLocalTrafficChain = "OVN-KUBE-ETP", kInternalTrafficChain = "OVN-KUBE-ITP";
inline constexpr Text kEgressIpChain = "OVN-KUBE-EGRESS-IP-MULTI-NIC";

// --- default subnets, and that of user-defined networks ----------------------------------------------------------------
inline constexpr Text kTransitSubnetV4 = "100.88.0.0/16", kTransitSubnetV6 = "fd97::/64";
inline constexpr Text kJoinSubnetV4 = "100.64.0.0/16", kJoinSubnetV6 = "fd98::/64";
inline constexpr Text kJoinSubnetOfNetworksV4 = "100.65.0.0/16";                                   // since 1.1
inline constexpr Text kMasqueradeSubnetV4 = "169.254.0.0/17", kMasqueradeSubnetV6 = "fd69::/112";  // since 1.1, where configured
inline constexpr Text kMasqueradeOfHosts = "169.254.0.0/29";  // of it, those that are no network's
inline constexpr Text kDefaultMasqueradeSubnetV4 = "169.254.169.0/29";

// Whether a device's name is one of EVPN's, with this prefix.
inline bool is_evpn_device(Text prefix, Text name) {
  return name.size() > prefix.size() + 1 && name.starts_with(prefix) &&
         (name[prefix.size()] == '-' || name[prefix.size()] == '.');
}
// What these prefixes and `name` make, the first in front.
inline std::string named(Text prefix, Text name) { return std::string(prefix).append(name); }
inline std::string named(Text first, Text second, Text name) { return named(first, named(second, name)); }
inline std::string patch_port(Text from, Text to) { return named(kPatch, from).append(kPatchTo).append(to); }
// What stands behind the prefix; empty: the name does not begin with it.
inline Text behind(Text prefix, Text name) { return name.starts_with(prefix) ? name.substr(prefix.size()) : Text(); }
// The same of a name in front of which the key of a user-defined network and '_' may stand: NETWORK_tstor-NODE.
inline Text behind_key(Text prefix, Text name) {
  const std::size_t at = name.find(prefix);
  return at == 0 || (at != Text::npos && name[at - 1] == '_') ? name.substr(at + prefix.size()) : Text();
}
inline bool has_prefixes(Text name, Text first, Text second) { return behind(first, name).starts_with(second); }

}  // namespace egt::ovnk
