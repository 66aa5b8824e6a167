// An egress IP on a network of the host that no rule of the host translates to.
#include <algorithm>
#include <map>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_snat_missing {

// How to list them: known where one chain of OVN-Kubernetes is there alone.
enum class Listing : std::uint8_t { either, either_v6, iptables, ip6tables, nft_v4, nft_v6 };

Listing listing_of(const HostChains& chains, Family family) {
  const bool v4 = family == Family::v4;
  if (chains.iptables.empty() == (chains.nft == nullptr)) return v4 ? Listing::either : Listing::either_v6;
  if (!chains.iptables.empty()) return v4 ? Listing::iptables : Listing::ip6tables;
  return v4 ? Listing::nft_v4 : Listing::nft_v6;
}

// OVN-Kubernetes drops what still has a pod's address where an egress IP was to be its source: the router marks it, and the mark
// reaches the host by the kernel's datapath.
const netfilter::Chain* drops_before(const cluster::Node& node) {
  const openflow::Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr || bridge->datapath_type == "netdev") return nullptr;
  for (const netfilter::Table& table : dumped_host(node).nft.value.tables)
    for (const netfilter::Chain& chain : table.chains)
      if (is_ovn_kubernetes(table) && chain.name == "egress-ip-sec-filter" && !chain.rules.empty()) return &chain;
  return nullptr;
}

// What becomes of packets that are not translated.
enum class PacketFate : std::uint8_t { leaves_as_it_is, dropped, other_address };

struct Judged {
  std::vector<const KnownPod*> served;
  std::map<PacketFate, std::vector<const KnownPod*>> missing;
  std::vector<Provenance> proof;
};

Judged judge(const Facts& f, const EgressPlace& place, const cluster::Node& node, bool has_filter) {
  const IpAddr outside_address = outside(f.cluster, place.address.family);
  Judged judged;
  for (const KnownPod* pod : place.pods) {
    const auto rules = host_snat_for(node, *pod->address(place.address.family), outside_address);
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return translates_to(r, place.address); });
    if (found != rules.end()) {
      judged.proof.push_back(found->from());
      judged.served.push_back(pod);
    } else {  // the kernel runs chains of type nat before those that filter at the same priority and after
      judged.missing[!rules.empty() ? PacketFate::other_address
                     : has_filter   ? PacketFate::dropped
                                    : PacketFate::leaves_as_it_is]
          .push_back(pod);
    }
  }
  return judged;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    const Family family = place.address.family;
    if (!has_nat_rules(*node, family)) {
      out.lacks(Lack::nat_rules, {place.node});
      continue;
    }
    const netfilter::Chain* filter = drops_before(*node);
    const Judged judged = judge(f, place, *node, filter != nullptr);
    const HostChains chains = host_chains(*node, family, HostFeature::egress_ips);
    for (const auto& [fate, missing] : judged.missing) {
      std::vector<Provenance> proof = judged.proof;
      for (const netfilter::Chain* chain : chains.iptables) proof.push_back(chain->from);
      if (chains.nft != nullptr) proof.push_back(chains.nft->from);
      if (fate == PacketFate::dropped) proof.push_back(filter->from);
      for (const Provenance& line : layers_of(f, place, missing)) proof.push_back(line);
      out.about(missing);
      out.add(Claim::egressip_snat_missing, place.node, place.name(),
              {place.address, terms_of(missing, family), terms_of(judged.served, family), listing_of(chains, family),
               fate == PacketFate::leaves_as_it_is ? Term(terms_of(missing, family)) : Term(),
               fate == PacketFate::dropped ? Term(filter->name) : Term(), fate == PacketFate::other_address ? Term(0) : Term()},
              proof);
    }
  }
}

}  // namespace egressip_snat_missing

const Check kEgressIpSnatMissing{"egressip-snat-missing",    Severity::error,     needs_egress_ips,
                                 egressip_snat_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
