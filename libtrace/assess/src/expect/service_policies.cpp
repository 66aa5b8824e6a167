#include "expect/service_policies.h"

#include <algorithm>
#include <optional>
#include <set>

#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

using cluster::PolicyDirection;
using cluster::Ruling;

constexpr std::size_t kOfEachPeer = 4;  // pods that stand for all that a peer of a rule selects
constexpr std::size_t kBehind = 4;      // pods behind a service of which the rules are looked at

// The port of the pods behind the service's port; 0: nothing shows it, or they differ.
std::uint16_t target_port(const cluster::Objects& objects, const cluster::Service& service, const cluster::ServicePort& port) {
  const cluster::Backing backing = backing_of(service, objects);
  std::optional<std::uint16_t> target;
  for (const cluster::BackingEndpoint& b : backing.endpoints)
    for (const cluster::EndpointPort& p : b.slice->ports) {
      if (p.name != port.name || p.protocol != port.protocol) continue;
      if (target.value_or(p.port) != p.port) return 0;
      target = p.port;
    }
  if (target || backing.shown) return target.value_or(0);
  if (port.target_port.empty()) return port.port;
  const auto number = parse_decimal(port.target_port);
  return number && *number <= 65535 ? static_cast<std::uint16_t>(*number) : std::uint16_t{0};
}

// Of both directions.
Ruling both(Ruling a, Ruling b) {
  if (a == Ruling::denied || b == Ruling::denied) return Ruling::denied;
  return a == Ruling::open || b == Ruling::open ? Ruling::open : Ruling::allowed;
}

}  // namespace

bool ServicePolicies::is_restricted(const cluster::Pod* pod, PolicyDirection direction) {
  if (pod == nullptr || pod->host_network) return false;
  const bool egress = direction == PolicyDirection::egress;
  const auto [at, added] = restricted_[static_cast<std::size_t>(direction)].try_emplace(pod, false);
  if (!added) return at->second;
  for (const cluster::NetworkPolicy* policy : objects_.network_policies.in(pod->namespace_))
    at->second = at->second || ((egress ? policy->egress : policy->ingress) && selects(*policy, *pod));
  for (const cluster::AdminNetworkPolicy& policy : objects_.admin_network_policies)
    at->second = at->second || (!(egress ? policy.egress : policy.ingress).empty() && selects(policy, objects_, *pod));
  return at->second;
}

bool ServicePolicies::any_restricted(const std::vector<cluster::ServiceEndpoint>& endpoints) {
  return std::any_of(endpoints.begin(), endpoints.end(),
                     [&](const cluster::ServiceEndpoint& e) { return is_restricted(pod_behind(e), PolicyDirection::ingress); });
}

Reach ServicePolicies::reach(const cluster::Pod* client, const IpAddr& source, const cluster::Service& service,
                             const cluster::ServicePort& port, const std::vector<cluster::ServiceEndpoint>& endpoints) {
  const bool sends_freely = !is_restricted(client, PolicyDirection::egress);
  if (sends_freely && !any_restricted(endpoints)) return Reach::every;
  const std::uint16_t target = target_port(objects_, service, port);
  std::set<Ruling> rulings;
  for (const cluster::ServiceEndpoint& e : endpoints) {
    if (e.address.family != source.family) continue;
    const cluster::Pod* pod = pod_behind(e);
    const bool is_node = pod == nullptr || pod->host_network;
    if (sends_freely && !is_restricted(pod, PolicyDirection::ingress)) {
      rulings.insert(Ruling::allowed);
      continue;
    }
    if (target == 0 || pod == client) return Reach::open;
    const cluster::PolicyQuestion q{client, is_node ? nullptr : pod, source, e.address, port.protocol, target};
    rulings.insert(both(policy_ruling(objects_, q, PolicyDirection::egress).ruling,
                        policy_ruling(objects_, q, PolicyDirection::ingress).ruling));
  }
  if (rulings.empty()) return Reach::every;  // no endpoint of the family
  if (rulings.size() != 1 || *rulings.begin() == Ruling::open) return Reach::open;
  return *rulings.begin() == Ruling::denied ? Reach::none : Reach::every;
}

std::vector<const KnownPod*> ServicePolicies::named_by_rules(const std::vector<cluster::ServiceEndpoint>& endpoints) {
  std::vector<const KnownPod*> named;
  std::size_t looked_at = 0;
  for (const cluster::ServiceEndpoint& e : endpoints) {
    const cluster::Pod* pod = pod_behind(e);
    if (!is_restricted(pod, PolicyDirection::ingress)) continue;
    if (++looked_at > kBehind) break;
    for (const cluster::NetworkPolicy* policy : objects_.network_policies.in(pod->namespace_)) {
      if (!policy->ingress || !selects(*policy, *pod)) continue;
      for (const cluster::NetworkRule& rule : policy->ingress_rules)
        for (const cluster::PolicyPeer& peer : rule.peers)
          for (const KnownPod* known : pods_of(peer, objects_, pods_, kOfEachPeer))
            if (std::find(named.begin(), named.end(), known) == named.end()) named.push_back(known);
    }
  }
  return named;
}

}  // namespace egt::assess
