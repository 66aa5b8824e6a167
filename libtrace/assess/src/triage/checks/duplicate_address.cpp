// An address that two nodes of the snapshot have, or a node and OVN on another one: both answer ARP for it, and frames reach
// one of them by chance.
#include <algorithm>
#include <map>
#include <set>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace duplicate_address {

struct Holder {
  const cluster::Node* node = nullptr;
  const host::Link* link = nullptr;
  const host::Address* address = nullptr;
};

// Addresses that are to be on one node alone: those of nodes and of services' load balancers, and what any node has as
// neighbour. Bridges of container runtimes have the same address everywhere, and only their own node uses it. Egress IPs have a
// check of their own.
std::set<IpAddr> addresses_of_one(const Facts& f) {
  std::set<IpAddr> all;
  for (const cluster::NodeObject& node : f.cluster.objects.nodes) all.insert(node.addresses.begin(), node.addresses.end());
  for (const cluster::Service& service : f.cluster.objects.services)
    all.insert(service.load_balancer_ips.begin(), service.load_balancer_ips.end());
  for (const auto& node : f.cluster.nodes)
    for (const host::Neighbour& n : node->host.neighbours.value)
      if (n.state != host::NeighbourState::permanent) all.insert(n.address);
  for (const EgressPlace& place : f.places) all.erase(place.address);
  return all;
}

// On `lo`, and with a host's prefix, an address is often on many nodes on purpose (anycast, keepalived, kube-vip).
bool counts(const host::Link& link, const host::Address& a) {
  return link.link_type != "loopback" && link.is_up() && !a.prefix.is_host() && a.scope == "global";
}

std::map<IpAddr, std::vector<Holder>> holders(const Facts& f) {
  std::map<IpAddr, std::vector<Holder>> all;
  for (const auto& node : f.cluster.nodes)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& a : link.addresses) {
        auto& of_one = all[a.prefix.address];
        if (counts(link, a) && std::none_of(of_one.begin(), of_one.end(), [&](const Holder& h) { return h.node == node.get(); }))
          of_one.push_back({node.get(), &link, &a});
      }
  return all;
}

bool is_on_network(const cluster::Node& node, const IpAddr& address) {
  return std::any_of(node.host.links.value.begin(), node.host.links.value.end(), [&](const host::Link& link) {
    return std::any_of(link.addresses.begin(), link.addresses.end(),
                       [&](const host::Address& a) { return counts(link, a) && a.prefix.network().contains(address); });
  });
}

// The external addresses of a gateway router's NAT rows are OVN's own: it answers ARP for them (build_lrouter_nat_arp_nd_flow() of
// northd/northd.c). That of the router's own node is shared with its host.
void judge_nat(const std::map<IpAddr, std::vector<Holder>>& holders, const cluster::Node& node, Findings& out) {
  std::set<IpAddr> reported;
  for (const NatRow& row : nat_rows_of(node).all) {
    const auto held = row.external ? holders.find(*row.external) : holders.end();
    if (held == holders.end() || held->second.size() != 1) continue;
    const Holder& other = held->second.front();
    const bool is_own = other.node == &node || !row.router.ends_with("_" + node.name);
    if (is_own || !is_on_network(node, *row.external) || !reported.insert(*row.external).second) continue;
    out.add(Claim::duplicate_address_of_nat, node.name, "",
            {Term::Devices{{other.link->name, other.node->name}}, *row.external, row.logical_ip, row.router},
            {row.from, other.address->from});
  }
}

void run(const Facts& f, Findings& out) {
  const std::set<IpAddr> of_one = addresses_of_one(f);
  const std::map<IpAddr, std::vector<Holder>> holding = holders(f);
  for (const auto& node : f.cluster.nodes)
    if (is_cluster_node(*node)) judge_nat(holding, *node, out);
  for (const auto& [address, all] : holding) {
    if (all.size() < 2 || !of_one.contains(address)) continue;
    std::vector<Provenance> lines;
    Term::Devices devices;
    for (const Holder& h : all) {
      lines.push_back(h.address->from);
      devices.push_back({h.link->name, h.node->name});
    }
    out.add(Claim::duplicate_address, all.front().node->name, "", {devices, address, all.front().link->name}, lines);
  }
}

}  // namespace duplicate_address

const Check kDuplicateAddress{"duplicate-address", Severity::error, always, duplicate_address::run};

}  // namespace egt::assess
