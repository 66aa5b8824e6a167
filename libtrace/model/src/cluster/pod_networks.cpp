// What objects show of the networks of pods: their definitions, and which of them a pod's stack uses.
#include "egtrace/cluster/pod_networks.h"

#include <algorithm>

namespace egt::cluster {
namespace {

constexpr int kNoRoute = -1;

int longest(int a, const Prefix& p, const IpAddr& address) {
  return p.contains(address) ? std::max(a, static_cast<int>(p.length)) : a;
}

// The prefix of the route that leads to the address; kNoRoute: none does.
int length_of_route(const std::vector<Prefix>& addresses, const std::vector<PodRoute>& routes,
                    const std::vector<IpAddr>& gateways, const IpAddr& address) {
  int length = kNoRoute;
  for (const IpAddr& gateway : gateways)
    if (gateway.family == address.family) length = std::max(length, 0);
  for (const Prefix& own : addresses) length = longest(length, own, address);
  for (const PodRoute& route : routes) length = longest(length, route.to, address);
  return length;
}

// The subnets that its definition shows, of a pod whose addresses come without the length of theirs.
std::vector<Prefix> defined_subnets(const Objects& objects, const PodAttachment& on) {
  std::vector<Prefix> subnets;
  const NetworkDefinition* definition = definition_of(objects, on.network);
  if (definition == nullptr) return subnets;
  for (const Prefix& subnet : definition->subnets)
    if (std::any_of(on.addresses.begin(), on.addresses.end(), [&](const Prefix& own) { return subnet.contains(own.address); }))
      subnets.push_back(subnet);
  return subnets;
}

bool shows_subnet(const std::vector<Prefix>& addresses) {
  return std::any_of(addresses.begin(), addresses.end(), [](const Prefix& p) { return !p.is_host(); });
}

// A network without subnets gives ports a MAC alone; the pod has an address all the same.
std::vector<Prefix> addresses_on(const Pod& pod, const PodAttachment& on, const SeenNetworks& seen) {
  return on.addresses.empty() && on.of_ovn ? seen.addresses_of(pod, on) : on.addresses;
}

int length_by(const Objects& objects, const Pod& pod, const PodAttachment& on, const IpAddr& address, const SeenNetworks& seen) {
  const std::vector<Prefix> own = addresses_on(pod, on, seen);
  int length = length_of_route(own, on.routes, on.gateways, address);
  if (shows_subnet(own)) return length;
  for (const Prefix& subnet : defined_subnets(objects, on)) length = longest(length, subnet, address);
  if (length == kNoRoute && seen.has(on.network, address)) length = 1;
  return length;
}

// Whether nothing shows which addresses are on the network's link.
bool is_unsure(const Objects& objects, const Pod& pod, const PodAttachment& on, const SeenNetworks& seen) {
  const std::vector<Prefix> own = addresses_on(pod, on, seen);
  return !shows_subnet(own) && (!on.of_ovn || own.empty()) && defined_subnets(objects, on).empty();
}

}  // namespace

PodWay way_towards(const Objects& objects, const Pod& pod, const IpAddr& address, const SeenNetworks& seen) {
  PodWay best;
  const PodAttachment* primary = pod.primary();
  int length = kNoRoute;
  const auto consider = [&](const PodAttachment* on, int of) {
    if (of > length) best.on = on, length = of;
  };
  if (primary != nullptr) consider(primary, std::max(0, length_by(objects, pod, *primary, address, seen)));
  consider(nullptr, length_of_route(pod.addresses, pod.routes, pod.gateways, address));
  for (const PodAttachment& on : pod.other_networks) {
    if (&on == primary) continue;
    consider(&on, length_by(objects, pod, on, address, seen));
    best.unsure |= is_unsure(objects, pod, on, seen);
  }
  best.has_route = length != kNoRoute;
  if (!best.has_route) best.on = primary;
  return best;
}

bool has_route_by(const Objects& objects, const Pod& pod, const PodAttachment& on, const IpAddr& address,
                  const SeenNetworks& seen) {
  return length_by(objects, pod, on, address, seen) != kNoRoute;
}

const NetworkDefinition* definition_of(const Objects& objects, std::string_view network) {
  const std::size_t slash = network.find('/');
  if (slash == network.npos) return nullptr;
  std::string_view name = network.substr(slash + 1);
  name = name.substr(0, name.find('/'));  // NAMESPACE/NAME/NUMBER, where a pod is on it more than once
  const std::string space(network.substr(0, slash));
  const NetworkDefinition* found = objects.network_attachments.find(space, std::string(name));
  return found != nullptr ? found : objects.user_defined_networks.find(space, std::string(name));
}

std::string plugin_of(const Objects& objects, const PodAttachment& on) {
  if (on.of_ovn) return {};
  const NetworkDefinition* definition = definition_of(objects, on.network);
  if (definition == nullptr || definition->plugin.empty()) return "unknown";
  return definition->is_of_ovn() ? std::string() : definition->plugin;
}

namespace {

// The ClusterUserDefinedNetwork behind a NetworkAttachmentDefinition, which is called like it.
const NetworkDefinition* cluster_network_of(const Objects& objects, std::string_view network) {
  const NetworkDefinition* of_cluster = objects.user_defined_networks.find(std::string(network.substr(network.find('/') + 1)));
  const NetworkDefinition* attachment = definition_of(objects, network);
  const bool other = attachment != nullptr && of_cluster != nullptr && !attachment->network.empty() &&
                     attachment->network != of_cluster->network;
  return other ? nullptr : of_cluster;
}

}  // namespace

Transport transport_of(const Objects& objects, std::string_view network) {
  for (const NetworkDefinition* shown : {definition_of(objects, network), cluster_network_of(objects, network)})
    if (shown != nullptr && shown->transport != Transport::tunnels) return shown->transport;
  return Transport::tunnels;
}

const RouteAdvertisement* advertisement_of(const Objects& objects, std::string_view network) {
  const NetworkDefinition* of_cluster = network.empty() ? nullptr : cluster_network_of(objects, network);
  for (const RouteAdvertisement& ra : objects.route_advertisements) {
    if (!ra.pods || ra.accepted == false) continue;
    if (network.empty() ? ra.default_network : of_cluster != nullptr && ra.networks.matches(of_cluster->labels)) return &ra;
  }
  return nullptr;
}

}  // namespace egt::cluster
