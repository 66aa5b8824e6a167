// The host of an EgressService does not translate one of its endpoints to the service's address.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_snat_missing {

bool has_atom(const netfilter::Concat& parts, const IpAddr& address) {
  return std::any_of(parts.begin(), parts.end(), [&](const netfilter::Atom& atom) {
    const auto* n = std::get_if<netfilter::Number>(&atom);
    return n != nullptr && *n == address.value;
  });
}

// An element "POD : ADDRESS" of any nft map.
bool mapped(const cluster::Node& node, const IpAddr& pod, const IpAddr& to) {
  for (const netfilter::Table& table : dumped_host(node).nft.value.tables)
    for (const auto& [name, set] : table.sets)
      for (const netfilter::SetElement& e : set->elements)
        if (e.data && has_atom(e.key, pod) && has_atom(*e.data, to)) return true;
  return false;
}

bool translated(const Facts& f, const cluster::Node& node, const IpAddr& pod, const IpAddr& to) {
  if (mapped(node, pod, to)) return true;
  const auto rules = host_snat_for(node, pod, outside(f.cluster, pod.family));
  return std::any_of(rules.begin(), rules.end(), [&](const auto& r) { return translates_to(r, to); });
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      if (claim == nullptr || claim->kind != EgressClaim::Kind::egress_service || claim->nodes.empty()) continue;
      const cluster::Node* node = f.cluster.node(claim->nodes.front());
      const IpAddr* address = pod.address(family);
      if (node == nullptr || address == nullptr) continue;
      if (!has_nat_rules(*node, family)) {
        out.lacks(Lack::nat_rules, {node->name});
        continue;
      }
      if (std::any_of(claim->addresses.begin(), claim->addresses.end(),
                      [&](const IpAddr& to) { return translated(f, *node, *address, to); }))
        continue;
      out.about(pod);
      out.add(Claim::egressservice_snat_missing, node->name, claim->object,
              {pod.full_name(), *address, claim->addresses.front(), family}, {claim->from});
    }
}

}  // namespace egressservice_snat_missing

const Check kEgressServiceSnatMissing{"egressservice-snat-missing",    Severity::error,     needs_egress_services,
                                      egressservice_snat_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
