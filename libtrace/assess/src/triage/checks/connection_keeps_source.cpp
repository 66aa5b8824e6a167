// Connections of a pod that conntrack holds with another source than the pod is to leave with: NAT is decided by the
// first packet, so they keep it until they end.
#include <algorithm>

#include "common/look.h"
#include "egtrace/host/rule_view.h"
#include "triage/checks.h"

namespace egt::assess {
namespace connection_keeps_source {

// Addresses of the cluster itself: towards them a pod keeps its own.
bool is_inside(const Facts& f, const IpAddr& address) {
  if (f.pod_with(address) != nullptr) return true;
  if (const cluster::Node* owner = f.cluster.owner_of(address); owner != nullptr && is_cluster_node(*owner)) return true;
  for (const cluster::NodeObject& node : f.cluster.objects.nodes)
    if (std::find(node.addresses.begin(), node.addresses.end(), address) != node.addresses.end() ||
        std::any_of(node.pod_subnets.begin(), node.pod_subnets.end(), [&](const Prefix& p) { return p.contains(address); }))
      return true;
  return std::any_of(f.cluster.objects.services.begin(), f.cluster.objects.services.end(), [&](const auto& s) {
    return std::find(s.cluster_ips.begin(), s.cluster_ips.end(), address) != s.cluster_ips.end();
  });
}

// Connections of the host's own zone from this address to the outside whose answers go to none of `sources`.
std::vector<const host::ConntrackEntry*> others(const Facts& f, const cluster::Node& node, const IpAddr& pod,
                                                const std::vector<IpAddr>& sources) {
  std::vector<const host::ConntrackEntry*> all;
  for (const host::ConntrackEntry& e : node.host.conntrack.value)
    if (e.zone == 0 && e.original.src == pod && !is_inside(f, e.original.dst) && !e.original.dst.is_multicast() &&
        std::find(sources.begin(), sources.end(), e.reply.dst) == sources.end())
      all.push_back(&e);
  return all;
}

// `wanted`: absent where it is an address of the gateway.
void report(const cluster::Node& node, const KnownPod& pod, const std::string& object, Term wanted, Provenance from,
            const std::vector<const host::ConntrackEntry*>& found, Findings& out) {
  if (found.empty()) return;
  std::vector<Provenance> proof;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) proof.push_back(found[i]->from);
  proof.push_back(from);
  const host::ConntrackEntry& e = *found.front();
  out.about(pod);
  out.add(Claim::connections_keep_source, node.name, object,
          {found.size() == 1 ? Term() : Term(found.size()), pod.full_name(), e.reply.dst, std::move(wanted), e.original.src,
           e.original.dst, found.size()},
          proof);
}

void egress_ips(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (node == nullptr || place.network != EgressNetwork::host || out.has_cause(place.name())) continue;
    if (!node->host.conntrack.present) {
      out.lacks(Lack::connections, {place.node});
      continue;
    }
    for (const KnownPod* pod : place.pods)
      if (const EgressClaim* claim = f.claims.of(pod->full_name(), place.address.family))
        report(*node, *pod, place.name(), place.address, place.object->from,
               others(f, *node, *pod->address(place.address.family), claim->addresses), out);
  }
}

bool translates(const cluster::Node& gateway) {
  for (const auto* part : {&dumped_host(gateway).iptables_v4, &dumped_host(gateway).nft})
    for (const netfilter::Table& table : part->value.tables)
      for (const netfilter::Chain& chain : table.chains)
        for (const netfilter::Rule& rule : chain.rules)
          if (const auto* nat = netfilter::translation(rule); nat != nullptr && nat->kind == netfilter::NatTarget::Kind::snat)
            return true;
  return false;
}

// A gateway that translates is not to let a pod's own address through.
void gateways(const Facts& f, Findings& out) {
  for (const cluster::ExternalRoute& route : f.cluster.objects.external_routes) {
    const std::string object = "AdminPolicyBasedExternalRoute " + route.name;
    if (out.has_cause(object)) continue;
    for (const IpAddr& hop : route.next_hops) {
      const cluster::Node* gateway = f.cluster.owner_of(hop);
      if (gateway == nullptr || !translates(*gateway)) continue;
      for (const KnownPod* pod : selected_by(route, f.cluster.objects, f.pods)) {
        const IpAddr* address = pod->address(hop.family);
        if (address == nullptr) continue;
        std::vector<const host::ConntrackEntry*> found = others(f, *gateway, *address, {});
        std::erase_if(found, [&](const host::ConntrackEntry* e) { return e->reply.dst != *address; });
        report(*gateway, *pod, object, {}, route.from, found, out);
      }
    }
  }
}

void run(const Facts& f, Findings& out) {
  egress_ips(f, out);
  gateways(f, out);
}

std::optional<Lack> lacks(const Facts& f) {
  return f.cluster.objects.external_routes.empty() ? needs_egress_ips(f) : std::nullopt;
}

}  // namespace connection_keeps_source

const Check kConnectionKeepsSource{"connection-keeps-source", Severity::warning, connection_keeps_source::lacks,
                                   connection_keeps_source::run};

}  // namespace egt::assess
