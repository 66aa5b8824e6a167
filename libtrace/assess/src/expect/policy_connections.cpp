#include "expect/policy_connections.h"

#include "common/targets.h"
#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

using cluster::Ruling;

constexpr std::uint16_t kAnyPort = 80;  // of rules that name none
constexpr std::size_t kLookedAt = 64;   // pods of a peer that are looked at for such that can be tried

struct Port {
  std::string protocol = "TCP";
  std::uint16_t number = kAnyPort;
};
Port port_of(const std::vector<cluster::RulePorts>& ports) {
  if (ports.empty()) return {};
  const cluster::RulePorts& first = ports.front();
  return {first.protocol, first.first != 0 ? first.first : kAnyPort};
}

// The first address of a network that a host can have.
IpAddr first_address(const Prefix& network) {
  const IpAddr first = network.network().address;
  if (network.is_host()) return first;
  IpAddr next = first;
  next.value = first.value + 1;
  return next;
}

}  // namespace

cluster::PolicyQuestion question(const KnownPod& from, const IpAddr& source, const cluster::Pod* to, const IpAddr& destination,
                                 const std::vector<cluster::RulePorts>& ports) {
  const Port port = port_of(ports);
  return {from.object, to, source, destination, port.protocol, port.number};
}

expect::Expectation implied(Implication implication, const Terms& about, const KnownPod& from, const cluster::PolicyQuestion& q,
                            Ruling ruling, Provenance object) {
  expect::Expectation e;
  e.name = phrase(implication, about);
  e.from = {{from.full_name(), {}, {}}};
  e.to = {{q.destination.to_string(), {}, {}}};
  e.proto = lower(q.protocol);
  e.dport = q.port;
  e.object = object;
  if (ruling == Ruling::denied)
    e.verdicts = {Verdict::dropped, Verdict::rejected};
  else
    e.outcomes = {Outcome::answered, Outcome::refused};  // whether a process listens is no matter of policies
  return e;
}

bool has_dumps(const cluster::Cluster& cluster, const KnownPod& pod) {
  return pod.object != nullptr && !pod.host_network && cluster.handle(pod.node) != nullptr;
}

std::vector<const KnownPod*> peers(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods,
                                   const cluster::PolicyRule& rule) {
  std::vector<const KnownPod*> some;
  for (const cluster::PolicyPeer& peer : rule.peers)
    for (const KnownPod* pod : pods_of(peer, cluster.objects, pods, kLookedAt))
      if (some.size() < kEachSide && has_dumps(cluster, *pod)) some.push_back(pod);
  return some;
}

IpAddr address_in(const cluster::Cluster& cluster, const Prefix& network) {
  const IpAddr server = outside(cluster, network.address.family);
  return network.contains(server) ? server : first_address(network);
}

bool is_outside_node(const cluster::Cluster& cluster, const IpAddr& address) {
  const cluster::Node* owner = cluster.owner_of(address);
  return owner != nullptr && !is_cluster_node(*owner);
}

bool firewall_lets_through(const cluster::Cluster& cluster, const cluster::PolicyQuestion& q, const KnownPod& from) {
  const Ruling ruling = firewall_ruling(cluster.objects, cluster.node(from.node), q).ruling;
  return ruling == Ruling::none || ruling == Ruling::allowed;
}

}  // namespace egt::assess
