#include "owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

// The second word of an id (go-controller/pkg/libovsdb/ops/db_object_types.go). Behind it stand the values that tell one row from
// others of its type.
struct OwnerType {
  std::string_view type, text;
};
constexpr OwnerType kTypes[] = {
    {"AdminNetworkPolicy", "AdminNetworkPolicy"},
    {"AdvertisedNetwork", "isolation of advertised networks"},
    {"BaselineAdminNetworkPolicy", "BaselineAdminNetworkPolicy"},
    {"Cluster", "all of the cluster or of a network"},
    {"ClusterNetworkConnect", "ClusterNetworkConnect"},
    {"ClusterNodeIPs", "addresses of the nodes"},
    {"EgressFirewall", "EgressFirewall"},
    {"EgressFirewallDNS", "addresses of a DNS name in an EgressFirewall"},
    {"EgressIP", "EgressIP"},
    {"EgressQoS", "EgressQoS"},
    {"EgressService", "EgressService"},
    {"HybridNodeRoute", "pods with external gateways"},
    {"MulticastCluster", "multicast of the cluster"},
    {"MulticastNS", "multicast of a namespace"},
    {"Namespace", "pods of a namespace"},
    {"NetpolDefault", "what network policies always allow"},
    {"NetpolNamespace", "default deny of the network policies of a namespace"},
    {"NetpolNode", "what comes from a node to its pods"},
    {"NetworkPolicy", "NetworkPolicy"},
    {"NetworkQoS", "NetworkQoS"},
    {"NoOverlayClusterSubnetSNAT", "SNAT of a network without overlay"},
    {"PodSelector", "pods that a selector of a network policy selects"},
    {"UDNEnabledService", "services of the default network for pods of user-defined networks"},
    {"UDNIsolation", "isolation of user-defined networks"},
    {"VirtualMachine", "DHCP options of a virtual machine"},
};

// Of ids that are the same in every cluster.
constexpr std::string_view kOfEveryCluster[] = {
    "default-network-controller:AdvertisedNetwork:advertised-network-subnets",
    "default-network-controller:AdvertisedNetwork:advertised-network-subnets:v4",
    "default-network-controller:AdvertisedNetwork:advertised-network-subnets:v6",
    "default-network-controller:Cluster:clusterPortGroup",
    "default-network-controller:Cluster:clusterRtrPortGroup",
    "default-network-controller:ClusterNodeIPs:node-ips:v4",
    "default-network-controller:ClusterNodeIPs:node-ips:v6",
    "default-network-controller:EgressIP:egressip-served-pods:v4:default",
    "default-network-controller:EgressIP:egressip-served-pods:v6:default",
    "default-network-controller:EgressService:egresssvc-served-pods:v4",
    "default-network-controller:EgressService:egresssvc-served-pods:v6",
    "default-network-controller:UDNIsolation:secondaryPods",
    "udn-enabled-svc:UDNEnabledService:udn-enabled-svc-cluster-ips:v4",
    "udn-enabled-svc:UDNEnabledService:udn-enabled-svc-cluster-ips:v6",
};

// util.HashForOVN(): FNV-1a of 64 bits, in decimal.
std::string hashed(std::string_view id) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : id) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return fmt::format("a{}", hash);
}

bool is_hash(std::string_view name) {
  constexpr std::size_t kFewest = 12, kMost = 20;  // digits; fewer are one of 10 million hashes
  return consume(name, "a") && name.size() >= kFewest && name.size() <= kMost && std::all_of(name.begin(), name.end(), is_digit);
}

std::string id_meaning(std::string_view id) {
  std::string_view rest = id;
  const std::string_view controller = take_until(rest, ':'), type = take_until(rest, ':');
  const auto row = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const OwnerType& t) { return t.type == type; });
  if (row == std::end(kTypes) || controller.empty() || rest.empty()) return {};
  return fmt::format("{}: {}, written by {}", row->text, rest, controller);
}

}  // namespace

void add_owner(std::string_view name, std::vector<std::pair<std::string, std::string>>& meanings) {
  if (std::string id = id_meaning(name); !id.empty()) {
    meanings.emplace_back("external_ids:k8s.ovn.org/id", std::move(id));
    meanings.emplace_back("port group or address set", fmt::format("{}, where this is its k8s.ovn.org/id", hashed(name)));
  }
  if (!is_hash(name)) return;
  const auto known = std::find_if(std::begin(kOfEveryCluster), std::end(kOfEveryCluster),
                                  [&](std::string_view id) { return hashed(id) == name; });
  meanings.emplace_back("port group or address set", known != std::end(kOfEveryCluster)
                                                         ? fmt::format("{} ({})", id_meaning(*known), *known)
                                                         : "hash of its external_ids:k8s.ovn.org/id, which names its owner");
}

}  // namespace egt::explain
